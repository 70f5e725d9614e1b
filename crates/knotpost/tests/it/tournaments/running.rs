//! From the announcement to the last table, killed at every step.

use super::tell;

tell! {
    a_round_robin_runs_from_the_last_entry_to_its_table,
    a_server_killed_after_every_step_starts_everything_once,
    several_clocks_at_once_start_everything_once,
    two_boards_a_pairing_have_the_seats_exchanged,
    a_date_starts_puts_off_and_cancels,
    stages_go_on_until_one_group_is_left,
    computer_players_fill_up,
    a_repetition_takes_entries_as_soon_as_one_begins,
    less_time_used_wins_at_the_deadline,
    reminders_name_the_boards_that_are_left,
    a_board_that_is_removed_is_a_tie,
    a_board_that_cannot_be_read_is_a_tie,
    webhooks_are_told_of_rounds_and_the_end,
}

mod stories {
    use std::collections::BTreeSet;

    use knotpost_core::admin::{AdminAction, Administrator, BoardAction, administer};
    use knotpost_core::clock::work_tournaments;
    use knotpost_core::tournaments::PairingState;
    use knotpost_core::webhooks::HookEvent;
    use knotpost_model::{BoardRef, TournamentName, TournamentState};

    use crate::harness::{DAY, HOUR, HookHost, Place};
    use crate::tournaments::club::{Club, T1, subjects, table};

    const FOUR: [&str; 4] = ["ann", "bob", "cyd", "dan"];

    pub(super) async fn a_round_robin_runs_from_the_last_entry_to_its_table(place: Place) {
        let club = Club::open(place, &FOUR).await;
        assert_eq!(club.announce("-players=4").await, T1);
        club.enter(T1, &["dan", "cyd", "bob"]).await;
        club.enter(T1, &["bob"]).await;
        club.app.tick().await;
        let view = club.view(T1).await;
        assert_eq!((view.line.state, view.line.entered, view.pairings.len()), (TournamentState::Open, 3, 0));
        club.enter(T1, &["ann"]).await;
        assert_eq!(club.app.letters().len(), 0, "an entry is answered, nothing else");
        club.app.tick().await;
        let view = club.view(T1).await;
        assert_eq!(
            (view.line.state, view.line.round, view.line.rounds),
            (TournamentState::Running, 1, Some(1))
        );
        let numbers: Vec<_> =
            view.players.iter().map(|player| (player.number, player.userid.as_str())).collect();
        assert_eq!(numbers, [(Some(1), "ann"), (Some(2), "bob"), (Some(3), "cyd"), (Some(4), "dan")]);
        let seats: Vec<String> = view
            .pairings
            .iter()
            .map(|pairing| format!("{}-{}", pairing.seats[0].userid, pairing.seats[1].userid))
            .collect();
        assert_eq!(seats, ["ann-dan", "bob-cyd", "dan-cyd", "ann-bob", "bob-dan", "cyd-ann"]);
        assert!(view.pairings.iter().all(|pairing| pairing.state == PairingState::Open));
        let told = subjects(&club.app.letters());
        let begun = "Tournament t1 Winter cup: round 1 has begun";
        for name in ["ann", "bob", "cyd", "dan", "dir"] {
            assert_eq!(
                told.iter().filter(|line| **line == format!("{name}: {begun}")).count(),
                1,
                "{told:?}"
            );
        }
        assert_eq!(told.len(), 5 + 6, "one for each board, to the player to move: {told:?}");
        club.check(T1).await;
        for pairing in &view.pairings {
            club.play_out(&pairing.boards[0]).await;
            club.app.tick().await;
            club.check(T1).await;
        }
        let view = club.view(T1).await;
        assert_eq!(view.line.state, TournamentState::Over);
        let halves: f64 = view.players.iter().map(|player| 2.0 * player.points.unwrap()).sum();
        assert_eq!(halves as u32, 12, "six games");
        assert_eq!(view.players[0].place, Some(1));
        let over = subjects(&club.app.letters());
        let over: Vec<_> = over.iter().filter(|line| line.ends_with("Winter cup is over")).collect();
        assert_eq!(over.len(), 5, "{over:?}");
        club.app.pass(200 * DAY).await;
        assert_eq!(club.app.letters().len(), 0, "nothing more comes of it");
    }

    /// Boards of the pairings, each once.
    async fn boards(club: &Club, name: TournamentName) -> Vec<BoardRef> {
        let view = club.view(name).await;
        let boards: Vec<BoardRef> = view.pairings.iter().flat_map(|pairing| pairing.boards.clone()).collect();
        let distinct: BTreeSet<u32> = boards.iter().map(|board| board.number).collect();
        assert_eq!(distinct.len(), boards.len());
        boards
    }

    const SIX: [&str; 6] = ["ann", "bob", "cyd", "dan", "eve", "fay"];

    async fn count_begun(club: &Club) -> usize {
        let mut tx = club.app.app.store.read().await.unwrap();
        usize::try_from(tx.count_all_boards().await.unwrap()).unwrap()
    }

    pub(super) async fn a_server_killed_after_every_step_starts_everything_once(place: Place) {
        let mut club = Club::open(place, &SIX).await;
        let name = club.announce("-players=6 -games=2").await;
        club.enter(name, &SIX).await;
        let mut steps = 0;
        loop {
            club.app.stay_alive().await;
            if !work_tournaments(&club.app.app, "the test").await.unwrap() {
                break;
            }
            steps += 1;
            club.check(name).await;
            assert_eq!(boards(&club, name).await.len(), count_begun(&club).await);
            club = Club { app: club.app.start_again(|_| {}).await };
        }
        assert!(steps > 3, "a start of 30 boards takes {steps} transactions");
        assert_eq!(boards(&club, name).await.len(), 30);
        club.app.work().await;
        let told = subjects(&club.app.letters());
        assert_eq!(told.iter().filter(|line| line.contains("round 1 has begun")).count(), 7, "{told:?}");
        assert_eq!(told.len(), 7 + 30);
        for board in boards(&club, name).await {
            club.play_out(&board).await;
        }
        while {
            club.app.stay_alive().await;
            work_tournaments(&club.app.app, "the test").await.unwrap()
        } {
            club = Club { app: club.app.start_again(|_| {}).await };
        }
        club.app.work().await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
        let told = subjects(&club.app.letters());
        assert_eq!(told.iter().filter(|line| line.ends_with("Winter cup is over")).count(), 7);
    }

    pub(super) async fn several_clocks_at_once_start_everything_once(place: Place) {
        let club = Club::open(place, &SIX).await;
        let name = club.announce("-players=6 -games=2").await;
        club.enter(name, &SIX).await;
        club.app.stay_alive().await;
        let work = || {
            let app = std::sync::Arc::clone(&club.app.app);
            // As if each held the lease, which is worse than two servers can be.
            tokio::spawn(async move { while work_tournaments(&app, "the test").await.unwrap() {} })
        };
        let clocks = [work(), work(), work()];
        for clock in clocks {
            clock.await.unwrap();
        }
        assert_eq!(boards(&club, name).await.len(), 30);
        assert_eq!(count_begun(&club).await, 30);
        club.app.work().await;
        let told = subjects(&club.app.letters());
        assert_eq!(told.len(), 7 + 30, "{told:?}");
        club.check(name).await;
    }

    pub(super) async fn two_boards_a_pairing_have_the_seats_exchanged(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2 -games=2 -group=3 -advance=1", &["ann", "bob"]).await;
        let [one, other] = &boards(&club, name).await[..] else { panic!("two boards") };
        club.resign(one, "bob").await;
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!(view.pairings[0].seats[0].points, None, "one of two is over");
        assert_eq!(view.players[0].points, Some(1.0));
        club.resign(other, "ann").await;
        club.app.tick().await;
        club.check(name).await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        assert_eq!(
            table(&view.players),
            [("ann".to_owned(), Some(1), Some(1.0)), ("bob".to_owned(), Some(1), Some(1.0))]
        );
    }

    pub(super) async fn a_date_starts_puts_off_and_cancels(place: Place) {
        let club = Club::open(place, &FOUR).await;
        // The clock stands at 20 November, 10:00.
        let name = club.announce("-players=4-8 -start=2026-11-22").await;
        let other = club.announce("-players=4-8 -start=2026-11-22").await;
        club.enter(name, &FOUR).await;
        club.enter(other, &["ann"]).await;
        club.app.pass(DAY).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Open);
        club.app.pass(14 * HOUR).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Running);
        let starts = async || {
            let line = club.view(other).await.line;
            (line.state, line.starts.map(|at| at.to_rfc3339()))
        };
        assert_eq!(starts().await, (TournamentState::Open, Some("2026-11-29T00:00:00Z".to_owned())));
        let told = subjects(&club.app.letters());
        let put_off = told.iter().filter(|line| line.contains("start was put off"));
        assert_eq!(
            put_off.collect::<Vec<_>>(),
            [
                "ann: Tournament t2 Winter cup: its start was put off",
                "dir: Tournament t2 Winter cup: its start was put off"
            ]
        );
        club.app.pass(7 * DAY).await;
        assert_eq!(starts().await, (TournamentState::Open, Some("2026-12-06T00:00:00Z".to_owned())));
        club.app.letters();
        club.app.pass(7 * DAY).await;
        assert_eq!(starts().await.0, TournamentState::Cancelled);
        let told = subjects(&club.app.letters());
        assert!(told.contains(&"ann: Tournament t2 Winter cup was cancelled".to_owned()), "{told:?}");
    }

    pub(super) async fn stages_go_on_until_one_group_is_left(place: Place) {
        let club = Club::open(place, &SIX).await;
        let name = club.begin("-players=6 -group=3 -advance=1", &SIX).await;
        let groups = async || {
            let view = club.view(name).await;
            let group = |letter: &str| -> String {
                let own = view.players.iter().filter(|player| {
                    player.group.as_deref() == Some(letter) && player.round == Some(view.line.round)
                });
                let mut own: Vec<_> = own.map(|player| player.userid.clone()).collect();
                own.sort();
                own.join(" ")
            };
            (view.line.round, view.line.rounds, group("a"), group("b"))
        };
        assert_eq!(groups().await, (1, Some(2), "ann dan eve".to_owned(), "bob cyd fay".to_owned()));
        for (winner, loser) in
            [("eve", "ann"), ("eve", "dan"), ("ann", "dan"), ("bob", "cyd"), ("bob", "fay"), ("cyd", "fay")]
        {
            let board = club.board_of(name, winner, loser).await;
            club.resign(&board, loser).await;
        }
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(groups().await, (2, Some(2), "bob eve".to_owned(), String::new()));
        let told = subjects(&club.app.letters());
        let begun = told.iter().filter(|line| line.contains("round 2 has begun")).count();
        assert_eq!(begun, 3, "both players and the director: {told:?}");
        let last = club.view(name).await.pairings.last().unwrap().boards[0].clone();
        club.resign(&last, "eve").await;
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        let places: Vec<_> =
            view.players.iter().map(|player| (player.userid.as_str(), player.place.unwrap())).collect();
        assert_eq!(places, [("bob", 1), ("eve", 2), ("ann", 3), ("cyd", 3), ("dan", 5), ("fay", 5)]);
    }

    pub(super) async fn computer_players_fill_up(place: Place) {
        let club = Club::open(place, &FOUR).await;
        club.app.enlist_bots().await;
        let name = club.announce("-players=4-10 -fill=3 -start=2026-11-21").await;
        club.enter(name, &["ann"]).await;
        let even = club.announce("-players=2-10 -fill=3 -start=2026-11-21").await;
        club.enter(even, &["ann", "bob", "cyd"]).await;
        club.app.pass(DAY).await;
        club.check(name).await;
        let view = club.view(name).await;
        let names: BTreeSet<_> = view.players.iter().map(|player| player.userid.as_str()).collect();
        assert_eq!(names, ["ann", "knotbot-2", "knotbot-3", "knotbot-4"].into());
        assert_eq!(view.pairings.len(), 6);
        assert_eq!(club.view(even).await.players.len(), 4);
        let own = club.board_of(name, "ann", "knotbot-3").await;
        assert_eq!(club.result_of(&own).await[3], false, "boards with computer players are unrated");
        assert!(club.app.let_bots_play().await > 0);
        club.app.tick().await;
        club.check(name).await;
        let theirs = club.board_of(name, "knotbot-3", "knotbot-2").await;
        assert_eq!(club.result_of(&theirs).await[0], "over", "they play their own games too");
        let bot =
            club.view(name).await.players.into_iter().find(|player| player.userid == "knotbot-3").unwrap();
        assert!(bot.bot && bot.won + bot.lost + bot.tied >= 2);
    }

    pub(super) async fn a_repetition_takes_entries_as_soon_as_one_begins(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2 -repeat", &["ann", "bob"]).await;
        let next = club.view(name).await.next.expect("a repetition");
        let view = club.view(next).await;
        assert_eq!((view.line.state, view.line.director.as_deref()), (TournamentState::Open, Some("dir")));
        assert_eq!(view.line.options, "-size=3 -players=2-2 -repeat");
        club.enter(next, &["ann", "bob"]).await;
        club.app.tick().await;
        assert_eq!(club.view(next).await.line.state, TournamentState::Running);
        assert_eq!(club.view(next).await.next, Some(TournamentName(3)));
    }

    pub(super) async fn less_time_used_wins_at_the_deadline(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4 -roundtime=4 -forfeittime=6", &FOUR).await;
        // Nobody has moved: the first seat alone used time.
        let untouched = club.board_of(name, "ann", "dan").await;
        // Both moved at once, and the first one is slow now.
        let slow = club.board_of(name, "bob", "cyd").await;
        club.play_one(&slow).await;
        club.play_one(&slow).await;
        // On vacation, which stops no deadline.
        let away = club.board_of(name, "dan", "cyd").await;
        club.play_one(&away).await;
        club.app.post("vacation cyd cyd-secret 5", "").await;
        club.app.pass(2 * DAY).await;
        // As much time for both.
        let equal = club.board_of(name, "ann", "bob").await;
        club.play_one(&equal).await;
        club.app.letters();
        club.app.pass(2 * DAY - HOUR).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Running);
        club.app.pass(HOUR).await;
        club.check(name).await;
        let result = async |board: &BoardRef| club.result_of(board).await;
        assert_eq!(result(&untouched).await, serde_json::json!(["over", [2], "deadline", false]));
        assert_eq!(result(&slow).await, serde_json::json!(["over", [2], "deadline", true]));
        assert_eq!(result(&away).await, serde_json::json!(["over", [1], "deadline", false]));
        assert_eq!(result(&equal).await, serde_json::json!(["over", [1, 2], "deadline", false]));
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
    }

    pub(super) async fn reminders_name_the_boards_that_are_left(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4 -roundtime=20 -forfeittime=30 -nagtime=29", &FOUR).await;
        for other in ["bob", "cyd", "dan"] {
            let board = club.board_of(name, "ann", other).await;
            club.resign(&board, other).await;
        }
        club.app.work().await;
        club.app.letters();
        club.app.pass(13 * DAY - HOUR).await;
        assert_eq!(club.app.letters().len(), 0);
        club.app.pass(HOUR).await;
        let letters = club.app.letters();
        let near = |who: &str| format!("{who}: Tournament t1 Winter cup: the deadline is near");
        assert_eq!(subjects(&letters), [near("bob"), near("cyd"), near("dan")], "ann is done");
        assert!(letters[0].text.contains("cyd") && !letters[0].text.contains("ann"), "{}", letters[0].text);
        club.app.pass(6 * DAY - HOUR).await;
        assert_eq!(club.app.letters().len(), 0);
        club.app.pass(HOUR).await;
        assert_eq!(club.app.letters().len(), 3);
    }

    pub(super) async fn a_board_that_is_removed_is_a_tie(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2", &["ann", "bob"]).await;
        let board = club.board_of(name, "ann", "bob").await;
        let action = AdminAction::Board { board, action: BoardAction::Remove, why: "a mistake".to_owned() };
        administer(&club.app.app, &Administrator::of_shell("root"), action).await.unwrap();
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        assert_eq!(view.pairings[0].seats[0].points, Some(0.5));
        let told = subjects(&club.app.letters());
        assert!(
            told.contains(&"dir: Tournament t1 Winter cup: a board counts as a tie".to_owned()),
            "{told:?}"
        );
    }

    pub(super) async fn a_board_that_cannot_be_read_is_a_tie(place: Place) {
        let club = Club::open(place, &["ann", "bob", "cyd"]).await;
        let name = club.begin("-players=3", &["ann", "bob", "cyd"]).await;
        // The first board falls due for its clock, the second one for the deadline.
        club.app.alter("UPDATE boards SET options = '-size=x' WHERE number IN (101, 102)").await;
        club.app.alter("UPDATE boards SET due_at = NULL WHERE number = 102").await;
        club.app.pass(7 * DAY).await;
        let view = club.view(name).await;
        let points = |number: u32| {
            let pairing = view.pairings.iter().find(|pairing| pairing.boards[0].number == number).unwrap();
            pairing.seats.iter().map(|seat| seat.points).collect::<Vec<_>>()
        };
        assert_eq!(points(101), [Some(0.5), Some(0.5)]);
        assert_eq!(points(102), [None, None]);
        club.app.pass(114 * DAY).await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        let ties = view.pairings.iter().filter(|pairing| pairing.seats[0].points == Some(0.5)).count();
        assert_eq!(ties, 2);
        let told = subjects(&club.app.letters());
        let ties = told.iter().filter(|line| line.ends_with("a board counts as a tie")).count();
        assert_eq!(ties, 2, "{told:?}");
    }

    pub(super) async fn webhooks_are_told_of_rounds_and_the_end(place: Place) {
        let club = Club::open_with(place, &SIX, |config| config.webhooks.allow_private = true).await;
        let host = HookHost::start().await;
        club.app.add_hook("eve", &host.url(), &[HookEvent::Tournament]).await;
        let name = club.begin("-players=6 -group=3 -advance=1", &SIX).await;
        for (winner, loser) in
            [("eve", "ann"), ("eve", "dan"), ("ann", "dan"), ("bob", "cyd"), ("bob", "fay"), ("cyd", "fay")]
        {
            let board = club.board_of(name, winner, loser).await;
            club.resign(&board, loser).await;
        }
        club.app.tick().await;
        let last = club.view(name).await.pairings.last().unwrap().boards[0].clone();
        club.resign(&last, "eve").await;
        club.app.tick().await;
        let told: Vec<serde_json::Value> =
            host.told().iter().map(|told| serde_json::from_str(&told.body).unwrap()).collect();
        let kinds: Vec<_> = told.iter().map(|told| told["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["tournament.started", "tournament.round", "tournament.over"]);
        let data = &told[1]["data"];
        assert_eq!(
            (&data["tournament"], &data["round"], &data["user"]),
            (&"t1".into(), &2.into(), &"eve".into())
        );
        assert_eq!(data["url"], "http://knotpost.example/tournaments/t1");
    }
}
