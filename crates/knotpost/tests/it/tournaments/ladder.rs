//! Ladders: who may challenge whom, and who stands where afterwards.

use super::tell;

tell! {
    a_challenger_who_wins_takes_the_place_of_the_challenged,
    a_challenge_that_cannot_be_is_refused_with_the_condition,
    two_challenges_at_once_begin_one_board,
    a_server_killed_after_a_challenge_or_a_game_has_done_it_once,
    two_boards_are_won_by_whoever_has_more_points,
    who_loses_on_time_leaves_the_ladder,
    who_leaves_closes_the_gap_and_comes_back_at_the_bottom,
    who_comes_and_goes_all_day_is_told_to_the_director_once,
    a_ladder_is_directed_as_far_as_it_can_be,
    places_of_earlier_days_are_kept,
    ten_thousand_games_are_counted_and_played_again,
}

mod stories {
    use knotpost_commands::{Days, DirectorAction};
    use knotpost_core::boards::ServiceError;
    use knotpost_core::clock::work_tournaments;
    use knotpost_core::tournaments::{Challenged, challenge, view_rivals, view_tournament};
    use knotpost_model::{BoardRef, LeaveReason, TournamentName, TournamentState};

    use crate::harness::{DAY, HOUR, Place};
    use crate::tournaments::club::{Club, T1, refused, subjects};

    const FIVE: [&str; 5] = ["ann", "bob", "cyd", "dan", "eve"];

    async fn ladder(place: Place, terms: &str) -> Club {
        let club = Club::open(place, &FIVE).await;
        let view = club.announce_by("dir", "ladder", terms).await.expect("announced");
        assert_eq!(
            (view.line.name, view.line.state, view.line.deadline),
            (T1, TournamentState::Running, None)
        );
        club.enter(T1, &FIVE).await;
        club.app.letters();
        club
    }

    async fn try_challenge(club: &Club, who: &str, opponent: &str) -> Result<Challenged, ServiceError> {
        let (who, opponent) = (who.to_owned(), opponent.to_owned());
        club.app
            .app
            .write(async move |tx, app| {
                let who = tx.find_user(&who).await?.expect("a user");
                let opponent = Some(opponent.as_str()).filter(|opponent| !opponent.is_empty());
                challenge(tx, app, &who, (T1, opponent), app.clock.now()).await
            })
            .await
    }

    async fn begin(club: &Club, who: &str, opponent: &str) -> BoardRef {
        let begun = try_challenge(club, who, opponent).await.expect("a challenge");
        begun.boards.into_iter().next().expect("a board")
    }

    async fn order(club: &Club) -> String {
        club.check(T1).await;
        let view = club.view(T1).await;
        let places: Vec<_> = view.players.iter().map(|player| player.place).collect();
        assert_eq!(places, (1..=places.len() as u32).map(Some).collect::<Vec<_>>());
        // The places that are stored are those of all changes played again.
        let now = club.app.app.clock.now();
        let again = view_tournament(&club.app.app.store, T1, Some(now)).await.expect("a ladder");
        let userids = |players: &[knotpost_core::tournaments::TournamentPlayer]| {
            players.iter().map(|player| player.userid.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(userids(&view.players), userids(&again.players));
        userids(&view.players)
    }

    pub(super) async fn a_challenger_who_wins_takes_the_place_of_the_challenged(place: Place) {
        let club = ladder(place, "").await;
        assert_eq!(order(&club).await, "ann bob cyd dan eve");
        let board = begin(&club, "eve", "bob").await;
        club.app.tick().await;
        let told = subjects(&club.app.letters());
        assert_eq!(told, ["bob: New Osbox Board 101 bob"]);
        let view = club.view(T1).await;
        assert_eq!(view.pairings[0].seats[0].userid, "bob", "the challenged has seat 1");
        club.resign(&board, "bob").await;
        assert_eq!(order(&club).await, "ann eve bob cyd dan");
        let view = club.view(T1).await;
        assert_eq!((view.players[1].won, view.players[2].lost), (1, 1));
        assert!(
            view.changes[0].ends_with("eve won against bob (board 101) and took place 2"),
            "{:?}",
            view.changes
        );
        // A loss changes nothing, nor does a win of the one above.
        let board = begin(&club, "dan", "eve").await;
        club.resign(&board, "dan").await;
        assert_eq!(order(&club).await, "ann eve bob cyd dan");
        club.app.tick().await;
        club.app.letters();
        club.app.pass(30 * DAY).await;
        assert!(club.app.letters().is_empty(), "a ladder never ends, and says nothing of itself");
    }

    pub(super) async fn a_challenge_that_cannot_be_is_refused_with_the_condition(place: Place) {
        let club = ladder(place, "-window=2").await;
        club.app.sign_up("fay").await;
        for (who, opponent, told) in [
            ("fay", "eve", "conflict you are not on t1"),
            ("eve", "fay", "conflict `fay` is not on t1"),
            ("eve", "eve", "conflict nobody plays against themselves on a ladder"),
            ("ann", "", "conflict you are on top of t1, and nobody stands above you"),
            ("ann", "bob", "conflict bob stands below you; a challenge goes upwards"),
            ("eve", "bob", "conflict bob stands 3 places above you; on t1 a challenge reaches 2 up"),
        ] {
            assert_eq!(refused(try_challenge(&club, who, opponent).await), told, "{who} {opponent}");
        }
        let page = club.app.post("vacation cyd cyd-secret 3", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let told = refused(try_challenge(&club, "eve", "cyd").await);
        assert!(told.starts_with("conflict cyd is on vacation until 2026-11-2"), "{told}");
        let told = refused(try_challenge(&club, "cyd", "").await);
        assert!(told.starts_with("conflict you are on vacation until 2026-11-2"), "{told}");
        // The highest who is there is meant.
        let begun = try_challenge(&club, "eve", "").await.expect("a challenge");
        assert_eq!((begun.opponent.as_str(), begun.boards.len()), ("dan", 1));
        let told = refused(try_challenge(&club, "eve", "dan").await);
        assert_eq!(told, "conflict you play dan already, on board 101");
        let reasons = view_rivals(&club.app.app, T1, club.view(T1).await.players[4].user)
            .await
            .unwrap()
            .expect("rivals");
        let reasons: Vec<_> =
            reasons.into_iter().map(|one| (one.place, one.reason.unwrap_or_default())).collect();
        assert!(reasons[0].1.contains("cyd can be challenged from then on"), "{reasons:?}");
        assert!(reasons[1].1.contains("14 days after"), "{reasons:?}");
        club.resign(&begun.boards[0], "eve").await;
        let told = refused(try_challenge(&club, "eve", "dan").await);
        assert!(told.contains("ended less than 14 days ago, on 2026-11-20"), "{told}");
        club.app.pass(14 * DAY).await;
        begin(&club, "eve", "dan").await;
        // Whoever leaves and comes back has met the others all the same.
        club.withdraw(T1, "eve").await.unwrap();
        club.app.tick().await;
        club.enter(T1, &["eve"]).await;
        let told = refused(try_challenge(&club, "eve", "dan").await);
        assert!(told.contains("ended less than 14 days ago"), "{told}");
    }

    pub(super) async fn two_challenges_at_once_begin_one_board(place: Place) {
        let club = ladder(place, "").await;
        let (one, other) =
            tokio::join!(try_challenge(&club, "eve", "dan"), try_challenge(&club, "eve", "dan"));
        let begun = [one.is_ok(), other.is_ok()].iter().filter(|begun| **begun).count();
        assert_eq!(begun, 1);
        assert_eq!(club.view(T1).await.pairings.len(), 1);
        // Three ask one who can be asked twice.
        let (bob, cyd, dan) = tokio::join!(
            try_challenge(&club, "bob", "ann"),
            try_challenge(&club, "cyd", "ann"),
            try_challenge(&club, "dan", "ann")
        );
        let begun = [bob.is_ok(), cyd.is_ok(), dan.is_ok()].iter().filter(|begun| **begun).count();
        assert_eq!(begun, 2);
        let told = [bob, cyd, dan].into_iter().find(Result::is_err).map(refused).unwrap();
        assert!(told.starts_with("not_allowed ann has been challenged by 2 players, on boards"), "{told}");
        let view = club.view(T1).await;
        let mut tables: Vec<u32> = view.pairings.iter().map(|pairing| pairing.table).collect();
        tables.dedup();
        assert_eq!(tables, [1, 2, 3]);
    }

    pub(super) async fn a_server_killed_after_a_challenge_or_a_game_has_done_it_once(place: Place) {
        let mut club = ladder(place, "").await;
        let board = begin(&club, "cyd", "ann").await;
        club = Club { app: club.app.start_again(|_| {}).await };
        club.app.tick().await;
        assert_eq!(club.view(T1).await.pairings.len(), 1);
        assert_eq!(subjects(&club.app.letters()), ["ann: New Osbox Board 101 ann"]);
        club.resign(&board, "ann").await;
        club = Club { app: club.app.start_again(|_| {}).await };
        club.app.tick().await;
        assert_eq!(order(&club).await, "cyd ann bob dan eve");
        // Two servers do what is left of a withdrawal.
        let board = begin(&club, "eve", "dan").await;
        club.withdraw(T1, "dan").await.unwrap();
        club.app.stay_alive().await;
        let work = || {
            let app = std::sync::Arc::clone(&club.app.app);
            tokio::spawn(async move { while work_tournaments(&app, "the test").await.unwrap() {} })
        };
        for server in [work(), work()] {
            server.await.unwrap();
        }
        assert_eq!(club.result_of(&board).await[0], "over");
        assert_eq!(order(&club).await, "cyd ann bob eve");
    }

    pub(super) async fn two_boards_are_won_by_whoever_has_more_points(place: Place) {
        let club = ladder(place, "-games=2").await;
        let begun = try_challenge(&club, "dan", "bob").await.expect("a challenge");
        let [one, other] = &begun.boards[..] else { panic!("two boards") };
        let view = club.view(T1).await;
        assert_eq!(view.pairings[0].seats[0].userid, "bob");
        club.resign(one, "bob").await;
        assert_eq!(order(&club).await, "ann bob cyd dan eve", "one of two is over");
        club.resign(other, "dan").await;
        assert_eq!(order(&club).await, "ann bob cyd dan eve", "a tie");
        let begun = try_challenge(&club, "eve", "bob").await.expect("a challenge");
        for board in &begun.boards {
            club.resign(board, "bob").await;
        }
        assert_eq!(order(&club).await, "ann eve bob cyd dan");
    }

    pub(super) async fn who_loses_on_time_leaves_the_ladder(place: Place) {
        let club = ladder(place, "-forfeittime=2").await;
        let board = begin(&club, "cyd", "ann").await;
        club.play_one(&board).await;
        club.play_one(&board).await;
        club.app.letters();
        club.app.pass(2 * DAY).await;
        assert_eq!(order(&club).await, "cyd bob dan eve", "the challenger took the place before");
        let letters = club.app.letters();
        let out = letters.iter().find(|letter| letter.subject.ends_with("you are out")).expect("a mail");
        assert!(out.text.contains("enter ann PASSWORD t1"), "{}", out.text);
        assert!(!out.text.contains("another tournament from"), "{}", out.text);
        club.enter(T1, &["ann"]).await;
        assert_eq!(order(&club).await, "cyd bob dan eve ann");
        // Whoever has not moved at all is barred besides.
        begin(&club, "ann", "dan").await;
        club.app.pass(2 * DAY).await;
        assert_eq!(order(&club).await, "cyd bob ann eve");
        let told = refused(club.try_enter(T1, "dan").await);
        assert!(told.starts_with("not_allowed you lost on time in a tournament"), "{told}");
    }

    pub(super) async fn who_leaves_closes_the_gap_and_comes_back_at_the_bottom(place: Place) {
        let club = ladder(place, "").await;
        let board = begin(&club, "cyd", "bob").await;
        club.withdraw(T1, "bob").await.unwrap();
        assert_eq!(order(&club).await, "ann cyd dan eve");
        // The board is lost, but there is no place to take.
        club.enter(T1, &["bob"]).await;
        club.app.tick().await;
        assert_eq!(club.result_of(&board).await[0], "over");
        assert_eq!(order(&club).await, "ann cyd dan eve bob");
        club.app.letters();
        club.app.pass(DAY).await;
        let view = club.view(T1).await;
        let bob = &view.players[4];
        assert_eq!((bob.left, bob.lost, view.line.entered), (None::<LeaveReason>, 0, 5));
        let page = club.app.post("delete ann ann-secret really", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        club.app.tick().await;
        assert_eq!(order(&club).await, "cyd dan eve bob");
        assert!(refused(club.withdraw(TournamentName(9), "cyd").await).contains("no tournament t9"));
    }

    pub(super) async fn who_comes_and_goes_all_day_is_told_to_the_director_once(place: Place) {
        let club = ladder(place, "").await;
        let mut told = 0;
        for _ in 0..4 {
            club.app.pass(HOUR).await;
            club.withdraw(T1, "bob").await.unwrap();
            club.app.tick().await;
            club.enter(T1, &["bob"]).await;
            let letters = subjects(&club.app.letters());
            told +=
                letters.iter().filter(|line| line.starts_with("dir") && line.ends_with("bob is out")).count();
        }
        assert_eq!(told, 1);
        club.app.pass(DAY).await;
        club.withdraw(T1, "bob").await.unwrap();
        club.app.tick().await;
        assert_eq!(subjects(&club.app.letters()), ["dir: Tournament t1 Winter cup: bob is out"]);
        // Those who are on it are read, and not each of their stays.
        let mut tx = club.app.app.store.read().await.unwrap();
        assert_eq!(tx.tournament_players(T1).await.unwrap().len(), 9);
        assert_eq!(tx.ladder_players(T1, (1, "a"), 50).await.unwrap().len(), 4);
    }

    pub(super) async fn ten_thousand_games_are_counted_and_played_again(place: Place) {
        let club = ladder(place, "").await;
        // The first two take the place of each other again and again, a minute each, and each wins every other game.
        for rows in [
            "INSERT INTO tournament_pairings (id, tournament_id, round, pool, number, deadline, opened) \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) \
             SELECT i, 1, 1, 'a', i, NULL, TRUE FROM n",
            "INSERT INTO tournament_seats (pairing_id, game, seat, tournament_id, entry, board_id, points, played, on_time) \
             SELECT id, 1, 1, 1, 2 - id % 2, CAST(NULL AS BIGINT), 0, TRUE, FALSE FROM tournament_pairings UNION ALL \
             SELECT id, 1, 2, 1, 1 + id % 2, CAST(NULL AS BIGINT), 2, TRUE, FALSE FROM tournament_pairings",
            "INSERT INTO tournament_log (tournament_id, at, user_id, action, subject_id, board_id, words, told_after) \
             SELECT 1, (SELECT MAX(entered_at) FROM tournament_players) + g.id * 60000, u.id, 'climb', o.id, CAST(NULL AS BIGINT), '1', CAST(NULL AS BIGINT) \
             FROM tournament_pairings g JOIN users u ON u.userid = CASE g.id % 2 WHEN 1 THEN 'bob' ELSE 'ann' END \
             JOIN users o ON o.userid = CASE g.id % 2 WHEN 1 THEN 'ann' ELSE 'bob' END ORDER BY g.id",
        ] {
            club.app.alter(rows).await;
        }
        let view = club.view(T1).await;
        let tallies: Vec<_> =
            view.players.iter().map(|player| (player.won, player.lost, player.tied)).collect();
        assert_eq!(tallies[..3], [(5000, 5000, 0), (5000, 5000, 0), (0, 0, 0)]);
        assert_eq!((view.pairings.len(), view.changes.len()), (50, 10));
        let start = club.app.app.clock.now();
        for (minutes, first) in [(0, "ann"), (1, "bob"), (2, "ann"), (9999, "bob"), (10_000, "ann")] {
            let at = start.plus(minutes * 60_000 + 30_000);
            let view = view_tournament(&club.app.app.store, T1, Some(at)).await.expect("a ladder");
            assert_eq!(view.players[0].userid, first, "after {minutes} minutes");
        }
    }

    pub(super) async fn a_ladder_is_directed_as_far_as_it_can_be(place: Place) {
        let club = Club::open(place, &FIVE).await;
        club.announce_by("dir", "ladder", "-closed").await.expect("announced");
        let told = refused(club.try_enter(T1, "ann").await);
        assert!(told.starts_with("not_allowed t1 is closed"), "{told}");
        assert_eq!(order(&club).await, "");
        let direct = async |action, text| club.direct("dir", T1, action, text).await;
        for name in FIVE {
            direct(DirectorAction::Admit(name.to_owned()), "").await.unwrap();
            club.enter(T1, &[name]).await;
        }
        club.app.tick().await;
        club.app.letters();
        let told = refused(direct(DirectorAction::Start, "").await);
        assert_eq!(told, "conflict t1 is a ladder, and runs from its announcement on");
        let told = refused(direct(DirectorAction::Extend(Days::from_word("3").unwrap()), "").await);
        assert_eq!(told, "conflict t1 is a ladder: it has no deadline that could be put off");
        let board = begin(&club, "cyd", "bob").await;
        direct(DirectorAction::Award { board: board.number, seat: Some(2) }, "So be it").await.unwrap();
        assert_eq!(order(&club).await, "ann cyd bob dan eve");
        direct(DirectorAction::Say, "Play more").await.unwrap();
        direct(DirectorAction::Expel("ann".to_owned()), "So be it").await.unwrap();
        assert_eq!(order(&club).await, "cyd bob dan eve");
        let told = refused(club.try_enter(T1, "ann").await);
        assert!(told.starts_with("not_allowed the director took you out of t1"), "{told}");
        club.app.tick().await;
        let told = subjects(&club.app.letters());
        let words = told.iter().filter(|line| line.ends_with("words of the director")).count();
        assert_eq!(words, 4, "{told:?}");
        let board = begin(&club, "eve", "dan").await;
        direct(DirectorAction::Cancel, "").await.unwrap();
        club.app.tick().await;
        assert_eq!(club.result_of(&board).await[0], "active", "it goes on as an ordinary one");
        club.resign(&board, "dan").await;
        let told = refused(try_challenge(&club, "eve", "bob").await);
        assert_eq!(told, "conflict t1 was cancelled");
        let other = club.announce("-players=2").await;
        let told = refused(view_tournament(&club.app.app.store, other, Some(club.app.app.clock.now())).await);
        assert!(told.starts_with("bad_value t2 is no ladder"), "{told}");
    }

    pub(super) async fn places_of_earlier_days_are_kept(place: Place) {
        let club = ladder(place, "").await;
        let begun = club.app.app.clock.now();
        club.app.pass(DAY).await;
        let board = begin(&club, "bob", "ann").await;
        club.resign(&board, "ann").await;
        club.app.pass(DAY).await;
        club.withdraw(T1, "dan").await.unwrap();
        assert_eq!(order(&club).await, "bob ann cyd eve");
        let at = async |millis: i64| {
            let view =
                view_tournament(&club.app.app.store, T1, Some(begun.plus(millis))).await.expect("a ladder");
            view.players.iter().map(|player| player.userid.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(at(-HOUR).await, "");
        assert_eq!(at(HOUR).await, "ann bob cyd dan eve");
        assert_eq!(at(DAY + HOUR).await, "bob ann cyd dan eve");
        assert_eq!(at(2 * DAY).await, "bob ann cyd eve");
    }
}
