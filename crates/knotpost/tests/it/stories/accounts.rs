//! A forgotten password, addresses that go, and users who leave.

use super::tell;

tell! {
    a_forgotten_password_is_replaced_by_link_once,
    a_forgotten_password_is_replaced_by_code_once,
    nobody_learns_who_exists_by_asking,
    a_code_is_neither_stored_nor_guessed,
    a_user_leaves_for_good,
    somebody_with_many_boards_leaves_all_of_them_or_none,
    the_administrator_deletes_in_the_same_way,
    the_seats_of_a_deleted_user_are_resigned,
    a_user_gets_another_name_and_keeps_all_else,
    who_is_unknown_costs_as_much_as_who_is_known,
    what_is_asked_too_often_is_refused_before_any_hashing;
    undeployed:
    addresses_go_but_never_the_last,
    codes_and_links_die;
    on_postgres:
    a_forgotten_password_is_replaced_by_code_once,
    a_user_gets_another_name_and_keeps_all_else,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::admin::{UserEdit, view_user};
    use knotpost_core::config::Confirm;
    use knotpost_model::{BoardKey, MoveKind};
    use knotpost_storage::MoveRow;
    use serde_json::json;

    use crate::harness::{Letter, Page, Place, TestApp, edit_user, show_all};

    const HOUR: i64 = 3_600_000;

    fn path(letter: &Letter) -> String {
        let link = letter.text.lines().find_map(|line| line.trim().strip_prefix("http://knotpost.example"));
        link.expect("a link").to_owned()
    }

    fn code(letter: &Letter) -> String {
        let line =
            letter.text.lines().find(|line| line.trim().starts_with("change password")).expect("a code");
        line.split_whitespace().nth(3).expect("a code").to_owned()
    }

    async fn submit(app: &TestApp, path: &str, password: &str) -> Page {
        let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        app.send(request.body(Body::from(format!("password={password}"))).unwrap()).await
    }

    async fn ask(app: &TestApp) -> Letter {
        app.work().await;
        app.letters();
        app.post("password ann", "").await;
        app.work().await;
        app.letters().remove(0)
    }

    pub(super) async fn a_forgotten_password_is_replaced_by_link_once(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.mail("ann@ann.example", "password Ann", "").await;
        let letters = app.letters();
        insta::assert_snapshot!("reset", show_all(&letters));
        let path = path(&letters[0]);

        let before = app.tables().await;
        let page = app.get(&path).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("<form") && page.text.contains("ann"), "{}", page.text);
        assert_eq!(page.header("cache-control"), "no-store");
        let refused = submit(&app, &path, "short").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains("<form"), "{}", refused.text);
        assert_eq!(app.tables().await, before, "neither looking nor a bad word changes anything");

        assert_eq!(submit(&app, &path, "brand-new-secret").await.status, 200);
        app.work().await;
        insta::assert_snapshot!("reset_done", show_all(&app.letters()));
        assert_eq!(app.post("set ann brand-new-secret", "").await.outcome(), "200 ok");
        assert_eq!(app.post("set ann ann-secret", "").await.outcome(), "401 bad_credentials");
        assert_eq!(submit(&app, &path, "another-secret").await.status, 403, "once");
        assert_eq!(app.get(&path).await.status, 403);
        assert_eq!(app.post("set ann brand-new-secret", "").await.outcome(), "200 ok");
    }

    pub(super) async fn a_forgotten_password_is_replaced_by_code_once(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let code = code(&ask(&app).await);
        app.mail("ann@ann.example", &format!("change password ann {} new-secret", code.to_lowercase()), "")
            .await;
        insta::assert_snapshot!("code_done", show_all(&app.letters()));
        assert_eq!(app.post("set ann new-secret", "").await.outcome(), "200 ok");
        let again = app.post(&format!("change password ann {code} other-secret"), "").await;
        assert_eq!(again.outcome(), "401 bad_credentials");
        assert!(!again.text.contains(&code), "{}", again.text);
    }

    pub(super) async fn codes_and_links_die(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        // After a day.
        let letter = ask(&app).await;
        app.clock.advance(24 * HOUR);
        assert_eq!(app.get(&path(&letter)).await.status, 403);
        let late = app.post(&format!("change password ann {} new-secret", code(&letter)), "").await;
        assert_eq!(late.outcome(), "401 bad_credentials");

        // With the password they were for.
        let letter = ask(&app).await;
        app.post("change password ann ann-secret new-secret", "").await;
        assert_eq!(submit(&app, &path(&letter), "other-secret").await.status, 403);

        // Not with the next one.
        let first = ask(&app).await;
        app.clock.advance(1);
        let second = ask(&app).await;
        assert_eq!(app.get(&path(&first)).await.status, 200);
        assert_eq!(app.get(&path(&second)).await.status, 200);
        assert_eq!(app.get(&path(&second).replace("ann", "bob")).await.status, 200);
        assert_eq!(app.get(&format!("{}0", path(&second))).await.status, 403);

        // Beyond five of them the newest is mailed again.
        let mut newest = second.clone();
        for _ in 0..5 {
            app.clock.advance(1);
            newest = ask(&app).await;
        }
        assert_eq!(app.get(&path(&first)).await.status, 200);
        assert_eq!(code(&newest), code(&ask(&app).await));

        // With the fifth wrong try; the password itself goes on working.
        for _ in 0..5 {
            let wrong = app.post("change password ann AAAA-BBBB-CCCC other-secret", "").await;
            assert_eq!(wrong.outcome(), "401 bad_credentials");
        }
        let spent = app.post(&format!("change password ann {} other-secret", code(&second)), "").await;
        assert_eq!(spent.outcome(), "401 bad_credentials");
        assert_eq!(app.post("set ann new-secret", "").await.outcome(), "200 ok");

        // A mail that waits in vain is not sent any more.
        app.post("password ann", "").await;
        app.post("change password ann new-secret third-secret", "").await;
        app.work().await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.subject.starts_with("A new")), "{}", show_all(&letters));
    }

    pub(super) async fn nobody_learns_who_exists_by_asking(place: Place) {
        let app = TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        app.work().await;
        let asked = app.letters().remove(0);
        app.send(Request::post(path(&asked)).body(Body::empty()).unwrap()).await;
        app.post("signup bob bob-secret bob@bob.example", "").await;
        app.work().await;
        app.letters();

        let page = async |name: &str| {
            let page = app.post(&format!("password {name}"), "").await;
            assert_eq!(page.outcome(), "200 ok");
            page.text.replace(name, "NAME")
        };
        let known = page("ann").await;
        assert_eq!(known, page("nobody").await);
        assert_eq!(known, page("bob").await, "bob's address is not proven");
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        assert_eq!(known, page("ann").await);
        app.work().await;
        app.letters();
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();

        // By mail a stranger reads the same, and the owner gets the letter at their own address.
        app.mail("eve@eve.example", "password ann", "").await;
        app.mail("eve@eve.example", "password nobody", "").await;
        insta::assert_snapshot!(
            "reset_asked",
            show_all(&app.letters()).replace(|c: char| c.is_ascii_digit(), "0")
        );
    }

    pub(super) async fn a_code_is_neither_stored_nor_guessed(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.post("password ann", "").await;
        let waiting = format!("{:?}", app.tables().await);
        app.work().await;
        let letter = app.letters().remove(0);
        let (code, path) = (code(&letter), path(&letter));
        let sent = format!("{:?}", app.tables().await);
        for tables in [waiting, sent] {
            assert!(!tables.contains(&code), "the code is stored");
            assert!(!tables.contains(path.trim_start_matches("/reset/")), "the link is stored");
        }
    }

    pub(super) async fn addresses_go_but_never_the_last(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.post("add ann ann-secret two@ann.example three@ann.example", "").await;
        app.work().await;
        app.letters();
        app.mail("two@ann.example", "signoff ann ann-secret", "").await;
        insta::assert_snapshot!("signoff", show_all(&app.letters()));
        assert_eq!(
            app.post("signoff ann ann-secret nobody@ann.example", "").await.outcome(),
            "422 bad_value"
        );
        let both = "signoff ann ann-secret ann@ann.example THREE@ann.example";
        assert_eq!(app.post(both, "").await.outcome(), "403 not_allowed");
        assert_eq!(app.post("signoff ann ann-secret ann@ann.example", "").await.outcome(), "200 ok");
        app.work().await;
        app.letters();
        app.mail("three@ann.example", "signoff ann ann-secret", "").await;
        insta::assert_snapshot!("signoff_last", show_all(&app.letters()));
    }

    pub(super) async fn a_user_leaves_for_good(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        // 101 has just begun, on 102 it is ann's turn, on 103 bob's, 104 has three players, 105 is over.
        for _ in 0..3 {
            app.post("osbox challenge ann bob", "").await;
        }
        app.post("osbox challenge ann bob cyd", "").await;
        app.post("osbox challenge bob ann", "").await;
        for line in [
            "osbox move 102 ann ann-secret f1",
            "osbox move 102 bob bob-secret f9",
            "osbox move 103 ann ann-secret f1",
            "osbox move 103 bob bob-secret f9",
            "osbox move 103 ann ann-secret f2",
            "osbox move 104 ann ann-secret f1",
            "osbox move 104 bob bob-secret f9",
            "osbox move 104 cyd cyd-secret f5",
            "osbox move 105 bob bob-secret f1",
            "osbox move 105 ann ann-secret f9",
            "osbox resign 105 bob bob-secret",
            "set ann ann-secret moves=mine",
            "set bob bob-secret moves=mine",
        ] {
            let page = app.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        app.work().await;
        app.letters();
        let before = app.tables().await.of_the_games();
        app.mail("ann@ann.example", "delete ann ann-secret", "").await;
        insta::assert_snapshot!("delete_asked", show_all(&app.letters()));
        assert_eq!(before.differing(&app.tables().await.of_the_games()), Vec::<&str>::new());
        app.mail("ann@ann.example", "delete ann ann-secret perhaps", "").await;
        assert_eq!(app.letters().len(), 1);
        assert_eq!(before.differing(&app.tables().await.of_the_games()), Vec::<&str>::new());
        app.mail("ann@ann.example", "delete ann ann-secret really", "").await;
        insta::assert_snapshot!("deleted", show_all(&app.letters()));

        for line in ["set ann ann-secret", "delete ann ann-secret"] {
            assert_eq!(app.post(line, "").await.outcome(), "401 bad_credentials", "{line}");
        }
        assert_eq!(app.post("signup Ann new-secret ann@ann.example", "").await.outcome(), "409 userid_taken");
        let refused = app.post("osbox challenge bob ann", "").await;
        assert_eq!(refused.outcome(), "422 invalid_challenge");
        assert!(refused.text.contains("ann has left the server"), "{}", refused.text);
        let over = app.get("/api/v1/boards/osbox/105").await.json();
        assert_eq!(over["players"][1]["userid"], "ann", "the name stays on finished boards");
        let tables = app.tables().await;
        for table in ["addresses", "preferences", "subscribers", "password_resets"] {
            let left = tables.rows(table).iter().filter(|row| row.contains("ann@")).count();
            assert_eq!(left, 0, "{table}");
        }
        assert_eq!(tables.rows("addresses").len(), 2);

        // It was bob's turn on 103, which is over all the same.
        assert_eq!(app.get("/api/v1/boards/osbox/103").await.json()["result"]["winners"], json!([2]));
        assert_eq!(app.post("osbox move 103 bob bob-secret f10", "").await.outcome(), "409 game_over");
        // With three players the game goes on without her.
        assert_eq!(app.get("/api/v1/boards/osbox/104").await.json()["state"], "active");
    }

    /// One more than the boards that are read at once.
    const MANY: usize = 101;

    async fn playing(app: &TestApp) -> (usize, i64) {
        let boards = app.tables().await.rows("boards").iter().filter(|row| row.contains("active")).count();
        let shown = view_user(&app.app, "ann").await.unwrap().active_boards;
        (boards, shown as i64)
    }

    pub(super) async fn somebody_with_many_boards_leaves_all_of_them_or_none(place: Place) {
        let app = TestApp::start_with(place, |config| config.limits.enabled = false).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        for _ in 0..MANY {
            assert_eq!(app.post("osbox challenge -size=2 ann bob", "").await.outcome(), "200 ok");
        }
        assert_eq!(playing(&app).await, (MANY, MANY as i64));
        // The last of the boards cannot be read: what was done on the page before is undone.
        let nonsense = MoveRow {
            number: 1,
            seat: 1,
            kind: MoveKind::Move,
            text: "nonsense".to_owned(),
            auto: false,
            at: app.app.clock.now(),
        };
        let set_moves = |moves: Option<MoveRow>| {
            app.app.store.write(async move |tx| {
                let mut row = tx.board(BoardKey(MANY as i64)).await?.unwrap();
                tx.delete_moves(row.id).await?;
                row.ply = i64::from(moves.is_some());
                if let Some(one) = &moves {
                    tx.insert_move(row.id, one).await?;
                }
                tx.update_board(&row).await
            })
        };
        set_moves(Some(nonsense)).await.unwrap();
        assert!(edit_user(&app.app, "ann", UserEdit::Delete).await.is_err());
        set_moves(None).await.unwrap();
        assert_eq!(playing(&app).await, (MANY, MANY as i64));
        assert_eq!(app.post("set ann ann-secret", "").await.outcome(), "200 ok");
        edit_user(&app.app, "ann", UserEdit::Delete).await.unwrap();
        assert_eq!(playing(&app).await, (0, 0));
    }

    pub(super) async fn the_administrator_deletes_in_the_same_way(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox challenge ann bob", "").await;
        app.post("osbox move 102 ann ann-secret f1", "").await;
        app.post("osbox move 102 bob bob-secret f9", "").await;
        app.work().await;
        app.letters();
        edit_user(&app.app, "ann", UserEdit::Delete).await.unwrap();
        app.work().await;
        insta::assert_snapshot!("deleted_by_admin", show_all(&app.letters()));
        assert_eq!(app.post("set ann ann-secret", "").await.outcome(), "401 bad_credentials");
    }

    pub(super) async fn a_user_gets_another_name_and_keeps_all_else(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.work().await;
        let mails = app.letters();
        let before = mails.iter().find(|letter| letter.to == "ann@ann.example").expect("a board").clone();
        let rename = |from: &'static str, to: &str| {
            let edit = UserEdit::Rename(to.to_owned());
            let app = &app.app;
            async move { edit_user(app, from, edit).await.map_err(|error| format!("{error:?}")) }
        };
        for (to, why) in
            [("bob", "UseridTaken"), ("BOB", "UseridTaken"), ("help", "BadValue"), ("a b", "BadValue")]
        {
            let told = rename("ann", to).await.unwrap_err();
            assert!(told.contains(why), "{to}: {told}");
        }
        rename("ann", "Bea").await.unwrap();

        // The old mail is answered as before, and the new name is on the board.
        assert_eq!(app.reply("ann@ann.example", &before, "f1").await, "executed");
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["ply"], &board["players"][0]["userid"]), (&json!(1), &json!("Bea")), "{board}");
        app.work().await;
        let told = show_all(&app.letters());
        assert!(
            told.contains("To: ann@ann.example") && told.contains("Bea") && !told.contains(" ann "),
            "{told}"
        );

        // The new name has the password, the address and the role; the old one has nothing and is nobody's.
        assert_eq!(app.post("set bea ann-secret", "").await.outcome(), "200 ok");
        assert_eq!(app.post("set ann ann-secret", "").await.outcome(), "401 bad_credentials");
        let view = view_user(&app.app, "bea").await.unwrap();
        assert_eq!((view.line.userid.as_str(), view.addresses.len()), ("Bea", 1));
        let told = app.post("signup ann new-secret other@ann.example", "").await.outcome();
        assert!(told.ends_with(" userid_taken"), "{told}");
        assert_eq!(view_user(&app.app, "ann").await.unwrap().line.state, "deleted");
        assert!(rename("ann", "cyd").await.unwrap_err().contains("was deleted"));
        assert!(rename("bob", "ann").await.unwrap_err().contains("taken"));
        let told = app.post("osbox challenge ann bob", "").await.outcome();
        assert!(told.ends_with(" invalid_challenge"), "{told}");

        // Letters that change their case leave no name behind.
        rename("bea", "BEA").await.unwrap();
        assert_eq!(view_user(&app.app, "bea").await.unwrap().line.userid, "BEA");
        assert_eq!(app.post("osbox move 101 bob bob-secret f9", "").await.outcome(), "200 ok");
    }

    pub(super) async fn the_seats_of_a_deleted_user_are_resigned(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge ann bob ann cyd", "").await;
        for line in [
            "osbox move 101 ann ann-secret f1",
            "osbox move 101 bob bob-secret f9",
            "osbox move 101 ann ann-secret f5",
            "osbox move 101 cyd cyd-secret f13",
        ] {
            let page = app.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        app.post("delete ann ann-secret", "").await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["to_move"][0], "bob");
        let resigned =
            board["moves"].as_array().unwrap().iter().filter(|made| made["text"] == "Resign").count();
        assert_eq!(resigned, 2, "both seats at once");
        assert_eq!(app.post("osbox move 101 bob bob-secret f10", "").await.outcome(), "200 ok");
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["to_move"][0], "cyd", "her second seat is skipped");
    }

    pub(super) async fn who_is_unknown_costs_as_much_as_who_is_known(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        edit_user(&app.app, "bob", UserEdit::Suspend).await.unwrap();
        edit_user(&app.app, "cyd", UserEdit::Delete).await.unwrap();
        app.post("password ann", "").await;
        let mut costs = Vec::new();
        for name in ["ann", "bob", "cyd", "nobody"] {
            for line in ["set NAME wrong-secret", "change password NAME AAAA-BBBB-CCCC new-secret"] {
                let before = app.app.credentials.computed();
                let page = app.post(&line.replace("NAME", name), "").await;
                assert_eq!(page.outcome(), "401 bad_credentials");
                costs
                    .push((app.app.credentials.computed() - before, page.json()["error"]["message"].clone()));
            }
        }
        assert!(costs.iter().all(|cost| *cost == (1, costs[0].1.clone())), "{costs:?}");
    }

    pub(super) async fn what_is_asked_too_often_is_refused_before_any_hashing(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.signups_per_hour = 1;
            config.limits.resets_per_hour = 2;
        })
        .await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        let before = app.app.credentials.computed();
        let second = app.post("signup bob bob-secret bob@bob.example", "").await;
        assert_eq!(second.outcome(), "429 rate_limited");
        assert_eq!(app.app.credentials.computed(), before, "nothing was hashed for it");

        app.work().await;
        app.confirm().await;
        app.letters();
        for _ in 0..2 {
            assert_eq!(app.post("password nobody", "").await.outcome(), "200 ok");
        }
        assert_eq!(app.post("password ann", "").await.outcome(), "429 rate_limited", "the sender");
        for sender in ["a", "b", "c"] {
            app.mail(&format!("{sender}@eve.example"), "password ann", "").await;
        }
        let letters = app.letters();
        let sent = letters.iter().filter(|letter| letter.to == "ann@ann.example").count();
        assert_eq!(sent, 2, "and the user, whoever asks: {}", show_all(&letters));
    }
}
