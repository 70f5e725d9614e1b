//! Mails of users who sit at the page: what waits, what comes at once, and what a command by mail is answered.

use super::tell;

tell! {
    the_mail_of_a_move_waits_while_its_reader_has_the_board_in_sight,
    a_mail_that_waits_is_dropped_when_its_reader_moves,
    a_command_by_mail_is_answered_by_mail_whatever_its_sender_wishes,
    a_mail_says_how_many_more_games_wait;
    on_postgres: the_mail_of_a_move_waits_while_its_reader_has_the_board_in_sight, a_mail_says_how_many_more_games_wait,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Letter, Place, TestApp};

    const MINUTE: i64 = 60_000;
    const BOARD: &str = "/boards/osbox/101";

    async fn say(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    /// Mails that have left since the last look for this user.
    async fn letters(app: &TestApp, userid: &str) -> Vec<Letter> {
        app.work().await;
        let to = format!("{userid}@{userid}.example");
        app.letters().into_iter().filter(|letter| letter.to == to).collect()
    }

    async fn has_in_sight(app: &TestApp, userid: &str) {
        let answer = Browser::of(app, userid).await.post(BOARD, &[("act", "seen")]).await;
        assert_eq!(answer.status, 204, "{}", answer.text);
    }

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        say(&app, "osbox challenge -size=3 ann bob").await;
        app.work().await;
        app.letters();
        app
    }

    pub(super) async fn the_mail_of_a_move_waits_while_its_reader_has_the_board_in_sight(place: Place) {
        let app = playing(place).await;
        // Another user's sight of the board, and that of another board, hold nothing up.
        has_in_sight(&app, "ann").await;
        say(&app, "osbox move 101 ann ann-secret f1").await;
        assert_eq!(letters(&app, "bob").await.len(), 1);
        say(&app, "osbox move 101 bob bob-secret a9").await;
        assert_eq!(letters(&app, "ann").await.len(), 0, "ann sees it");
        app.clock.advance(10 * MINUTE - 1);
        assert_eq!(letters(&app, "ann").await.len(), 0);
        app.clock.advance(1);
        let late = letters(&app, "ann").await;
        assert_eq!(late.len(), 1, "she has not moved");
        assert!(late[0].text.contains("a9"), "{}", late[0].text);
        app.clock.advance(20 * MINUTE);
        assert_eq!(letters(&app, "ann").await.len(), 0, "once");
        // Words come at once, and so does a move once the page has been silent for a minute.
        has_in_sight(&app, "bob").await;
        let page = app.post("osbox chat 101 ann ann-secret", "Still there?").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        assert_eq!(letters(&app, "bob").await.len(), 1);
        app.clock.advance(MINUTE + 1);
        say(&app, "osbox move 101 ann ann-secret f2").await;
        assert_eq!(letters(&app, "bob").await.len(), 1);
    }

    pub(super) async fn a_mail_that_waits_is_dropped_when_its_reader_moves(place: Place) {
        let app = playing(place).await;
        say(&app, "osbox move 101 ann ann-secret f1").await;
        has_in_sight(&app, "ann").await;
        say(&app, "osbox move 101 bob bob-secret a9").await;
        say(&app, "osbox move 101 ann ann-secret f2").await;
        assert_eq!(
            letters(&app, "ann").await.len(),
            1,
            "a mail for each of their own moves, and none for the others"
        );
        app.clock.advance(11 * MINUTE);
        assert_eq!(letters(&app, "ann").await.len(), 0, "they answered the move");
    }

    pub(super) async fn a_command_by_mail_is_answered_by_mail_whatever_its_sender_wishes(place: Place) {
        let app = TestApp::with_players(place, &["bob"]).await;
        app.enlist_bots().await;
        let address = "nina@nina.example";
        let fields = [("userid", "nina"), ("password", "nina-secret"), ("address", address)];
        assert_eq!(Browser::new(&app).post("/signup", &fields).await.status, 303);
        app.work().await;
        app.confirm().await;
        app.work().await;
        app.letters();
        // Commands by mail, to a computer player and to a person; the second one is her own move.
        for (number, opponent) in [(101, "knotbot-1"), (102, "bob")] {
            let lines = [
                format!("osbox challenge -size=3 nina {opponent}"),
                format!("osbox move {number} nina nina-secret f1"),
            ];
            for line in lines {
                app.mail(address, &line, "").await;
                let found = letters(&app, "nina").await;
                assert_eq!(found.len(), 1, "{line}");
                assert!(found[0].text.contains(&format!("Osbox Board {number}")), "{}", found[0].text);
            }
        }
        // On the page she sees what she does.
        say(&app, "osbox challenge -size=3 nina knotbot-1").await;
        say(&app, "osbox move 103 nina nina-secret f1").await;
        assert_eq!(letters(&app, "nina").await.len(), 0);
    }

    pub(super) async fn a_mail_says_how_many_more_games_wait(place: Place) {
        let app = playing(place).await;
        let told = async || letters(&app, "bob").await.pop().expect("a letter").text;
        say(&app, "osbox move 101 ann ann-secret f1").await;
        let text = told().await;
        assert!(!text.contains("for you."), "{text}");
        say(&app, "osbox challenge -size=3 bob ann").await;
        let text = told().await;
        assert!(text.contains("One more game waits for you."), "{text}");
        say(&app, "osbox challenge -size=3 bob ann").await;
        let text = told().await;
        assert!(text.contains("2 more games wait for you."), "{text}");
        assert!(!letters(&app, "ann").await.iter().any(|letter| letter.text.contains("for you.")));
    }
}
