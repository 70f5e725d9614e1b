//! Logging in, staying logged in, and logging out.

use super::tell;

tell! {
    a_session_begins_with_the_password_and_ends_with_the_log_out,
    unknown_users_and_wrong_passwords_are_answered_alike,
    a_session_ends_unused_or_old,
    another_password_ends_every_session,
    a_suspended_user_is_logged_out,
    a_fresh_log_in_gets_a_fresh_token,
    a_link_logs_in_once,
    nobody_learns_who_exists_by_asking_for_a_link,
    signing_up_logs_in,
    posts_of_other_sites_are_refused,
    a_log_in_leads_back_but_not_away,
    a_session_alone_does_not_change_where_mail_or_secrets_go;
    on_postgres:
    a_fresh_log_in_gets_a_fresh_token,
    a_link_logs_in_once,
}

mod stories {
    use knotpost_core::admin::UserEdit;

    use super::super::browser::Browser;
    use crate::harness::{DAY, Place, TestApp, edit_user};

    /// Whether the browser's cookie is good for anything.
    async fn is_logged_in(browser: &mut Browser<'_>) -> bool {
        browser.get("/").await.text.contains("Log out")
    }

    pub(super) async fn a_session_begins_with_the_password_and_ends_with_the_log_out(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::new(&app);
        assert!(!is_logged_in(&mut browser).await);
        let page = browser.log_in("Ann", "ann-secret").await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/"));
        let cookie = page.header("set-cookie").to_owned();
        assert!(cookie.ends_with("; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax"), "{cookie}");
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(is_logged_in(&mut browser).await);
        let token = browser.cookie.clone().unwrap().split_once('=').unwrap().1.to_owned();
        assert!(!format!("{:?}", app.tables().await).contains(&token), "only a digest is stored");
        let stale = browser.cookie.clone();
        assert_eq!(browser.post("/logout", &[]).await.status, 303);
        assert_eq!(browser.cookie, None);
        browser.cookie = stale;
        assert!(!is_logged_in(&mut browser).await);
    }

    pub(super) async fn a_session_alone_does_not_change_where_mail_or_secrets_go(place: Place) {
        let app = TestApp::start_with(place, |config| config.webhooks.allow_private = true).await;
        app.sign_up("ann").await;
        let mut ann = Browser::new(&app);
        ann.log_in("ann", "ann-secret").await;
        assert!(!ann.get("/settings").await.text.contains("address-password"), "it was given just now");
        let add = [("act", "add"), ("address", "two@ann.example")];
        assert_eq!(ann.post("/settings", &add).await.status, 303);
        app.clock.advance(10 * 60_000);
        assert!(ann.get("/settings").await.text.contains("address-password"));
        let hook = [("act", "new_hook"), ("url", "http://127.0.0.1:3000/"), ("turn", "yes")];
        let attempts: [&[(&str, &str)]; 7] = [
            &[("act", "add"), ("address", "thief@evil.example")],
            &[("act", "remove"), ("address", "two@ann.example")],
            &hook,
            &[("act", "renew_hook"), ("id", "1")],
            &[("act", "bot"), ("sure", "yes")],
            &[("act", "archive")],
            &[("act", "new_feeds")],
        ];
        let before = app.tables().await.rows("addresses").to_vec();
        for (index, fields) in attempts.into_iter().enumerate() {
            let page = ann.post("/settings", fields).await;
            assert_eq!(page.status, 403, "{fields:?}");
            assert!(page.text.contains("present password"), "{}", page.text);
            if index >= 4 {
                // Wrong passwords are counted, and few are let in.
                continue;
            }
            let mut wrong = fields.to_vec();
            wrong.push(("present", "bob-secret"));
            assert_eq!(ann.post("/settings", &wrong).await.status, 401, "{fields:?}");
        }
        assert_eq!(app.tables().await.rows("addresses"), before);
        assert!(app.tables().await.rows("webhooks").is_empty());
        assert_eq!(app.get("/api/v1/users/ann").await.json().get("bot"), None);
        let archive = [("act", "archive"), ("present", "ann-secret")];
        assert_eq!(Browser::of(&app, "ann").await.post("/settings", &archive).await.status, 200);
        let remove = [("act", "remove"), ("address", "two@ann.example"), ("present", "ann-secret")];
        assert_eq!(ann.post("/settings", &remove).await.status, 303);
        assert_eq!(ann.post("/settings", &hook).await.status, 200, "for ten minutes");
    }

    pub(super) async fn unknown_users_and_wrong_passwords_are_answered_alike(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        edit_user(&app.app, "bob", UserEdit::Suspend).await.unwrap();
        let mut browser = Browser::new(&app);
        let before = app.app.credentials.computed();
        let mut pages = Vec::new();
        for (userid, password) in [("ann", "bob-secret"), ("eve", "eve-secret"), ("bob", "bob-secret")] {
            let page = browser.log_in(userid, password).await;
            assert_eq!(page.status, 401);
            assert!(browser.cookie.is_none());
            pages.push(page.text.replace(&format!("value=\"{userid}\""), "value=\"NAME\""));
        }
        assert_eq!(app.app.credentials.computed() - before, 3, "each costs a hash");
        assert!(pages[0].contains("The userid or the password is wrong."), "{}", pages[0]);
        assert_eq!(pages[0], pages[1]);
        assert_eq!(pages[0], pages[2]);
    }

    pub(super) async fn a_session_ends_unused_or_old(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::of(&app, "ann").await;
        for _ in 0..4 {
            app.clock.advance(13 * DAY);
            assert!(is_logged_in(&mut browser).await);
        }
        app.clock.advance(9 * DAY);
        assert!(!is_logged_in(&mut browser).await, "61 days are too many");
        let mut browser = Browser::of(&app, "ann").await;
        app.clock.advance(15 * DAY);
        assert!(!is_logged_in(&mut browser).await, "15 days without use are too many");
    }

    pub(super) async fn another_password_ends_every_session(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let (mut home, mut work) = (Browser::of(&app, "ann").await, Browser::of(&app, "ann").await);
        assert!(is_logged_in(&mut home).await && is_logged_in(&mut work).await);
        app.mail("ann@ann.example", "change password ann ann-secret chocolate", "").await;
        assert!(!is_logged_in(&mut home).await && !is_logged_in(&mut work).await);
    }

    pub(super) async fn a_suspended_user_is_logged_out(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::of(&app, "ann").await;
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        assert!(!is_logged_in(&mut browser).await);
    }

    pub(super) async fn a_fresh_log_in_gets_a_fresh_token(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::of(&app, "ann").await;
        let (first, mut other) = (browser.cookie.clone(), Browser::of(&app, "ann").await);
        browser.log_in("ann", "ann-secret").await;
        assert_ne!(browser.cookie, first);
        let second = std::mem::replace(&mut browser.cookie, first);
        assert!(!is_logged_in(&mut browser).await, "the one before has ended");
        browser.cookie = second;
        assert!(is_logged_in(&mut browser).await && is_logged_in(&mut other).await);
        browser.post("/logout", &[("from", "everywhere")]).await;
        assert!(!is_logged_in(&mut other).await);
    }

    pub(super) async fn a_link_logs_in_once(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::new(&app);
        let mut links = Vec::new();
        for _ in 0..2 {
            let page = browser.post("/login", &[("userid", "ANN"), ("by", "link")]).await;
            assert_eq!(page.status, 200, "{}", page.text);
            assert!(!format!("{:?}", app.tables().await).contains("/magic/"), "it lies nowhere");
            app.work().await;
            app.clock.advance(1000);
            let letter = app.letters().remove(0);
            assert_eq!(letter.to, "ann@ann.example");
            let line = letter.text.lines().find_map(|line| line.strip_prefix("http://knotpost.example"));
            links.push(line.expect("a link").to_owned());
        }
        assert_eq!(browser.get(&links[0]).await.status, 403, "only the latest is good");
        for _ in 0..2 {
            let page = browser.get(&links[1]).await;
            assert!(page.text.contains("Log in as ann"), "{}", page.text);
            assert_eq!(page.header("referrer-policy"), "no-referrer");
            assert!(!is_logged_in(&mut browser).await, "opening it changes nothing");
        }
        assert_eq!(browser.post(&links[1], &[]).await.status, 303);
        assert!(is_logged_in(&mut browser).await);
        assert_eq!(Browser::new(&app).post(&links[1], &[]).await.status, 403, "once only");
        Browser::new(&app).post("/login", &[("userid", "ann"), ("by", "link")]).await;
        app.work().await;
        let letter = app.letters().remove(0);
        let line = letter.text.lines().find_map(|line| line.strip_prefix("http://knotpost.example"));
        app.clock.advance(31 * 60_000);
        assert_eq!(browser.get(line.unwrap()).await.status, 403, "half an hour is over");
    }

    pub(super) async fn nobody_learns_who_exists_by_asking_for_a_link(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::new(&app);
        let known = browser.post("/login", &[("userid", "ann"), ("by", "link")]).await;
        let unknown = browser.post("/login", &[("userid", "eve"), ("by", "link")]).await;
        assert_eq!((known.status, known.text.replace("ann", "eve")), (unknown.status, unknown.text.clone()));
        app.work().await;
        assert_eq!(app.letters().len(), 1);
    }

    pub(super) async fn signing_up_logs_in(place: Place) {
        let app = TestApp::start_with(place, |_| {}).await;
        let mut browser = Browser::new(&app);
        let taken = [("userid", "cyd"), ("password", "cyd-secret"), ("address", "cyd@cyd.example")];
        assert_eq!(browser.post("/signup", &taken).await.status, 303);
        assert!(is_logged_in(&mut browser).await);
        app.work().await;
        app.confirm().await;
        assert_eq!(app.letters().len(), 1, "the welcome");
        let mut other = Browser::new(&app);
        assert_eq!(other.post("/signup", &taken).await.status, 409);
        for bad in [
            ("dan", "short", "d@d.example"),
            ("d n", "dan-secret", "d@d.example"),
            ("dan", "dan-secret", "x y"),
        ] {
            let page =
                other.post("/signup", &[("userid", bad.0), ("password", bad.1), ("address", bad.2)]).await;
            assert!(page.status.is_client_error(), "{bad:?} {}", page.text);
            assert!(!page.text.contains(bad.1), "no page holds a password");
        }
        assert!(other.cookie.is_none());
    }

    pub(super) async fn posts_of_other_sites_are_refused(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::of(&app, "ann").await;
        for path in ["/logout", "/login", "/signup", "/commands"] {
            for site in ["cross-site", "same-site"] {
                assert_eq!(browser.post_from(site, path, &[]).await.status, 403, "{path} from {site}");
            }
        }
        assert!(is_logged_in(&mut browser).await);
    }

    pub(super) async fn a_log_in_leads_back_but_not_away(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut browser = Browser::new(&app);
        let fields = |next| [("userid", "ann"), ("password", "ann-secret"), ("next", next)];
        let page = browser.post("/login", &fields("/settings?x=1")).await;
        assert_eq!(page.header("location"), "/settings?x=1");
        for away in ["https://evil.example/", "//evil.example/", "/\\evil.example"] {
            assert_eq!(browser.post("/login", &fields(away)).await.header("location"), "/");
        }
    }
}
