//! Swiss tournaments, from the first pairing to the report file.

use super::tell;

tell! {
    a_swiss_tournament_runs_to_its_table_and_is_paired_as_its_report_says,
    a_server_killed_after_every_step_pairs_every_round_once,
    several_clocks_at_once_pair_every_round_once,
    who_leaves_before_the_boards_begin_loses_without_one,
    a_pairing_on_two_boards_is_won_on_both,
    who_is_away_for_most_of_a_round_gets_half_a_point_once,
    who_leaves_keeps_the_points_and_is_paired_no_more,
    when_nobody_can_be_paired_it_is_over,
    computer_players_make_the_number_even,
    a_round_waits_for_two_who_are_there,
    other_tournaments_go_on_while_many_players_are_paired,
    final_tables_that_cannot_be_made_hold_up_no_other_tournament,
}

mod stories {
    use std::collections::BTreeSet;

    use knotpost_commands::{Days, DirectorAction};
    use knotpost_core::clock::work_tournaments;
    use knotpost_core::tournaments::{PairingState, TournamentPairing, TournamentView};
    use knotpost_model::{BoardRef, PlayerState, TournamentName, TournamentState};
    use knotpost_storage::{Driver, NewUser, StoreError};
    use knotpost_tournaments::{check_round, read_trf};

    use crate::harness::{DAY, HOLDER, HOUR, Place};
    use crate::tournaments::club::{Club, check_swiss_pairings, subjects};

    const SIX: [&str; 6] = ["ann", "bob", "cyd", "dan", "eve", "fay"];
    const SEVEN: [&str; 7] = ["ann", "bob", "cyd", "dan", "eve", "fay", "gil"];

    async fn begin(club: &Club, terms: &str, players: &[&str]) -> TournamentName {
        let name = club.announce_by("dir", "swiss", terms).await.expect("announced").line.name;
        club.enter(name, players).await;
        name
    }

    /// Boards of the present round that are not over.
    async fn open_boards(club: &Club, name: TournamentName) -> Vec<BoardRef> {
        let view = club.view(name).await;
        let open = view.pairings.iter().filter(|pairing| pairing.state == PairingState::Open);
        let mut boards = Vec::new();
        for board in open.flat_map(|pairing| pairing.boards.clone()) {
            if club.mover(&board).await.is_some() {
                boards.push(board);
            }
        }
        boards
    }

    /// After both have moved the later one in the alphabet resigns.
    async fn play_round(club: &Club, name: TournamentName) {
        for board in open_boards(club, name).await {
            club.play_one(&board).await;
            club.play_one(&board).await;
            let view = club.view(name).await;
            let pairing = view.pairings.iter().find(|pairing| pairing.boards.contains(&board)).unwrap();
            let loser = pairing.seats.iter().map(|seat| seat.userid.clone()).max().unwrap();
            club.resign(&board, &loser).await;
        }
    }

    /// The report of a finished tournament is paired again without a difference.
    async fn check_report(club: &Club, name: TournamentName, rounds: usize) {
        let report = club.app.get(&format!("/api/v1/tournaments/{name}/export.trf")).await.text;
        assert!(
            report.contains("XXR ") && report.contains("152 ") && report.contains("192 FIDE_DUTCH"),
            "{report}"
        );
        let record = read_trf(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
        assert_eq!(record.paired_rounds(), rounds, "{report}");
        for round in 0..rounds {
            let (played, found) = check_round(&record, round);
            let mut found = found.expect("a pairing");
            let mut played = played;
            found.boards.sort_unstable();
            played.boards.sort_unstable();
            assert_eq!(played, found, "round {}: {report}", round + 1);
        }
    }

    pub(super) async fn a_swiss_tournament_runs_to_its_table_and_is_paired_as_its_report_says(place: Place) {
        let club = Club::open(place, &SEVEN).await;
        let name = begin(&club, "-players=6-7", &SEVEN).await;
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!((view.line.round, view.line.rounds, view.line.rules.as_str()), (1, Some(4), "dutch-2026"));
        assert_eq!(view.tiebreaks, ["BH/C1", "BH", "SB", "WIN"]);
        assert_eq!(view.pairings.len(), 4, "three boards and a bye");
        let told = club.app.letters();
        let begun = told.iter().filter(|letter| letter.subject.ends_with("round 1 has begun"));
        assert_eq!(begun.count(), 8, "players and the director: {:?}", subjects(&told));
        let bye = view.pairings.last().unwrap();
        assert!(bye.bye && bye.seats[0].points == Some(1.0), "{bye:?}");
        let to_bye = told.iter().find(|letter| letter.to.starts_with(&bye.seats[0].userid)).unwrap();
        assert!(to_bye.text.contains("no opponent in this round"), "{}", to_bye.text);
        for round in 1..=4 {
            let view = club.view(name).await;
            assert_eq!((view.line.state, view.line.round), (TournamentState::Running, round));
            assert!(view.line.deadline.is_some());
            check_swiss_pairings(&view);
            if round == 2 {
                club.direct("dir", name, DirectorAction::Extend(Days::from_word("5").unwrap()), "")
                    .await
                    .unwrap();
            }
            play_round(&club, name).await;
            club.app.tick().await;
            club.check(name).await;
        }
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        check_swiss_pairings(&view);
        assert_eq!(view.pairings.iter().filter(|pairing| pairing.bye).count(), 4);
        assert_eq!((view.players[0].userid.as_str(), view.players[0].points), ("ann", Some(4.0)));
        check_report(&club, name, 4).await;
        let told = subjects(&club.app.letters());
        assert_eq!(told.iter().filter(|line| line.ends_with("Winter cup is over")).count(), 8, "{told:?}");
        club.app.pass(60 * DAY).await;
        assert_eq!(club.app.letters().len(), 0, "nothing more comes of it");
    }

    pub(super) async fn a_server_killed_after_every_step_pairs_every_round_once(place: Place) {
        let mut club = Club::open(place, &SIX).await;
        let name = begin(&club, "-players=6 -rounds=3 -games=2", &SIX).await;
        for round in 1..=4 {
            let mut steps = 0;
            loop {
                club.app.stay_alive().await;
                if !work_tournaments(&club.app.app, "the test").await.unwrap() {
                    break;
                }
                steps += 1;
                club.check(name).await;
                check_swiss_pairings(&club.view(name).await);
                club = Club { app: club.app.start_again(|_| {}).await };
            }
            assert!(steps > 1, "{steps} steps in round {round}");
            let view = club.view(name).await;
            assert_eq!(view.line.round, round.min(3));
            assert_eq!(view.pairings.len(), 3 * view.line.round as usize);
            let boards: BTreeSet<u32> = view
                .pairings
                .iter()
                .flat_map(|pairing| pairing.boards.iter().map(|board| board.number))
                .collect();
            assert_eq!(boards.len(), 6 * view.line.round as usize);
            let begun = club.app.app.store.read().await.unwrap().count_all_boards().await.unwrap();
            assert_eq!(begun as usize, boards.len());
            play_round(&club, name).await;
        }
        club.app.work().await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
        check_report(&club, name, 3).await;
        let told = subjects(&club.app.letters());
        for round in 1..=3 {
            let words = format!("round {round} has begun");
            assert_eq!(told.iter().filter(|line| line.ends_with(&words)).count(), 7, "{told:?}");
        }
        assert_eq!(told.iter().filter(|line| line.ends_with("Winter cup is over")).count(), 7);
    }

    pub(super) async fn several_clocks_at_once_pair_every_round_once(place: Place) {
        let club = Club::open(place, &SEVEN).await;
        let name = begin(&club, "-players=7 -rounds=3", &SEVEN).await;
        for round in 1..=4 {
            club.app.stay_alive().await;
            let work = || {
                let app = std::sync::Arc::clone(&club.app.app);
                tokio::spawn(async move { while work_tournaments(&app, "the test").await.unwrap() {} })
            };
            let clocks = [work(), work(), work()];
            if round == 2 {
                // Somebody leaves while the round is being paired.
                club.withdraw(name, "dan").await.unwrap();
            }
            for clock in clocks {
                clock.await.unwrap();
            }
            club.app.tick().await;
            club.check(name).await;
            let view = club.view(name).await;
            check_swiss_pairings(&view);
            assert_eq!(view.line.round, round.min(3));
            play_round(&club, name).await;
        }
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        check_report(&club, name, 3).await;
    }

    pub(super) async fn who_leaves_before_the_boards_begin_loses_without_one(place: Place) {
        let four = ["ann", "bob", "cyd", "dan"];
        let club = Club::open(place, &four).await;
        let name = begin(&club, "-players=4 -rounds=1", &four).await;
        club.app.stay_alive().await;
        while club.view(name).await.pairings.is_empty() {
            assert!(work_tournaments(&club.app.app, "the test").await.unwrap(), "a step");
        }
        assert_eq!(club.app.app.store.read().await.unwrap().count_all_boards().await.unwrap(), 0);
        club.withdraw(name, "dan").await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        let view = club.view(name).await;
        let is_of = |pairing: &&TournamentPairing| pairing.seats.iter().any(|seat| seat.userid == "dan");
        let own = view.pairings.iter().find(is_of).unwrap();
        assert!(own.boards.is_empty(), "{own:?}");
        for seat in &own.seats {
            let points = if seat.userid == "dan" { 0.0 } else { 1.0 };
            assert_eq!(seat.points, Some(points), "{own:?}");
        }
        play_round(&club, name).await;
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }

    pub(super) async fn a_pairing_on_two_boards_is_won_on_both(place: Place) {
        let four = ["ann", "bob", "cyd", "dan"];
        let club = Club::open(place, &four).await;
        let name = begin(&club, "-players=4 -rounds=1 -games=2", &four).await;
        club.app.tick().await;
        // Of the first pairing each wins a board, of the second one player both.
        let view = club.view(name).await;
        let [first, second] = &view.pairings[..] else { panic!("two pairings") };
        let names =
            |at: usize| [first, second][at].seats.iter().map(|seat| seat.userid.clone()).collect::<Vec<_>>();
        let (tied, decided) = (names(0), names(1));
        club.resign(&first.boards[0], &tied[0]).await;
        club.resign(&first.boards[1], &tied[1]).await;
        club.resign(&second.boards[0], &decided[0]).await;
        club.app.tick().await;
        club.check(name).await;
        let points = |view: &TournamentView, userid: &str| {
            let player = view.players.iter().find(|player| player.userid == userid).unwrap();
            (player.place.unwrap(), player.points, player.tiebreaks[0])
        };
        let view = club.view(name).await;
        assert_eq!(view.tiebreaks[0], "GP");
        assert_eq!(points(&view, &tied[0]).1, Some(0.5));
        assert_eq!(points(&view, &decided[1]).1, Some(0.0), "one board is played still");
        club.resign(&second.boards[1], &decided[0]).await;
        club.app.tick().await;
        club.check(name).await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        assert_eq!(points(&view, &decided[1]), (1, Some(1.0), 2.0));
        assert_eq!(points(&view, &decided[0]), (4, Some(0.0), 0.0));
        assert_eq!(points(&view, &tied[1]), (2, Some(0.5), 1.0));
    }

    pub(super) async fn who_is_away_for_most_of_a_round_gets_half_a_point_once(place: Place) {
        let club = Club::open(place, &SEVEN).await;
        let name = begin(&club, "-players=7 -rounds=3 -roundtime=8 -forfeittime=7", &SEVEN).await;
        club.app.post("vacation gil gil-secret 21", "").await;
        // Half of the round is not more than half of it.
        club.app.post("vacation fay fay-secret 4", "").await;
        club.app.tick().await;
        let gil = async |round: u32| {
            let view = club.view(name).await;
            let own = view.pairings.into_iter().find(|pairing| {
                pairing.round == round && pairing.seats.iter().any(|seat| seat.userid == "gil")
            });
            let own = own.expect("a place in the round");
            (own.bye, own.seats[0].points)
        };
        assert_eq!(gil(1).await, (true, Some(0.5)));
        let view = club.view(name).await;
        let fay = view.pairings.iter().find(|pairing| pairing.seats.iter().any(|seat| seat.userid == "fay"));
        assert!(!fay.unwrap().bye, "fay plays");
        let letters = club.app.letters();
        let told =
            letters.iter().find(|letter| letter.to.starts_with("gil@") && letter.subject.contains("round 1"));
        assert!(told.expect("a mail").text.contains("half a point"), "{:?}", subjects(&letters));
        play_round(&club, name).await;
        club.app.tick().await;
        assert_eq!(gil(2).await, (true, Some(0.0)));
        let letters = club.app.letters();
        let told =
            letters.iter().find(|letter| letter.to.starts_with("gil@") && letter.subject.contains("round 2"));
        assert!(told.expect("a mail").text.contains("you have had it"), "{:?}", subjects(&letters));
        play_round(&club, name).await;
        club.app.post("vacation gil gil-secret off", "").await;
        club.app.tick().await;
        assert!(!gil(3).await.0, "gil is back and plays");
        play_round(&club, name).await;
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
        check_report(&club, name, 3).await;
    }

    pub(super) async fn who_leaves_keeps_the_points_and_is_paired_no_more(place: Place) {
        let club = Club::open(place, &SIX).await;
        let name = begin(&club, "-players=6 -rounds=4", &SIX).await;
        club.app.tick().await;
        play_round(&club, name).await;
        club.app.tick().await;
        let shown = async |userid: &str| {
            let view = club.view(name).await;
            let player = view.players.into_iter().find(|player| player.userid == userid).unwrap();
            (player.state, player.counts, player.points.unwrap())
        };
        club.withdraw(name, "ann").await.unwrap();
        club.direct("dir", name, DirectorAction::Expel("fay".to_owned()), "A quarrel.").await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(shown("ann").await, (PlayerState::Withdrawn, true, 1.0));
        assert_eq!(shown("fay").await.0, PlayerState::Withdrawn);
        for _ in 2..=4 {
            play_round(&club, name).await;
            club.app.tick().await;
            club.check(name).await;
            check_swiss_pairings(&club.view(name).await);
        }
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Over);
        let later = view.pairings.iter().filter(|pairing| {
            pairing.round > 2
                && pairing.seats.iter().any(|seat| ["ann", "fay"].contains(&seat.userid.as_str()))
        });
        assert_eq!(later.count(), 0);
        assert_eq!(view.players.len(), 6, "they stand in the table");
    }

    pub(super) async fn when_nobody_can_be_paired_it_is_over(place: Place) {
        let four = ["ann", "bob", "cyd", "dan"];
        let club = Club::open(place, &four).await;
        let name = begin(&club, "-players=4 -rounds=3", &four).await;
        club.app.tick().await;
        play_round(&club, name).await;
        // Two are left who have met.
        let view = club.view(name).await;
        for seat in &view.pairings[1].seats {
            club.withdraw(name, &seat.userid).await.unwrap();
        }
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!((view.line.state, view.line.round), (TournamentState::Over, 1));
        let log = club.app.get(&format!("/api/v1/tournaments/{name}/log")).await.json();
        assert_eq!(log["log"][0]["words"], "Nobody can be paired without meeting again.");
    }

    pub(super) async fn computer_players_make_the_number_even(place: Place) {
        let club = Club::open(place, &SEVEN).await;
        club.app.enlist_bots().await;
        let name = begin(&club, "-players=7 -fill=1 -rounds=1", &SEVEN).await;
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!((view.players.len(), view.pairings.len()), (8, 4));
        assert!(view.pairings.iter().all(|pairing| !pairing.bye));
        club.app.let_bots_play().await;
    }

    pub(super) async fn a_round_waits_for_two_who_are_there(place: Place) {
        let pair = ["ann", "bob", "cyd"];
        let club = Club::open(place, &pair).await;
        let name = begin(&club, "-players=3 -rounds=1 -roundtime=8 -forfeittime=7", &pair).await;
        for who in ["ann", "bob"] {
            club.app.post(&format!("vacation {who} {who}-secret 10"), "").await;
        }
        club.app.tick().await;
        assert_eq!(club.view(name).await.line.round, 0);
        club.app.pass(4 * DAY).await;
        assert_eq!(club.view(name).await.line.round, 0);
        club.app.pass(4 * DAY + HOUR).await;
        assert_eq!(club.view(name).await.line.round, 1);
    }

    /// Players whose pairing takes many times as long as a game of two.
    const CROWD: usize = 600;

    pub(super) async fn other_tournaments_go_on_while_many_players_are_paired(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let large = begin(&club, "-players=2-1000 -rounds=2", &[]).await;
        let now = club.app.app.clock.now();
        let entered = club.app.app.store.write(async move |tx| {
            for number in 0..CROWD {
                let new = NewUser { userid: format!("user{number}"), password_hash: String::new(), at: now };
                let key = tx.insert_user(&new).await?.expect("a new name");
                tx.insert_player(large, key, now).await?;
            }
            Ok::<_, StoreError>(())
        });
        entered.await.unwrap();
        club.direct("dir", large, DirectorAction::Start, "").await.unwrap();
        let step = async || {
            work_tournaments(&club.app.app, HOLDER).await.unwrap();
        };
        // The pairing begins.
        step().await;
        let small = club.announce("-players=2").await;
        club.enter(small, &["ann", "bob"]).await;
        while club.view(small).await.pairings.iter().all(|pairing| pairing.state != PairingState::Open) {
            step().await;
        }
        club.resign(&club.board_of(small, "ann", "bob").await, "bob").await;
        while club.view(small).await.line.state != TournamentState::Over {
            step().await;
        }
        assert_eq!(club.view(large).await.line.round, 0, "it is still being paired");
        while club.view(large).await.line.round == 0 {
            step().await;
        }
        assert_eq!(club.view(large).await.pairings.len(), CROWD / 2);
    }

    pub(super) async fn final_tables_that_cannot_be_made_hold_up_no_other_tournament(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let broken = begin(&club, "-players=2 -rounds=1", &["ann", "bob"]).await;
        club.app.tick().await;
        club.resign(&club.board_of(broken, "ann", "bob").await, "bob").await;
        while club.view(broken).await.line.state != TournamentState::Over {
            work_tournaments(&club.app.app, HOLDER).await.unwrap();
        }
        let spoil = club.app.app.store.write(async |tx| {
            let sql = "UPDATE tournaments SET terms = '{'";
            match tx.driver_for_tests() {
                Driver::Sqlite(connection) => connection.execute_batch(sql)?,
                Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
            }
            Ok::<_, StoreError>(())
        });
        spoil.await.unwrap();
        let other = club.announce("-players=2").await;
        club.enter(other, &["ann", "bob"]).await;
        for _ in 0..20 {
            work_tournaments(&club.app.app, HOLDER).await.unwrap();
        }
        assert_eq!(club.view(other).await.line.state, TournamentState::Running);
    }
}
