//! Computer players where people are missing: for a search that nobody answers, and for a player who does not move.

use super::tell;

tell! {
    a_search_is_taken_by_a_computer_player_only_if_its_user_says_so,
    a_computer_player_goes_on_for_a_player_who_does_not_move,
    the_others_agree_that_a_computer_player_goes_on,
    nobody_takes_a_rated_game_from_their_opponent,
    who_comes_back_in_time_keeps_their_seat;
    on_postgres: a_computer_player_goes_on_for_a_player_who_does_not_move,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{DAY, Place, TestApp};

    async fn start(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.enlist_bots().await;
        app
    }

    async fn post(app: &TestApp, line: &str) -> String {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        page.text
    }

    async fn players(app: &TestApp, number: u32) -> Vec<String> {
        let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
        let players = board["players"].as_array().cloned().unwrap_or_default();
        let mut names: Vec<String> =
            players.iter().map(|player| player["userid"].as_str().unwrap().to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// The address of the drawing that a page of a board names with its mark.
    fn drawing(page: &str) -> String {
        let (_, rest) = page.split_once("property=\"og:image\" content=\"").expect("a picture");
        let address = rest.split('"').next().unwrap_or_default().replace("&#x2f;", "/").replace("&amp;", "&");
        let address = address.strip_prefix("http://knotpost.example").expect("an address of this server");
        address.replace("board.png", "board.svg").replace("&frame=card", "")
    }

    /// The player to move is reminded.
    async fn wait_for_reminder(app: &TestApp) {
        app.pass(8 * DAY).await;
        app.work().await;
    }

    pub(super) async fn a_search_is_taken_by_a_computer_player_only_if_its_user_says_so(place: Place) {
        let app = start(place).await;
        post(&app, "osbox seek ann ann-secret 1 -size=5").await;
        assert_eq!(app.let_bots_play().await, 0);
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.status, 404, "ann wants a person");
        // Whoever looks for the same comes first.
        post(&app, "osbox seek bob bob-secret 1 -size=5 --computer").await;
        assert_eq!(players(&app, 101).await, ["ann", "bob"]);
        let text = post(&app, "osbox seek bob bob-secret 2 -size=5 --unrated --computer=5").await;
        assert!(text.contains("102, 103 have begun"), "{text}");
        assert_eq!(players(&app, 103).await, ["bob", "knotbot-5"]);
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!((&board["rated"], &board["options"]), (&false.into(), &"-size=5".into()), "{board}");
        post(&app, "osbox seek cyd cyd-secret 1 --computer").await;
        assert_eq!(players(&app, 104).await, ["cyd", "knotbot-3"], "nothing is known of how cyd plays");
        for (line, outcome) in [
            ("osbox seek ann ann-secret 6 --computer", "422 bad_value"),
            ("osbox seek ann ann-secret 1 --computer=9", "422 bad_option"),
            ("osbox challenge ann bob --computer", "422 bad_option"),
        ] {
            assert_eq!(app.post(line, "").await.outcome(), outcome, "{line}");
        }
        let mut ann = Browser::of(&app, "ann").await;
        post(&app, "osbox seek ann ann-secret 1").await;
        let page = ann.get("/standings/osbox").await;
        assert!(page.text.contains("Play the computer instead"), "{}", page.text);
        ann.post("/challenge", &[("game", "osbox"), ("act", "join"), ("terms", "--computer")]).await;
        assert_eq!(players(&app, 105).await, ["ann", "knotbot-3"]);
        ann.post("/challenge", &[("game", "osbox"), ("act", "seek"), ("or_computer", "yes"), ("level", "2")])
            .await;
        assert_eq!(players(&app, 106).await, ["ann", "knotbot-2"]);
    }

    pub(super) async fn a_computer_player_goes_on_for_a_player_who_does_not_move(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 ann bob --unrated").await;
        post(&app, "osbox move 101 ann ann-secret f1").await;
        let page = app.post("osbox move 101 ann ann-secret substitute", "").await;
        assert_eq!(page.outcome(), "409 conflict");
        assert!(page.text.contains("bob has not been reminded yet"), "{}", page.text);
        let page = app.post("osbox move 101 bob bob-secret substitute", "").await;
        assert_eq!(page.outcome(), "409 conflict", "it is their own turn");
        wait_for_reminder(&app).await;
        app.letters();
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/boards/osbox/101").await;
        assert!(page.text.contains("Let a computer player go on for bob"), "{}", page.text);
        let drawing = drawing(&page.text);
        assert!(app.get(&drawing).await.header("cache-control").ends_with("immutable"), "{drawing}");
        let text = post(&app, "osbox move 101 ann ann-secret substitute").await;
        assert!(text.contains("knotbot-3, a computer player, goes on in the seat of"), "{text}");
        let replaced = app.get(&drawing).await;
        assert!(replaced.text.contains("knotbot-3"), "{}", replaced.text);
        assert_eq!(replaced.header("cache-control"), "public, no-cache", "this address shows another player");
        assert_eq!(players(&app, 101).await, ["ann", "knotbot-3"]);
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["rated"], &board["to_move"]), (&false.into(), &serde_json::json!(["knotbot-3"])));
        app.work().await;
        let letters = app.letters();
        for name in ["ann", "bob"] {
            let told = letters.iter().any(|letter| {
                letter.to == format!("{name}@{name}.example")
                    && letter.text.contains("goes on in the seat of")
            });
            assert!(told, "{name} is told: {}", crate::harness::show_all(&letters));
        }
        assert_eq!(app.let_bots_play().await, 1);
        let page = ann.get("/boards/osbox/101").await;
        assert!(page.text.contains("knotbot-3 goes on in the seat of bob."), "the page tells it later too");
        assert_eq!(app.post("osbox move 101 bob bob-secret f2", "").await.outcome(), "403 not_a_player");
    }

    pub(super) async fn nobody_takes_a_rated_game_from_their_opponent(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 ann bob").await;
        post(&app, "osbox move 101 ann ann-secret f1").await;
        wait_for_reminder(&app).await;
        let page = app.post("osbox move 101 ann ann-secret substitute", "").await;
        assert_eq!(page.outcome(), "409 conflict");
        assert!(page.text.contains("this board is rated, and nobody else here could agree"), "{}", page.text);
        assert_eq!(players(&app, 101).await, ["ann", "bob"]);
        let page = Browser::of(&app, "ann").await.get("/boards/osbox/101").await;
        assert!(!page.text.contains("Let a computer player go on"), "{}", page.text);
    }

    pub(super) async fn the_others_agree_that_a_computer_player_goes_on(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 ann bob cyd").await;
        post(&app, "osbox move 101 ann ann-secret f1").await;
        wait_for_reminder(&app).await;
        post(&app, "osbox move 101 ann ann-secret substitute").await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        let proposal = serde_json::json!({ "kind": "substitute", "by": "ann", "waiting": ["cyd"] });
        assert_eq!(board["proposal"], proposal, "bob is not asked");
        let text = post(&app, "osbox move 101 cyd cyd-secret reject").await;
        assert!(text.contains("cyd does not agree that a computer player takes a seat."), "{text}");
        assert_eq!(players(&app, 101).await, ["ann", "bob", "cyd"]);
        post(&app, "osbox move 101 cyd cyd-secret substitute").await;
        post(&app, "osbox move 101 ann ann-secret accept").await;
        assert_eq!(players(&app, 101).await, ["ann", "cyd", "knotbot-3"]);
        assert_eq!(app.let_bots_play().await, 1);
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["to_move"], serde_json::json!(["cyd"]));
        // Of three players one is a computer player, which agrees at once.
        wait_for_reminder(&app).await;
        post(&app, "osbox move 101 ann ann-secret substitute").await;
        assert_eq!(players(&app, 101).await, ["ann", "knotbot-3", "knotbot-3"]);
    }

    pub(super) async fn who_comes_back_in_time_keeps_their_seat(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 ann bob cyd").await;
        post(&app, "osbox move 101 ann ann-secret f1").await;
        wait_for_reminder(&app).await;
        post(&app, "osbox move 101 ann ann-secret substitute").await;
        app.play_on("osbox", 101, 1).await;
        let page = app.post("osbox move 101 cyd cyd-secret accept", "").await;
        assert_eq!(page.outcome(), "409 nothing_proposed", "{}", page.text);
        let page = app.post("osbox move 101 ann ann-secret substitute", "").await;
        assert_eq!(page.outcome(), "409 conflict", "cyd was not reminded: {}", page.text);
        assert_eq!(players(&app, 101).await, ["ann", "bob", "cyd"]);
    }
}
