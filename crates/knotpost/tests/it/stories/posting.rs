//! Mail that a provider's web hook posts.

use super::tell;

tell! {
    a_posted_mail_is_carried_out_once_and_answers_the_same_again,
    only_who_knows_the_secret_may_post,
    without_a_secret_there_is_no_such_address,
    what_is_not_taken_says_why,
    the_request_may_bring_the_envelope,
    a_key_names_one_message,
}

mod stories {
    use std::fmt::Write as _;

    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::config::Config;

    use crate::harness::{ADDRESS, Page, Place, TestApp};

    const SECRET: &str = "a-shared-secret";

    async fn start(place: Place) -> TestApp {
        let change = |config: &mut Config| {
            config.inbound.secret = SECRET.to_owned().into();
            config.inbound.max_bytes = 4096;
        };
        let app = TestApp::start_with(place, change).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app.post("osbox challenge -size=3 ann bob", "").await;
        app.work().await;
        app.letters();
        app
    }

    fn request(path: &str, headers: &[(&str, &str)], mail: &str) -> Request<Body> {
        let mut request = Request::post(path).header("content-type", "message/rfc822");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::from(mail.to_owned())).unwrap()
    }

    /// Posts with the secret, then all that follows.
    async fn bring(app: &TestApp, path: &str, headers: &[(&str, &str)], mail: &str) -> Page {
        let bearer = format!("Bearer {SECRET}");
        let headers = [&[("authorization", bearer.as_str())], headers].concat();
        let page = app.send(request(path, &headers, mail)).await;
        app.work().await;
        page
    }

    fn mail(line: &str) -> String {
        format!(
            "From: ann@ann.example\r\nTo: {ADDRESS}\r\nSubject: {line}\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n"
        )
    }

    fn said(page: &Page) -> (u16, String) {
        (page.status.as_u16(), page.text.clone())
    }

    pub(super) async fn a_posted_mail_is_carried_out_once_and_answers_the_same_again(place: Place) {
        let app = start(place).await;
        let mail = mail("osbox move 101 ann ann-secret f1");
        let first = bring(&app, "/inbound", &[], &mail).await;
        assert_eq!((first.status.as_u16(), &first.json()["ok"]), (200, &true.into()), "{}", first.text);
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 1);
        assert_eq!(app.letters().len(), 2);
        let again = bring(&app, "/inbound", &[], &mail).await;
        assert_eq!(said(&again), said(&first));
        assert_eq!(app.letters().len(), 0, "nothing happened");
        // The same mail with another way written on top is recognised as well.
        let elsewhere = format!("Received: from elsewhere by there\r\n{mail}");
        let page = bring(&app, "/inbound", &[], &elsewhere).await;
        assert_eq!(said(&page).0, 200, "{}", page.text);
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 1);
        let tables = app.tables().await;
        assert_eq!(tables.rows("inbox").len(), 2);
        assert!(tables.rows("inbox").iter().all(|row| row.contains("http")));
    }

    pub(super) async fn only_who_knows_the_secret_may_post(place: Place) {
        let app = start(place).await;
        let mail = mail("help");
        let basic = |pair: &str| format!("Basic {}", data_encoding::BASE64.encode(pair.as_bytes()));
        let (good, bad) = (basic(&format!("hook:{SECRET}")), basic("hook:wrong"));
        let bearer = format!("bearer {SECRET}");
        for wrong in [
            &[][..],
            &[("authorization", "Bearer wrong")],
            &[("authorization", "Bearer")],
            &[("authorization", "Basic ***")],
            &[("authorization", &bad)],
            &[("x-knotpost-secret", "")],
        ] {
            let page = app.send(request("/inbound", wrong, &mail)).await;
            assert_eq!(
                (page.status.as_u16(), page.json()["code"].as_str()),
                (401, Some("bad_secret")),
                "{wrong:?}"
            );
            assert!(page.header("www-authenticate").starts_with("Bearer"));
        }
        assert_eq!(app.tables().await.rows("inbox").len(), 0);
        for right in
            [("authorization", bearer.as_str()), ("authorization", &good), ("x-knotpost-secret", SECRET)]
        {
            let page = app.send(request("/inbound", &[right], &mail)).await;
            assert_eq!(page.status.as_u16(), 200, "{right:?}: {}", page.text);
        }
        assert_eq!(app.get("/inbound").await.status.as_u16(), 405, "there is nothing to look at");
    }

    pub(super) async fn without_a_secret_there_is_no_such_address(place: Place) {
        let app = TestApp::start_with(place, |_| ()).await;
        for headers in [&[][..], &[("authorization", "Bearer ")], &[("x-knotpost-secret", "")]] {
            let page = app.send(request("/inbound", headers, &mail("help"))).await;
            assert_eq!((page.status.as_u16(), page.json()["code"].as_str()), (404, Some("not_found")));
        }
    }

    pub(super) async fn what_is_not_taken_says_why(place: Place) {
        let app = start(place).await;
        let large = mail("help") + &"x".repeat(4096);
        let several = "From: ann@ann.example, bob@bob.example\r\nSubject: help\r\n\r\n";
        let mut said = String::new();
        for (what, path, headers, body) in [
            ("too large", "/inbound", &[][..], large.as_str()),
            ("no mail", "/inbound", &[], "body-plain=help&sender=ann"),
            ("a line that is no field", "/inbound", &[], "F rom: ann@ann.example\r\nSubject: help\r\n\r\n"),
            ("several authors", "/inbound", &[], several),
            ("another's address", "/inbound?to=bob@bob.example", &[], &mail("help")),
            ("no address of ours", "/inbound?to=nobody@knotpost.example", &[], &mail("help")),
            ("an empty key", "/inbound", &[("idempotency-key", "")], &mail("help")),
        ] {
            let page = bring(&app, path, headers, body).await;
            let detail = page.json()["detail"].as_str().unwrap().to_owned();
            writeln!(said, "{what}: {} {detail}", page.status.as_u16()).unwrap();
        }
        let form = Request::post("/inbound")
            .header("x-knotpost-secret", SECRET)
            .header("content-type", "multipart/form-data; boundary=x")
            .body(Body::from("--x--"))
            .unwrap();
        let page = app.send(form).await;
        let detail = page.json()["detail"].as_str().unwrap().to_owned();
        writeln!(said, "a form: {} {detail}", page.status.as_u16()).unwrap();
        insta::assert_snapshot!("posted_in_vain", said);
        assert_eq!(app.tables().await.rows("inbox").len(), 0);
        assert_eq!(app.letters().len(), 0);
    }

    pub(super) async fn the_request_may_bring_the_envelope(place: Place) {
        let app = start(place).await;
        let (local, domain) = ADDRESS.split_once('@').unwrap();
        let tagged = format!("<{local}+tag@{domain}>, elsewhere@example.org");
        let headers = [("x-envelope-from", "<sender@ann.example>"), ("x-envelope-to", tagged.as_str())];
        assert_eq!(bring(&app, "/inbound", &headers, &mail("help")).await.status.as_u16(), 200);
        let query = format!("/inbound?from=&to={local}%2Bquery@{domain}");
        assert_eq!(bring(&app, &query, &[], &mail("list")).await.status.as_u16(), 200);
        let tables = app.tables().await;
        let rows = tables.rows("inbox");
        assert!(
            rows.iter().any(|row| row.contains("sender@ann.example") && row.contains("+tag@")),
            "{rows:?}"
        );
        assert!(rows.iter().any(|row| row.contains("null_sender") && row.contains("+query@")), "{rows:?}");
        assert!(rows.iter().all(|row| !row.contains("elsewhere")), "{rows:?}");
    }

    pub(super) async fn a_key_names_one_message(place: Place) {
        let app = start(place).await;
        let key = [("idempotency-key", "delivery 17")];
        let first = bring(&app, "/inbound", &key, &mail("osbox move 101 ann ann-secret f1")).await;
        assert_eq!(first.status.as_u16(), 200, "{}", first.text);
        let again = bring(&app, "/inbound", &key, &mail("osbox move 101 ann ann-secret f1")).await;
        assert_eq!(said(&again), said(&first));
        let other = bring(&app, "/inbound", &key, &mail("help")).await;
        assert_eq!((other.status.as_u16(), other.json()["code"].as_str()), (409, Some("conflict")));
        assert_eq!(app.tables().await.rows("inbox").len(), 1);
    }
}
