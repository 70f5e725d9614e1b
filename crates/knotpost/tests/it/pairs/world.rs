//! What the use cases are about: players, boards, mails that wait, links that were mailed.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::Request;
use knotpost_core::admin::UserEdit;
use knotpost_core::config::{Config, Confirm};
use knotpost_core::records::export_record;
use knotpost_model::BoardRef;
use knotpost_storage::{MailFilter, Window};
use knotpost_transport::outbound::Sent;
use secrecy::SecretString;
use serde_json::json;

use crate::harness::{HOUR, Letter, Place, TestApp, command_request, edit_user};

/// The process that keeps the boards' clock.
pub(super) const HOLDER: &str = "the test";
/// From ten in the morning until after the hour at which mails of the day are due.
const UNTIL_EVENING: i64 = 9 * HOUR;
/// After these, what was asked for before is of no use to anybody.
const DAYS: i64 = 72 * HOUR;

/// What whoever uses the world has to know of it.
pub(super) struct World {
    cookies: BTreeMap<&'static str, String>,
    links: BTreeMap<&'static str, String>,
    /// What ann's program shows.
    pub(super) key: String,
    /// A game that was played elsewhere.
    pub(super) record: String,
    /// The mail that waits for ann.
    pub(super) waiting_mail: i64,
    /// The return path of a mail that bob got.
    return_path: String,
}

/// The settings of every server of the world.
pub(super) fn settings(config: &mut Config, url: &str) {
    url.clone_into(&mut config.database.url.0);
    config.secrets.key = SecretString::from("ab".repeat(32));
    config.accounts.confirm_addresses = Confirm::On;
    config.webhooks.allow_private = true;
}

impl World {
    /// Makes it by playing.
    pub(super) async fn make(app: &TestApp) -> Self {
        let mut world = Self {
            cookies: BTreeMap::new(),
            links: BTreeMap::new(),
            key: String::new(),
            record: played_elsewhere().await,
            waiting_mail: 0,
            return_path: String::new(),
        };
        for name in ["ann", "bob", "cyd", "dan", "fay", "ada"] {
            say(app, &format!("signup {name} {name}-secret {name}@{name}.example")).await;
            app.work().await;
            app.confirm().await;
            app.letters();
        }
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        app.hold_clock(HOLDER, app.app.clock.now()).await;
        world.broadcast(app).await;
        world.write_letters(app).await;
        set_boards_up(app).await;
        app.work().await;
        app.letters();
        // Bob's mail of the day waits from here on.
        say(app, "osbox move 107 ann ann-secret f1").await;
        app.clock.advance(UNTIL_EVENING);
        world.write_short_letters(app).await;
        world.log_in(app).await;
        while app.sender.send_next().await.unwrap() {}
        app.letters();
        // Ann's mail waits for the next server that sends one.
        say(app, "osbox move 101 bob bob-secret e9").await;
        app.hold_clock(HOLDER, app.app.clock.now()).await;
        let filter = MailFilter {
            state: "queued".to_owned(),
            addresses: vec!["ann@ann.example".to_owned()],
            ..MailFilter::default()
        };
        let mut tx = app.app.store.read().await.unwrap();
        let waiting = tx.list_outbox(&filter, Window { low: 0, high: i64::MAX }, 1).await.unwrap();
        world.waiting_mail = waiting.first().expect("a mail that waits").id;
        world
    }

    /// The mails with links.
    async fn write_letters(&mut self, app: &TestApp) {
        say(app, "signup eve eve-secret eve@eve.example").await;
        self.links.insert("eve confirms", link(&letter_to(app, "eve@eve.example").await));
        say(app, "add dan dan-secret dan@two.example").await;
        app.work().await;
        app.confirm().await;
        app.letters();
        app.clock.advance(1000);
        say(app, "add dan dan-secret dan@three.example").await;
        app.work().await;
        for letter in app.letters() {
            match letter.to.as_str() {
                "dan@three.example" => self.links.insert("dan confirms", link(&letter)),
                "dan@dan.example" => self.links.insert("dan did not", link(&letter)),
                _ => None,
            };
        }
    }

    /// Links that are good for a short time.
    async fn write_short_letters(&mut self, app: &TestApp) {
        say(app, "password dan").await;
        self.links.insert("dan resets", link(&letter_to(app, "dan@dan.example").await));
        let form = Request::post("/login").header("content-type", "application/x-www-form-urlencoded");
        let form =
            form.header("sec-fetch-site", "same-origin").body(Body::from("userid=dan&by=link")).unwrap();
        assert_eq!(app.send(form).await.status, 200);
        self.links.insert("dan logs in", link(&letter_to(app, "dan@dan.example").await));
    }

    /// What was said to everybody days ago.
    async fn broadcast(&mut self, app: &TestApp) {
        say(app, "password fay").await;
        assert_eq!(app.post("broadcast ada ada-secret", "Hello").await.outcome(), "200 ok");
        app.work().await;
        let sent: Vec<Sent> = app.sent();
        let to = |name: &str| {
            let address = format!("{name}@{name}.example");
            sent.iter().find(|sent| sent.to == address).expect("a broadcast")
        };
        let head = String::from_utf8_lossy(&to("cyd").bytes).replace("\r\n ", "");
        let path = head.split_once("<http://knotpost.example/unsubscribe/").expect("a link").1;
        let path = path.split_once('>').expect("its end").0;
        self.links.insert("cyd unsubscribes", format!("/unsubscribe/{path}"));
        self.return_path = to("bob").from.clone().expect("a return path");
        app.clock.advance(DAYS);
    }

    /// Sessions, ann's key, bob's webhook and feeds.
    async fn log_in(&mut self, app: &TestApp) {
        for name in ["ann", "bob", "dan"] {
            let form = Request::post("/login").header("content-type", "application/x-www-form-urlencoded");
            let form = form.header("sec-fetch-site", "same-origin");
            let fields = format!("userid={name}&password={name}-secret");
            let page = app.send(form.body(Body::from(fields)).unwrap()).await;
            let cookie = page.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
            assert!(!cookie.is_empty(), "{}", page.text);
            self.cookies.insert(name, cookie);
        }
        for fields in ["act=new_hook&url=http%3A%2F%2F127.0.0.1%3A2000%2F&turn=yes", "act=new_feeds"] {
            let form = Request::post("/settings").header("content-type", "application/x-www-form-urlencoded");
            let form = form.header("sec-fetch-site", "same-origin").header("cookie", self.cookie("bob"));
            let page = app.send(form.body(Body::from(fields)).unwrap()).await;
            assert!(page.status.as_u16() < 400, "{}", page.text);
        }
        let wish = json!({ "name": "a program", "scopes": ["read", "play"] }).to_string();
        let basic = data_encoding::BASE64.encode(b"ann:ann-secret");
        let made = Request::post("/api/v1/tokens")
            .header("content-type", "application/json")
            .header("authorization", format!("Basic {basic}"));
        let page = app.send(made.body(Body::from(wish)).unwrap()).await;
        assert_eq!(page.status, 201, "{}", page.text);
        self.key = format!("Bearer {}", page.json()["token"].as_str().expect("a key"));
    }

    /// What a browser shows of somebody who is logged in.
    pub(super) fn cookie(&self, name: &str) -> &str {
        self.cookies.get(name).map_or("", String::as_str)
    }

    /// The path of a link that was mailed.
    pub(super) fn link(&self, name: &str) -> &str {
        self.links.get(name).unwrap_or_else(|| panic!("no link {name}"))
    }

    /// A report that bob's mail could not be delivered, and where it goes.
    pub(super) fn report(&self) -> (String, String) {
        let report = "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail Returned to Sender\n\
             Message-ID: <report@mx.example>\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
             --b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n\
             Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; bob@bob.example\nAction: failed\n\
             Status: 5.1.1\nDiagnostic-Code: smtp; nobody\n\n--b--\n";
        (self.return_path.clone(), report.replace('\n', "\r\n"))
    }
}

/// The boards as they stand before anything happens; see the list of cases for what each is for.
async fn set_boards_up(app: &TestApp) {
    let lines = [
        "set bob bob-secret moves=digest digest=18",
        "osbox limit cyd cyd-secret 1",
        "osbox reject fay fay-secret",
        "set ada ada-secret moves=digest",
        // 101: moves and what disturbs them. 102: ann's time is up in the evening. 103: bob is to be reminded.
        "osbox challenge ann bob",
        "osbox challenge ann bob --forfeittime=0.3",
        "osbox challenge bob ann --nagtime=0.25",
        // 104: bob proposes a draw. 105: ann has submitted. 106: bob is to move. 107: a mail of the day waits.
        "osbox challenge ann bob",
        "osbox challenge ann bob",
        "osbox challenge ann bob",
        "osbox challenge ann bob",
        "obsidio challenge -size=5 ann bob",
        // 108: nobody is to mail it.
        "osbox challenge bob ada",
        // 109: is over.
        "osbox challenge ann bob",
        "osbox move 109 ann ann-secret f1",
        "osbox move 109 bob bob-secret e9",
        "osbox resign 109 ann ann-secret",
        "osbox subscribe 101 cyd cyd-secret",
        "osbox seek ann ann-secret 1",
        "osbox move 101 ann ann-secret f1",
        "osbox move 102 ann ann-secret f1",
        "osbox move 102 bob bob-secret e9",
        "osbox move 103 bob bob-secret f1",
        "osbox move 103 ann ann-secret e9",
        "osbox move 104 ann ann-secret f1",
        "osbox move 104 bob bob-secret e9",
        "osbox move 104 bob bob-secret propose",
        "osbox submit 105 ann ann-secret f1",
        "osbox move 106 ann ann-secret f1",
        "obsidio move 101 ann ann-secret c3",
        // Dan fills it up.
        "announce bob bob-secret osbox roundrobin -players=2-3",
        "enter ann ann-secret t1",
        "enter bob bob-secret t1",
        "announce bob bob-secret osbox ladder",
        "enter dan dan-secret t2",
        "enter ann ann-secret t2",
        "enter bob bob-secret t2",
    ];
    for line in lines {
        say(app, line).await;
    }
}

async fn say(app: &TestApp, line: &str) {
    let page = app.send(command_request(line, "", &[])).await;
    assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    app.clock.advance(1000);
}

async fn letter_to(app: &TestApp, address: &str) -> Letter {
    while app.sender.send_next().await.unwrap() {}
    app.letters().into_iter().find(|letter| letter.to == address).expect("a mail")
}

fn link(letter: &Letter) -> String {
    let mut words = letter.text.split_whitespace();
    let link = words.find_map(|word| word.strip_prefix("http://knotpost.example/")).expect("a link");
    format!("/{link}")
}

async fn played_elsewhere() -> String {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    for line in [
        "osbox challenge ann bob",
        "osbox move 101 ann ann-secret f1",
        "osbox move 101 bob bob-secret e9",
        "osbox resign 101 ann ann-secret",
    ] {
        assert_eq!(app.post(line, "").await.outcome(), "200 ok", "{line}");
    }
    let board = BoardRef { game: "osbox".to_owned(), number: 101 };
    export_record(&app.app, &board, None).await.expect("a record")
}
