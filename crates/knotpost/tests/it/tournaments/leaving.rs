//! Withdrawals, losses on time, suspensions and deletions.

use super::tell;

tell! {
    with_fewer_than_half_of_the_games_played_all_count_for_nobody,
    with_half_of_the_games_played_the_rest_are_lost,
    nothing_is_declined_on_a_board_of_a_tournament,
    who_never_moves_is_out_and_barred,
    two_losses_on_time_put_a_player_out,
    a_suspended_player_is_out,
    a_deleted_player_is_out_and_administrators_direct,
}

mod stories {
    use knotpost_core::admin::UserEdit;
    use knotpost_model::{LeaveReason, PlayerState, TournamentName, TournamentState};

    use crate::harness::{DAY, HOUR, Place, edit_user};
    use crate::tournaments::club::{Club, T1, refused, subjects, table};

    const FOUR: [&str; 4] = ["ann", "bob", "cyd", "dan"];

    /// Ends a board by play: both have moved.
    async fn win(club: &Club, name: TournamentName, winner: &str, loser: &str) {
        let board = club.board_of(name, winner, loser).await;
        club.play_one(&board).await;
        club.play_one(&board).await;
        club.resign(&board, loser).await;
    }

    async fn player(
        club: &Club,
        name: TournamentName,
        userid: &str,
    ) -> (PlayerState, Option<LeaveReason>, bool) {
        let view = club.view(name).await;
        let player = view.players.iter().find(|player| player.userid == userid).expect("a player");
        (player.state, player.left, player.counts)
    }

    pub(super) async fn with_fewer_than_half_of_the_games_played_all_count_for_nobody(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4", &FOUR).await;
        win(&club, name, "dan", "ann").await;
        assert_eq!(club.view(name).await.players[0].userid, "dan");
        for _ in 0..2 {
            club.withdraw(name, "dan").await.unwrap();
        }
        club.app.letters();
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(
            player(&club, name, "dan").await,
            (PlayerState::Withdrawn, Some(LeaveReason::Withdrew), false)
        );
        let view = club.view(name).await;
        let zero = |userid: &str, place| (userid.to_owned(), Some(place), Some(0.0));
        assert_eq!(
            table(&view.players),
            [zero("ann", 1), zero("bob", 1), zero("cyd", 1), ("dan".to_owned(), None, None)]
        );
        let board = club.board_of(name, "bob", "dan").await;
        assert_eq!(club.result_of(&board).await[0], "over", "the others need not wait");
        let told = subjects(&club.app.letters());
        assert!(told.contains(&"dir: Tournament t1 Winter cup: dan is out".to_owned()), "{told:?}");
        assert!(!told.iter().any(|line| line.starts_with("dan: Tournament")), "they know: {told:?}");
        for (winner, loser) in [("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")] {
            win(&club, name, winner, loser).await;
        }
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }

    pub(super) async fn with_half_of_the_games_played_the_rest_are_lost(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4", &FOUR).await;
        win(&club, name, "dan", "ann").await;
        win(&club, name, "dan", "bob").await;
        club.withdraw(name, "dan").await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(player(&club, name, "dan").await.2, true);
        let view = club.view(name).await;
        assert_eq!(table(&view.players)[0], ("dan".to_owned(), Some(1), Some(2.0)));
        assert_eq!(table(&view.players)[1], ("cyd".to_owned(), Some(2), Some(1.0)));
        let board = club.board_of(name, "cyd", "dan").await;
        let cyd = if view
            .pairings
            .iter()
            .any(|pairing| pairing.boards.first() == Some(&board) && pairing.seats[0].userid == "cyd")
        {
            1
        } else {
            2
        };
        assert_eq!(club.result_of(&board).await, serde_json::json!(["over", [cyd], "resignation", false]));
    }

    pub(super) async fn nothing_is_declined_on_a_board_of_a_tournament(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2 -games=2", &["ann", "bob"]).await;
        let boards: Vec<_> = club.view(name).await.pairings[0].boards.clone();
        club.resign(&boards[0], "ann").await;
        assert_eq!(club.result_of(&boards[0]).await, serde_json::json!(["over", [2], "resignation", false]));
        club.app.post("osbox reject bob bob-secret", "").await;
        club.app.post("osbox limit bob bob-secret 0", "").await;
        edit_user(&club.app.app, "bob", UserEdit::Delete).await.unwrap();
        assert_eq!(club.result_of(&boards[1]).await, serde_json::json!(["over", [2], "resignation", false]));
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }

    pub(super) async fn who_never_moves_is_out_and_barred(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2 -forfeittime=2", &["ann", "bob"]).await;
        club.app.pass(2 * DAY - HOUR).await;
        assert_eq!(player(&club, name, "ann").await.0, PlayerState::In);
        club.app.letters();
        club.app.pass(HOUR).await;
        club.check(name).await;
        assert_eq!(
            player(&club, name, "ann").await,
            (PlayerState::Withdrawn, Some(LeaveReason::Time), false)
        );
        let board = club.board_of(name, "ann", "bob").await;
        assert_eq!(club.result_of(&board).await, serde_json::json!(["over", [2], "forfeit", false]));
        let letters = club.app.letters();
        let out = letters.iter().find(|letter| letter.subject.ends_with("you are out")).expect("a mail");
        assert!(out.text.contains("2026-12-22"), "{}", out.text);
        let next = club.announce("-players=2").await;
        let expected = "not_allowed you lost on time in a tournament, and can enter another one from 2026-12-22 10:00 UTC on";
        assert_eq!(refused(club.try_enter(next, "ann").await), expected);
        club.app.pass(30 * DAY).await;
        club.enter(next, &["ann"]).await;
    }

    pub(super) async fn two_losses_on_time_put_a_player_out(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4 -forfeittime=2", &FOUR).await;
        // Everybody has moved everywhere; then one board waits for ann, and later another one.
        let view = club.view(name).await;
        for pairing in &view.pairings {
            club.play_one(&pairing.boards[0]).await;
            club.play_one(&pairing.boards[0]).await;
        }
        let to_move = async |other: &str, is_ann: bool| {
            let board = club.board_of(name, "ann", other).await;
            let is_anns = club.mover(&board).await.as_deref() == Some("ann");
            if is_anns != is_ann {
                club.play_one(&board).await;
            }
        };
        to_move("bob", true).await;
        for other in ["cyd", "dan"] {
            to_move(other, false).await;
        }
        for (one, other) in [("bob", "cyd"), ("bob", "dan"), ("cyd", "dan")] {
            let board = club.board_of(name, one, other).await;
            club.play_out(&board).await;
        }
        club.app.pass(DAY).await;
        to_move("cyd", true).await;
        to_move("dan", true).await;
        club.app.pass(DAY).await;
        club.check(name).await;
        assert_eq!(player(&club, name, "ann").await.0, PlayerState::In, "once");
        club.app.pass(DAY).await;
        club.check(name).await;
        assert_eq!(player(&club, name, "ann").await, (PlayerState::Withdrawn, Some(LeaveReason::Time), true));
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }

    pub(super) async fn a_suspended_player_is_out(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4", &FOUR).await;
        let open = club.announce("-players=4").await;
        club.enter(open, &["dan"]).await;
        edit_user(&club.app.app, "dan", UserEdit::Suspend).await.unwrap();
        assert_eq!(club.view(open).await.line.entered, 0);
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(
            player(&club, name, "dan").await,
            (PlayerState::Withdrawn, Some(LeaveReason::Suspended), false)
        );
        let board = club.board_of(name, "ann", "dan").await;
        assert_eq!(club.result_of(&board).await[0], "over");
    }

    pub(super) async fn a_deleted_player_is_out_and_administrators_direct(place: Place) {
        let club = Club::open(place, &FOUR).await;
        club.app.post("osbox challenge -size=3 ann bob", "").await;
        club.play_out(&knotpost_model::BoardRef { game: "osbox".to_owned(), number: 101 }).await;
        let name = club.announce_by("ann", "roundrobin", "-players=4").await.unwrap().line.name;
        assert_eq!(name, T1);
        club.enter(name, &FOUR).await;
        club.app.tick().await;
        club.app.letters();
        win(&club, name, "ann", "bob").await;
        win(&club, name, "cyd", "ann").await;
        edit_user(&club.app.app, "ann", UserEdit::DeleteWithRemarks).await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        let view = club.view(name).await;
        assert_eq!(
            player(&club, name, "ann").await,
            (PlayerState::Withdrawn, Some(LeaveReason::Deleted), true)
        );
        assert_eq!((view.line.director, view.line.title.as_str()), (None, "[removed]"));
        for (winner, loser) in [("bob", "cyd"), ("bob", "dan"), ("cyd", "dan")] {
            win(&club, name, winner, loser).await;
        }
        club.app.tick().await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }
}
