//! Boards that are played on without being touched, and lines of moves that become moves that wait.

use super::tell;

tell! {
    a_board_is_played_on_by_clicking_and_stays_as_it_is,
    a_board_that_was_given_up_is_explored_from_before_its_end,
    a_line_becomes_moves_that_wait_for_a_reply,
    a_move_is_made_and_its_sequel_waits,
    what_waits_is_taken_back,
    a_plan_for_a_board_that_has_moved_on_is_refused,
    nobody_else_can_plan,
    what_moves_won_is_shown_in_the_list_and_in_the_headline;
    on_postgres: a_move_is_made_and_its_sequel_waits,
}

mod stories {

    use super::super::browser::Browser;
    use crate::harness::{Page, Place, TestApp};

    const BOARD: &str = "/boards/osbox/101";

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app
    }

    async fn ply(app: &TestApp) -> u64 {
        app.get("/api/v1/boards/osbox/101").await.json()["ply"].as_u64().unwrap()
    }

    /// The values of the fields with that name, in the order of the page.
    fn fields<'a>(page: &'a Page, name: &str) -> Vec<&'a str> {
        let mark = format!("name=\"{name}\" value=\"");
        let marked = page.text.split(mark.as_str()).skip(1);
        marked.filter_map(|rest| rest.split('"').next()).collect()
    }

    /// Sends the form that queues, as it stands on the page.
    async fn queue(browser: &mut Browser<'_>, page: &Page, place: usize) -> Page {
        let [moves, ply, number] = ["move", "ply", "number"].map(|name| fields(page, name));
        let mut form = vec![("act", "queue"), ("move", moves[place]), ("ply", ply[place])];
        form.extend(number.first().map(|number| ("number", *number)));
        browser.submit(BOARD, &form).await
    }

    /// Follows choices of a line until a move is played in it.
    async fn take_a_turn(visitor: &mut Browser<'_>, mut address: String) -> String {
        for _ in 0..6 {
            let page = visitor.get(&address).await;
            assert_eq!(page.status, 200, "{address}");
            let links = page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            let links: Vec<String> = links.map(str::to_owned).collect();
            if page.text.contains("rel=\"nofollow\">Play ") {
                let is_play =
                    |link: &&String| page.text.contains(&format!("href=\"{link}\" rel=\"nofollow\">Play "));
                let play = links.iter().find(is_play).expect("a link that plays");
                return play.replace("&amp;", "&");
            }
            let mut links = links.into_iter().map(|link| link.replace("&amp;", "&"));
            let is_on = |link: &String| link.contains("choose=") && !link.contains("spot=");
            let on = links.find(|link| is_on(link) && link.len() > address.len());
            address = on.unwrap_or_else(|| panic!("{}", page.text));
        }
        panic!("no move after six choices: {address}");
    }

    pub(super) async fn a_board_is_played_on_by_clicking_and_stays_as_it_is(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for game in ["osbox", "osbo", "obsidio", "boxilies"] {
            app.post(&format!("{game} challenge ann bob"), "").await;
            app.play_on(game, 101, 3).await;
            let before = app.tables().await.of_the_games();
            let mut visitor = Browser::new(&app);
            for start in [1, 3] {
                let path = format!("/boards/{game}/101");
                let link = format!("{path}/explore?ply={start}");
                let page = visitor.get(&format!("{path}?ply={start}")).await;
                assert!(page.text.contains(&format!("href=\"{link}\"")), "{}", page.text);
                let mut address = link.clone();
                for turn in 1..=3 {
                    address = take_a_turn(&mut visitor, address).await;
                    assert!(address.starts_with(&format!("{link}&moves=")), "{address}");
                    let moves = address.split("moves=").nth(1).unwrap();
                    assert_eq!(moves.split('~').count(), turn, "{address}");
                }
                let page = visitor.get(&address).await;
                assert!(page.text.contains("Exploring:") && page.text.contains("Take back"), "{}", page.text);
                let back = if start == 3 { format!("{path}#board") } else { format!("{path}?ply=1#board") };
                assert!(page.text.contains(&format!("href=\"{back}\"")), "{}", page.text);
                assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
            }
            assert!(before.differing(&app.tables().await.of_the_games()).is_empty(), "{game}");
        }
    }

    pub(super) async fn a_board_that_was_given_up_is_explored_from_before_its_end(place: Place) {
        let app = playing(place).await;
        app.post("osbox move 101 bob bob-secret e9", "").await;
        app.post("osbox resign 101 ann ann-secret", "").await;
        let mut visitor = Browser::new(&app);
        let page = visitor.get(&format!("{BOARD}/explore")).await;
        assert!(page.text.contains("ann to move.") || page.text.contains("bob to move."), "{}", page.text);
        let played = take_a_turn(&mut visitor, format!("{BOARD}/explore")).await;
        let played = take_a_turn(&mut visitor, played).await;
        let page = visitor.get(&played).await;
        assert!(page.text.contains("2 moves on"), "both sides are played on: {}", page.text);
        assert_eq!(visitor.get("/boards/osbox/7/explore").await.status, 404);
        assert_eq!(visitor.get(&format!("{BOARD}/explore?ply=77")).await.status, 422);
    }

    pub(super) async fn a_line_becomes_moves_that_wait_for_a_reply(place: Place) {
        let app = playing(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        assert!(ann.get(BOARD).await.text.contains("Plan your answer"));
        let half = ann.get(&format!("{BOARD}/explore?ply=1&moves=e9")).await;
        assert!(half.text.contains("choose your answer") && fields(&half, "move").is_empty());
        let page = ann.get(&format!("{BOARD}/explore?ply=1&moves=e9~f2~e10~f3")).await;
        assert!(page.text.contains("Queue these answers"), "{}", page.text);
        assert_eq!(fields(&page, "move"), ["if:e9 f2 if:e10 f3"]);
        let page = ann.get(&format!("{BOARD}/explore?ply=1&moves=e9~f2")).await;
        assert!(page.text.contains("If bob plays e9, I answer f2"), "{}", page.text);
        let page = queue(&mut ann, &page, 0).await;
        assert!(page.text.contains("Queued for you:"), "{}", page.text);
        assert!(
            !Browser::of(&app, "bob").await.get(BOARD).await.text.contains("Queued"),
            "nobody else sees it"
        );
        app.post("osbox move 101 bob bob-secret e9", "").await;
        assert_eq!(ply(&app).await, 3, "the answer was played at once");
        assert!(!ann.get(BOARD).await.text.contains("Queued for you:"));
    }

    pub(super) async fn a_move_is_made_and_its_sequel_waits(place: Place) {
        let app = playing(place).await;
        let mut bob = Browser::of(&app, "bob").await;
        let page = bob.get(&format!("{BOARD}/explore?ply=1&moves=e9")).await;
        assert!(page.text.contains("Make this move: e9"), "{}", page.text);
        let page = bob.get(&format!("{BOARD}/explore?ply=1&moves=e9~f2~e10")).await;
        assert!(page.text.contains("Play e9 and queue the rest"), "{}", page.text);
        queue(&mut bob, &page, 0).await;
        assert_eq!(ply(&app).await, 2);
        app.post("osbox move 101 ann ann-secret f2", "").await;
        assert_eq!(ply(&app).await, 4);
    }

    pub(super) async fn what_waits_is_taken_back(place: Place) {
        let app = playing(place).await;
        app.post("osbox queue 101 ann ann-secret if:e9 f2 if:e10 f3", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get(BOARD).await;
        assert_eq!(fields(&page, "move"), ["none", "if:e9 f2"], "{}", page.text);
        let page = queue(&mut ann, &page, 1).await;
        assert_eq!(fields(&page, "move"), ["none"], "{}", page.text);
        let page = queue(&mut ann, &page, 0).await;
        assert!(fields(&page, "move").is_empty() && page.text.contains("Plan your answer"), "{}", page.text);
        app.post("osbox move 101 bob bob-secret e9", "").await;
        assert_eq!(ply(&app).await, 2);
    }

    pub(super) async fn a_plan_for_a_board_that_has_moved_on_is_refused(place: Place) {
        let app = playing(place).await;
        app.post("osbox move 101 bob bob-secret e9", "").await;
        app.post("osbox move 101 ann ann-secret f2", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        let plan = [("act", "queue"), ("move", "if:e9 f2"), ("ply", "1")];
        let page = ann.post(BOARD, &plan).await;
        assert!(page.status == 409 && page.text.contains("has changed since"), "{}", page.text);
        assert!(!ann.get(BOARD).await.text.contains("Queued for you:"));
        let old = ann.get(&format!("{BOARD}/explore?ply=1&moves=e9~f2")).await;
        assert!(fields(&old, "move").is_empty(), "an earlier position is only looked at");
    }

    pub(super) async fn nobody_else_can_plan(place: Place) {
        let app = playing(place).await;
        app.sign_up("cyd").await;
        let mut cyd = Browser::of(&app, "cyd").await;
        for mut reader in [Browser::new(&app), Browser::of(&app, "cyd").await] {
            let page = reader.get(&format!("{BOARD}/explore?ply=1&moves=e9~f2")).await;
            assert!(page.status == 200 && fields(&page, "move").is_empty(), "{}", page.text);
        }
        let plan = [("act", "queue"), ("move", "if:e9 f2"), ("ply", "1")];
        assert_eq!(cyd.post(BOARD, &plan).await.status, 403);
    }

    pub(super) async fn what_moves_won_is_shown_in_the_list_and_in_the_headline(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        for (turn, play) in ["g1", "o12", "j1", "o12", "h2", "o9", "i2"].into_iter().enumerate() {
            let who = if turn % 2 == 0 { "ann" } else { "bob" };
            app.post(&format!("osbox move 101 {who} {who}-secret {play}"), "").await;
        }
        let gains = |page: &Page| page.text.matches("class=\"gain\">+").count();
        let page = Browser::new(&app).get(BOARD).await;
        assert!(gains(&page) > 1, "{}", page.text);
    }
}
