//! Games against the server's own computer players.

use super::tell;

tell! {
    a_computer_player_is_challenged_by_name_and_answers_by_itself,
    a_computer_player_agrees_to_an_undo_and_refuses_a_draw,
    computer_players_play_with_people_only_and_do_not_read_messages,
    a_turn_that_another_server_decides_on_is_left_alone_until_its_lease_is_over,
    a_move_that_was_decided_on_before_the_board_changed_is_not_made,
    a_board_that_somebody_watches_comes_first_and_its_page_says_when_a_move_is_due,
    computer_players_do_not_go_on_when_the_last_person_has_left,
    computer_players_that_are_switched_off_take_no_challenges,
    an_administrator_suspends_a_computer_player_and_nobody_logs_in_there,
    people_are_answered_in_rotation_and_cheap_levels_first,
    a_person_who_has_used_their_share_waits_and_others_do_not,
    boards_against_the_highest_levels_are_few_and_strangers_begin_fewer,
    moments_of_a_clock_that_was_ahead_keep_no_turn_waiting;
    on_postgres:
    a_board_that_somebody_watches_comes_first_and_its_page_says_when_a_move_is_due,
    boards_against_the_highest_levels_are_few_and_strangers_begin_fewer,
}

mod stories {
    use std::time::Duration;

    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::play::computer;
    use knotpost_core::play::computer_turns::DueTurns;
    use knotpost_core::queries::view_board;
    use knotpost_model::BoardRef;

    use crate::harness::{Mailboxes, Place, TestApp, edit_user, show_all};

    async fn start(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.enlist_bots().await;
        app
    }

    async fn post(app: &TestApp, line: &str) {
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    /// Leases the turn that comes first for half a minute.
    async fn lease_turn(app: &TestApp) -> knotpost_storage::BotTurn {
        let mut due = DueTurns::default();
        due.look(&app.app).await.unwrap();
        let turn = due.take(&app.app).expect("a turn");
        assert!(computer::lease(&app.app.store, app.app.clock.as_ref(), &turn, 30_000).await.unwrap());
        turn
    }

    async fn ply(app: &TestApp, game: &str) -> u64 {
        let board = app.get(&format!("/api/v1/boards/{game}/101")).await.json();
        board["ply"].as_u64().unwrap_or_else(|| panic!("{board}"))
    }

    pub(super) async fn a_computer_player_is_challenged_by_name_and_answers_by_itself(place: Place) {
        let app = start(place).await;
        let mut boxes = Mailboxes::default();
        app.mail("ann@ann.example", "osbox challenge ann knotbot-1", "").await;
        boxes.fill(&app);
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["rated"], false, "boards with computer players are not rated");
        assert_eq!(app.let_bots_play().await, 0, "it is ann's turn");
        assert_eq!(boxes.reply(&app, "ann", "f1").await, "executed");
        boxes.fill(&app);
        assert_eq!(app.let_bots_play().await, 1);
        assert_eq!(ply(&app, "osbox").await, 2);
        app.work().await;
        let letters = boxes.fill(&app);
        assert_eq!(letters.len(), 1, "nothing is mailed to a computer player: {}", show_all(&letters));
        let name = BoardRef { game: "osbox".to_owned(), number: 101 };
        let board = view_board(&app.app, &name, None).await.expect("a board").board;
        let next = board.position.example_move().expect("a move");
        assert_eq!(boxes.reply(&app, "ann", &next).await, "executed");

        let users = app.get("/api/v1/users/knotbot-1").await.json();
        assert_eq!(users["bot"], true);
        assert_eq!(app.get("/api/v1/users/ann").await.json().get("bot"), None);
    }

    pub(super) async fn a_computer_player_agrees_to_an_undo_and_refuses_a_draw(place: Place) {
        let app = start(place).await;
        post(&app, "boxilies challenge ann knotbot-2").await;
        app.play_on("boxilies", 101, 1).await;
        assert_eq!((app.let_bots_play().await, ply(&app, "boxilies").await), (1, 2));
        let page = app.post("boxilies move 101 ann ann-secret propose", "").await;
        assert!(page.text.contains("knotbot-2 rejected the draw"), "{}", page.text);
        let again = app.post("boxilies move 101 ann ann-secret accept", "").await;
        assert_eq!(again.outcome(), "409 nothing_proposed");
        // The answer of the computer player goes with the move that it followed.
        post(&app, "boxilies move 101 ann ann-secret undo").await;
        assert_eq!(ply(&app, "boxilies").await, 0);
        assert_eq!(app.let_bots_play().await, 0, "it is ann's turn");

        // The same when a person is the last to agree.
        app.sign_up("bob").await;
        post(&app, "osbox challenge ann bob knotbot-1").await;
        app.play_on("osbox", 101, 2).await;
        assert_eq!((app.let_bots_play().await, ply(&app, "osbox").await), (1, 3));
        post(&app, "osbox move 101 ann ann-secret undo").await;
        assert_eq!(ply(&app, "osbox").await, 3, "bob has not answered");
        post(&app, "osbox move 101 bob bob-secret accept").await;
        assert_eq!(ply(&app, "osbox").await, 0, "before the move of ann, who asked");
    }

    pub(super) async fn computer_players_play_with_people_only_and_do_not_read_messages(place: Place) {
        let app = start(place).await;
        let page = app.post("osbox challenge knotbot-1 knotbot-2", "").await;
        assert_eq!(page.outcome(), "422 invalid_challenge", "{}", page.text);
        assert!(page.text.contains("do not play among themselves"), "{}", page.text);
        let page = app.post("osbox challenge ann knotbot-9", "").await;
        assert_eq!(page.outcome(), "422 invalid_challenge", "{}", page.text);
        let page = app.post("message ann ann-secret knotbot-1", "Hello?").await;
        assert!(page.text.contains("knotbot-1 is a computer player and reads no messages."), "{}", page.text);
        post(&app, "osbo challenge ann knotbot-1 knotbot-1").await;
        app.play_on("osbo", 101, 1).await;
        assert_eq!((app.let_bots_play().await, ply(&app, "osbo").await), (2, 3), "both seats of it");
    }

    pub(super) async fn a_turn_that_another_server_decides_on_is_left_alone_until_its_lease_is_over(
        place: Place,
    ) {
        let app = start(place).await;
        post(&app, "osbo challenge knotbot-1 ann").await;
        let turn = lease_turn(&app).await;
        assert_eq!((&*turn.game, turn.number, &*turn.userid), ("osbo", 101, "knotbot-1"));
        assert_eq!(app.let_bots_play().await, 0);
        app.clock.advance(30_000);
        assert_eq!(app.let_bots_play().await, 1);
        assert_eq!(ply(&app, "osbo").await, 1);
        // Whoever had it before comes too late.
        assert!(!computer::make_turn(&app.app, &turn, "a3").await.unwrap());
        assert_eq!(ply(&app, "osbo").await, 1);
    }

    pub(super) async fn a_move_that_was_decided_on_before_the_board_changed_is_not_made(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge ann knotbot-1").await;
        post(&app, "osbox move 101 ann ann-secret f1").await;
        let turn = lease_turn(&app).await;
        post(&app, "osbox move 101 ann ann-secret undo").await;
        post(&app, "osbox move 101 ann ann-secret f2").await;
        assert_eq!(turn.ply, 1, "the board has as many moves as then");
        assert!(!computer::make_turn(&app.app, &turn, "f3").await.unwrap());
        assert_eq!(ply(&app, "osbox").await, 1);
        assert_eq!(app.let_bots_play().await, 1, "its lease has ended");
    }

    pub(super) async fn a_board_that_somebody_watches_comes_first_and_its_page_says_when_a_move_is_due(
        place: Place,
    ) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 knotbot-1 ann").await;
        app.clock.advance(1_000);
        post(&app, "osbox challenge -size=4 knotbot-2 ann").await;
        let first = async || {
            let mut due = DueTurns::default();
            due.look(&app.app).await.unwrap();
            due.take(&app.app).expect("a turn").number
        };
        assert_eq!(first().await, 101, "it has waited longest");
        let watch = |cookie: String| {
            let request = Request::post("/boards/osbox/102")
                .header("cookie", cookie)
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin");
            app.send(request.body(Body::from("act=seen")).unwrap())
        };
        assert_eq!(watch(String::new()).await.status, 303);
        assert_eq!(first().await, 101, "a stranger who watches changes nothing");
        let login = Request::post("/login")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .body(Body::from("userid=ann&password=ann-secret"));
        let page = app.send(login.unwrap()).await;
        let cookie = page.header("set-cookie").split(';').next().unwrap_or_default();
        assert_eq!(watch(cookie.to_owned()).await.status, 204);
        assert_eq!(first().await, 102, "its player watches it");
        let page = app.get("/boards/osbox/102").await;
        assert!(
            page.text.contains("knotbot-2 is thinking; a move is due within 5 seconds."),
            "{}",
            page.text
        );
        app.clock.advance(60_000);
        let page = app.get("/boards/osbox/102").await;
        assert!(page.text.contains("knotbot-2 has much to do"), "{}", page.text);
        // What has changed is looked at by itself.
        let mut due = DueTurns::default();
        due.look_at(&app.app, &BoardRef { game: "osbox".to_owned(), number: 102 }).await.unwrap();
        assert_eq!(due.take(&app.app).map(|turn| turn.number), Some(102));
        assert_eq!(due.take(&app.app), None);
        assert_eq!(app.let_bots_play().await, 2);
        let page = app.get("/boards/osbox/102").await;
        assert!(!page.text.contains("is thinking"), "{}", page.text);
    }

    pub(super) async fn computer_players_do_not_go_on_when_the_last_person_has_left(place: Place) {
        let app = start(place).await;
        post(&app, "osbox challenge -size=4 ann knotbot-1 knotbot-2").await;
        app.play_on("osbox", 101, 1).await;
        assert_eq!(app.let_bots_play().await, 2);
        post(&app, "osbox move 101 ann ann-secret resign").await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["state"], "over", "{board}");
        assert_eq!(app.let_bots_play().await, 0);
        // Who declines leaves nobody behind.
        post(&app, "osbox challenge -size=4 ann knotbot-1 knotbot-2").await;
        post(&app, "osbox move 102 ann ann-secret resign").await;
        assert_eq!(app.get("/api/v1/boards/osbox/102").await.json()["state"], "removed");
        assert_eq!(app.let_bots_play().await, 0);
    }

    pub(super) async fn computer_players_that_are_switched_off_take_no_challenges(place: Place) {
        let app = TestApp::start_with(place, |config| config.bots.enabled = false).await;
        app.sign_up("ann").await;
        app.enlist_bots().await;
        let page = app.post("osbo challenge ann knotbot-1", "").await;
        assert!(page.text.contains("Not willing: knotbot-1"), "{}", page.text);
        post(&app, "osbo challenge ann ann").await;
        for line in ["osbo hint 101 ann ann-secret", "osbo analyse 101"] {
            let page = app.post(line, "").await;
            assert!(page.text.contains("switched off on this server"), "{line}: {}", page.text);
        }
    }

    pub(super) async fn an_administrator_suspends_a_computer_player_and_nobody_logs_in_there(place: Place) {
        let app = start(place).await;
        post(&app, "osbo challenge knotbot-3 ann").await;
        for edit in [UserEdit::Role("admin"), UserEdit::Password("new-secret".to_owned()), UserEdit::Delete] {
            let refused = edit_user(&app.app, "knotbot-3", edit).await.unwrap_err();
            assert!(format!("{refused:?}").contains("computer player"), "{refused:?}");
        }
        edit_user(&app.app, "knotbot-3", UserEdit::Suspend).await.unwrap();
        assert_eq!(app.let_bots_play().await, 0);
        let page = app.post("osbo challenge ann knotbot-3", "").await;
        assert!(page.text.contains("The account of knotbot-3 is suspended."), "{}", page.text);
        edit_user(&app.app, "knotbot-3", UserEdit::Lift).await.unwrap();
        app.enlist_bots().await;
        assert_eq!(app.let_bots_play().await, 1);
    }

    /// The first person of each turn that is taken and leased, in order.
    async fn rotate(app: &TestApp, turns: usize) -> Vec<String> {
        let mut people = Vec::new();
        let mut due = DueTurns::default();
        for turn in 0..turns {
            // A turn that another server leased counts as much as what this one did.
            if turn % 2 == 0 {
                due.look(&app.app).await.unwrap();
            }
            let turn = due.take(&app.app).expect("a turn");
            assert!(computer::lease(&app.app.store, app.app.clock.as_ref(), &turn, 30_000).await.unwrap());
            let board = app.get(&format!("/api/v1/boards/{}/{}", turn.game, turn.number)).await.json();
            people.push(board["players"][1]["userid"].as_str().unwrap_or_default().to_owned());
        }
        people
    }

    pub(super) async fn people_are_answered_in_rotation_and_cheap_levels_first(place: Place) {
        let app = start(place).await;
        for name in ["bob", "cyd"] {
            app.sign_up(name).await;
        }
        for (board, name) in ["ann", "ann", "ann", "ann", "cyd", "cyd", "bob"].into_iter().enumerate() {
            let level = if name == "bob" { 1 } else { 6 };
            post(&app, &format!("osbox challenge -size=9 knotbot-{level} {name}")).await;
            app.clock.advance(1_000);
            assert!(board < 7);
        }
        let people = rotate(&app, 7).await;
        assert_eq!(people, ["bob", "ann", "cyd", "ann", "cyd", "ann", "ann"]);
        // Their leases have run out. Whoever was answered a moment ago by a cheap level comes before those whom an
        // expensive one answered at the same time, and not before those who have waited for long.
        app.clock.advance(40_000);
        assert_eq!(rotate(&app, 1).await, ["bob"]);
        post(&app, "osbox challenge knotbot-1 bob").await;
        assert_eq!(rotate(&app, 4).await, ["cyd", "ann", "bob", "cyd"]);
    }

    pub(super) async fn a_person_who_has_used_their_share_waits_and_others_do_not(place: Place) {
        let app = start(place).await;
        app.sign_up("bob").await;
        post(&app, "osbox challenge knotbot-3 ann").await;
        let turn = lease_turn(&app).await;
        // An eighth of the time of all.
        let share = Duration::from_secs(u64::from(app.app.config.bots.hour_cpu_s) / 8);
        computer::charge(&app.app, &turn, share).await.unwrap();
        computer::give_back(&app.app.store, &turn).await.unwrap();
        assert_eq!(lease_turn(&app).await.number, 101, "nothing is missing yet");
        computer::charge(&app.app, &turn, Duration::from_secs(1)).await.unwrap();
        computer::give_back(&app.app.store, &turn).await.unwrap();
        post(&app, "osbox challenge knotbot-3 bob").await;
        assert_eq!(app.let_bots_play().await, 1);
        assert_eq!(ply(&app, "osbox").await, 0);
        app.clock.advance(60_000);
        assert_eq!(app.let_bots_play().await, 1, "a part of it has come back");
        assert_eq!(ply(&app, "osbox").await, 1);
    }

    pub(super) async fn boards_against_the_highest_levels_are_few_and_strangers_begin_fewer(place: Place) {
        let app = start(place).await;
        for _ in 0..2 {
            post(&app, "osbox challenge ann knotbot-8").await;
        }
        let refused = app.post("osbox challenge ann knotbot-7", "").await;
        assert_eq!(refused.outcome(), "403 not_allowed", "{}", refused.text);
        assert!(refused.text.contains("ann plays on 2 boards against computer players of levels 7 and 8"));
        post(&app, "osbox challenge ann knotbot-6").await;
        // With the password there are more.
        post(&app, "osbox seek ann ann-secret 4 --computer=7").await;
        let seventh = "osbox seek ann ann-secret 1 --computer=8";
        let page = app.post(seventh, "").await;
        assert!(page.text.contains("ann plays on 6 boards against"), "{}", page.text);
        post(&app, "osbox move 101 ann ann-secret resign").await;
        post(&app, seventh).await;
    }

    pub(super) async fn moments_of_a_clock_that_was_ahead_keep_no_turn_waiting(place: Place) {
        const DAYS: i64 = 3 * 86_400_000;
        let app = start(place).await;
        app.clock.advance(DAYS);
        post(&app, "osbox challenge knotbot-3 ann").await;
        let turn = lease_turn(&app).await;
        computer::charge(&app.app, &turn, Duration::from_secs(1)).await.unwrap();
        computer::set_aside(&app.app, &turn, 3_600_000).await.unwrap();
        app.clock.advance(-DAYS);
        assert_eq!(app.let_bots_play().await, 1, "its lease, its board and its share are of then");
    }
}
