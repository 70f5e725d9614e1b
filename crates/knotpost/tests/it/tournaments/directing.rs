//! Actions of the director.

use super::tell;

tell! {
    only_the_director_and_administrators_direct,
    a_director_starts_with_the_minimum,
    a_round_is_extended_once,
    an_award_ends_a_board,
    a_director_who_plays_or_came_back_awards_nothing_of_their_own_group,
    an_expelled_player_is_out_and_all_are_told,
    who_is_expelled_again_and_again_is_told_to_all_once,
    a_director_writes_once_a_day_and_hands_over,
    boards_of_a_cancelled_tournament_go_on,
    an_action_at_the_wrong_time_is_refused_and_changes_nothing,
    whoever_is_admitted_enters_what_is_closed_or_threw_them_out,
    a_cancelled_tournament_tells_its_players_once,
}

mod stories {
    use knotpost_commands::{Days, DirectorAction};
    use knotpost_core::tournaments::log;
    use knotpost_model::{LeaveReason, TournamentState};

    use crate::harness::{DAY, Place};
    use crate::tournaments::club::{Club, T1, refused, subjects};

    const FOUR: [&str; 4] = ["ann", "bob", "cyd", "dan"];

    async fn logged(club: &Club) -> Vec<String> {
        let mut tx = club.app.app.store.read().await.unwrap();
        let lines = log(&mut tx, T1, None).await.unwrap().log;
        let line = |line: &knotpost_core::tournaments::TournamentLogLine| {
            let by = line.by.as_deref().unwrap_or("-");
            [by, line.action.as_str(), line.userid.as_deref().unwrap_or(""), &line.words]
                .join(" ")
                .trim()
                .to_owned()
        };
        lines.iter().rev().map(line).collect()
    }

    fn days(text: &str) -> Days {
        Days::from_word(text).expect("days")
    }

    pub(super) async fn only_the_director_and_administrators_direct(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        club.app.post("osbox challenge -size=3 ann bob", "").await;
        club.play_out(&knotpost_model::BoardRef { game: "osbox".to_owned(), number: 101 }).await;
        let name = club.announce_by("ann", "roundrobin", "-players=2").await.unwrap().line.name;
        let expected = "not_allowed you do not direct t1";
        assert_eq!(refused(club.direct("bob", name, DirectorAction::Cancel, "").await), expected);
        club.direct("dir", name, DirectorAction::Cancel, "").await.unwrap();
        assert_eq!(
            refused(club.direct("ann", name, DirectorAction::Cancel, "").await),
            "conflict t1 was cancelled"
        );
        assert_eq!(logged(&club).await, ["ann announce", "dir cancel"]);
    }

    pub(super) async fn a_director_starts_with_the_minimum(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.announce("-players=3-10").await;
        club.enter(name, &["ann", "bob"]).await;
        let expected = "conflict t1 needs 3 players to start, and 2 have entered";
        assert_eq!(refused(club.direct("dir", name, DirectorAction::Start, "").await), expected);
        club.enter(name, &["cyd"]).await;
        club.direct("dir", name, DirectorAction::Start, "").await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        assert_eq!(club.view(name).await.pairings.len(), 3);
        assert_eq!(
            refused(club.direct("dir", name, DirectorAction::Start, "").await),
            "conflict t1 has begun already"
        );
        assert_eq!(logged(&club).await, ["dir announce", "dir start", "- opened"]);
    }

    pub(super) async fn a_round_is_extended_once(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2 -roundtime=10 -forfeittime=60 -nagtime=59", &["ann", "bob"]).await;
        let over = refused(club.direct("dir", name, DirectorAction::Extend(days("31")), "").await);
        assert_eq!(over, "bad_value a round is extended by 30 days at most, not by 31");
        club.direct("dir", name, DirectorAction::Extend(days("5")), "Holidays.").await.unwrap();
        let again = refused(club.direct("dir", name, DirectorAction::Extend(days("5")), "").await);
        assert_eq!(again, "conflict the round has been extended; a round is extended once");
        club.app.tick().await;
        let letters = club.app.letters();
        assert_eq!(
            subjects(&letters),
            [
                "ann: Tournament t1 Winter cup: a later deadline",
                "bob: Tournament t1 Winter cup: a later deadline"
            ]
        );
        assert!(
            letters[0].text.contains("Holidays.") && letters[0].text.contains("2026-12-05"),
            "{}",
            letters[0].text
        );
        club.app.pass(10 * DAY).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Running);
        club.app.pass(5 * DAY).await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Over);
    }

    pub(super) async fn an_award_ends_a_board(place: Place) {
        let club = Club::open(place, &FOUR).await;
        club.app.post("osbox challenge -size=3 ann bob", "").await;
        club.play_out(&knotpost_model::BoardRef { game: "osbox".to_owned(), number: 101 }).await;
        let name = club.announce_by("ann", "roundrobin", "-players=4").await.unwrap().line.name;
        club.enter(name, &FOUR).await;
        club.app.tick().await;
        let board = club.board_of(name, "cyd", "dan").await;
        let award = |number, seat| DirectorAction::Award { board: number, seat };
        let own = refused(club.direct("ann", name, award(board.number, Some(1)), "").await);
        assert_eq!(own, "not_allowed a director who plays awards no board of their own group");
        let none = refused(club.direct("dir", name, award(board.number, Some(3)), "").await);
        assert_eq!(none, format!("bad_value there is no seat 3 on {board}"));
        assert_eq!(
            refused(club.direct("dir", name, award(101, None), "").await),
            "bad_value osbox 101 is no board of t1"
        );
        club.direct("dir", name, award(board.number, Some(2)), "They agreed.").await.unwrap();
        assert_eq!(club.result_of(&board).await, serde_json::json!(["over", [2], "adjudication", false]));
        let other = club.board_of(name, "ann", "dan").await;
        club.direct("dir", name, award(other.number, None), "").await.unwrap();
        club.app.tick().await;
        club.check(name).await;
        let again = refused(club.direct("dir", name, award(other.number, None), "").await);
        assert_eq!(again, format!("game_over {other} is over"));
        assert_eq!(
            logged(&club).await,
            ["ann announce", "- start", "- opened", "dir award  They agreed.", "dir award"]
        );
    }

    pub(super) async fn a_director_who_plays_or_came_back_awards_nothing_of_their_own_group(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.announce_by("dir", "ladder", "").await.expect("announced").line.name;
        club.enter(name, &FOUR).await;
        club.direct("dir", name, DirectorAction::Hand("ann".to_owned()), "").await.unwrap();
        let page = club.app.post("ladder challenge dan dan-secret t1 cyd", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let board = club.board_of(name, "dan", "cyd").await;
        let award = async || {
            let action = DirectorAction::Award { board: board.number, seat: Some(2) };
            club.direct("ann", name, action, "So be it").await
        };
        let own = "not_allowed a director who plays awards no board of their own group";
        assert_eq!(refused(award().await), own, "on it, without a game so far");
        let page = club.app.post("ladder challenge bob bob-secret t1 ann", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        club.withdraw(name, "ann").await.unwrap();
        club.app.tick().await;
        assert_eq!(refused(award().await), own, "who has left has played in it");
        club.enter(name, &["ann"]).await;
        assert_eq!(refused(award().await), own, "back again");
        let action = DirectorAction::Award { board: board.number, seat: Some(2) };
        club.direct("dir", name, action, "So be it").await.expect("an administrator can");
        club.check(name).await;
    }

    pub(super) async fn an_expelled_player_is_out_and_all_are_told(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4", &FOUR).await;
        let expel = || DirectorAction::Expel("dan".to_owned());
        assert_eq!(refused(club.direct("dir", name, expel(), "").await), "bad_value the reason is missing");
        club.direct("dir", name, expel(), "Two accounts.").await.unwrap();
        assert_eq!(
            refused(club.direct("dir", name, expel(), "again").await),
            "conflict `dan` does not play in t1"
        );
        club.app.tick().await;
        club.check(name).await;
        let dan = club.view(name).await.players.into_iter().find(|player| player.userid == "dan").unwrap();
        assert_eq!((dan.left, dan.counts), (Some(LeaveReason::Expelled), false));
        let letters = club.app.letters();
        let told: Vec<String> = subjects(&letters)
            .into_iter()
            .filter(|line| line.contains("Tournament t1 Winter cup:"))
            .collect();
        assert_eq!(
            told,
            [
                "ann: Tournament t1 Winter cup: dan is out",
                "bob: Tournament t1 Winter cup: dan is out",
                "cyd: Tournament t1 Winter cup: dan is out",
                "dan: Tournament t1 Winter cup: you are out"
            ]
        );
    }

    pub(super) async fn who_is_expelled_again_and_again_is_told_to_all_once(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.announce("-players=4-8").await;
        club.enter(name, &["ann", "dan"]).await;
        for _ in 0..3 {
            let out = DirectorAction::Expel("dan".to_owned());
            club.direct("dir", name, out, "Read all of this.").await.unwrap();
            club.direct("dir", name, DirectorAction::Admit("dan".to_owned()), "").await.unwrap();
            club.enter(name, &["dan"]).await;
            club.app.tick().await;
        }
        let told = subjects(&club.app.letters());
        let to_ann: Vec<&String> = told.iter().filter(|line| line.starts_with("ann: Tournament")).collect();
        assert_eq!(to_ann, ["ann: Tournament t1 Winter cup: dan is out"], "{told:?}");
    }

    pub(super) async fn a_director_writes_once_a_day_and_hands_over(place: Place) {
        let club = Club::open(place, &["ann", "bob"]).await;
        let name = club.begin("-players=2", &["ann", "bob"]).await;
        assert_eq!(
            refused(club.direct("dir", name, DirectorAction::Say, " ").await),
            "bad_value there is nothing to say"
        );
        club.direct("dir", name, DirectorAction::Say, "Good games to all.").await.unwrap();
        let again = refused(club.direct("dir", name, DirectorAction::Say, "More.").await);
        assert_eq!(
            again,
            "not_allowed the players of t1 were written to within a day; once a day is the most"
        );
        club.app.tick().await;
        let letters = club.app.letters();
        assert_eq!(letters.len(), 2);
        assert!(letters[0].text.contains("Good games to all."), "{}", letters[0].text);
        let stranger = refused(club.direct("dir", name, DirectorAction::Hand("dir".to_owned()), "").await);
        assert_eq!(stranger, "conflict `dir` does not play in t1");
        club.direct("dir", name, DirectorAction::Hand("bob".to_owned()), "").await.unwrap();
        club.app.tick().await;
        assert_eq!(subjects(&club.app.letters()), ["bob: Tournament t1 Winter cup: you direct it"]);
        assert_eq!(club.view(name).await.line.director.as_deref(), Some("bob"));
        club.app.pass(DAY).await;
        club.direct("bob", name, DirectorAction::Say, "I direct now.").await.unwrap();
    }

    pub(super) async fn boards_of_a_cancelled_tournament_go_on(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4 -roundtime=5 -forfeittime=30", &FOUR).await;
        let over = club.board_of(name, "ann", "bob").await;
        club.resign(&over, "bob").await;
        let board = club.board_of(name, "cyd", "dan").await;
        club.direct("dir", name, DirectorAction::Cancel, "Too cold.").await.unwrap();
        club.app.tick().await;
        assert_eq!(club.view(name).await.line.state, TournamentState::Cancelled);
        club.app.pass(10 * DAY).await;
        assert_eq!(club.result_of(&board).await[0], "active", "no deadline");
        club.app.post(&format!("osbox resign {} cyd cyd-secret", board.number), "").await;
        club.app.post(&format!("osbox resign {} dan dan-secret", board.number), "").await;
        assert_eq!(club.result_of(&board).await[0], "removed", "an ordinary board can be declined");
        club.app.tick().await;
    }

    /// Every action: before the start, while it is played, when it is over, and when it was cancelled; `None`: it is done.
    pub(super) async fn an_action_at_the_wrong_time_is_refused_and_changes_nothing(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let open = club.announce("-players=2-9 -closed").await;
        let running = club.announce("-players=2").await;
        club.enter(running, &["ann", "bob"]).await;
        let over = club.announce("-players=2").await;
        club.enter(over, &["ann", "bob"]).await;
        let cancelled = club.announce("-players=2").await;
        club.direct("dir", cancelled, DirectorAction::Cancel, "").await.unwrap();
        club.app.tick().await;
        let ended = club.board_of(over, "ann", "bob").await;
        club.resign(&ended, "bob").await;
        club.app.tick().await;
        let board = club.board_of(running, "ann", "bob").await.number;
        let has_begun = Some("conflict t2 has begun already");
        let has_not_begun = Some("conflict t1 has not begun");
        let nobody = Some("conflict `cyd` does not play in t1");
        let nobody_there = Some("conflict `cyd` does not play in t2");
        let cyd = || "cyd".to_owned();
        let rows: [(DirectorAction, Option<&str>, Option<&str>); 8] = [
            (
                DirectorAction::Start,
                Some("conflict t1 needs 2 players to start, and 0 have entered"),
                has_begun,
            ),
            (DirectorAction::Admit(cyd()), None, has_begun),
            (DirectorAction::Expel(cyd()), nobody, nobody_there),
            (DirectorAction::Hand(cyd()), nobody, nobody_there),
            (DirectorAction::Extend(days("2")), has_not_begun, None),
            (DirectorAction::Say, None, None),
            (DirectorAction::Award { board, seat: None }, has_not_begun, None),
            (DirectorAction::Cancel, None, Some("conflict t2 is over")),
        ];
        for (action, before, meanwhile) in rows {
            for (name, expected) in [
                (open, before),
                (running, meanwhile),
                (over, Some("conflict t3 is over")),
                (cancelled, Some("conflict t4 was cancelled")),
            ] {
                // The board that was awarded was the last one.
                if name == running && action == DirectorAction::Cancel {
                    club.app.tick().await;
                }
                let was = club.app.get(&format!("/api/v1/tournaments/{name}/log")).await.text;
                let outcome = club.direct("dir", name, action.clone(), "Because.").await;
                match expected {
                    None => assert!(outcome.is_ok(), "{action:?} {name}: {outcome:?}"),
                    Some(message) => {
                        assert_eq!(refused(outcome), message, "{action:?} {name}");
                        let is = club.app.get(&format!("/api/v1/tournaments/{name}/log")).await.text;
                        assert_eq!(is, was, "{action:?} {name}");
                    }
                }
            }
        }
    }

    pub(super) async fn whoever_is_admitted_enters_what_is_closed_or_threw_them_out(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.announce("-players=2-9 -closed").await;
        let closed = "not_allowed t1 is closed: only users whom its director admitted may enter";
        assert_eq!(refused(club.try_enter(name, "ann").await), closed);
        let admit =
            async |who: &str| club.direct("dir", name, DirectorAction::Admit(who.to_owned()), "").await;
        assert_eq!(refused(admit("zoe").await), "no_such_user there is no user `zoe`");
        admit("ANN").await.unwrap();
        admit("ann").await.expect("the same again");
        assert_eq!(logged(&club).await, ["dir announce", "dir admit ann"]);
        club.enter(name, &["ann"]).await;
        club.direct("dir", name, DirectorAction::Expel("Ann".to_owned()), "Two accounts.").await.unwrap();
        assert_eq!(refused(club.try_enter(name, "ann").await), "not_allowed the director took you out of t1");
        admit("ann").await.unwrap();
        club.enter(name, &["ann"]).await;
        assert_eq!(refused(club.try_enter(name, "bob").await), closed);
    }

    pub(super) async fn a_cancelled_tournament_tells_its_players_once(place: Place) {
        let club = Club::open(place, &FOUR).await;
        let name = club.begin("-players=4", &FOUR).await;
        club.direct("dir", name, DirectorAction::Cancel, "The hall has burnt down.").await.unwrap();
        club.app.tick().await;
        let letters = club.app.letters();
        let told: Vec<&str> = letters
            .iter()
            .filter(|letter| letter.text.contains("The hall has burnt down."))
            .map(|letter| letter.to.split('@').next().unwrap_or_default())
            .collect();
        assert_eq!(told.len(), 4, "{:?}", subjects(&letters));
        let again = refused(club.direct("dir", name, DirectorAction::Cancel, "").await);
        assert_eq!(again, "conflict t1 was cancelled");
        club.app.tick().await;
        assert!(club.app.letters().is_empty());
    }
}
