//! Who may announce and enter, and what is refused with which words.

use super::tell;

tell! {
    an_announcement_is_refused_with_what_would_work,
    users_announce_from_their_first_board_on_and_within_limits,
    an_entry_is_refused_with_the_reason,
    entries_and_their_boards_are_limited,
    an_entry_can_be_taken_back_before_the_start,
    one_address_plays_once,
    addresses_that_differ_before_the_host_are_two,
}

mod stories {
    use knotpost_commands::DirectorAction;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::config::Announcers;
    use knotpost_model::{PlayerState, TournamentName, TournamentState};

    use crate::harness::{DAY, Place, edit_user};
    use crate::tournaments::club::{Club, T1, refused};

    pub(super) async fn an_announcement_is_refused_with_what_would_work(place: Place) {
        let club = Club::open(place, &["ann"]).await;
        for (form, terms, expected) in [
            (
                "swiss",
                "-advance=1",
                "bad_option `-advance` is an option of the form roundrobin, not of swiss",
            ),
            (
                "knockout",
                "",
                "bad_option after the game must come the form of the tournament, `roundrobin`, `swiss`, `ladder`, `league`",
            ),
            (
                "ladder",
                "-start=2026-12-24",
                "bad_option `-start` is an option of the form roundrobin or swiss or league, not of ladder",
            ),
            (
                "roundrobin",
                "-group=2",
                "bad_option `-group` takes a number from 3 to 64, such as `-group=64`",
            ),
            (
                "roundrobin",
                "-start=2026-11-19",
                "bad_option a tournament starts on a later day than today, within 366 days; the day begins at 00:00 UTC",
            ),
        ] {
            assert_eq!(refused(club.announce_by("dir", form, terms).await), expected);
        }
        let expected = "not_allowed users announce tournaments from their first finished board on";
        assert_eq!(refused(club.announce_by("ann", "roundrobin", "").await), expected);
    }

    pub(super) async fn users_announce_from_their_first_board_on_and_within_limits(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        club.app.post("osbox challenge -size=3 ann bob", "").await;
        club.play_out(&knotpost_model::BoardRef { game: "osbox".to_owned(), number: 101 }).await;
        for _ in 0..2 {
            club.announce_by("ann", "roundrobin", "").await.unwrap();
        }
        let expected = "not_allowed you direct 2 tournaments that are not over; a user directs 2 at once";
        assert_eq!(refused(club.announce_by("ann", "roundrobin", "").await), expected);
        club.direct("ann", T1, DirectorAction::Cancel, "").await.unwrap();
        club.announce_by("ann", "roundrobin", "").await.unwrap();
        club.direct("ann", TournamentName(2), DirectorAction::Cancel, "").await.unwrap();
        let expected = "not_allowed you have announced 3 tournaments within a day; 3 can be";
        assert_eq!(refused(club.announce_by("ann", "roundrobin", "").await), expected);
        club.app.pass(DAY).await;
        club.announce_by("ann", "roundrobin", "").await.unwrap();
        let app = club.app.start_again(|config| config.tournaments.announce = Announcers::Admins).await;
        let club = Club { app };
        let expected = "not_allowed only administrators announce tournaments on this server";
        assert_eq!(refused(club.announce_by("bob", "roundrobin", "").await), expected);
    }

    pub(super) async fn an_entry_is_refused_with_the_reason(place: Place) {
        let club = Club::open(place, &["ann", "bob", "cyd"]).await;
        assert_eq!(refused(club.try_enter(T1, "ann").await), "no_such_tournament there is no tournament t1");
        let closed = club.announce("-players=2 -closed").await;
        let expected = "not_allowed t1 is closed: only users whom its director admitted may enter";
        assert_eq!(refused(club.try_enter(closed, "ann").await), expected);
        club.direct("dir", closed, DirectorAction::Admit("ann".to_owned()), "").await.unwrap();
        club.enter(closed, &["ann"]).await;
        club.direct("dir", closed, DirectorAction::Expel("ann".to_owned()), "noise").await.unwrap();
        assert_eq!(
            refused(club.try_enter(closed, "ann").await),
            "not_allowed the director took you out of t1"
        );
        club.direct("dir", closed, DirectorAction::Cancel, "").await.unwrap();
        assert_eq!(refused(club.try_enter(closed, "ann").await), "conflict t1 was cancelled");
        let name = club.announce("-players=2").await;
        club.app.post("set bob bob-secret bot=on", "").await;
        assert_eq!(refused(club.try_enter(name, "bob").await), "not_allowed programs play in no tournament");
        club.enter(name, &["ann", "cyd"]).await;
        let expected = "conflict t2 is full: 2 players have entered, and 2 can";
        assert_eq!(refused(club.try_enter(name, "dir").await), expected);
        club.app.tick().await;
        let expected = "conflict t2 has begun, and takes no more entries";
        assert_eq!(refused(club.try_enter(name, "dir").await), expected);
    }

    pub(super) async fn entries_and_their_boards_are_limited(place: Place) {
        let club = Club::open_with(place, &["ann", "bob"], |config| {
            config.tournaments.entries_per_user = 3;
            config.tournaments.boards_per_user = 20;
        })
        .await;
        for _ in 0..2 {
            let name = club.announce("-players=2").await;
            club.enter(name, &["ann", "bob"]).await;
        }
        club.app.tick().await;
        let large = club.announce("-players=4-12 -group=12 -games=2").await;
        let expected =
            "not_allowed with t3 you could have 24 boards of tournaments at once; a user can have 20";
        assert_eq!(refused(club.try_enter(large, "ann").await), expected);
        let small = club.announce("-players=4-10").await;
        club.enter(small, &["ann"]).await;
        let more = club.announce("-players=2").await;
        let expected = "not_allowed you are in 3 tournaments that are not over; a user can be in 3 at once";
        assert_eq!(refused(club.try_enter(more, "ann").await), expected);
        club.withdraw(small, "ann").await.unwrap();
        club.enter(more, &["ann"]).await;
    }

    pub(super) async fn an_entry_can_be_taken_back_before_the_start(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.announce("-players=2").await;
        assert_eq!(refused(club.withdraw(name, "ann").await), "conflict you have not entered t1");
        club.enter(name, &["ann"]).await;
        for _ in 0..2 {
            let view = club.withdraw(name, "ann").await.unwrap();
            assert_eq!((view.line.entered, view.players.len()), (0, 0), "repeated: the same");
        }
        club.enter(name, &["ann", "bob"]).await;
        club.app.tick().await;
        let view = club.view(name).await;
        assert_eq!(view.line.state, TournamentState::Running);
        assert!(view.players.iter().all(|player| player.state == PlayerState::In));
    }

    pub(super) async fn one_address_plays_once(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        club.app.post("add ann ann-secret bob@bob.example", "").await;
        club.app.work().await;
        let name = club.announce("-players=2").await;
        club.enter(name, &["ann"]).await;
        let expected =
            "not_allowed one of those who entered t1 shares an address with you; one person plays once";
        assert_eq!(refused(club.try_enter(name, "bob").await), expected);
        edit_user(&club.app.app, "ann", UserEdit::Delete).await.unwrap();
        club.enter(name, &["bob"]).await;
        assert_eq!(club.view(name).await.line.entered, 1, "who left the server has left the tournament");
    }

    /// At some hosts what stands behind a `+` is a mark of the same mailbox, at others `a+1` and `a+2` are two persons.
    pub(super) async fn addresses_that_differ_before_the_host_are_two(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        for (name, address) in [("ann", "a+1@x.example"), ("bob", "a+2@x.example")] {
            club.app.post(&format!("add {name} {name}-secret {address}"), "").await;
        }
        club.app.work().await;
        let name = club.announce("-players=2-4").await;
        club.enter(name, &["ann", "bob"]).await;
        assert_eq!(club.view(name).await.line.entered, 2);
    }
}
