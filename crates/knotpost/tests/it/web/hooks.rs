//! Webhooks on the settings page and through the API, and where their requests may go.

use super::tell;

tell! {
    a_webhook_is_made_tried_renewed_and_removed_on_the_settings_page,
    programs_keep_webhooks_with_keys,
    chats_are_told_in_words_and_in_their_own_form,
    names_that_lead_inside_are_not_followed,
    certificates_are_checked;
    on_postgres:
    a_webhook_is_made_tried_renewed_and_removed_on_the_settings_page,
    chats_are_told_in_words_and_in_their_own_form,
}

mod stories {
    use std::fmt::Write as _;
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::Body;
    use axum::http::Request;
    use futures_util::future::BoxFuture;
    use knotpost_core::config::Config;
    use knotpost_transport::outbound::Courier;
    use knotpost_transport::outbound::webhook::Resolve;
    use rustls::RootCertStore;
    use serde_json::{Value, json};

    use super::super::browser::Browser;
    use crate::harness::{HookHost, Page, Place, TestApp};
    use crate::smtp_peer::self_signed;

    async fn begin(place: Place, change: impl FnOnce(&mut Config)) -> TestApp {
        let app = TestApp::start_with(place, change).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app
    }

    fn basic(userid: &str) -> String {
        let pair = format!("{userid}:{userid}-secret");
        format!("Basic {}", data_encoding::BASE64.encode(pair.as_bytes()))
    }

    async fn call(app: &TestApp, shown: &str, method: &str, path: &str, body: &Value) -> Page {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header("authorization", shown)
            .header("content-type", "application/json");
        app.send(request.body(Body::from(body)).unwrap()).await
    }

    fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
        text.split(before)
            .nth(1)
            .unwrap_or_else(|| panic!("no {before} in {text}"))
            .split(after)
            .next()
            .unwrap()
    }

    pub(super) async fn a_webhook_is_made_tried_renewed_and_removed_on_the_settings_page(place: Place) {
        let app = begin(place, |config| config.webhooks.allow_private = true).await;
        let host = HookHost::start().await;
        let mut ann = Browser::of(&app, "ann").await;
        let url = format!("{}&x=\"><script>alert('1')</script>", host.url());
        let wish = [("act", "new_hook"), ("url", url.as_str()), ("turn", "yes"), ("over", "yes")];
        let page = ann.post_from("cross-site", "/settings", &wish).await;
        assert_eq!(page.status, 403, "{}", page.text);
        assert!(!ann.get("/settings").await.text.contains("127.0.0.1"), "nothing was made");
        let page = ann.post("/settings", &wish).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"));
        let secret = between(&page.text, "aria-label=\"The secret\">", "<").to_owned();
        assert!(secret.starts_with("whsec_") && !page.text.contains("<script>alert"), "{}", page.text);
        let page = ann.get("/settings").await;
        assert!(page.text.contains("(turn, over;") && page.text.contains("no message yet"), "{}", page.text);
        assert!(!page.text.contains("<script>alert") && !page.text.contains(&secret[6..]), "{}", page.text);
        let id =
            between(&page.text, "class=\"row\"><input type=\"hidden\" name=\"id\" value=\"", "\"").to_owned();

        let page = ann.submit("/settings", &[("act", "test_hook"), ("id", &id)]).await;
        assert_eq!(page.status, 200);
        app.work().await;
        let told = host.told();
        assert!(told[0].is_signed_with(&secret) && told[0].json()["type"] == "test", "{told:?}");
        assert!(ann.get("/settings").await.text.contains("last message 2026-11-20"));
        let page = ann.post("/settings", &[("act", "renew_hook"), ("id", &id)]).await;
        let renewed = between(&page.text, "aria-label=\"The secret\">", "<").to_owned();
        assert_ne!(renewed, secret);
        host.answer_next(&["410 Gone"]);
        ann.submit("/settings", &[("act", "test_hook"), ("id", &id)]).await;
        app.work().await;
        assert!(host.told()[0].is_signed_with(&renewed));
        let page = ann.get("/settings").await;
        assert!(
            page.text.contains("Switched off 2026-11-20 10:00 UTC: the host answered 410 Gone."),
            "{}",
            page.text
        );
        assert_eq!(ann.post("/settings", &[("act", "test_hook"), ("id", &id)]).await.status, 409);
        let page = ann.submit("/settings", &[("act", "start_hook"), ("id", &id)]).await;
        assert!(!page.text.contains("Switched off"), "{}", page.text);

        // Another one's are not there, whatever is sent.
        let mut bob = Browser::of(&app, "bob").await;
        for act in ["test_hook", "renew_hook", "start_hook", "end_hook"] {
            assert_eq!(bob.post("/settings", &[("act", act), ("id", &id)]).await.status, 422, "{act}");
        }
        for (wish, words) in [
            ([("act", "new_hook"), ("url", "javascript:alert(1)"), ("turn", "yes")], "whole web address"),
            ([("act", "new_hook"), ("url", "http://ann:x@127.0.0.1/"), ("turn", "yes")], "no password"),
            ([("act", "new_hook"), ("url", "http://127.0.0.1:25/"), ("turn", "yes")], "port 443"),
            ([("act", "new_hook"), ("url", "http://127.0.0.1/"), ("burn", "yes")], "one or more of turn"),
        ] {
            let page = bob.post("/settings", &wish).await;
            assert!(page.status == 422 && page.text.contains(words), "{words}: {}", page.text);
        }
        for number in 0..10 {
            let url = format!("http://127.0.0.1:{}/", 2000 + number);
            let page = bob.post("/settings", &[("act", "new_hook"), ("url", &url), ("move", "yes")]).await;
            assert_eq!(page.status, 200, "{}", page.text);
        }
        let eleventh = [("act", "new_hook"), ("url", "http://127.0.0.1:3000/"), ("move", "yes")];
        let page = bob.post("/settings", &eleventh).await;
        assert!(page.status == 403 && page.text.contains("10 webhooks are enough"), "{}", page.text);
        let page = ann.submit("/settings", &[("act", "end_hook"), ("id", &id)]).await;
        assert!(!page.text.contains("127.0.0.1"), "{}", page.text);
        assert_eq!(ann.post("/settings", &[("act", "end_hook"), ("id", &id)]).await.status, 422);
    }

    pub(super) async fn programs_keep_webhooks_with_keys(place: Place) {
        let app = begin(place, |_| {}).await;
        let mut keys = Vec::new();
        for scope in ["read", "play"] {
            let wish = json!({ "name": "a program", "scopes": [scope] });
            let page = call(&app, &basic("ann"), "POST", "/tokens", &wish).await;
            keys.push(format!("Bearer {}", page.json()["token"].as_str().unwrap()));
        }
        let [reads, plays] = keys.try_into().unwrap();
        let wish = json!({ "url": "https://hooks.example/ann", "events": ["over", "turn", "turn"] });
        let page = call(&app, &reads, "POST", "/webhooks", &wish).await;
        assert_eq!(page.outcome(), "403 not_allowed");
        let page = call(&app, &plays, "POST", "/webhooks", &wish).await;
        assert_eq!(page.outcome(), "403 not_allowed", "a key makes no webhook");
        let page = call(&app, &basic("ann"), "POST", "/webhooks", &wish).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (201, "no-store"), "{}", page.text);
        let made = page.json();
        assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
        assert_eq!((&made["id"], &made["events"]), (&1.into(), &json!(["turn", "over"])));
        assert_eq!(call(&app, &plays, "GET", "/webhooks", &Value::Null).await.outcome(), "403 not_allowed");
        let list = call(&app, &reads, "GET", "/webhooks", &Value::Null).await;
        assert!(!list.text.contains("secret"), "{}", list.text);
        let expected = json!({ "webhooks": [{ "id": 1, "url": "https://hooks.example/ann", "events": ["turn", "over"],
            "form": "signed", "created": "2026-11-20T10:00:00Z", "delivered": null, "failing_since": null, "stopped": null, "error": null }] });
        assert_eq!(list.json(), expected);
        let page = call(&app, &plays, "POST", "/webhooks/1/secret", &Value::Null).await;
        assert_eq!(page.outcome(), "403 not_allowed", "nor a secret");
        let page = call(&app, &basic("ann"), "POST", "/webhooks/1/secret", &Value::Null).await;
        assert_ne!((page.status.as_u16(), &page.json()["secret"]), (200, &made["secret"]), "{}", page.text);
        for (method, path, body, outcome) in [
            ("POST", "/webhooks", json!({ "url": "https://hooks.example/", "events": [] }), "422 bad_value"),
            (
                "POST",
                "/webhooks",
                json!({ "url": "https://hooks.example/", "events": ["all"] }),
                "422 bad_value",
            ),
            (
                "POST",
                "/webhooks",
                json!({ "url": "http://hooks.example/", "events": ["turn"] }),
                "422 bad_value",
            ),
            ("POST", "/webhooks", json!({ "url": "https://10.0.0.1/", "events": ["turn"] }), "422 bad_value"),
            (
                "POST",
                "/webhooks",
                json!({ "url": "https://hooks.example/", "events": ["turn"], "as": "bob" }),
                "400 wrong_arguments",
            ),
            ("POST", "/webhooks/9/test", Value::Null, "404 not_found"),
            ("POST", "/webhooks/9/secret", Value::Null, "404 not_found"),
            ("POST", "/webhooks/9/start", Value::Null, "404 not_found"),
            ("DELETE", "/webhooks/9", Value::Null, "404 not_found"),
        ] {
            let needs_password = path == "/webhooks" || path.ends_with("/secret");
            let shown = if needs_password { basic("ann") } else { plays.clone() };
            let page = call(&app, &shown, method, path, &body).await;
            assert_eq!(page.outcome(), outcome, "{method} {path} {body}");
            assert_eq!(page.header("content-type"), "application/problem+json");
        }
        assert_eq!(call(&app, &basic("bob"), "DELETE", "/webhooks/1", &Value::Null).await.status, 404);
        assert_eq!(call(&app, &plays, "DELETE", "/webhooks/1", &Value::Null).await.status, 204);
        assert_eq!(
            call(&app, &reads, "GET", "/webhooks", &Value::Null).await.json(),
            json!({ "webhooks": [] })
        );
    }

    pub(super) async fn chats_are_told_in_words_and_in_their_own_form(place: Place) {
        let app = begin(place, |config| config.webhooks.allow_private = true).await;
        let host = HookHost::start().await;
        let mut ann = Browser::of(&app, "ann").await;
        for form in ["discord", "slack", "ntfy", "matrix"] {
            let url = format!("http://{}/{form}", host.place);
            let wish = [
                ("act", "new_hook"),
                ("url", url.as_str()),
                ("form", form),
                ("turn", "yes"),
                ("move", "yes"),
                ("chat", "yes"),
                ("proposal", "yes"),
                ("over", "yes"),
            ];
            let page = ann.submit("/settings", &wish).await;
            assert!(page.text.contains(&format!("{}/{form}", host.place)), "{}", page.text);
        }
        let page = ann.get("/settings").await.text;
        assert!(page.contains("a channel of Discord; turn") && !page.contains("renew_hook"), "{page}");
        let page = call(&app, &basic("ann"), "POST", "/webhooks/1/secret", &Value::Null).await;
        assert_eq!(page.outcome(), "409 conflict", "there is no secret to renew");
        let list = call(&app, &basic("ann"), "GET", "/webhooks", &Value::Null).await.json();
        assert_eq!(
            (&list["webhooks"][0]["form"], &list["webhooks"][3]["form"]),
            (&"discord".into(), &"matrix".into())
        );

        let mut script = String::new();
        for (line, words) in [
            ("osbox challenge -size=4 bob ann", ""),
            ("osbox move 101 bob bob-secret d2", "<!channel> @everyone & you"),
            ("osbox move 101 bob bob-secret propose", ""),
            ("osbox move 101 ann ann-secret reject", ""),
            ("osbox move 101 bob bob-secret undo", ""),
            ("osbox move 101 ann ann-secret accept", ""),
            ("osbox move 101 bob bob-secret d2", ""),
            ("osbox move 101 ann ann-secret f9", ""),
            ("osbox resign 101 bob bob-secret", ""),
        ] {
            assert_eq!(app.post(line, words).await.outcome(), "200 ok", "{line}");
            app.work().await;
            writeln!(script, "{line}").unwrap();
            let mut told = host.told();
            told.sort_by_key(|told| told.line.clone());
            for told in told {
                let headers: Vec<&String> =
                    told.headers.keys().filter(|name| name.starts_with("webhook-")).collect();
                assert!(headers.is_empty(), "unsigned: {headers:?}");
                let path = told.line.split(' ').nth(1).unwrap();
                let click = told.headers.get("click").map_or_else(String::new, |click| format!(" [{click}]"));
                writeln!(script, "   {path} {}{click}: {}", told.header("content-type"), told.body).unwrap();
            }
        }
        insta::assert_snapshot!("chats_are_told", script);
        let page = ann.post("/settings", &[("act", "test_hook"), ("id", "1")]).await;
        assert_eq!(page.status, 303);
        app.work().await;
        assert_eq!(host.told()[0].json()["content"], "Knotpost can reach you here.");
        for (form, outcome) in [("discord", 201), ("telegram", 422), ("push", 422)] {
            let wish = json!({ "url": "https://hooks.example/", "events": ["turn"], "form": form });
            let page = call(&app, &basic("bob"), "POST", "/webhooks", &wish).await;
            assert_eq!(page.status, outcome, "{}", page.text);
            assert!(outcome != 201 || page.json()["secret"].is_null(), "{}", page.text);
        }
    }

    /// A name server that answers the next question otherwise than the one before.
    struct Fickle(Vec<Vec<IpAddr>>, AtomicUsize);

    impl Fickle {
        fn new(answers: &[&str]) -> Arc<Self> {
            let read = |answer: &&str| answer.split_whitespace().map(|ip| ip.parse().unwrap()).collect();
            Arc::new(Self(answers.iter().map(read).collect(), AtomicUsize::new(0)))
        }
    }

    impl Resolve for Fickle {
        fn addresses(&self, _: &str) -> BoxFuture<'_, std::io::Result<Vec<IpAddr>>> {
            let number = self.1.fetch_add(1, Ordering::Relaxed);
            let answer = self.0.get(number).or(self.0.last()).cloned().unwrap_or_default();
            Box::pin(async move { Ok(answer) })
        }
    }

    /// A webhook of ann's at this address, and what became of a test event.
    async fn fate(app: &TestApp, url: &str) -> Value {
        let wish = json!({ "url": url, "events": ["turn"] });
        let made = call(app, &basic("ann"), "POST", "/webhooks", &wish).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let path = format!("/webhooks/{}", made.json()["id"]);
        assert_eq!(call(app, &basic("ann"), "POST", &format!("{path}/test"), &Value::Null).await.status, 202);
        app.work().await;
        let list = call(app, &basic("ann"), "GET", "/webhooks", &Value::Null).await.json();
        assert_eq!(call(app, &basic("ann"), "DELETE", &path, &Value::Null).await.status, 204);
        list["webhooks"][0]["error"].clone()
    }

    pub(super) async fn names_that_lead_inside_are_not_followed(place: Place) {
        let mut app = begin(place, |_| {}).await;
        let host = HookHost::start().await;
        let url = format!("https://hooks.example:{}/", host.place.port());
        for inside in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "2002:7f00:1::",
            "127.0.0.1 ::1 10.0.0.1",
        ] {
            app.courier =
                Courier::with(&app.app.config, Fickle::new(&[inside]), RootCertStore::empty()).unwrap();
            assert_eq!(fate(&app, &url).await, "hooks.example is not on the public internet", "{inside}");
        }
        app.courier = Courier::with(&app.app.config, Fickle::new(&[""]), RootCertStore::empty()).unwrap();
        assert_eq!(fate(&app, &url).await, "hooks.example has no address");
        assert_eq!(host.connections(), 0, "nobody has so much as knocked");
    }

    pub(super) async fn certificates_are_checked(place: Place) {
        let mut app = begin(place, |config| config.webhooks.allow_private = true).await;
        let (made, tls) = self_signed();
        let host = HookHost::start_with(Some(tls)).await;
        // The name is asked once: what was looked at is what is connected to.
        let names = Fickle::new(&["127.0.0.1", "192.0.2.1"]);
        let mut roots = RootCertStore::empty();
        app.courier = Courier::with(&app.app.config, Fickle::new(&["127.0.0.1"]), roots.clone()).unwrap();
        let url = |name: &str| format!("https://{name}:{}/", host.place.port());
        let error = fate(&app, &url("mail.example.org")).await;
        assert!(error.as_str().unwrap().starts_with("its certificate is not good"), "{error}");
        roots.add(made.cert.der().clone()).unwrap();
        app.courier = Courier::with(&app.app.config, Arc::clone(&names) as Arc<_>, roots.clone()).unwrap();
        assert_eq!(fate(&app, &url("mail.example.org")).await, Value::Null);
        assert_eq!((host.told().len(), names.1.load(Ordering::Relaxed)), (1, 1));
        app.courier = Courier::with(&app.app.config, Fickle::new(&["127.0.0.1"]), roots).unwrap();
        let error = fate(&app, &url("other.example.org")).await;
        assert!(error.as_str().unwrap().starts_with("its certificate is not good"), "{error}");
        assert!(host.told().is_empty());
    }
}
