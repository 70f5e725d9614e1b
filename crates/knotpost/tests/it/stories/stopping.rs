//! Whoever wants no mail at all says so in reply to the mail that asks for a confirmation.

use super::tell;

tell! {
    a_stop_in_reply_to_a_confirmation_ends_all_mail_until_its_reader_wants_it,
    a_stop_ends_no_mail_where_somebody_plays,
    no_reader_takes_back_what_an_administrator_stopped;
    on_postgres: no_reader_takes_back_what_an_administrator_stopped,
}

mod stories {
    use knotpost_core::config::Confirm;
    use knotpost_model::Millis;

    use crate::harness::{Letter, Place, TestApp, show_all};

    async fn start(place: Place) -> TestApp {
        TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = Confirm::On;
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
        })
        .await
    }

    async fn sign_up(app: &TestApp, name: &str, address: &str) -> (String, Vec<Letter>) {
        let page = app.post(&format!("signup {name} {name}-secret {address}"), "").await;
        app.work().await;
        (page.text, app.letters())
    }

    async fn is_blocked(app: &TestApp, address: &str) -> bool {
        app.app.store.read().await.unwrap().is_blocked(address).await.unwrap()
    }

    pub(super) async fn a_stop_in_reply_to_a_confirmation_ends_all_mail_until_its_reader_wants_it(
        place: Place,
    ) {
        let app = start(place).await;
        let (_, mut letters) = sign_up(&app, "mal", "vic@vic.example").await;
        let asked = letters.remove(0);
        app.reply("vic@vic.example", &asked, "Stop!").await;
        assert_eq!(app.letters().len(), 0);
        assert!(is_blocked(&app, "vic@vic.example").await);

        // Nothing that anybody else does is mailed there, and the one who asks learns why.
        let (page, letters) = sign_up(&app, "mel", "vic@vic.example").await;
        assert!(page.contains("No mail goes to vic@vic.example"), "{page}");
        assert_eq!(letters.len(), 0);
        app.mail("vic@vic.example", "list", "").await;
        app.mail("vic@vic.example", "signup eve eve-secret", "").await;
        assert_eq!(app.letters().len(), 0, "a From alone proves nothing");
        assert!(is_blocked(&app, "vic@vic.example").await);

        // The reader does.
        app.mail_aligned("vic@vic.example", "signup vic vic-secret").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1, "{}", show_all(&letters));
        assert_eq!(letters[0].to, "vic@vic.example");
        assert!(letters[0].text.contains("/confirm/"), "{}", letters[0]);
        assert!(!is_blocked(&app, "vic@vic.example").await);
    }

    pub(super) async fn a_stop_ends_no_mail_where_somebody_plays(place: Place) {
        let app = start(place).await;
        let (_, mut letters) = sign_up(&app, "ann", "ann@ann.example").await;
        app.reply("ann@ann.example", &letters.remove(0), "confirm").await;
        app.letters();
        let (_, mut letters) = sign_up(&app, "mal", "ann@ann.example").await;
        app.reply("ann@ann.example", &letters.remove(0), "stop").await;
        assert!(!is_blocked(&app, "ann@ann.example").await);
        insta::assert_snapshot!("stop_in_use", show_all(&app.letters()));
    }

    pub(super) async fn no_reader_takes_back_what_an_administrator_stopped(place: Place) {
        let app = start(place).await;
        let blocked = app
            .app
            .store
            .write(async move |tx| tx.block_address("vic@vic.example", "complaints", Millis(1)).await);
        assert!(blocked.await.unwrap());
        app.mail_aligned("vic@vic.example", "signup vic vic-secret").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 0, "{}", show_all(&letters));
        assert!(is_blocked(&app, "vic@vic.example").await);
    }
}
