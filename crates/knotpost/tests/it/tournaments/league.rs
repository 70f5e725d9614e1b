//! Leagues: seasons, divisions, and who comes and goes between them.

use super::tell;

tell! {
    seasons_follow_each_other_with_the_first_and_last_exchanged,
    a_server_killed_between_seasons_begins_the_next_one_once,
    a_league_of_too_few_is_put_off_and_then_over,
    computer_players_fill_each_season_anew,
    two_losses_on_time_in_one_season_are_too_many,
}

mod stories {
    use knotpost_commands::DirectorAction;
    use knotpost_core::clock::work_tournaments;
    use knotpost_core::tournaments::{PairingSeat, PairingState, view as view_of};
    use knotpost_model::{PlayerState, TournamentName, TournamentState};

    use crate::harness::{DAY, HOUR, Place};
    use crate::tournaments::club::{Club, T1, refused, subjects};

    const EIGHT: [&str; 8] = ["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"];
    const TERMS: &str = "-players=8-40 -group=4 -move=1 -pause=2 -roundtime=30";

    async fn league(place: Place, terms: &str, players: &[&str]) -> Club {
        let club = Club::open(place, players).await;
        club.app.enlist_bots().await;
        let view = club.announce_by("dir", "league", terms).await.expect("announced");
        assert_eq!(view.line.name, T1);
        club.enter(T1, players).await;
        club.direct("dir", T1, DirectorAction::Start, "").await.expect("started");
        club.app.tick().await;
        club.check(T1).await;
        club
    }

    /// The divisions of a season: their players in order of their numbers.
    async fn divisions(club: &Club) -> Vec<String> {
        let view = club.view(T1).await;
        let mut players: Vec<_> =
            view.players.iter().filter(|player| player.round == Some(view.line.round)).collect();
        players.sort_by_key(|player| player.number);
        let mut divisions: Vec<(String, Vec<&str>)> = Vec::new();
        for player in players {
            let group = player.group.clone().expect("a division");
            match divisions.iter_mut().find(|(name, _)| *name == group) {
                Some((_, players)) => players.push(&player.userid),
                None => divisions.push((group, vec![&player.userid])),
            }
        }
        divisions.into_iter().map(|(name, players)| format!("{name}: {}", players.join(" "))).collect()
    }

    /// Ends all boards of the season: whoever comes later in the alphabet gives up.
    async fn play_season(club: &Club) {
        let view = club.view(T1).await;
        for pairing in view.pairings.iter().filter(|pairing| pairing.state == PairingState::Open) {
            let loser = pairing.seats.iter().map(|seat| seat.userid.clone()).max().expect("two");
            club.resign(&pairing.boards[0], &loser).await;
        }
        club.app.tick().await;
        club.check(T1).await;
    }

    pub(super) async fn seasons_follow_each_other_with_the_first_and_last_exchanged(place: Place) {
        let club = league(place, TERMS, &EIGHT).await;
        assert_eq!(divisions(&club).await, ["a: ann bob cyd dan", "b: eve fay gus hal"]);
        let told = subjects(&club.app.letters());
        assert!(told.contains(&"ann: Tournament t1 Winter cup: season 1 has begun".to_owned()), "{told:?}");
        // Whoever enters meanwhile waits for the next season.
        club.app.sign_up("ivy").await;
        club.enter(T1, &["ivy"]).await;
        assert_eq!(divisions(&club).await.len(), 2);
        assert_eq!(club.view(T1).await.line.entered, 9);
        club.app.letters();
        play_season(&club).await;
        let view = club.view(T1).await;
        assert_eq!(
            (view.line.state, view.line.round, view.line.deadline),
            (TournamentState::Running, 1, None)
        );
        assert!(view.line.starts.is_some());
        let told = subjects(&club.app.letters());
        let over = told.iter().filter(|line| line.ends_with("season 1 is over")).count();
        assert_eq!(over, 9, "eight players and the director: {told:?}");
        club.app.pass(2 * DAY - HOUR).await;
        assert_eq!(club.view(T1).await.line.round, 1);
        assert!(club.app.letters().is_empty(), "nothing is said in the pause");
        let told = refused(club.direct("dir", T1, DirectorAction::Start, "").await);
        assert_eq!(told, "conflict t1 has begun already");
        club.app.pass(HOUR).await;
        club.check(T1).await;
        assert_eq!(divisions(&club).await, ["a: ann bob cyd eve", "b: dan fay gus hal ivy"]);
        let told = subjects(&club.app.letters());
        assert_eq!(told.iter().filter(|line| line.ends_with("season 2 has begun")).count(), 10, "{told:?}");
        // Whoever leaves makes room: the best of the division below fills the gap.
        club.withdraw(T1, "cyd").await.unwrap();
        club.app.tick().await;
        play_season(&club).await;
        club.enter(T1, &["cyd"]).await;
        club.app.pass(2 * DAY).await;
        assert_eq!(divisions(&club).await, ["a: ann bob eve dan", "b: fay gus hal ivy cyd"]);
        // The present season is shown alone, however many there were; those before it are kept.
        let view = club.view(T1).await;
        assert!(view.pairings.iter().all(|pairing| pairing.round == 3), "{:?}", view.pairings);
        let mut tx = club.app.app.store.read().await.unwrap();
        let first = view_of(&mut tx, T1, Some(1)).await.expect("a season");
        assert_eq!(first.players.iter().filter(|player| player.round == Some(1)).count(), 8);
        assert!(first.pairings.iter().all(|pairing| pairing.round == 1) && first.pairings.len() == 12);
        drop(tx);
        club.check(T1).await;
    }

    pub(super) async fn a_server_killed_between_seasons_begins_the_next_one_once(place: Place) {
        let mut club = league(place, TERMS, &EIGHT).await;
        play_season(&club).await;
        club.app.clock.advance(2 * DAY);
        club.app.letters();
        let mut steps = 0;
        loop {
            club.app.stay_alive().await;
            if !work_tournaments(&club.app.app, "the test").await.unwrap() {
                break;
            }
            steps += 1;
            club = Club { app: club.app.start_again(|_| {}).await };
            club.check(T1).await;
        }
        assert!(steps > 2, "{steps}");
        club.app.work().await;
        let view = club.view(T1).await;
        assert_eq!(view.pairings.iter().filter(|pairing| pairing.round == 2).count(), 12);
        let told = subjects(&club.app.letters());
        assert_eq!(told.iter().filter(|line| line.ends_with("season 2 has begun")).count(), 9, "{told:?}");
        play_season(&club).await;
        club.app.clock.advance(2 * DAY);
        club.app.stay_alive().await;
        let work = || {
            let app = std::sync::Arc::clone(&club.app.app);
            tokio::spawn(async move { while work_tournaments(&app, "the test").await.unwrap() {} })
        };
        for server in [work(), work()] {
            server.await.unwrap();
        }
        let view = club.view(T1).await;
        assert_eq!((view.line.round, view.pairings.len()), (3, 12));
        club.check(T1).await;
    }

    pub(super) async fn a_league_of_too_few_is_put_off_and_then_over(place: Place) {
        let club = league(place, "-players=4-8 -pause=2 -roundtime=30", &EIGHT[..4]).await;
        play_season(&club).await;
        club.withdraw(T1, "dan").await.unwrap();
        club.app.letters();
        for round in [1, 1] {
            club.app.pass(7 * DAY).await;
            assert_eq!(club.view(T1).await.line.round, round);
            let told = subjects(&club.app.letters());
            assert!(
                told.contains(&"ann: Tournament t1 Winter cup: its start was put off".to_owned()),
                "{told:?}"
            );
        }
        club.app.pass(7 * DAY).await;
        assert_eq!(club.view(T1).await.line.state, TournamentState::Over);
        let told = subjects(&club.app.letters());
        assert!(told.contains(&"ann: Tournament t1 Winter cup is over".to_owned()), "{told:?}");
        let told = refused(club.try_enter(T1, "dan").await);
        assert_eq!(told, "conflict t1 is over");
        assert!(refused(club.withdraw(TournamentName(1), "ann").await).contains("is over"));
    }

    pub(super) async fn computer_players_fill_each_season_anew(place: Place) {
        let club = league(place, "-players=4-8 -fill=1 -pause=2 -roundtime=3", &EIGHT[..3]).await;
        assert_eq!(divisions(&club).await, ["a: ann bob cyd knotbot-1"]);
        for season in [2, 3] {
            club.app.pass(5 * DAY).await;
            club.check(T1).await;
            let view = club.view(T1).await;
            assert_eq!(view.line.round, season);
            let computers: Vec<_> = view.players.iter().filter(|player| player.bot).collect();
            assert_eq!(computers.len(), 1, "{:?}", divisions(&club).await);
            assert_eq!(view.line.entered, 4);
        }
    }

    pub(super) async fn two_losses_on_time_in_one_season_are_too_many(place: Place) {
        let terms = "-players=4-8 -pause=1 -roundtime=30 -forfeittime=3";
        let club = league(place, terms, &EIGHT[..4]).await;
        let state = async || {
            let view = club.view(T1).await;
            view.players.iter().find(|player| player.userid == "ann").expect("ann").state
        };
        for season in [1, 2, 3] {
            let view = club.view(T1).await;
            assert_eq!(view.line.round, season);
            let boards = view.pairings.iter().filter(|pairing| pairing.round == season);
            let of_ann = |seat: &PairingSeat| seat.userid == "ann";
            let (own, others): (Vec<_>, Vec<_>) =
                boards.partition(|pairing| pairing.seats.iter().any(of_ann));
            for pairing in others {
                club.play_out(&pairing.boards[0]).await;
            }
            // She moves on each of hers, and lets the time of one run out, in the last season that of two.
            let late = if season == 3 { 2 } else { 1 };
            for (index, pairing) in own.iter().enumerate() {
                let board = &pairing.boards[0];
                while club.mover(board).await.as_deref() != Some("ann") {
                    club.play_one(board).await;
                }
                club.play_one(board).await;
                if index < late {
                    while club.mover(board).await.as_deref().is_some_and(|mover| mover != "ann") {
                        club.play_one(board).await;
                    }
                } else {
                    club.play_out(board).await;
                }
            }
            club.app.pass(3 * DAY).await;
            assert_eq!(state().await == PlayerState::In, season < 3, "season {season}");
            if season < 3 {
                club.app.pass(DAY).await;
            }
        }
    }
}
