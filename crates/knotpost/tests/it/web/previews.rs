//! What other programs show of links to pages.

use super::tell;

tell! {
    a_link_to_a_board_is_shown_with_the_board,
    a_picture_is_kept_as_long_as_it_is_true,
    a_removed_board_has_no_picture,
    a_game_is_shared_as_one_moving_picture,
    start_games_and_users_introduce_themselves,
    names_stay_inside_their_tags,
}

mod stories {
    use axum::body::{Body, to_bytes};
    use axum::http::{HeaderMap, Request};
    use knotpost_core::admin::{AdminAction, Administrator, BoardAction, administer};
    use knotpost_model::BoardRef;

    use crate::harness::{Page, Place, TestApp};

    /// What a tag of that name says, read as HTML.
    fn meta(page: &Page, name: &str) -> Option<String> {
        let (_, rest) = [format!("property=\"{name}\" content=\""), format!("name=\"{name}\" content=\"")]
            .iter()
            .find_map(|start| page.text.split_once(start.as_str()))?;
        let mut value = rest.split('"').next()?.to_owned();
        for (entity, sign) in
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")]
        {
            value = value.replace(entity, sign);
        }
        Some(value)
    }

    /// The path and query of an address of this server.
    fn path(address: &str) -> &str {
        address.strip_prefix("http://knotpost.example").expect("an address of this server, in full")
    }

    /// Width and height of the picture at that address, and the header it came with.
    async fn fetch(app: &TestApp, address: &str) -> ((u32, u32), HeaderMap) {
        let request = Request::get(path(address)).body(Body::empty()).unwrap();
        let (parts, body) = app.open(request).await.into_parts();
        assert_eq!(parts.status, 200, "{address}");
        let bytes = to_bytes(body, 1 << 20).await.unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        ((number(16), number(20)), parts.headers)
    }

    async fn begin(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.post("osbox move 101 ann ann-secret d1", "").await;
        app
    }

    pub(super) async fn a_link_to_a_board_is_shown_with_the_board(place: Place) {
        let app = begin(place).await;
        let page = app.get("/boards/osbox/101").await;
        for (name, value) in [
            ("og:site_name", "Knotpost"),
            ("og:title", "Osbox 101 -size=3: ann, bob"),
            ("og:description", "It is bob's turn. Move 1."),
            ("description", "It is bob's turn. Move 1."),
            ("og:url", "http://knotpost.example/boards/osbox/101"),
            ("og:image:width", "1200"),
            ("og:image:height", "630"),
            ("twitter:card", "summary_large_image"),
        ] {
            assert_eq!(meta(&page, name).as_deref(), Some(value), "{name}");
        }
        assert!(meta(&page, "og:image:alt").unwrap().starts_with("Board: 3 rows by 3 columns."));
        let image = meta(&page, "og:image").unwrap();
        assert!(
            path(&image).starts_with("/api/v1/boards/osbox/101/board.png?ply=1&frame=card&v="),
            "{image}"
        );
        let (size, headers) = fetch(&app, &image).await;
        assert_eq!(size, (1200, 630));
        assert_eq!(headers["content-type"], "image/png");
        app.post("osbox move 101 bob bob-secret a7", "").await;
        app.post("osbox move 101 ann ann-secret resign", "").await;
        let over = app.get("/boards/osbox/101").await;
        assert_eq!(meta(&over, "og:description").as_deref(), Some("Game won by bob by resignation. Move 3."));
        let earlier = app.get("/boards/osbox/101?ply=0").await;
        assert_eq!(meta(&earlier, "og:description").as_deref(), Some("After move 0 of 3."));
        assert_eq!(
            meta(&earlier, "og:url").as_deref(),
            Some("http://knotpost.example/boards/osbox/101?ply=0")
        );
        assert_ne!(meta(&earlier, "og:image").unwrap(), image);
    }

    pub(super) async fn a_picture_is_kept_as_long_as_it_is_true(place: Place) {
        let app = begin(place).await;
        let image = meta(&app.get("/boards/osbox/101").await, "og:image").unwrap();
        let (_, first) = fetch(&app, &image).await;
        assert_eq!(first["cache-control"], "public, max-age=31536000, immutable");
        let unmarked = "http://knotpost.example/api/v1/boards/osbox/101/board.png?ply=1";
        assert_eq!(fetch(&app, unmarked).await.1["cache-control"], "public, no-cache");
        let request = Request::get(path(&image)).header("if-none-match", &first["etag"]).body(Body::empty());
        assert_eq!(app.send(request.unwrap()).await.status, 304);
        // Others may be made with the same number.
        app.post("osbox move 101 ann ann-secret undo", "").await;
        assert_eq!(app.post("osbox move 101 bob bob-secret accept", "").await.outcome(), "200 ok");
        assert_eq!(app.post("osbox move 101 ann ann-secret e2", "").await.outcome(), "200 ok");
        let (_, again) = fetch(&app, &image).await;
        assert_eq!(again["cache-control"], "public, no-cache", "this address shows something else now");
        assert_ne!(again["etag"], first["etag"]);
        let image = meta(&app.get("/boards/osbox/101").await, "og:image").unwrap();
        assert_eq!(fetch(&app, &image).await.1["etag"], again["etag"]);
        let page = app.get("/api/v1/boards/osbox/101/board.png?frame=poster").await;
        assert_eq!(page.outcome(), "422 bad_value");
    }

    pub(super) async fn a_removed_board_has_no_picture(place: Place) {
        let app = begin(place).await;
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let action = AdminAction::Board { board, action: BoardAction::Remove, why: String::new() };
        administer(&app.app, &Administrator::of_shell("root"), action).await.unwrap();
        let page = app.get("/boards/osbox/101").await;
        assert_eq!(meta(&page, "og:description").as_deref(), Some("This board was removed."));
        assert_eq!(meta(&page, "og:image"), None);
        assert_eq!(meta(&page, "twitter:card").as_deref(), Some("summary"));
    }

    /// The frames of an animated picture, as its control chunk counts them.
    fn frames(bytes: &[u8]) -> Option<u32> {
        let at = bytes.windows(4).position(|name| name == b"acTL")? + 4;
        Some(u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
    }

    pub(super) async fn a_game_is_shared_as_one_moving_picture(place: Place) {
        let app = begin(place).await;
        app.post("osbox move 101 bob bob-secret a7", "").await;
        let running = app.get("/boards/osbox/101").await.text.replace("&#x2f;", "/");
        assert!(running.contains("/game.png?ply=2") && !running.contains("class=\"share"), "{running}");
        app.post("osbox move 101 ann ann-secret resign", "").await;
        let page = app.get("/boards/osbox/101").await.text;
        let (_, card) = page.split_once("class=\"end\"").expect("a card");
        let card = card.split("</section>").next().unwrap();
        assert!(card.contains("Share") && card.contains("prefers-reduced-motion"), "{card}");
        let (_, film) = card.split_once("<img src=\"").unwrap();
        let film = film.split('"').next().unwrap().replace("&amp;", "&").replace("&#x2f;", "/");
        for (address, width) in [(film.clone(), 360), (format!("{film}&width=720&theme=dark"), 720)] {
            let answer = app.open(Request::get(&address).body(Body::empty()).unwrap()).await;
            let (parts, body) = answer.into_parts();
            assert_eq!(
                (parts.status, &parts.headers["content-type"]),
                (200.try_into().unwrap(), &"image/png".parse().unwrap())
            );
            assert_eq!(parts.headers["cache-control"], "public, max-age=31536000, immutable");
            let bytes = to_bytes(body, 2 << 20).await.unwrap();
            assert_eq!(frames(&bytes), Some(4), "the beginning, two moves and the resignation");
            assert_eq!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()), width);
            let known = Request::get(&address).header("if-none-match", &parts.headers["etag"]);
            assert_eq!(app.send(known.body(Body::empty()).unwrap()).await.status, 304);
        }
        let page = app.get("/api/v1/boards/osbox/101/game.png?width=5000").await;
        assert_eq!(page.outcome(), "422 bad_value");
        assert_eq!(app.get("/api/v1/boards/osbox/999/game.png").await.outcome(), "404 no_such_board");
    }

    pub(super) async fn start_games_and_users_introduce_themselves(place: Place) {
        let app = begin(place).await;
        for (address, title, words) in [
            ("/", "Knotpost", "Osbox, Osbo"),
            ("/games/osbo", "Osbo on Knotpost", "."),
            ("/users/ann", "ann", "Here since 2026-11-20."),
        ] {
            let page = app.get(address).await;
            assert_eq!(meta(&page, "og:title").as_deref(), Some(title), "{address}");
            assert_eq!(path(&meta(&page, "og:url").unwrap()), address);
            let about = meta(&page, "og:description").unwrap();
            assert!(about.contains(words), "{address}: {about}");
            let (size, headers) = fetch(&app, &meta(&page, "og:image").unwrap()).await;
            assert_eq!(
                (size, headers["cache-control"].to_str().unwrap()),
                ((1200, 630), "public, max-age=86400")
            );
        }
        for page in ["/login", "/help/tutorial"] {
            assert_eq!(meta(&app.get(page).await, "og:title"), None, "nothing is made up for {page}");
        }
        assert_eq!(app.get("/figures/nothing-card.png").await.status, 404);
    }

    pub(super) async fn names_stay_inside_their_tags(place: Place) {
        let name = "K\"><script>&amp;";
        let app = TestApp::start_with(place, |config| name.clone_into(&mut config.server.name)).await;
        app.sign_up("ann").await;
        app.sign_up("bob").await;
        app.post("osbox challenge ann bob", "\"><script>").await;
        for address in ["/", "/games/osbox", "/users/ann", "/boards/osbox/101"] {
            let page = app.get(address).await;
            assert_eq!(meta(&page, "og:site_name").as_deref(), Some(name), "{address}");
            assert!(!page.text.contains("\"><script>"), "{address}: {}", page.text);
        }
        let strange = app.get("/users/%22%3E%3Cscript%3E").await;
        assert!(strange.status == 404 && meta(&strange, "og:title").is_none(), "{}", strange.text);
        let alone = meta(&app.get("/").await, "og:title");
        assert_eq!(alone.as_deref(), Some(name));
    }
}
