//! Addresses that must be proven before anything else is sent there.

use super::tell;

tell! {
    a_proven_address_stays_until_its_successor_is_proven,
    a_sign_up_of_somebody_else_locks_no_address_out,
    whoever_reads_an_address_confirms_it_however_many_others_claimed_it,
    tags_of_an_address_have_its_confirmations_together,
    one_user_has_few_addresses_asked,
    whoever_leaves_and_comes_again_has_nobody_asked_anew,
    a_lost_confirmation_is_had_again_and_the_answer_is_true,
    a_reply_proves_the_address_and_anything_else_gets_one_hint,
    a_confirmation_is_good_for_seven_days,
    a_change_that_was_not_mine_is_taken_back_once,
    a_change_that_was_not_mine_is_taken_back_by_a_reply,
    no_link_goes_where_mail_comes_back_from,
    the_servers_own_addresses_are_nobodys,
    names_that_read_as_the_operator_are_refused,
    what_is_said_holds_no_control_characters,
    somebody_suspended_can_do_nothing;
    undeployed:
    an_unproven_address_gets_few_mails_and_no_other;
    on_postgres: a_change_that_was_not_mine_is_taken_back_by_a_reply,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::config::Confirm;

    use knotpost_model::{BounceKind, Millis, OutboxKey, Trouble};

    use crate::harness::{Letter, Page, Place, TestApp, edit_user, show_all};

    fn link(letter: &Letter) -> String {
        let link = letter.text.lines().find_map(|line| line.trim().strip_prefix("http://knotpost.example"));
        link.expect("a link").to_owned()
    }

    pub(super) async fn an_unproven_address_gets_few_mails_and_no_other(place: Place) {
        let app = TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
        let page = app.post("signup ann ann-secret ann@ann.example", "").await;
        assert!(!page.text.contains("/confirm/"), "{}", page.text);
        app.work().await;
        let letters = app.letters();
        insta::assert_snapshot!("confirm", show_all(&letters));
        let path = link(&letters[0]);

        // Whatever others do meanwhile, nothing goes to that address.
        let two = ["signup eve eve-secret ann@ann.example", "signup eva eve-secret ann@ann.example"];
        for line in two {
            app.post(line, "").await;
        }
        app.work().await;
        assert_eq!(app.letters().len(), 2, "three a day in all");
        app.post("signup evi eve-secret ann@ann.example", "").await;
        app.post("osbox challenge eve ann", "Read this!").await;
        app.post("osbox chat 101 eve eve-secret", "And this!").await;
        app.post("add eve eve-secret ann@ann.example", "").await;
        app.work().await;
        insta::assert_snapshot!("confirm_silence", show_all(&app.letters()));

        let before = app.tables().await;
        let asked = app.get(&path).await;
        assert_eq!(asked.status, 200);
        assert!(asked.text.contains("<form") && asked.text.contains("ann@ann.example"), "{}", asked.text);
        assert_eq!(app.tables().await, before, "looking at the page changes nothing");

        let done = app.send(Request::post(&path).body(Body::empty()).unwrap()).await;
        assert_eq!(done.status, 200);
        app.work().await;
        let letters = app.letters();
        assert_eq!(
            letters.iter().map(|l| l.subject.as_str()).collect::<Vec<_>>(),
            ["Welcome to Knotpost, ann"]
        );
        app.send(Request::post(&path).body(Body::empty()).unwrap()).await;
        app.work().await;
        assert_eq!(app.letters().len(), 0, "the welcome comes once");

        app.post("osbox challenge ann ann", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 1, "now it is written to");
        assert_eq!(app.get("/confirm/damaged").await.status, 422);

        // Ten in thirty days.
        let mut asked = 3;
        for day in 1..6 {
            app.clock.advance(86_400_000);
            for name in ["a", "b", "c", "d"] {
                app.post(&format!("signup eve{name}{day} eve-secret ann@ann.example"), "").await;
            }
            app.work().await;
            asked += app.letters().iter().filter(|letter| letter.subject.contains("confirm")).count();
        }
        assert_eq!(asked, 10);
    }

    async fn press(app: &TestApp, path: &str) -> Page {
        app.send(Request::post(path).body(Body::empty()).unwrap()).await
    }

    async fn confirming(place: Place) -> TestApp {
        TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await
    }

    /// A user who has proven to read her address.
    async fn join(app: &TestApp, name: &str) {
        app.post(&format!("signup {name} {name}-secret {name}@{name}.example"), "").await;
        app.work().await;
        let path = link(&app.letters()[0]);
        assert_eq!(press(app, &path).await.status, 200);
        app.work().await;
        app.letters();
    }

    pub(super) async fn a_sign_up_of_somebody_else_locks_no_address_out(place: Place) {
        let app = confirming(place).await;
        app.post("signup mal2 mal-secret victim@vic.example", "").await;
        let page = app.post("signup vic vic-secret victim@vic.example", "").await;
        assert!(page.text.contains("just now"), "{}", page.text);
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 2);
        press(&app, &link(&letters[1])).await;
        app.work().await;
        assert_eq!(app.letters()[0].subject, "Welcome to Knotpost, vic");
    }

    pub(super) async fn whoever_reads_an_address_confirms_it_however_many_others_claimed_it(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = Confirm::On;
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await;
        for name in ["mal1", "mal2", "mal3", "mal4"] {
            app.post(&format!("signup {name} mal-secret victim@vic.example"), "").await;
        }
        app.work().await;
        assert_eq!(app.letters().len(), 3, "what others cause has an end");
        app.mail("victim@vic.example", "signup vic1 vic-secret", "").await;
        assert_eq!(app.letters().len(), 0, "a From alone proves nothing");
        app.mail_aligned("victim@vic.example", "signup vic vic-secret").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1, "{}", show_all(&letters));
        press(&app, &link(&letters[0])).await;
        app.work().await;
        assert_eq!(app.letters()[0].subject, "Welcome to Knotpost, vic");
    }

    pub(super) async fn tags_of_an_address_have_its_confirmations_together(place: Place) {
        let app = confirming(place).await;
        for number in 0..8 {
            let line = format!("signup mal{number} mal-secret Victim+{number}@vic.example");
            app.post(&line, "").await;
        }
        app.work().await;
        assert_eq!(app.letters().len(), 3, "one reader");
    }

    pub(super) async fn one_user_has_few_addresses_asked(place: Place) {
        let app = confirming(place).await;
        join(&app, "mal").await;
        for number in 0..30 {
            let address = format!("v{number}@vic{number}.example");
            app.post(&format!("add mal mal-secret {address}"), "").await;
            app.post(&format!("signoff mal mal-secret {address}"), "").await;
            app.post(&format!("change address mal mal-secret mal@mal.example w{address}"), "").await;
        }
        app.work().await;
        let strangers = |letters: &[Letter]| letters.iter().filter(|l| !l.to.contains("@mal.")).count();
        // The first of twenty was for the user's own address.
        assert_eq!(strangers(&app.letters()), 19);
        app.clock.advance(86_400_000);
        app.post("add mal mal-secret x@vic.example", "").await;
        app.work().await;
        assert_eq!(strangers(&app.letters()), 1, "another day");
    }

    pub(super) async fn whoever_leaves_and_comes_again_has_nobody_asked_anew(place: Place) {
        let app = confirming(place).await;
        for number in 0..6 {
            app.post(&format!("signup mal{number} mal-secret victim@vic.example"), "").await;
            app.work().await;
            app.post(&format!("delete mal{number} mal-secret"), "").await;
        }
        assert_eq!(app.letters().len(), 3);
        app.clock.advance(86_400_000);
        app.post("signup vic vic-secret victim@vic.example", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 1, "another day");
    }

    pub(super) async fn a_lost_confirmation_is_had_again_and_the_answer_is_true(place: Place) {
        let app = confirming(place).await;
        let line = "signup ann ann-secret ann@ann.example";
        for _ in 0..3 {
            let page = app.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok");
            assert!(page.text.contains("just now"), "{}", page.text);
        }
        app.work().await;
        assert_eq!(app.letters().len(), 3);
        let page = app.post(line, "").await;
        let text = page.json()["replies"][0]["text"].as_str().unwrap().to_owned();
        insta::assert_snapshot!("confirmation_lately", text);
        app.work().await;
        assert_eq!(app.letters().len(), 0);
        let page = app.post("signup ann other-secret ann@ann.example", "").await;
        assert_eq!(page.outcome(), "409 userid_taken");
        assert!(!page.text.contains("went out"), "{}", page.text);
        app.clock.advance(86_400_000);
        assert!(app.post(line, "").await.text.contains("just now"));
        app.work().await;
        press(&app, &link(&app.letters()[0])).await;
        let page = app.post(line, "").await;
        assert_eq!(page.outcome(), "409 userid_taken");
        assert!(page.text.contains("yours already"), "{}", page.text);
    }

    pub(super) async fn a_reply_proves_the_address_and_anything_else_gets_one_hint(place: Place) {
        let app = confirming(place).await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        app.work().await;
        let asked = app.letters().remove(0);
        assert!(asked.reply_to.is_some(), "{asked}");
        app.reply("ann@ann.example", &asked, "What is this?").await;
        let hints = app.letters();
        insta::assert_snapshot!("confirm_hint", show_all(&hints));
        app.reply("ann@ann.example", &asked, "And this?").await;
        assert_eq!(app.letters().len(), 0, "one hint");
        app.reply("ann@ann.example", &asked, "OK.").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].subject, "Welcome to Knotpost, ann");
        app.post("osbox challenge ann ann", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 1, "now it is written to");
    }

    pub(super) async fn a_confirmation_is_good_for_seven_days(place: Place) {
        let app = confirming(place).await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        app.work().await;
        let asked = app.letters().remove(0);
        app.clock.advance(8 * 86_400_000);
        for page in [app.get(&link(&asked)).await, press(&app, &link(&asked)).await] {
            assert_eq!(page.status, 403);
            assert!(page.text.contains("to get another mail"), "{}", page.text);
        }
        app.reply("ann@ann.example", &asked, "confirm").await;
        let letters = app.letters();
        assert!(
            letters.iter().all(|letter| !letter.subject.starts_with("Welcome")),
            "{}",
            show_all(&letters)
        );
        assert!(letters[0].text.contains("too old"), "{}", letters[0]);
    }

    pub(super) async fn a_change_that_was_not_mine_is_taken_back_once(place: Place) {
        let app = confirming(place).await;
        join(&app, "ann").await;
        app.post("add ann ann-secret thief@evil.example", "").await;
        app.work().await;
        let letters = app.letters();
        let notice = letters.iter().find(|letter| letter.to == "ann@ann.example").expect("a notice");
        insta::assert_snapshot!("not_me", notice.to_string());
        let undo = link(notice);
        assert!(undo.starts_with("/not-me/"), "{undo}");
        let thief = letters.iter().find(|letter| letter.to == "thief@evil.example").expect("a question");
        press(&app, &link(thief)).await;
        app.clock.advance(1);
        app.post("signoff ann ann-secret ann@ann.example", "").await;
        app.post("password ann", "").await;
        app.work().await;
        let letters = app.letters();
        let code =
            letters.iter().find(|letter| letter.subject.starts_with("A new password")).expect("a code");
        assert_eq!(code.to, "thief@evil.example");
        let stolen = link(code);

        let before = app.tables().await;
        let page = app.get(&undo).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"));
        assert!(page.text.contains("<form"), "{}", page.text);
        assert_eq!(app.tables().await, before, "looking changes nothing");
        assert_eq!(press(&app, &undo).await.status, 200);
        assert_eq!(app.get(&stolen).await.status, 403, "the thief's link opens nothing any more");
        app.work().await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));
        assert!(letters.iter().any(|letter| letter.subject.starts_with("A new password")));
        assert_eq!(app.tables().await.rows("addresses").len(), 1);
        let again = press(&app, &undo).await;
        assert_eq!(again.status, 403);
        assert!(again.text.contains("already"), "{}", again.text);
        assert_eq!(app.get("/not-me/damaged").await.status, 422);
        app.post("add ann ann-secret two@ann.example", "").await;
        app.work().await;
        let notice =
            app.letters().into_iter().find(|letter| letter.to == "ann@ann.example").expect("a notice");
        app.clock.advance(7 * 86_400_000 + 1);
        assert_eq!(press(&app, &link(&notice)).await.status, 403, "after seven days it is too late");
    }

    pub(super) async fn a_change_that_was_not_mine_is_taken_back_by_a_reply(place: Place) {
        let app = confirming(place).await;
        join(&app, "ann").await;
        app.post("add ann ann-secret thief@evil.example", "").await;
        app.work().await;
        let thief = app.letters();
        let question = thief.iter().find(|letter| letter.to == "thief@evil.example").expect("a question");
        press(&app, &link(question)).await;
        app.clock.advance(1);
        app.post("signoff ann ann-secret ann@ann.example", "").await;
        app.post("change password ann ann-secret taken-over", "").await;
        app.work().await;
        let letters = app.letters();
        let to_ann: Vec<_> = letters.iter().filter(|letter| letter.to == "ann@ann.example").collect();
        let notice = to_ann.last().expect("a notice that the password was changed");
        insta::assert_snapshot!("not_me_password", notice.to_string());

        // Neither a robot nor another word does it; what would is said once.
        for words in ["I am away until Monday.", "What is this?"] {
            app.reply("ann@ann.example", notice, words).await;
        }
        let hints = app.letters();
        insta::assert_snapshot!("not_me_hint", show_all(&hints));
        // Whoever has it may write from anywhere: it came in a mail to the old address.
        app.reply("ann@elsewhere.example", &hints[0], "Not me!").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));
        let code = letters.iter().find(|letter| letter.subject.starts_with("A new password"));
        assert!(code.is_some(), "{}", show_all(&letters));
        assert_eq!(app.tables().await.rows("addresses").len(), 1);
        // Once: another reply is no good any more.
        app.reply("ann@ann.example", &hints[0], "not me").await;
        assert!(app.letters().iter().all(|letter| !letter.subject.starts_with("A new password")));
    }

    pub(super) async fn no_link_goes_where_mail_comes_back_from(place: Place) {
        let app = confirming(place).await;
        join(&app, "ann").await;
        app.app
            .store
            .write(async move |tx| {
                let trouble = Trouble {
                    kind: BounceKind::Hard,
                    status: "5.1.1".to_owned(),
                    said: "no such user".to_owned(),
                };
                tx.insert_bounce(OutboxKey(1), "ann@ann.example", &trouble, Millis(1)).await?;
                tx.stop_address("ann@ann.example", "no such user", Millis(1)).await
            })
            .await
            .unwrap();
        app.post("add ann ann-secret two@ann.example", "").await;
        let tables = format!("{:?}", app.tables().await.rows("outbox"));
        assert!(tables.contains("two@ann.example") && !tables.contains("/not-me/"), "{tables}");
    }

    pub(super) async fn the_servers_own_addresses_are_nobodys(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        for own in [
            "games@knotpost.example",
            "GAMES+tag@knotpost.example",
            "games+r.abc@knotpost.example",
            "games+b.1.ff@Knotpost.example",
            "postmaster@knotpost.example",
        ] {
            for line in [
                "signup bob bob-secret ADDRESS",
                "add ann ann-secret ADDRESS",
                "change address ann ann-secret ADDRESS",
            ] {
                let page = app.post(&line.replace("ADDRESS", own), "").await;
                assert_eq!(page.outcome(), "422 bad_value", "{line} {own}");
                assert!(page.text.contains("belongs to this server"), "{}", page.text);
            }
            let edit = UserEdit::Add { password: "bob-secret".to_owned(), addresses: vec![own.to_owned()] };
            assert!(edit_user(&app.app, "bob", edit).await.is_err(), "{own}");
        }
    }

    pub(super) async fn names_that_read_as_the_operator_are_refused(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        for name in ["admin", "postmaster", "knotbot-easy", "..", "games", "Knotpost", "login"] {
            let page = app.post(&format!("signup {name} some-secret a@b.example"), "").await;
            assert_eq!(page.outcome(), "422 bad_value", "{name}: {}", page.text);
        }
    }

    pub(super) async fn what_is_said_holds_no_control_characters(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let evil = "one\u{1b}[2J\u{202e}two\u{9b}\u{7}";
        app.post("osbox challenge ann bob", evil).await;
        app.post("osbox chat 101 ann ann-secret", evil).await;
        app.post("osbox move 101 ann ann-secret f1", evil).await;
        app.post("message ann ann-secret bob", evil).await;
        app.mail("ann@ann.example", "osbox chat 101 ann ann-secret", evil).await;
        let tables = app.tables().await;
        for table in ["remarks", "outbox"] {
            for row in tables.rows(table) {
                assert!(!row.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}']), "{table}: {row:?}");
            }
        }
        assert!(tables.rows("remarks").iter().any(|row| row.contains("one[2Jtwo")));
    }

    pub(super) async fn a_proven_address_stays_until_its_successor_is_proven(place: Place) {
        let app = TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
        app.post("signup ann ann-secret ann@ann.example", "").await;
        app.work().await;
        let path = link(&app.letters()[0]);
        app.send(Request::post(&path).body(Body::empty()).unwrap()).await;
        app.work().await;
        app.letters();

        app.post("change address ann ann-secret new@ann.example", "").await;
        app.work().await;
        let letters = app.letters();
        insta::assert_snapshot!("change_address", show_all(&letters));
        let asked =
            letters.iter().find(|letter| letter.to == "new@ann.example").expect("a confirmation mail");
        let path = link(asked);
        let board = async || {
            app.post("osbox challenge ann ann", "").await;
            app.work().await;
            app.letters().into_iter().map(|letter| letter.to).collect::<Vec<_>>()
        };
        assert_eq!(board().await, ["ann@ann.example"], "the new address is not proven yet");
        app.send(Request::post(&path).body(Body::empty()).unwrap()).await;
        app.work().await;
        let told: Vec<String> = app.letters().into_iter().map(|letter| letter.to).collect();
        assert_eq!(told, ["ann@ann.example", "new@ann.example"], "the one that goes hears of it");
        assert_eq!(board().await, ["new@ann.example"], "and with it the old one went");
    }

    pub(super) async fn somebody_suspended_can_do_nothing(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        app.work().await;
        app.letters();
        assert_eq!(app.post("osbox move 101 ann ann-secret f1", "").await.outcome(), "401 bad_credentials");
        app.mail("ann@ann.example", "osbox challenge bob ann", "").await;
        insta::assert_snapshot!("suspended", show_all(&app.letters()));
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
        assert_eq!(app.post("osbox move 101 ann ann-secret f1", "").await.outcome(), "200 ok");
    }
}
