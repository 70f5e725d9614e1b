//! Addresses that must be proven before anything else is sent there.

use super::tell;

tell! {
    an_unproven_address_gets_one_mail_and_no_more,
    a_proven_address_stays_until_its_successor_is_proven,
    somebody_suspended_can_do_nothing,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_server::config::Confirm;
    use knotpost_server::service::UserEdit;

    use crate::harness::{Letter, Place, TestApp, edit_user, show_all};

    fn link(letter: &Letter) -> String {
        let link = letter.text.lines().find_map(|line| line.trim().strip_prefix("http://knotpost.example"));
        link.expect("a link").to_owned()
    }

    pub(super) async fn an_unproven_address_gets_one_mail_and_no_more(place: Place) {
        let app = TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
        let page = app.post("signup ann ann-secret ann@ann.example", "").await;
        assert!(!page.text.contains("/confirm/"), "{}", page.text);
        app.work().await;
        let letters = app.letters();
        insta::assert_snapshot!("confirm", show_all(&letters));
        let path = link(&letters[0]);

        // Whatever others do meanwhile, nothing goes to that address.
        app.post("signup eve eve-secret ann@ann.example", "").await;
        app.post("osbox challenge eve ann", "Read this!").await;
        app.post("osbox chat 101 eve eve-secret", "And this!").await;
        app.post("add eve eve-secret ann@ann.example", "").await;
        app.clock.advance(29 * 86_400_000);
        app.post("signup eve2 eve-secret ann@ann.example", "").await;
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

        // After thirty days the address may be asked again, once.
        app.clock.advance(2 * 86_400_000);
        app.post("signup eve3 eve-secret ann@ann.example", "").await;
        app.post("signup eve4 eve-secret ann@ann.example", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 1);
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
