//! Opponents looked for, and boards followed by mail, from the pages.

use super::tell;

tell! {
    an_opponent_is_looked_for_from_the_form,
    who_looks_for_an_opponent_is_told_that_a_draw_decides_who_begins,
    the_computer_is_played_with_one_button,
    a_board_is_followed_by_mail_and_left_alone_again,
    an_earlier_position_does_not_say_whose_turn_it_is;
    on_postgres: the_computer_is_played_with_one_button,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};

    pub(super) async fn who_looks_for_an_opponent_is_told_that_a_draw_decides_who_begins(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let form = ann.get("/challenge?game=osbox").await.text;
        assert!(
            form.contains("We pair you with anyone who wants the same game, and draw who begins"),
            "{form}"
        );
        let mut began = std::collections::BTreeSet::new();
        for number in 101..131 {
            for looking in [&mut bob, &mut ann] {
                looking.post("/challenge", &[("game", "osbox"), ("act", "seek"), ("first", "me")]).await;
            }
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            began.insert(board["players"][0]["userid"].as_str().expect("a player").to_owned());
            if began.len() == 2 {
                return;
            }
        }
        panic!("{began:?} began each of 30 games");
    }

    pub(super) async fn an_opponent_is_looked_for_from_the_form(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let wish = [("game", "osbox"), ("option_size", "3"), ("option_any_side", "on"), ("act", "seek")];
        let page = ann.submit("/challenge", &wish).await;
        assert!(page.text.contains("3x3, any side") && page.text.contains("stop_seeking"), "{}", page.text);
        assert!(!Browser::new(&app).get("/").await.text.contains("stop_seeking"), "only who looks can stop");
        assert!(page.text.contains("You are looking for an opponent"), "{}", page.text);
        assert!(!page.text.contains("looking now"), "she is not offered herself: {}", page.text);
        let page = ann.submit("/challenge", &[("game", "osbox"), ("act", "stop_seeking")]).await;
        assert!(!page.text.contains("Looking for opponents"), "{}", page.text);
        ann.submit("/challenge", &wish).await;
        let mut bob = Browser::of(&app, "bob").await;
        let page = bob.post("/challenge", &wish).await;
        assert_eq!(
            page.header("location"),
            "/boards/osbox/101",
            "the same wish makes a board: {}",
            page.text
        );
        let page = ann.get("/?done=seeking").await.text;
        assert!(!page.contains("You are looking for an opponent"), "the game has begun: {page}");
        let smuggled = [("game", "osbox"), ("option_size", "3 0"), ("act", "seek")];
        assert_eq!(bob.post("/challenge", &smuggled).await.status, 422);
    }

    pub(super) async fn the_computer_is_played_with_one_button(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.enlist_bots().await;
        let mut ann = Browser::of(&app, "ann").await;
        for path in ["/", "/games/osbox", "/challenge?game=osbox"] {
            let page = ann.get(path).await;
            assert!(page.text.contains("name=\"act\" value=\"computer\""), "{path}: {}", page.text);
        }
        let wish =
            [("game", "osbox"), ("act", "computer"), ("level", "2"), ("first", "them"), ("option_size", "3")];
        let page = ann.submit("/challenge", &wish).await;
        assert!(page.text.contains("knotbot-2's turn"), "{}", page.text);
        assert_eq!(app.let_bots_play().await, 1);
        assert!(ann.get("/boards/osbox/101").await.text.contains("Your turn"));
        for level in ["0", "9", "two", ""] {
            let page =
                ann.post("/challenge", &[("game", "osbox"), ("act", "computer"), ("level", level)]).await;
            assert_eq!(page.status, 422);
            assert!(page.text.contains("Choose a level from 1 to 8"), "{}", page.text);
        }
        let page = ann.get("/users/knotbot-2").await;
        assert!(page.text.contains("A computer player of this server, level 2 of 8."), "{}", page.text);
        assert!(!page.text.contains("Write to"), "{}", page.text);
    }

    pub(super) async fn a_board_is_followed_by_mail_and_left_alone_again(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge ann bob", "").await;
        let mut cyd = Browser::of(&app, "cyd").await;
        let path = "/boards/osbox/101";
        let page = cyd.submit(path, &[("act", "subscribe")]).await;
        assert!(page.text.contains("Mail me no more of its moves"), "{}", page.text);
        let page = cyd.submit(path, &[("act", "unsubscribe")]).await;
        assert!(page.text.contains("Mail me its moves"), "{}", page.text);
    }

    pub(super) async fn an_earlier_position_does_not_say_whose_turn_it_is(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let page = Browser::new(&app).get("/boards/osbox/101?ply=0").await;
        assert!(page.text.contains("Start of the game") && !page.text.contains("ann's turn."));
        let page = Browser::new(&app).get("/boards/osbox/101").await;
        assert!(page.text.contains("bob's turn."), "{}", page.text);
    }
}
