//! Mail that stays on the machine, read in a browser there.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use knotpost_core::admin::UserEdit;
use knotpost_core::mailing::LocalMailbox as _;
use knotpost_platform::secret::MailboxKey;
use knotpost_transport::inbound::MailIntake;
use knotpost_transport::outbound::{Attempt, Maildir};
use knotpost_web::{Web, router};
use tower::ServiceExt as _;

use super::browser::Browser;
use crate::harness::{Page, Place, TestApp, edit_user};

const HERE: [u8; 4] = [127, 0, 0, 1];

/// A server whose mail stays here, and its mail folder.
struct House {
    app: TestApp,
    router: Router,
    mails: Maildir,
    key: MailboxKey,
    folder: tempfile::TempDir,
}

impl House {
    /// On a server that its own machine alone reaches.
    async fn new() -> Self {
        Self::at("http://127.0.0.1:8080").await
    }

    async fn at(public_url: &str) -> Self {
        let app = TestApp::start_with(Place::Sqlite, |config| {
            public_url.clone_into(&mut config.server.public_url);
        })
        .await;
        for name in ["ann", "bob", "ada"] {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mails = Maildir::open(folder.path().join("out")).unwrap();
        let intake = Arc::new(MailIntake::new(Arc::clone(&app.app)));
        let key = MailboxKey::fresh(app.app.entropy.as_ref()).unwrap();
        let web =
            Web::new(Arc::clone(&app.app), intake, None).with_mailbox(Arc::new(mails.clone()), key.clone());
        Self { app, router: router(web), mails, key, folder }
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

    /// Asked by a browser on this machine that has the key.
    async fn here(&self, path: &str) -> Page {
        self.ask(HERE, path, &[("host", "127.0.0.1:8080"), ("cookie", &self.cookie())]).await
    }

    fn cookie(&self) -> String {
        format!("knotpost-mailbox={}", self.key.reveal())
    }

    /// Returns the name of the mail, later than that of the one before.
    fn store(&self, mail: &[u8]) -> String {
        let name = format!("{}.test.knotpost", self.mails.newest(None, 999).unwrap().len());
        self.mails.deliver(&name, mail, Attempt::First).unwrap();
        name
    }

    fn deliver(&self, to: &str, subject: &str) -> String {
        let mail = format!(
            "Return-Path: <>\nDelivered-To: {to}\nSubject: {subject}\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\nHello.\n"
        );
        self.store(mail.as_bytes())
    }
}

const HOSTILE: &str = "Return-Path: <>\nDelivered-To: bob@example.org\nSubject: <script>alert(1)</script>\n\
MIME-Version: 1.0\nContent-Type: multipart/related; boundary=r\n\n\
--r\nContent-Type: multipart/alternative; boundary=a\n\n\
--a\nContent-Type: text/plain\n\n<b>bold</b> http://127.0.0.1:8080/confirm/17.abc and http://evil.example/x\n\
--a\nContent-Type: text/html\n\n<img src=\"cid:board@x\"><script>alert(2)</script>\n--a--\n\
--r\nContent-Type: image/png\nContent-Transfer-Encoding: base64\nContent-ID: <board@x>\n\niVBORw==\n\
--r\nContent-Type: image/svg+xml\nContent-ID: <evil@x>\n\n<svg onload='alert(3)'/>\n--r--\n";

#[tokio::test]
async fn mail_is_read_with_the_key_of_this_start_and_by_administrators_alone() {
    for public_url in ["http://127.0.0.1:8080", "https://games.example"] {
        let house = House::at(public_url).await;
        let name = house.deliver("ann@example.org", "Your turn");
        let (ann, ada) = (Browser::of(&house.app, "ann").await, Browser::of(&house.app, "ada").await);
        let (ann, ada) = (ann.cookie.clone().unwrap(), ada.cookie.clone().unwrap());
        let host = ("host", "127.0.0.1:8080");
        let (key, wrong) = (house.cookie(), format!("knotpost-mailbox={}", "0".repeat(32)));
        for path in ["/mailbox".to_owned(), format!("/mailbox/{name}"), format!("/mailbox/{name}/raw")] {
            for shown in [&key, &ada] {
                let page = house.ask([192, 0, 2, 7], &path, &[("cookie", shown)]).await;
                assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{path}");
            }
            for (from, headers) in [
                ([192, 0, 2, 7], vec![host]),
                ([192, 0, 2, 7], vec![("cookie", ann.as_str())]),
                ([192, 0, 2, 7], vec![("cookie", wrong.as_str())]),
                (HERE, vec![host, ("x-forwarded-for", "192.0.2.7")]),
                (HERE, vec![host, ("via", "1.1 proxy")]),
                // A page of another site whose name leads to this machine.
                (HERE, vec![("host", "evil.example:8080")]),
                (HERE, vec![]),
            ] {
                assert_eq!(house.ask(from, &path, &headers).await.status, 404, "{path} {from:?} {headers:?}");
            }
            // Whoever sits at the machine is told where the key is, and nothing else; on a public server that may be
            // anybody behind a proxy.
            let page = house.ask(HERE, &path, &[host]).await;
            let is_told = public_url.starts_with("http://127.");
            assert_eq!(page.status, if is_told { 403 } else { 404 }, "{path}");
            assert_eq!(page.text.contains("mailbox_key"), is_told, "{}", page.text);
            assert!(!page.text.contains(house.key.reveal()) && !page.text.contains("Your turn"));
        }
    }
    // Where mail leaves the machine there is no mailbox.
    let app = TestApp::start().await;
    let request = Request::get("/mailbox").extension(ConnectInfo(SocketAddr::from((HERE, 4000))));
    assert_eq!(app.send(request.header("host", "localhost").body(Body::empty()).unwrap()).await.status, 404);
}

#[tokio::test]
async fn the_key_in_the_address_becomes_a_cookie() {
    let house = House::at("https://games.example").await;
    house.deliver("ann@example.org", "Your turn");
    let key = house.key.reveal();
    let path = format!("/mailbox?to=ann%40example.org&key={key}");
    for (host, secure) in [("127.0.0.1:8080", ""), ("games.example", "; Secure")] {
        let page = house.ask(HERE, &path, &[("host", host)]).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/mailbox?to=ann%40example.org"));
        let expected = format!("knotpost-mailbox={key}; Path=/mailbox; HttpOnly; SameSite=Strict{secure}");
        assert_eq!(
            (page.header("set-cookie"), page.header("cache-control")),
            (expected.as_str(), "no-store")
        );
    }
    for wrong in ["", "0", &"0".repeat(32), &key[..31], &format!("{key}0"), &key.to_uppercase()] {
        let page = house.ask(HERE, &format!("/mailbox?key={wrong}"), &[("host", "127.0.0.1")]).await;
        assert_eq!((page.status.as_u16(), page.header("set-cookie")), (404, ""), "{wrong}");
    }
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
    let name = house.store(HOSTILE.as_bytes());
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
