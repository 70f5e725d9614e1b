//! What a page says of two users who have played with each other.

use super::tell;

tell! {
    the_page_of_a_user_says_how_the_visitor_stands_against_them,
    two_others_are_compared,
    boards_between_two_are_counted_for_both,
    a_user_is_followed_and_blocked_on_their_page;
    on_postgres: a_user_is_followed_and_blocked_on_their_page,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};

    async fn ok(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    /// Osbox boards 101 to 103, of which ann wins two; one of Obsidio that goes on, and one of ann, bob and cyd.
    async fn play(app: &TestApp) {
        for (number, loser) in [(101, "bob"), (102, "ann"), (103, "bob")] {
            ok(app, "osbox challenge -size=3 ann bob").await;
            ok(app, &format!("osbox move {number} ann ann-secret d1")).await;
            ok(app, &format!("osbox move {number} bob bob-secret a7")).await;
            if loser == "bob" {
                ok(app, &format!("osbox move {number} ann ann-secret f2")).await;
            }
            ok(app, &format!("osbox resign {number} {loser} {loser}-secret")).await;
        }
        ok(app, "obsidio challenge bob ann").await;
        ok(app, "osbo challenge ann bob cyd").await;
        // Nobody else's boards count, nor those that a player has alone.
        ok(app, "osbox challenge ann cyd").await;
        ok(app, "osbox challenge ann ann").await;
    }

    /// The part about both.
    fn against(page: &str) -> String {
        let part = page.split("<section id=\"against\">").nth(1).unwrap_or_default();
        part.split("</section>").next().unwrap_or_default().to_owned()
    }

    pub(super) async fn the_page_of_a_user_says_how_the_visitor_stands_against_them(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        play(&app).await;
        let mut ann = Browser::of(&app, "ann").await;
        let part = against(&ann.get("/users/bob").await.text);
        assert!(
            part.contains("You and bob") && part.contains("You won") && part.contains("bob won"),
            "{part}"
        );
        let row = "Osbox</th><td class=\"n\">2</td><td class=\"n\">1</td><td class=\"n\">0</td>";
        assert!(part.contains(row), "{part}");
        let at =
            |address: &str| part.find(&format!("href=\"{address}\"")).unwrap_or_else(|| panic!("{part}"));
        assert!(at("/boards/osbo/101") < at("/boards/obsidio/101"), "the latest comes first: {part}");
        assert!(at("/boards/osbox/103") < at("/boards/osbox/101"), "the latest comes first: {part}");
        assert!(!part.contains("/boards/osbox/104") && !part.contains("/boards/osbox/105"), "{part}");
        assert!(ann.get("/users/bob").await.text.contains("href=\"/challenge?player2=bob\""));
        // Bob sees the same from the other side; who has not played reads so; nobody stands against themselves.
        let part = against(&Browser::of(&app, "bob").await.get("/users/Ann").await.text);
        let row = "Osbox</th><td class=\"n\">1</td><td class=\"n\">2</td><td class=\"n\">0</td>";
        assert!(part.contains("You and ann") && part.contains(row), "{part}");
        let part = against(&ann.get("/users/dan").await.text);
        assert!(part.contains("You and dan have not played with each other yet"), "{part}");
        let part = against(&ann.get("/users/cyd").await.text);
        assert!(part.contains("No game between you has ended yet"), "{part}");
        assert_eq!(against(&ann.get("/users/ann").await.text), "");
        assert_eq!(against(&Browser::new(&app).get("/users/bob").await.text), "");
    }

    pub(super) async fn two_others_are_compared(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        play(&app).await;
        let mut visitor = Browser::new(&app);
        let part = against(&visitor.get("/users/bob?against=ANN").await.text);
        assert!(part.contains("ann and bob") && part.contains("ann won"), "{part}");
        assert!(visitor.get("/users/bob").await.text.contains("name=\"against\""));
        let page = visitor.get("/users/bob?against=%3Cb%3E").await;
        assert_eq!(page.status, 404);
        assert!(!page.text.contains("<b>"), "{}", page.text);
        assert_eq!(against(&visitor.get("/users/bob?against=bob").await.text), "");
        // Cyd's own name is theirs, whether they write it or not.
        let mut cyd = Browser::of(&app, "cyd").await;
        assert!(against(&cyd.get("/users/bob?against=cyd").await.text).contains("You and bob"));
        assert!(against(&cyd.get("/users/bob?against=ann").await.text).contains("ann and bob"));
        // Who has left is no longer compared.
        ok(&app, "delete ann ann-secret").await;
        assert_eq!(cyd.get("/users/bob?against=ann").await.status, 404);
    }

    pub(super) async fn boards_between_two_are_counted_for_both(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        play(&app).await;
        let page = app.get("/api/v1/users/bob/against/Ann").await.json();
        assert_eq!((&page["userid"], &page["other"]), (&"bob".into(), &"ann".into()));
        let score = serde_json::json!([{ "game": "osbox", "won": 1, "lost": 2, "tied": 0 }]);
        assert_eq!((&page["games"], &page["playing"]), (&score, &2.into()));
        let numbers = |list: &str| -> Vec<i64> {
            let boards = page[list].as_array().into_iter().flatten();
            boards.filter_map(|board| board["number"].as_i64()).collect()
        };
        assert_eq!((numbers("over"), numbers("active")), (vec![103, 102, 101], vec![101, 101]));
        for (path, status) in
            [("bob/against/bob", 422), ("bob/against/nobody", 404), ("no%20one/against/bob", 404)]
        {
            let page = app.get(&format!("/api/v1/users/{path}")).await;
            assert_eq!(page.status, status, "{path}: {}", page.text);
        }
        // However many boards there are, ten of each kind are listed.
        for _ in 0..11 {
            ok(&app, "osbo challenge ann bob").await;
        }
        let page = app.get("/api/v1/users/ann/against/bob").await.json();
        assert_eq!(page["active"].as_array().map(Vec::len), Some(10));
        assert_eq!(page["playing"], 13);
    }

    pub(super) async fn a_user_is_followed_and_blocked_on_their_page(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        ok(&app, "osbox challenge bob cyd").await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.submit("/users/bob", &[("act", "follow")]).await.text;
        assert!(
            page.contains("Stop following") && page.contains("href=\"/challenge?player2=bob\""),
            "{page}"
        );
        let home = ann.get("/").await.text;
        let followed = home.split("id=\"followed\"").nth(1).unwrap_or_default();
        assert!(
            followed.split("id=\"boards\"").next().unwrap_or_default().contains("/boards/osbox/101"),
            "{home}"
        );
        assert!(ann.get("/users/ann").await.text.contains("You follow <a href=\"/users/bob\">bob</a>."));
        assert!(!Browser::of(&app, "bob").await.get("/users/ann").await.text.contains("You follow"));
        let page = ann.submit("/users/bob", &[("act", "block")]).await.text;
        assert!(page.contains("You have blocked bob"), "{page}");
        assert!(
            !page.contains("href=\"/challenge?player2=bob\"") && !page.contains("Write to bob"),
            "{page}"
        );
        assert!(!ann.get("/").await.text.contains("id=\"followed\""));
        assert!(
            ann.get("/users/ann").await.text.contains("You have blocked <a href=\"/users/bob\">bob</a>.")
        );
        // Bob sees the page that everybody sees.
        let page = Browser::of(&app, "bob").await.get("/users/ann").await.text;
        assert!(page.contains("href=\"/challenge?player2=ann\"") && !page.contains("blocked"), "{page}");
        let page = ann.submit("/users/bob", &[("act", "unblock")]).await.text;
        assert!(page.contains("Write to bob"), "{page}");
        let page = ann.post("/users/ann", &[("act", "block")]).await;
        assert!(page.status.is_client_error() && page.text.contains("your own userid"), "{}", page.text);
    }
}
