//! Addresses and domains that get no mail, and who may write to the server at all.

use super::tell;

tell! {
    who_gets_no_mail_gets_none_whatever_causes_it,
    a_mail_that_waits_is_dropped_when_its_recipient_wants_none,
}

mod stories {
    use knotpost_core::admin::{AdminAction, Administrator, administer};
    use knotpost_core::mailing::view_unmailed;
    use knotpost_model::Millis;

    use crate::harness::{Place, TestApp};

    async fn act(app: &TestApp, action: AdminAction) -> Result<(), String> {
        let admin = Administrator::of_shell("root");
        administer(&app.app, &admin, action).await.map_err(|error| format!("{error:?}"))
    }

    fn block(target: &str) -> AdminAction {
        AdminAction::Block { target: target.to_owned(), reason: "asked for it".to_owned() }
    }

    pub(super) async fn who_gets_no_mail_gets_none_whatever_causes_it(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        act(&app, block("Bob@bob.example")).await.unwrap();
        act(&app, block("victim.example")).await.unwrap();
        assert!(act(&app, block("bob@bob.example")).await.is_err(), "it is there already");
        for wrong in ["no address", "bob", "@bob", "*@bob.example", "*.bob.example"] {
            let refused = act(&app, block(wrong)).await.unwrap_err();
            assert!(refused.contains("neither an address nor a domain"), "{wrong}: {refused}");
            assert!(refused.contains("`@example.org`"), "{wrong}: {refused}");
        }

        // A board mail, answers to a query, and an address that differs by case and tag.
        app.mail("ann@ann.example", "osbox challenge -size=3 ann bob", "").await;
        app.mail("BOB+games@bob.example", "list", "").await;
        app.mail("anybody@victim.example", "list", "").await;
        app.mail("anybody@sub.victim.example", "list", "").await;
        let mut recipients: Vec<String> = app.letters().into_iter().map(|letter| letter.to).collect();
        recipients.sort();
        assert_eq!(recipients, ["ann@ann.example", "anybody@sub.victim.example"]);
        let dropped =
            app.tables().await.rows("outbox").iter().filter(|row| row.contains("do_not_mail")).count();
        assert_eq!(dropped, 3, "the rows say why");

        let listed = view_unmailed(&app.app.store, "").await.unwrap();
        let targets: Vec<&str> = listed.entries.iter().map(|row| row.target.as_str()).collect();
        assert_eq!(targets, ["@victim.example", "bob@bob.example"]);
        let audit = app.tables().await.rows("audit").join("\n");
        assert!(audit.contains("do_not_mail.add") && audit.contains("asked for it"), "{audit}");

        act(&app, AdminAction::Unblock { target: "@victim.example".to_owned() }).await.unwrap();
        assert!(act(&app, AdminAction::Unblock { target: "@victim.example".to_owned() }).await.is_err());
        app.mail("anybody@victim.example", "list", "").await;
        assert_eq!(app.letters().len(), 1);
    }

    pub(super) async fn a_mail_that_waits_is_dropped_when_its_recipient_wants_none(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let page = app.post("osbox challenge -size=3 ann bob", "").await;
        assert_eq!(page.outcome(), "200 ok");
        // Both mails wait. What a server does for somebody who writes `stop` is done meanwhile.
        let blocked =
            app.app.store.write(async move |tx| tx.block_address("bob@bob.example", "stop", Millis(1)).await);
        assert!(blocked.await.unwrap());
        assert!(app.app.store.read().await.unwrap().is_blocked("bob+x@bob.example").await.unwrap());
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].to, "ann@ann.example");
        let outbox = app.tables().await.rows("outbox").join("\n");
        assert!(outbox.contains("do_not_mail"), "{outbox}");
    }
}
