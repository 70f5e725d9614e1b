//! Another game of the players of a finished board.

use super::tell;

tell! {
    a_reply_to_the_last_mail_begins_another_game_with_the_seats_exchanged,
    one_rematch_of_a_board_is_played_at_a_time,
    only_an_open_deal_is_dealt_again,
    a_rematch_needs_a_finished_board_a_player_and_others_who_are_willing;
    on_postgres: a_reply_to_the_last_mail_begins_another_game_with_the_seats_exchanged,
}

mod stories {
    use knotpost_core::queries::view_board;
    use knotpost_model::BoardRef;

    use crate::harness::{Mailboxes, Place, TestApp, show_all};

    /// Ann and bob have played, and ann gave up.
    async fn finish(app: &TestApp, challenge: &str) {
        for line in [challenge, "osbox move 101 ann ann-secret f1", "osbox move 101 bob bob-secret e9"] {
            let page = app.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        assert_eq!(app.post("osbox resign 101 ann ann-secret", "").await.outcome(), "200 ok");
    }

    async fn players(app: &TestApp, game: &str, number: u32) -> Vec<String> {
        let board = app.get(&format!("/api/v1/boards/{game}/{number}")).await.json();
        let seats = board["players"].as_array().expect("players");
        seats.iter().map(|seat| seat["userid"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub(super) async fn a_reply_to_the_last_mail_begins_another_game_with_the_seats_exchanged(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        finish(&app, "osbox challenge -thin_knots ann bob --unrated").await;
        app.work().await;
        let mut boxes = Mailboxes::default();
        let letters = boxes.fill(&app);
        let last = letters.iter().filter(|letter| letter.subject == "Osbox Board 101");
        assert!(last.clone().count() >= 2);
        for letter in last {
            let name = letter.to.split('@').next().unwrap_or_default();
            let line = format!("osbox rematch 101 {name} PASSWORD");
            assert!(letter.text.contains(&line), "{letter}");
            assert!(letter.html.as_ref().is_some_and(|html| html.contains(&line)), "{letter}");
            assert!(letter.text.contains("reply to this mail with\n`rematch`"), "{letter}");
        }
        assert_eq!(boxes.reply(&app, "bob", "rematch\nOnce more?").await, "executed");
        insta::assert_snapshot!("rematch", boxes.top("ann"));
        assert_eq!(players(&app, "osbox", 102).await, ["bob", "ann"]);
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!((&board["options"], &board["rated"]), (&"-thin_knots".into(), &false.into()));
        // Nobody is asked for a rematch of a board on which they did not play.
        app.mail("cyd@cyd.example", "osbox show 101", "").await;
        assert!(!show_all(&app.letters()).contains("rematch"));
    }

    pub(super) async fn one_rematch_of_a_board_is_played_at_a_time(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        finish(&app, "osbox challenge ann bob").await;
        assert_eq!(app.post("osbox rematch 101 bob bob-secret", "").await.outcome(), "200 ok");
        let page = app.post("osbox rematch 101 ann ann-secret", "").await;
        assert_eq!(page.outcome(), "409 conflict");
        assert!(page.text.contains("the rematch of Osbox board 101 is board 102"), "{}", page.text);
        // Declined, it may be asked for again.
        assert_eq!(app.post("osbox resign 102 ann ann-secret", "").await.outcome(), "200 ok");
        assert_eq!(app.post("osbox rematch 101 ann ann-secret", "").await.outcome(), "200 ok");
        assert_eq!(players(&app, "osbox", 103).await, ["bob", "ann"]);
    }

    /// The stones of both players on a board that has just begun.
    async fn hands(app: &TestApp, number: u32) -> String {
        let name = BoardRef { game: "boxilies".to_owned(), number };
        let position = view_board(&app.app, &name, None).await.expect("a board").board.row.position;
        position.split_whitespace().nth(1).expect("hands").to_owned()
    }

    pub(super) async fn only_an_open_deal_is_dealt_again(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for (first, deal) in [(101, "open"), (103, "own")] {
            let line = format!("boxilies challenge -deal={deal} ann bob");
            assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
            let before = hands(&app, first).await;
            app.play_on("boxilies", first, 9).await;
            let line = format!("boxilies rematch {first} ann ann-secret");
            let page = app.post(&line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{}", page.text);
            assert_eq!(players(&app, "boxilies", first + 1).await, ["bob", "ann"]);
            assert_eq!(hands(&app, first + 1).await == before, deal == "open", "{deal}: {before:?}");
            assert_eq!(page.text.contains("with the same deal"), deal == "open", "{}", page.text);
        }
    }

    pub(super) async fn a_rematch_needs_a_finished_board_a_player_and_others_who_are_willing(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge ann bob", "").await;
        assert_eq!(app.post("osbox rematch 101 ann ann-secret", "").await.outcome(), "409 conflict");
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.post("osbox move 101 bob bob-secret e9", "").await;
        app.post("osbox resign 101 ann ann-secret", "").await;
        assert_eq!(app.post("osbox rematch 101 cyd cyd-secret", "").await.outcome(), "403 not_a_player");
        assert_eq!(app.post("osbox rematch 101 ann wrong", "").await.outcome(), "401 bad_credentials");
        assert_eq!(app.post("osbox rematch 199 ann ann-secret", "").await.outcome(), "404 no_such_board");
        app.post("osbox reject bob bob-secret", "").await;
        let page = app.post("osbox rematch 101 ann ann-secret", "").await;
        assert!(!page.outcome().starts_with("200"), "{}", page.text);
        assert!(page.text.contains("bob"), "{}", page.text);
        app.post("osbox accept bob bob-secret", "").await;
        app.post("delete bob bob-secret", "").await;
        let page = app.post("osbox rematch 101 ann ann-secret", "").await;
        assert!(!page.outcome().starts_with("200"), "{}", page.text);
        assert!(page.text.contains("bob has left"), "{}", page.text);
    }
}
