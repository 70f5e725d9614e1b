//! Boards played by following the links and buttons of their pages, without scripts.

use super::tell;

tell! {
    every_game_is_played_to_its_end_by_clicking,
    a_move_is_looked_at_before_it_is_sent,
    a_move_can_be_typed,
    the_mail_players_hear_of_it,
    only_who_is_on_turn_can_choose,
    a_session_moves_nobody_elses_pieces,
    a_board_that_moved_on_refuses_an_old_page,
    the_mover_is_told_so_and_how_long,
    both_seats_of_one_player_are_told_apart,
    face_and_place_are_chosen_in_either_order,
    a_stone_is_seen_before_it_is_turned,
    a_first_token_is_drawn_and_claims_are_named,
    what_a_move_wins_is_told,
    another_game_is_asked_for_with_one_button,
    a_hint_is_one_button_away_on_unrated_boards,
    a_game_is_given_up_after_a_second_thought,
    proposals_are_made_and_answered,
    what_is_said_is_text_and_nothing_else,
    a_challenge_is_made_from_the_options,
    settings_are_changed_as_by_mail,
    a_password_is_changed_with_the_password_alone,
    the_home_page_shows_whose_turn_it_is,
    every_page_shows_itself;
    on_postgres: settings_are_changed_as_by_mail,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Page, Place, TestApp, smallest};

    const BOARD: &str = "/boards/osbox/101";

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.work().await;
        app.letters();
        app
    }

    /// Where the choices of a page lead, the ways back and places before their faces not among them.
    fn choices(page: &Page) -> Vec<String> {
        let links = page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut all: Vec<String> = links
            .filter(|link| link.contains("?choose=") && !link.contains("spot="))
            .map(|link| link.replace("#board", ""))
            .collect();
        all.dedup();
        all
    }

    fn hidden<'a>(page: &'a Page, name: &str) -> &'a str {
        let rest = page.text.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap_or_default();
        rest.split('"').next().unwrap_or_default()
    }

    /// Chooses a complete move click by click, confirms it, and returns it.
    async fn click_a_move(browser: &mut Browser<'_>, path: &str, turn: usize) -> String {
        let mut page = browser.get(path).await;
        let mut steps = 0;
        while hidden(&page, "move").is_empty() {
            let begun = page.text.matches("?choose=").count();
            assert!(begun > 0 && steps < 9, "{path} {turn} {steps}: {}", page.text);
            // Longer choices go on, shorter ones lead back.
            let next = choices(&page).into_iter().filter(|link| turn >= STONES || !link.ends_with("=pass"));
            let next = next.max_by_key(|link| (link.len(), link.clone())).unwrap();
            page = browser.get(&next).await;
            steps += 1;
        }
        let (play, number) = (hidden(&page, "move").to_owned(), hidden(&page, "number").to_owned());
        assert_eq!(number, (turn + 1).to_string());
        let done = browser.submit(path, &[("act", "move"), ("move", &play), ("number", &number)]).await;
        assert_eq!(done.status, 200);
        play
    }

    /// The plies after which whoever may pass does so: else a game of Go would go on until the board is full.
    const STONES: usize = 10;

    pub(super) async fn every_game_is_played_to_its_end_by_clicking(place: Place) {
        let app = TestApp::with_all_games(place, &["ann", "bob"]).await;
        let mut browsers = [Browser::of(&app, "ann").await, Browser::of(&app, "bob").await];
        for game in app.app.games.registry.iter() {
            let name = game.meta().name;
            app.post(&format!("{name} challenge {} ann bob", smallest(game)), "").await;
            let path = format!("/boards/{name}/101");
            let mut last = String::new();
            loop {
                let json = app.get(&format!("/api/v1{path}")).await.json();
                assert!(!json["ply"].is_null(), "{name}: {json}");
                let Some(mover) = json["to_move"][0].as_str() else { break };
                let ply = json["ply"].as_u64().unwrap_or_default() as usize;
                assert!(ply < 400, "{name} does not end after {last}");
                last = click_a_move(&mut browsers[usize::from(mover == "bob")], &path, ply).await;
            }
            let page = browsers[0].get(&path).await;
            assert!(!page.text.contains("name=\"move\""), "{name} is over");
        }
    }

    pub(super) async fn a_move_is_looked_at_before_it_is_sent(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let before = app.tables().await.of_the_games();
        let page = ann.get("/boards/osbox/101?choose=f1").await;
        assert!(page.text.contains("Not sent yet."), "{}", page.text);
        assert!(page.text.contains("osbox move 101 ann PASSWORD f1"), "the mail that would do it");
        assert!(before.differing(&app.tables().await.of_the_games()).is_empty());
        ann.submit(BOARD, &[("act", "move"), ("move", "f1"), ("number", "1"), ("comment", "Hello!\r\nYou.")])
            .await;
        let page = ann.get(BOARD).await;
        assert!(page.text.contains("bob's turn."));
        assert!(page.text.contains("Hello!\nYou."), "{}", page.text);
        assert!(!page.text.contains("class=\"latest\""), "one's own words are no news");
        let page = Browser::of(&app, "bob").await.get(BOARD).await;
        assert!(page.text.contains("class=\"latest\"><cite>ann</cite> Hello!"), "{}", page.text);
    }

    pub(super) async fn a_move_can_be_typed(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/boards/osbox/101?choose=F%3A1").await;
        assert_eq!(hidden(&page, "move"), "f1");
        let page = ann.get("/boards/osbox/101?choose=f7").await;
        assert!(hidden(&page, "move").is_empty() && page.text.contains("class=\"alert\""), "{}", page.text);
    }

    pub(super) async fn the_mail_players_hear_of_it(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        ann.submit(BOARD, &[("act", "move"), ("move", "f1"), ("number", "1")]).await;
        app.work().await;
        let letters = app.letters();
        assert!(letters.iter().any(|letter| letter.to == "bob@bob.example"), "{letters:?}");
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret e7", "").await;
        assert!(ann.get(BOARD).await.text.contains("Your move"));
    }

    pub(super) async fn only_who_is_on_turn_can_choose(place: Place) {
        let app = playing(place).await;
        for mut browser in [Browser::of(&app, "bob").await, Browser::new(&app)] {
            let page = browser.get("/boards/osbox/101?choose=f1").await;
            assert!(page.status == 200 && choices(&page).is_empty() && hidden(&page, "move").is_empty());
        }
        let page = Browser::new(&app).post(BOARD, &[("act", "move"), ("move", "f1")]).await;
        let next = "/login?next=/boards/osbox/101%3Fchoose%3Df1%26unsent%3Dyes";
        assert_eq!((page.status.as_u16(), page.header("location")), (303, next));
    }

    pub(super) async fn a_session_moves_nobody_elses_pieces(place: Place) {
        let app = playing(place).await;
        let mut bob = Browser::of(&app, "bob").await;
        let page = bob.post(BOARD, &[("act", "move"), ("move", "f1"), ("number", "1")]).await;
        assert_eq!(page.status, 409, "not their turn");
        // The mask stands for the session on pages alone.
        for line in ["osbox move 101 ann ******** f1", "osbox move 101 bob ******** f1"] {
            assert_eq!(app.post(line, "").await.outcome(), "401 bad_credentials");
        }
        app.sign_up("cyd").await;
        let mut cyd = Browser::of(&app, "cyd").await;
        assert_eq!(cyd.post(BOARD, &[("act", "move"), ("move", "f1")]).await.status, 403);
    }

    pub(super) async fn a_board_that_moved_on_refuses_an_old_page(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let fields = [("act", "move"), ("move", "f1"), ("number", "1"), ("comment", "Keep this.")];
        ann.submit(BOARD, &fields).await;
        app.post("osbox move 101 bob bob-secret e7", "").await;
        let again = ann.post(BOARD, &fields).await;
        assert_eq!(
            (again.status.as_u16(), again.header("location")),
            (303, "/boards/osbox/101#board"),
            "pressed twice"
        );
        let fields = [("act", "move"), ("move", "f2"), ("number", "1"), ("comment", "Keep this.")];
        let page = ann.post(BOARD, &fields).await;
        assert_eq!(page.status, 409);
        assert!(page.text.contains("Keep this."), "what was written is not lost: {}", page.text);
        assert!(page.text.contains("bob has moved meanwhile: e7. Your f2 was not played."), "{}", page.text);
        assert!(page.text.contains(">Try f2 again</a>"), "{}", page.text);
        assert_eq!(hidden(&ann.get("/boards/osbox/101?choose=f2").await, "number"), "3");
    }

    pub(super) async fn the_mover_is_told_so_and_how_long(place: Place) {
        let app = playing(place).await;
        app.post("set ann ann-secret timezone=Europe/Vienna", "").await;
        app.post("vacation bob bob-secret 2026-12-01", "").await;
        let page = Browser::of(&app, "ann").await.get(BOARD).await;
        assert!(page.text.contains("Your turn.") && page.text.contains(" h left"), "{}", page.text);
        assert!(
            page.text.contains("CET</time>") && page.text.contains("<time datetime=\"20"),
            "{}",
            page.text
        );
        assert!(page.text.contains("away until <time"), "{}", page.text);
        assert!(page.text.contains("osbox move 101 ann PASSWORD"), "the mover is told how by mail");
        for mut browser in [Browser::of(&app, "bob").await, Browser::new(&app)] {
            let page = browser.get(BOARD).await;
            assert!(page.text.contains("ann's turn."), "{}", page.text);
            assert!(!page.text.contains("osbox move 101"), "the command is the mover's: {}", page.text);
        }
    }

    pub(super) async fn both_seats_of_one_player_are_told_apart(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.post("osbox challenge -size=3 ann ann", "").await;
        let page = Browser::of(&app, "ann").await.get(BOARD).await;
        assert!(page.text.contains("Your turn as Horz."), "{}", page.text);
        assert_eq!(page.text.matches(", to move</span>").count(), 1, "{}", page.text);
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let page = Browser::of(&app, "ann").await.get("/boards/osbox/101?ply=0").await;
        assert!(!page.text.contains(", to move</span>"), "what was is not to be moved: {}", page.text);
    }

    pub(super) async fn face_and_place_are_chosen_in_either_order(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get(BOARD).await;
        assert_eq!(choices(&page).len(), 15, "faces: {}", page.text);
        assert!(page.text.contains("?spot=3#board"), "{}", page.text);
        let page = ann.get("/boards/osbox/101?spot=3").await;
        assert!(page.text.contains("Which face at <span class=\"move\">3</span>?"), "{}", page.text);
        assert!(choices(&page).iter().all(|link| link.ends_with('3')), "{:?}", choices(&page));
        let page = ann.get("/boards/osbox/101?choose=f").await;
        assert!(page.text.contains("Where does <span class=\"move\">f</span> go?"), "{}", page.text);
        assert!(choices(&page).contains(&"/boards/osbox/101?choose=f3".to_owned()), "{:?}", choices(&page));
        // A place that no move goes to is as if nothing were chosen.
        assert!(ann.get("/boards/osbox/101?spot=99").await.text.contains("Pick a die, or a place for it."));
    }

    pub(super) async fn a_stone_is_seen_before_it_is_turned(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("boxilies challenge ann bob", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/boards/boxilies/101").await;
        let stone = choices(&page).into_iter().next().unwrap();
        let page = ann.get(&stone).await;
        let cell = choices(&page).into_iter().find(|link| link.len() > stone.len()).unwrap();
        let page = ann.get(&cell).await;
        assert!(!hidden(&page, "move").is_empty(), "it can be sent as it lies: {}", page.text);
        assert!(page.text.contains(": turn the stone</title>") && page.text.contains("A quarter right"));
        let turned = choices(&page).into_iter().find(|link| link.ends_with('1')).unwrap();
        assert!(hidden(&ann.get(&turned).await, "move").ends_with(":1"));
    }

    pub(super) async fn a_first_token_is_drawn_and_claims_are_named(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("obsidio challenge -size=5 ann bob", "").await;
        app.post("obsidio move 101 ann ann-secret c3", "").await;
        let mut bob = Browser::of(&app, "bob").await;
        let page = bob.get("/boards/obsidio/101").await;
        assert!(
            page.text.contains("Swap sides") && page.text.contains("You become X and own c3."),
            "{}",
            page.text
        );
        // Until a target is between the mover's own tokens.
        for turn in 0..16 {
            let json = app.get("/api/v1/boards/obsidio/101").await.json();
            let Some(mover) = json["to_move"][0].as_str().map(str::to_owned) else { break };
            let mut browser = Browser::of(&app, &mover).await;
            let page = browser.get("/boards/obsidio/101").await;
            if page.text.contains(">Claim ") {
                assert!(page.text.contains("spot claim"), "{}", page.text);
                return;
            }
            let legal = app.get("/api/v1/boards/obsidio/101/legal").await.json();
            let legal = legal["legal"].as_array().unwrap().clone();
            let play = legal
                .get(turn % legal.len().max(1))
                .and_then(|play| play.as_str())
                .unwrap_or("pass")
                .to_owned();
            app.post(&format!("obsidio move 101 {mover} {mover}-secret {play}"), "").await;
        }
        panic!("nothing could be claimed");
    }

    pub(super) async fn what_a_move_wins_is_told(place: Place) {
        let app = playing(place).await;
        // Four corners that face each other are a knot.
        for (turn, play) in ["g1", "o12", "j1", "o12", "h2", "o9", "i2"].into_iter().enumerate() {
            let who = if turn % 2 == 0 { "ann" } else { "bob" };
            app.post(&format!("osbox move 101 {who} {who}-secret {play}"), "").await;
        }
        let json = app.get("/api/v1/boards/osbox/101").await.json();
        let page = Browser::new(&app).get(BOARD).await;
        assert!(page.text.contains("class=\"gain\">+"), "{json} {}", page.text);
    }

    pub(super) async fn another_game_is_asked_for_with_one_button(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        assert_eq!(ann.post(BOARD, &[("act", "rematch")]).await.status, 409, "not over yet");
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.post("osbox move 101 bob bob-secret e7", "").await;
        ann.submit(BOARD, &[("act", "resign"), ("sure", "yes")]).await;
        assert!(ann.get(BOARD).await.text.contains(">Rematch</button>"));
        assert!(!Browser::new(&app).get(BOARD).await.text.contains(">Rematch</button>"));
        let page = ann.post(BOARD, &[("act", "rematch")]).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/boards/osbox/102#board"));
        let json = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!(json["to_move"][0], "bob", "the seats are exchanged");
    }

    pub(super) async fn a_hint_is_one_button_away_on_unrated_boards(place: Place) {
        let app = playing(place).await;
        app.post("boxilies challenge ann bob --unrated", "").await;
        app.play_on("boxilies", 101, 4).await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut bob = Browser::of(&app, "bob").await;
        let (path, button) = ("/boards/boxilies/101", "value=\"hint\" title=");
        assert!(ann.get(path).await.text.contains(button));
        assert!(!bob.get(path).await.text.contains(button), "not their turn");
        assert!(!ann.get(BOARD).await.text.contains(button), "that board is rated");
        let page = ann.post(path, &[("act", "hint")]).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("A computer player would play"), "{}", page.text);
        assert_eq!(page.text.matches(" %</strong>").count(), 2, "{}", page.text);
        let play = hidden(&page, "move");
        assert!(page.text.contains(&format!("would play <strong class=\"move\">{play}</strong>")), "{play}");
        ann.submit(path, &[("act", "move"), ("move", play), ("number", "5")]).await;
        assert_eq!(app.get("/api/v1/boards/boxilies/101").await.json()["ply"], 5);
        let page = ann.post(BOARD, &[("act", "hint")]).await;
        assert_eq!(page.status, 403);
        assert!(page.text.contains("no hints on rated boards"), "{}", page.text);
        assert_eq!(bob.post(BOARD, &[("act", "hint")]).await.status, 403);
    }

    pub(super) async fn a_game_is_given_up_after_a_second_thought(place: Place) {
        let app = playing(place).await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.post("osbox move 101 bob bob-secret e7", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        assert_eq!(ann.post(BOARD, &[("act", "resign")]).await.status, 422);
        let page = ann.submit(BOARD, &[("act", "resign"), ("sure", "yes")]).await;
        assert!(page.text.contains("You lost by resignation."), "{}", page.text);
        let page = Browser::of(&app, "bob").await.get(BOARD).await;
        assert!(page.text.contains("You won by resignation."), "{}", page.text);
        let page = Browser::new(&app).get(BOARD).await;
        assert!(page.text.contains("bob won by resignation."), "{}", page.text);
    }

    pub(super) async fn proposals_are_made_and_answered(place: Place) {
        let app = playing(place).await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        ann.submit(BOARD, &[("act", "undo")]).await;
        let page = bob.get(BOARD).await;
        assert!(page.text.contains("ann offers to take back the last move."), "{}", page.text);
        bob.submit(BOARD, &[("act", "accept")]).await;
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 0);
        // A refusal is told to the player who made the offer, and they cannot repeat it at once.
        ann.submit(BOARD, &[("act", "propose")]).await;
        bob.submit(BOARD, &[("act", "reject")]).await;
        let (page, other) = (ann.get(BOARD).await, bob.get(BOARD).await);
        assert!(page.text.contains("You offered a draw, which was declined."), "{}", page.text);
        assert!(!page.text.contains("value=\"propose\"") && other.text.contains("value=\"propose\""));
    }

    pub(super) async fn what_is_said_is_text_and_nothing_else(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
        ann.submit(BOARD, &[("act", "chat"), ("comment", evil)]).await;
        app.post("osbox move 101 ann ann-secret f1", evil).await;
        let mut pages = vec![Browser::new(&app).get(BOARD).await, ann.get("/").await];
        for path in [
            "/boards/osbox/101?choose=%3Cscript%3E",
            "/login?next=%22%3E%3Cscript%3E",
            "/users/%3Cscript%3E",
            "/games/%3Cscript%3E",
            "/challenge?game=osbox&player2=%22%3E%3Cscript%3E",
            "/help/%3Cscript%3E",
        ] {
            pages.push(Browser::of(&app, "bob").await.get(path).await);
            pages.push(Browser::new(&app).get(path).await);
        }
        for page in pages {
            let scripts = page.text.matches("<script").count();
            let known = ["board.js", "home.js"].map(|name| {
                let script = format!("<script type=\"module\" src=\"/assets/{name}?v=");
                page.text.matches(script.as_str()).count()
            });
            assert_eq!(scripts, known.iter().sum::<usize>());
            let images = page.text.matches("<img").count();
            let ours = ["<img src=\"/figures/", "<img src=\"/api/v1/boards/"]
                .map(|ours| page.text.matches(ours).count());
            assert_eq!(images, ours.iter().sum::<usize>(), "{}", page.text);
            assert!(page.header("content-security-policy").contains("script-src 'self'"));
        }
    }

    pub(super) async fn a_challenge_is_made_from_the_options(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/challenge?game=osbox").await;
        assert!(page.text.contains("name=\"option_size\"") && page.text.contains("value=\"no_capture\""));
        assert!(page.text.contains("aria-current=\"true\">Classic 4x4</a>"), "{}", page.text);
        let page = ann.get("/challenge?game=osbox&player2=bob&option_size=6").await;
        assert!(page.text.contains("aria-current=\"true\">Big 6x6</a>"), "{}", page.text);
        assert!(page.text.contains("<option value=\"6\" selected>6x6</option>"), "{}", page.text);
        let small = "<a href=\"/challenge?game=osbox&amp;option_size=3&amp;player2=bob\">Quick 3x3</a>";
        assert!(page.text.contains(small), "{}", page.text);
        let fields = [
            ("game", "osbox"),
            ("player2", "bob"),
            ("first", "them"),
            ("option_size", "5"),
            ("option_capture", "no_capture"),
            ("option_score", "crossings"),
            ("unrated", "on"),
        ];
        let page = ann.submit("/challenge", &fields).await;
        assert!(page.text.contains("-size=5 -no_capture"), "{}", page.text);
        let json = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&json["to_move"][0], &json["rated"]), (&"bob".into(), &false.into()));
        let page = ann.post("/challenge", &[("game", "osbox"), ("player2", "nobody")]).await;
        assert!(page.status == 422 && page.text.contains("value=\"nobody\""), "{}", page.text);
    }

    pub(super) async fn settings_are_changed_as_by_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann
            .submit("/settings", &[("act", "preferences"), ("moves", "mine"), ("timezone", "Europe/Vienna")])
            .await;
        assert!(page.text.contains("<option value=\"mine\" selected>"), "{}", page.text);
        let page = ann.submit("/settings", &[("act", "add"), ("address", "ann@home.example")]).await;
        assert!(page.text.contains("ann@home.example"));
        let page = ann.submit("/settings", &[("act", "remove"), ("address", "ann@home.example")]).await;
        assert!(!page.text.contains("ann@home.example"));
        let page = ann.submit("/settings", &[("act", "vacation"), ("until", "2026-11-27")]).await;
        assert!(page.text.contains("You are away until"), "{}", page.text);
        assert_eq!(
            ann.post("/settings", &[("act", "preferences"), ("timezone", "Nowhere")]).await.status,
            422
        );
    }

    pub(super) async fn a_password_is_changed_with_the_password_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let (mut ann, mut other) = (Browser::of(&app, "ann").await, Browser::of(&app, "ann").await);
        for present in ["wrong-one", "********", "", " ann-secret"] {
            let page = ann
                .post("/settings", &[("act", "password"), ("present", present), ("new", "chocolate")])
                .await;
            assert!(page.status.is_client_error(), "{present} {}", page.text);
        }
        // The log-in does not trim either: a password that was shortened here would never be right there.
        for new in [" chocolate", "chocolate ", "two words"] {
            let page =
                ann.post("/settings", &[("act", "password"), ("present", "ann-secret"), ("new", new)]).await;
            assert_eq!(page.status, 422, "{new:?} {}", page.text);
            assert!(page.text.contains("without blanks"), "{}", page.text);
        }
        ann.submit("/settings", &[("act", "password"), ("present", "ann-secret"), ("new", "chocolate")])
            .await;
        assert_eq!(ann.get("/settings").await.status, 200, "who changed it stays");
        assert_eq!(other.get("/settings").await.status, 303, "everybody else goes");
    }

    pub(super) async fn the_home_page_shows_whose_turn_it_is(place: Place) {
        let app = playing(place).await;
        assert!(Browser::of(&app, "ann").await.get("/").await.text.contains("Your turn"));
        let bob = Browser::of(&app, "bob").await.get("/").await.text;
        assert!(!bob.contains("Your turn") && bob.contains("/boards/osbox/101"), "{bob}");
    }

    pub(super) async fn every_page_shows_itself(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        app.post("osbox move 101 ann ann-secret resign", "").await;
        for path in [
            "/",
            "/boards/osbox/101",
            "/boards/osbox/101?ply=0",
            "/games/osbox",
            "/games/osbo",
            "/games/obsidio",
            "/games/boxilies",
            "/standings/osbox",
            "/users/ann",
            "/challenge",
            "/settings",
            "/help/tutorial",
            "/assets/style.css",
            "/assets/board.js",
            "/assets/knot.svg",
        ] {
            let page = ann.get(path).await;
            assert_eq!(page.status, 200, "{path} {}", page.text);
            assert!(page.text.len() < 150_000, "{path} has {} bytes", page.text.len());
            assert!(!page.text.contains("src=\"http") && !page.text.contains("href=\"//"), "{path}");
        }
        for path in ["/challenge", "/settings"] {
            let page = Browser::new(&app).get(path).await;
            assert_eq!(
                (page.status.as_u16(), page.header("location").to_owned()),
                (303, format!("/login?next={path}"))
            );
        }
    }
}
