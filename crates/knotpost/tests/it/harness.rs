//! A complete server inside the test's own process: a data folder of its own, a clock that stands
//! still, randomness that repeats, and mail that leaves into memory.
//!
//! Tests mail, post and look; what they cannot do is reach around the edges: every change goes the
//! way a player's would.

mod deployed;
mod hook_host;
mod letter;
mod page;
mod passing;
mod ports;
mod replying;
mod sending;
mod tables;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use knotpost_core::admin::{AdminAction, Administrator, UserEdit, administer};
use knotpost_core::app::App;
use knotpost_core::boards::ServiceError;
use knotpost_core::config::Config;
use knotpost_core::play::computer;
use knotpost_model::Millis;
use knotpost_platform::clock::{Entropy, ManualClock};
use knotpost_program::{server, worker};
use knotpost_rules::{AnyGame, OptionKind, Registry};
use knotpost_transport::inbound::{Envelope, Intake, MailIntake, Receipt, Way};
use knotpost_transport::outbound::{Courier, DeliveryWorker, MemoryBox, SendError, Sent, Transport, webhook};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::postgres::TestDatabase;

pub(crate) use hook_host::{HookHost, Told};
pub(crate) use letter::{Letter, Shown, show_all, show_drawn};
pub(crate) use passing::{DAY, HOLDER, HOUR};
pub(crate) use ports::free_address;
pub(crate) use replying::{Draft, Mailboxes, raw_reply};
pub(crate) use sending::{CaseOutcome, Correspondence, mail_fixture};
pub(crate) use tables::Tables;

static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]));

static ALL_GAMES: LazyLock<Registry> = LazyLock::new(knotpost_games::registry);

/// 20 November 2026, 10:00 UTC.
const START: Millis = Millis(1_795_168_800_000);
/// Where commands are mailed to.
pub(crate) const ADDRESS: &str = "games@knotpost.example";
/// The largest answer a test reads.
const MOST_BYTES: usize = 4 << 20;

/// Which database a test runs on.
pub(crate) enum Place {
    Sqlite,
    Postgres(Box<TestDatabase>),
    /// The deployed profile: limits on, addresses to be confirmed, a relay and a proxy in front; on SQLite without a
    /// database.
    Deployed(Option<Box<TestDatabase>>),
}

/// Randomness that is the same in every run, and at every place: what only one place draws comes from another row.
#[derive(Debug, Default)]
struct Repeating {
    next: AtomicU64,
    next_aside: AtomicU64,
    is_aside: AtomicBool,
}

impl Entropy for Repeating {
    /// `SplitMix64`: enough for bytes that only have to differ from one another.
    fn fill(&self, bytes: &mut [u8]) -> std::io::Result<()> {
        let is_aside = self.is_aside.load(Ordering::Relaxed);
        let next = if is_aside { &self.next_aside } else { &self.next };
        for chunk in bytes.chunks_mut(8) {
            // Both are odd: multiples of them meet in no test.
            let step: u64 = if is_aside { 0xd134_2543_de82_ef95 } else { 0x9e37_79b9_7f4a_7c15 };
            let mut word = next.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(word ^ (word >> 31)).to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// A server to talk to.
pub(crate) struct TestApp {
    pub(crate) app: Arc<App>,
    pub(crate) intake: MailIntake,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) data: TempDir,
    pub(crate) transport: Arc<Transport>,
    pub(crate) sender: DeliveryWorker,
    pub(crate) courier: Courier,
    router: Router,
    entropy: Arc<Repeating>,
    mails: AtomicU32,
    // Last: the database is dropped after everything that is connected to it.
    place: Place,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) text: String,
}

impl Page {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// One header as text, empty when absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// Status and code of an error, `ok` without one.
    pub(crate) fn outcome(&self) -> String {
        let json = self.json();
        let code = json["error"]["code"].as_str().or(json["code"].as_str()).unwrap_or("ok").to_owned();
        format!("{} {code}", self.status.as_u16())
    }
}

impl TestApp {
    /// A server on `SQLite`, without request limits and without confirmations.
    pub(crate) async fn start() -> Self {
        Self::start_with(Place::Sqlite, |_| {}).await
    }

    /// A server on that database, its settings changed.
    pub(crate) async fn start_with(place: Place, change: impl FnOnce(&mut Config)) -> Self {
        Self::start_drawing(0, place, change).await
    }

    /// What is drawn by chance from now on is what this seed gives.
    pub(crate) fn draw_from(&self, seed: u64) {
        self.entropy.next.store(seed, Ordering::Relaxed);
    }

    /// The same with randomness of its own: two servers of one database must not draw the same.
    pub(crate) async fn start_drawing(seed: u64, place: Place, change: impl FnOnce(&mut Config)) -> Self {
        Self::start_of(&REGISTRY, seed, place, change).await
    }

    async fn start_of(
        games: &'static Registry,
        seed: u64,
        place: Place,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(ManualClock::at(START));
        let mut config = Config::default();
        config.server.data = data.path().to_owned();
        ADDRESS.clone_into(&mut config.server.address);
        "http://knotpost.example".clone_into(&mut config.server.public_url);
        "memory:".clone_into(&mut config.mail.transport.0);
        config.limits.enabled = false;
        if let Place::Postgres(database) | Place::Deployed(Some(database)) = &place {
            database.url().clone_into(&mut config.database.url.0);
        }
        if matches!(place, Place::Deployed(_)) {
            deployed::settings(&mut config);
        }
        change(&mut config);
        let entropy = Arc::new(Repeating { next: AtomicU64::new(seed), ..Repeating::default() });
        Self::assemble(games, config, clock, data, entropy, AtomicU32::new(0), place).await
    }

    /// The same server after a stop and a start, its settings changed.
    pub(crate) async fn start_again(self, change: impl FnOnce(&mut Config)) -> Self {
        let games = self.app.games.registry;
        self.start_again_of(games, change).await
    }

    /// The same server in a version with every game there is.
    pub(crate) async fn start_again_with_all_games(self) -> Self {
        self.start_again_of(&ALL_GAMES, |_| {}).await
    }

    async fn start_again_of(self, games: &'static Registry, change: impl FnOnce(&mut Config)) -> Self {
        let Self { app, clock, data, entropy, mails, place, .. } = self;
        let mut config = app.config.clone();
        change(&mut config);
        app.store.close().await;
        Self::assemble(games, config, clock, data, entropy, mails, place).await
    }

    async fn assemble(
        games: &'static Registry,
        config: Config,
        clock: Arc<ManualClock>,
        data: TempDir,
        entropy: Arc<Repeating>,
        mails: AtomicU32,
        place: Place,
    ) -> Self {
        let transport =
            Arc::new(Transport::from_url(&config.mail.transport, data.path()).expect("a transport"));
        let courier = Courier::new(&config).expect("TLS");
        let app = server::open(
            config,
            games,
            knotpost_games::find_bot,
            Arc::clone(&clock) as Arc<_>,
            Arc::clone(&entropy) as Arc<_>,
            server::Opening::Serve,
        )
        .await
        .expect("it opens");
        let router = knotpost_web::router(knotpost_web::Web::new(
            Arc::clone(&app),
            Arc::new(MailIntake::new(Arc::clone(&app))),
            None,
        ));
        let intake = MailIntake::new(Arc::clone(&app));
        let sender = DeliveryWorker::new(Arc::clone(&app), Arc::clone(&transport));
        Self { app, intake, clock, data, transport, sender, courier, router, entropy, mails, place }
    }

    /// A server where these have signed up: `ann` reads `ann@ann.example`, her password is `ann-secret`.
    pub(crate) async fn with_players(place: Place, names: &[&str]) -> Self {
        let app = Self::start_with(place, |_| {}).await;
        for name in names {
            app.sign_up(name).await;
        }
        app
    }

    /// The same with every game there is. Whole games by clicks are quicker than people.
    pub(crate) async fn with_all_games(place: Place, names: &[&str]) -> Self {
        let app =
            Self::start_of(&ALL_GAMES, 0, place, |config| config.limits.http_per_minute = 1_000_000).await;
        for name in names {
            app.sign_up(name).await;
        }
        app
    }

    /// Signs somebody up over HTTP and reads the welcome.
    pub(crate) async fn sign_up(&self, name: &str) {
        let page = self.post(&format!("signup {name} {name}-secret {name}@{name}.example"), "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        self.work().await;
        self.confirm().await;
        self.letters();
    }

    /// A mail from `from` with this Subject and text; then everything that follows from it.
    pub(crate) async fn mail(&self, from: &str, subject: &str, body: &str) -> Receipt {
        let number = self.mails.fetch_add(1, Ordering::Relaxed) + 1;
        self.mail_with(from, &format!("Subject: {subject}\r\nMessage-ID: <{number}@{from}>\r\n"), body).await
    }

    /// The same with these headers beside From and To.
    pub(crate) async fn mail_with(&self, from: &str, headers: &str, body: &str) -> Receipt {
        let raw = format!("From: {from}\r\nTo: {ADDRESS}\r\n{headers}\r\n{}\r\n", body.replace('\n', "\r\n"));
        let receipt = self.receive(Some(from), raw.as_bytes()).await;
        self.work().await;
        receipt
    }

    /// A mail for which its domain vouches, as a host tells whose word `inbound.trusted_authserv` lists as
    /// `mx.knotpost.example`; then everything that follows from it.
    pub(crate) async fn mail_aligned(&self, from: &str, subject: &str) {
        let number = self.mails.fetch_add(1, Ordering::Relaxed) + 1;
        let (_, domain) = from.split_once('@').expect("an address");
        let raw = format!(
            "Authentication-Results: mx.knotpost.example; dmarc=pass header.from={domain}\r\n\
             From: {from}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <{number}@{domain}>\r\n\r\n",
        );
        let envelope = Envelope {
            way: Way::Pipe,
            peer: None,
            helo: None,
            mail_from: Some(from.to_owned()),
            recipients: vec![ADDRESS.to_owned()],
        };
        self.intake.receive(envelope, raw.into_bytes()).await;
        self.work().await;
    }

    /// Hands in a message as it came, and does nothing else.
    pub(crate) async fn receive(&self, mail_from: Option<&str>, raw: &[u8]) -> Receipt {
        self.receive_at(mail_from, &[ADDRESS], raw).await
    }

    /// The same, with these recipients.
    pub(crate) async fn receive_at(
        &self,
        mail_from: Option<&str>,
        recipients: &[&str],
        raw: &[u8],
    ) -> Receipt {
        let (peer, raw) = match self.place {
            Place::Deployed(_) => deployed::relay(mail_from, raw),
            Place::Sqlite | Place::Postgres(_) => (None, raw.to_vec()),
        };
        let envelope = Envelope {
            way: Way::Smtp,
            peer,
            helo: None,
            mail_from: mail_from.map(str::to_owned),
            recipients: recipients.iter().map(|to| (*to).to_owned()).collect(),
        };
        self.intake.receive(envelope, raw).await
    }

    /// Does all waiting work: received mail, then outgoing mail and what webhooks are told, until nothing is due.
    pub(crate) async fn work(&self) {
        while self.intake.process_next().await.expect("the inbox works")
            || worker::walk_round(&self.app).await.expect("digests and broadcasts work")
            || self.sender.send_next().await.expect("the outbox works")
            || webhook::send_next(&self.app, &self.courier).await.expect("webhooks are told")
        {}
    }

    /// Makes the accounts of the computer players, as a server does that starts.
    pub(crate) async fn enlist_bots(&self) {
        let taken = computer::enlist(&self.app.store, self.app.clock.as_ref()).await.expect("accounts");
        assert_eq!(taken, [] as [&str; 0], "their names are free");
    }

    /// Lets the computer players move until no turn of theirs is due; returns how many there were.
    pub(crate) async fn let_bots_play(&self) -> usize {
        let (budget, stop) = (worker::Budget::new(&self.app.config.bots), CancellationToken::new());
        let mut turns = 0;
        while worker::play_next(&self.app, &budget, &stop).await.expect("they decide") {
            turns += 1;
        }
        turns
    }

    /// The mails sent since the last look.
    pub(crate) fn letters(&self) -> Vec<Letter> {
        self.memory().take().iter().map(Letter::read).collect()
    }

    /// Where mails go.
    fn memory(&self) -> &MemoryBox {
        let Transport::Memory(memory) = &*self.transport else { panic!("tests send into memory") };
        memory
    }

    /// The same as they left, with their return paths.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.memory().take()
    }

    /// Lets the next sending fail.
    pub(crate) fn fail_next(&self, error: SendError) {
        self.memory().fail_next(error);
    }

    /// A command over HTTP, as JSON; its mails wait for [`TestApp::work`].
    pub(crate) async fn post(&self, line: &str, body: &str) -> Page {
        self.send(command_request(line, body, &[])).await
    }

    /// The same with more headers.
    pub(crate) async fn post_with(&self, line: &str, body: &str, headers: &[(&str, &str)]) -> Page {
        self.send(command_request(line, body, headers)).await
    }

    /// A page or a resource.
    pub(crate) async fn get(&self, path: &str) -> Page {
        self.send(Request::get(path).body(Body::empty()).expect("a request")).await
    }

    /// Any request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Page {
        let response = self.router.clone().oneshot(request).await.expect("the router never fails");
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, MOST_BYTES).await.expect("a whole body");
        // A picture is compared by what can be read of it.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Page { status: parts.status, headers: parts.headers, text }
    }

    /// Any request: the status of the answer, and how many bytes it has.
    pub(crate) async fn send_any(&self, request: Request<Body>) -> (StatusCode, usize) {
        let response = self.open(request).await;
        let (parts, body) = response.into_parts();
        (parts.status, to_bytes(body, MOST_BYTES).await.expect("a whole body").len())
    }

    /// Any request; the answer may have no end.
    pub(crate) async fn open(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().oneshot(request).await.expect("the router never fails")
    }

    /// Everything that is stored, as text.
    pub(crate) async fn tables(&self) -> Tables {
        match &self.place {
            Place::Sqlite | Place::Deployed(None) => Tables::of_sqlite(&self.data.path().join("knotpost.db")),
            Place::Postgres(database) | Place::Deployed(Some(database)) => {
                Tables::of_postgres(database.url()).await
            }
        }
    }
}

/// The option for the smallest board, whose games are short; nothing where all boards are alike.
pub(crate) fn smallest(game: &dyn AnyGame) -> String {
    let size = game.meta().options.iter().find(|spec| spec.name == "size");
    match size.map(|spec| &spec.kind) {
        Some(OptionKind::Number { min, .. }) => format!("-size={min}"),
        Some(OptionKind::Choice(words)) => {
            words.first().map(|word| format!("-size={word}")).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// What whoever has a shell on the machine does to a user.
pub(crate) async fn edit_user(app: &Arc<App>, userid: &str, edit: UserEdit) -> Result<(), ServiceError> {
    let userid = userid.to_owned();
    administer(app, &Administrator::of_shell("root"), AdminAction::User { userid, edit }).await
}

/// A command as `POST /commands` takes it.
pub(crate) fn command_request(line: &str, body: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let json = json!({ "command": line, "body": body }).to_string();
    let mut request = Request::post("/commands").header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(json)).expect("a request")
}
