//! Mail that stays on the machine, read in a browser there.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use knotpost_server::inbound::Desk;
use knotpost_server::outbound::maildir::Maildir;
use knotpost_server::service::UserEdit;
use knotpost_server::web::{Web, router};
use tower::ServiceExt as _;

use super::browser::Browser;
use crate::harness::{Page, Place, TestApp, edit_user};

const HERE: [u8; 4] = [127, 0, 0, 1];

/// A server whose mail stays here, and its mail folder.
struct House {
    app: TestApp,
    router: Router,
    mails: Maildir,
    folder: tempfile::TempDir,
}

impl House {
    async fn new() -> Self {
        let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "ada"]).await;
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mails = Maildir::open(folder.path().join("out")).unwrap();
        let desk = Arc::new(Desk::new(Arc::clone(&app.app)));
        let web = Web::new(Arc::clone(&app.app), desk, None).with_mailbox(Some(Arc::new(mails.clone())));
        Self { app, router: router(web), mails, folder }
    }

    async fn ask(&self, from: [u8; 4], path: &str, headers: &[(&str, &str)]) -> Page {
        let mut request = Request::get(path).extension(ConnectInfo(SocketAddr::from((from, 4000))));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        // As a browser reads it.
        let text = String::from_utf8_lossy(&bytes).replace("&#x2f;", "/");
        Page { status: parts.status, headers: parts.headers, text }
    }

    /// Asked by a browser on this machine.
    async fn here(&self, path: &str) -> Page {
        self.ask(HERE, path, &[("host", "127.0.0.1:8080")]).await
    }

    fn deliver(&self, to: &str, subject: &str) -> String {
        let mail = format!(
            "Return-Path: <>\nDelivered-To: {to}\nSubject: {subject}\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\nHello.\n"
        );
        self.mails.deliver(mail.as_bytes()).unwrap()
    }
}

const HOSTILE: &str = "Return-Path: <>\nDelivered-To: bob@example.org\nSubject: <script>alert(1)</script>\n\
MIME-Version: 1.0\nContent-Type: multipart/related; boundary=r\n\n\
--r\nContent-Type: multipart/alternative; boundary=a\n\n\
--a\nContent-Type: text/plain\n\n<b>bold</b> http://knotpost.example/confirm/17.abc and http://evil.example/x\n\
--a\nContent-Type: text/html\n\n<img src=\"cid:board@x\"><script>alert(2)</script>\n--a--\n\
--r\nContent-Type: image/png\nContent-Transfer-Encoding: base64\nContent-ID: <board@x>\n\niVBORw==\n\
--r\nContent-Type: image/svg+xml\nContent-ID: <evil@x>\n\n<svg onload='alert(3)'/>\n--r--\n";

#[tokio::test]
async fn mail_is_read_on_this_machine_and_by_administrators_alone() {
    let house = House::new().await;
    let name = house.deliver("ann@example.org", "Your turn");
    let (ann, ada) = (Browser::of(&house.app, "ann").await, Browser::of(&house.app, "ada").await);
    let (ann, ada) = (ann.cookie.clone().unwrap(), ada.cookie.clone().unwrap());
    let host = ("host", "127.0.0.1:8080");
    for path in ["/mailbox".to_owned(), format!("/mailbox/{name}"), format!("/mailbox/{name}/raw")] {
        assert_eq!(house.here(&path).await.status, 200, "{path}");
        assert_eq!(house.ask(HERE, &path, &[("host", "localhost")]).await.status, 200);
        assert_eq!(house.ask([192, 0, 2, 7], &path, &[("cookie", &ada)]).await.status, 200);
        for (from, headers) in [
            ([192, 0, 2, 7], vec![host]),
            ([192, 0, 2, 7], vec![("cookie", ann.as_str())]),
            (HERE, vec![host, ("x-forwarded-for", "192.0.2.7")]),
            (HERE, vec![host, ("forwarded", "for=192.0.2.7")]),
            (HERE, vec![host, ("x-real-ip", "192.0.2.7")]),
            // A page of another site whose name leads to this machine.
            (HERE, vec![("host", "evil.example:8080")]),
            (HERE, vec![]),
        ] {
            assert_eq!(house.ask(from, &path, &headers).await.status, 404, "{path} {from:?} {headers:?}");
        }
    }
    // Where mail leaves the machine there is no mailbox.
    let request = Request::get("/mailbox").extension(ConnectInfo(SocketAddr::from((HERE, 4000))));
    let page = house.app.send(request.header("host", "localhost").body(Body::empty()).unwrap()).await;
    assert_eq!(page.status, 404);
}

#[tokio::test]
async fn mails_are_listed_the_newest_first_page_by_page_and_by_recipient() {
    let house = House::new().await;
    for number in 0..120 {
        let to = if number % 40 == 0 { "ann@example.org" } else { "bob@example.org" };
        house.deliver(to, &format!("Mail {number:03}"));
    }
    let mut seen = Vec::new();
    let mut path = "/mailbox".to_owned();
    loop {
        let page = house.here(&path).await;
        let links = page.text.split("\">Mail ").skip(1);
        let subjects = links.filter_map(|rest| rest.get(..3)?.parse::<u32>().ok());
        seen.extend(subjects);
        let Some((_, rest)) = page.text.split_once("<p><a href=\"/mailbox?") else { break };
        path = format!("/mailbox?{}", rest.split('"').next().unwrap().replace("&amp;", "&"));
    }
    assert_eq!(seen, (0..120).rev().collect::<Vec<_>>());
    let page = house.here("/mailbox?to=ANN@").await;
    let links = page.text.split("\">Mail ").skip(1).filter_map(|rest| rest.get(..3)?.parse::<u32>().ok());
    let found: Vec<u32> = links.collect();
    assert_eq!(found, [80, 40, 0]);
    assert!(house.here("/mailbox?to=nobody").await.text.contains("no such mail"));
}

#[tokio::test]
async fn what_stands_in_a_mail_does_nothing() {
    let house = House::new().await;
    let name = house.mails.deliver(HOSTILE.as_bytes()).unwrap();
    let list = house.here("/mailbox").await;
    assert!(!list.text.contains("<script") && list.text.contains("&lt;script"), "{}", list.text);
    let page = house.here(&format!("/mailbox/{name}")).await;
    assert!(!page.text.contains("<script") && !page.text.contains("<b>bold"), "{}", page.text);
    assert!(
        page.text.contains("sandbox=\"\"") && page.text.contains(&format!("src=\"/mailbox/{name}/page\""))
    );
    assert!(page.text.contains("href=\"/confirm/17.abc\"") && !page.text.contains("href=\"http://evil"));
    assert!(page.header("content-security-policy").contains("frame-src 'self'"));
    let frame = house.here(&format!("/mailbox/{name}/page")).await;
    let policy = frame.header("content-security-policy");
    assert!(policy.starts_with("sandbox; default-src 'none'") && !policy.contains("script"), "{policy}");
    assert!(frame.text.contains("src=\"data:image/png;base64,iVBORw==\""), "{}", frame.text);
    assert!(!frame.text.contains("onload"), "a drawing is not put into the page");
    let raw = house.here(&format!("/mailbox/{name}/raw")).await;
    assert_eq!((raw.header("content-type"), raw.text.as_str()), ("message/rfc822", HOSTILE));
    assert!(raw.header("content-disposition").starts_with("attachment; filename=\""));
    assert_eq!(raw.header("cache-control"), "no-store");
}

#[tokio::test]
async fn names_of_mails_lead_nowhere_else() {
    let house = House::new().await;
    std::fs::write(house.folder.path().join("secret"), "the secret").unwrap();
    std::fs::write(house.folder.path().join("out/new/.hidden"), "hidden").unwrap();
    for name in
        ["..%2F..%2Fsecret", "..%2Fsecret", "%2Fetc%2Fpasswd", "..", ".hidden", "a%00b", "nothing", "%FF"]
    {
        for end in ["", "/page", "/raw"] {
            let page = house.here(&format!("/mailbox/{name}{end}")).await;
            assert!([400, 404].contains(&page.status.as_u16()), "{name}{end}: {}", page.status);
            assert!(!page.text.contains("the secret"), "{name}{end}");
        }
    }
}
