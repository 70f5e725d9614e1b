//! Every kind of mail that leaves the server: what all have in their heads, which can be switched off by a click, and how
//! large each becomes.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::Request;
use knotpost_commands::DirectorAction;
use knotpost_core::admin::{AdminAction, Administrator, BoardAction, UserEdit, administer};
use knotpost_core::config::{AuthPolicy, Confirm};
use knotpost_core::identity::{HookWish, ProvenUser, create_webhook};
use knotpost_core::webhooks::{HookEvent, HookForm};
use knotpost_model::BoardRef;
use knotpost_storage::{MailFilter, Window};
use knotpost_transport::outbound::mail_kinds;

use super::browser::{Browser, form};
use super::passkeys::stories::{Device, ORIGIN, add};
use crate::harness::{ADDRESS, DAY, HOUR, HookHost, Letter, Place, TestApp, edit_user};
use crate::postgres::database;
use crate::tournaments::club::Club;

/// What `Auto-Submitted` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Auto {
    /// The mail answers one that came.
    Replied,
    /// Something else caused it.
    Generated,
    /// Now this and now that.
    Either,
    /// No mail says it: it answers a request over HTTP.
    Never,
}
use Auto::{Either, Generated, Never, Replied};

/// A kind of mail.
#[derive(Debug)]
struct Row {
    kind: &'static str,
    auto: Auto,
    /// What its `List-Unsubscribe` stops, as far as its link names it; empty: it has none.
    stops: &'static [&'static str],
}

const fn row(kind: &'static str, auto: Auto) -> Row {
    Row { kind, auto, stops: &[""] }
}

/// All kinds: one that is new has no row and fails.
const KINDS: &[Row] = &[
    row("about", Either),
    row("addresses_changed", Generated),
    row("all_boards", Replied),
    row("already_played", Replied),
    row("analysis", Replied),
    row("archive", Generated),
    // To players, to watchers, reminders, ends that somebody wanted to hear of, words of others.
    Row { kind: "board", auto: Either, stops: &["", "board", "nags", "end", "messages"] },
    row("board_list", Replied),
    row("boards", Replied),
    Row { kind: "broadcast", auto: Generated, stops: &["broadcasts"] },
    row("broadcast_taken", Generated),
    row("budget_spent", Replied),
    row("challenge_status", Either),
    row("chats_spent", Replied),
    row("closed", Generated),
    row("confirm_address", Generated),
    row("confirm_hint", Either),
    row("confirmations_asked", Replied),
    row("declined", Generated),
    row("delete_asked", Either),
    Row { kind: "digest", auto: Generated, stops: &["digests"] },
    row("done_unconfirmed", Replied),
    row("error", Replied),
    row("foreign_answer", Generated),
    row("games", Replied),
    row("goodbye", Generated),
    row("help", Replied),
    row("history", Replied),
    row("ladder_challenged", Either),
    row("limit_status", Either),
    row("magic_link", Generated),
    row("mail_sent", Never),
    Row { kind: "message", auto: Generated, stops: &["messages"] },
    row("message_sent", Generated),
    row("multiple", Replied),
    row("never_begun", Generated),
    row("notifications", Either),
    row("passkey_added", Generated),
    row("passkey_removed", Generated),
    row("password_changed", Generated),
    row("password_reset", Generated),
    row("players", Replied),
    row("postmaster", Generated),
    row("preferences", Either),
    row("profile", Replied),
    Row { kind: "puzzles", auto: Generated, stops: &["puzzles"] },
    row("queue", Either),
    row("record", Replied),
    row("related", Either),
    row("removed", Generated),
    row("resent", Either),
    row("reset_asked", Replied),
    row("resign_noted", Either),
    row("seek_status", Either),
    row("standings", Replied),
    row("stranger", Replied),
    row("subscriptions", Either),
    row("test_display", Replied),
    row("tournament", Either),
    Row { kind: "tournament_deadline", auto: Generated, stops: &["tournament"] },
    row("tournament_director", Generated),
    Row { kind: "tournament_news", auto: Generated, stops: &["tournament"] },
    row("tournament_out", Generated),
    row("tournament_over", Generated),
    Row { kind: "tournament_started", auto: Generated, stops: &["tournament"] },
    row("tournaments", Replied),
    row("undo_hint", Generated),
    row("unproven_answer", Generated),
    row("unsubscribed", Generated),
    row("vacation", Either),
    row("webhook_stopped", Generated),
    row("welcome", Generated),
    row("wrong_passwords", Generated),
];

/// The mails that were sent, by kind.
#[derive(Default)]
struct Seen(BTreeMap<String, Vec<Letter>>);

impl Seen {
    /// Does all work and takes in what left; returns that.
    async fn look(&mut self, app: &TestApp) -> Vec<Letter> {
        app.work().await;
        let letters = app.letters();
        let mut tx = app.app.store.read().await.unwrap();
        let window = Window { low: 0, high: 1_000_000 };
        let rows = tx.list_outbox(&MailFilter::default(), window, 10_000).await.unwrap();
        for letter in &letters {
            let row = rows.iter().find(|row| row.message_id == letter.message_id);
            let kind = row.unwrap_or_else(|| panic!("no row: {letter}")).kind.clone();
            self.0.entry(kind).or_default().push(letter.clone());
        }
        letters
    }
}

fn header(letter: &Letter, name: &str) -> Option<String> {
    let head = String::from_utf8(letter.bytes.clone()).unwrap();
    let head = head.split("\r\n\r\n").next().unwrap().replace("\r\n ", " ");
    let name = format!("{name}: ");
    head.lines().find_map(|line| line.strip_prefix(&name)).map(str::to_owned)
}

/// The one-click address of a mail, without the server.
fn click(letter: &Letter) -> Option<String> {
    let ways = header(letter, "List-Unsubscribe")?;
    let link = ways.split(['<', '>']).find(|way| way.starts_with("http")).expect("a page");
    Some(link.strip_prefix(ORIGIN).expect("one of ours").to_owned())
}

/// What the click stops.
fn stops(letter: &Letter) -> String {
    let Some(path) = click(letter) else { return String::new() };
    let word = path.strip_prefix("/unsubscribe/").unwrap().split('.').nth(1).unwrap().to_owned();
    word.split('-').next().unwrap().to_owned()
}

async fn server(place: Place, change: impl FnOnce(&mut knotpost_core::config::Config)) -> TestApp {
    TestApp::start_with(place, |config| {
        ORIGIN.clone_into(&mut config.server.public_url);
        config.accounts.confirm_addresses = Confirm::On;
        config.webhooks.allow_private = true;
        change(config);
    })
    .await
}

async fn press(app: &TestApp, path: &str, body: &str) {
    let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    let page = app.send(request.body(Body::from(body.to_owned())).unwrap()).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text);
}

fn find<'l>(letters: &'l [Letter], words: &str) -> &'l Letter {
    let found = letters.iter().find(|letter| letter.subject.contains(words) || letter.text.contains(words));
    found.unwrap_or_else(|| panic!("{words}: {letters:?}"))
}

fn link<'l>(letter: &'l Letter, path: &str) -> &'l str {
    let mut links = letter.text.split_whitespace().filter_map(|word| word.strip_prefix(ORIGIN));
    links.find(|link| link.starts_with(path)).unwrap_or_else(|| panic!("no {path}: {letter}"))
}

async fn say(app: &TestApp, line: &str, words: &str) {
    let page = app.post(line, words).await;
    assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
}

async fn proven(app: &TestApp, userid: &str) -> ProvenUser {
    let row = app.app.store.read().await.unwrap().find_user(userid).await.unwrap().unwrap();
    let hash = row.password_hash.unwrap();
    ProvenUser { user: row.id, userid: row.userid, hash, key: None, session: None, password_at: None }
}

async fn sign_up(app: &TestApp, seen: &mut Seen, name: &str) {
    let address = format!("{name}@{name}.example");
    app.mail(&address, &format!("signup {name} {name}-secret"), "").await;
    let asked = seen.look(app).await;
    let asked = find(&asked, "/confirm/");
    if name == "bob" {
        app.clock.advance(HOUR);
        app.mail(&address, "set bob bob-secret nags=on", "").await;
        for _ in 0..3 {
            app.clock.advance(60_000);
            app.mail(&address, "signup bob bob-secret", "").await;
        }
        app.reply(&address, asked, "What is this?").await;
    }
    press(app, link(asked, "/confirm/"), "").await;
    seen.look(app).await;
}

/// Boards and what is said of them; returns the mail of the first.
async fn play(app: &TestApp, seen: &mut Seen) -> Letter {
    for line in [
        "osbox challenge -size=4 ann bob",
        "osbox challenge -size=4 ann bob",
        "osbox challenge -size=4 ann bob cyd",
        "osbox challenge -size=4 ann bob",
        "osbox challenge -size=4 ann bob --forfeittime=1",
        "osbox challenge -size=4 ann bob",
        "osbox challenge -size=4 ann cyd",
        "osbox challenge -size=4 eve bob",
        "osbox subscribe 101 dan dan-secret",
        "osbox notify cyd cyd-secret 101",
        "osbox notify cyd cyd-secret 104",
    ] {
        say(app, line, "").await;
    }
    let first = seen.look(app).await;
    let board = first.iter().find(|letter| letter.to == "ann@ann.example" && letter.subject.contains("101"));
    let board = board.unwrap().clone();
    for line in [
        "osbox move 101 ann ann-secret f1",
        "osbox move 101 bob bob-secret f9",
        "osbox chat 101 dan dan-secret",
        "osbox resign 102 bob bob-secret",
        "osbox resign 103 bob bob-secret",
    ] {
        say(app, line, "words").await;
        seen.look(app).await;
    }
    board
}

/// What is asked by mail: by whom, with which Subject and text.
const ASKED: &[(&str, &str, &str)] = &[
    ("ann", "list", ""),
    ("ann", "help move", ""),
    ("ann", "osbox standings", ""),
    ("ann", "osbox games", ""),
    ("ann", "all games ann", ""),
    ("ann", "osbox history", ""),
    ("ann", "osbox export 101", ""),
    ("ann", "test display ann", ""),
    ("ann", "puzzle osbox", ""),
    ("ann", "osbox show 101 104", ""),
    ("ann", "multiple", "list\nosbox show 101"),
    ("ann", "osbox move 101 ann ann-secret z99", ""),
    ("ann", "set ann ann-secret", ""),
    ("cyd", "vacation cyd cyd-secret 1", ""),
    ("cyd", "vacation cyd cyd-secret off", ""),
    ("cyd", "osbox limit cyd cyd-secret 5", ""),
    ("cyd", "osbox seek cyd cyd-secret 1", ""),
    ("cyd", "osbox seek cyd cyd-secret 0", ""),
    ("cyd", "osbox reject cyd cyd-secret", ""),
    ("cyd", "osbox notify cyd cyd-secret", ""),
    ("cyd", "about cyd cyd-secret", "hello"),
    ("ann", "profile bob ann", ""),
    ("ann", "players", ""),
    ("cyd", "block cyd cyd-secret bob", ""),
    ("cyd", "unblock cyd cyd-secret bob", ""),
    ("cyd", "osbox subscribe cyd cyd-secret 101", ""),
    ("bob", "osbox queue 101 bob bob-secret f10", ""),
    ("bob", "osbox resign 101 bob bob-secret", ""),
    ("bob", "osbox resign 101 bob bob-secret", ""),
    ("bob", "resend bob bob-secret", ""),
    ("other", "password cyd", ""),
    ("cyd", "change password cyd cyd-secret new-secret", ""),
    ("ann", "export me ann ann-secret", ""),
    ("ann", "message ann ann-secret bob", "hello"),
    ("ann", "broadcast ann ann-secret", "hello"),
    ("dan", "add dan dan-secret new@dan.example", ""),
    ("eve", "delete eve eve-secret", ""),
    ("other", "nonsense", ""),
];

/// Whatever is asked by mail.
async fn ask(app: &TestApp, seen: &mut Seen) {
    for (from, subject, body) in ASKED {
        // Every mail meets budgets that nobody has spent of.
        app.clock.advance(HOUR);
        app.stay_alive().await;
        let from = format!("{from}@{from}.example");
        app.mail(&from, subject, body).await;
        seen.look(app).await;
    }
}

/// Replies, repetitions, the ends of boards and of accounts.
async fn reply_and_end(app: &TestApp, seen: &mut Seen, board: &Letter) {
    app.reply("ann@office.example", board, "resign").await;
    seen.look(app).await;
    let changed = seen.0["addresses_changed"][0].clone();
    app.reply(&changed.to, &changed, "What is this?").await;
    let once = "Subject: osbox move 101 ann ann-secret f2\r\nMessage-ID: <once@ann.example>\r\n";
    for _ in 0..2 {
        app.mail_with("ann@ann.example", once, "").await;
        seen.look(app).await;
    }
    let broadcast = seen.0["broadcast"][0].clone();
    app.unsubscribe_by_mail(&broadcast).await;
    say(app, "delete eve eve-secret really", "").await;
    app.post("osbox move 104 ann ann-secret f1", "").await;
    app.post("osbox move 104 bob bob-secret f9", "").await;
    for line in [
        "osbox move 107 ann ann-secret f1",
        "osbox move 107 cyd new-secret f9",
        "osbox move 107 ann ann-secret resign",
    ] {
        say(app, line, "").await;
        seen.look(app).await;
    }
    app.mail("ann@ann.example", "osbox analyse 107", "").await;
    let action = AdminAction::Board {
        board: BoardRef { game: "osbox".to_owned(), number: 106 },
        action: BoardAction::Remove,
        why: String::new(),
    };
    administer(&app.app, &Administrator::of_shell("root"), action).await.unwrap();
}

/// A tournament, whose deadline comes with time.
async fn compete(app: &TestApp, seen: &mut Seen) {
    for line in [
        "announce ann ann-secret osbox roundrobin -players=2-3 -roundtime=2",
        "enter bob bob-secret t1",
        "enter cyd new-secret t1",
        "enter dan dan-secret t1",
    ] {
        say(app, line, "A cup").await;
    }
    app.stay_alive().await;
    app.tick().await;
    seen.look(app).await;
    for line in ["direct ann ann-secret t1 say", "direct ann ann-secret t1 expel dan"] {
        say(app, line, "words").await;
        app.tick().await;
        seen.look(app).await;
    }
    for line in ["tournaments", "tournament t1"] {
        app.clock.advance(HOUR);
        app.stay_alive().await;
        app.mail("ann@ann.example", line, "").await;
        seen.look(app).await;
    }
}

/// Passkeys, log-ins, and budgets that are spent.
async fn log_in_and_spend(app: &TestApp, seen: &mut Seen) {
    let mut browser = Browser::of(app, "dan").await;
    add(&mut Device::new(), &mut browser).await;
    let dan = proven(app, "dan").await.user;
    let id = app.app.store.read().await.unwrap().passkeys_of(dan).await.unwrap()[0].id.to_string();
    browser.post("/settings", &[("act", "end_passkey"), ("id", &id), ("present", "dan-secret")]).await;
    let mut visitor = Browser::new(app);
    visitor.post("/login", &[("userid", "dan"), ("by", "link")]).await;
    for _ in 0..30 {
        visitor.post("/login", &[("userid", "dan"), ("password", "wrong-secret")]).await;
    }
    seen.look(app).await;
    for number in 0..12 {
        app.mail("victim@victim.example", &format!("help {number}"), "").await;
    }
    for number in 0..32 {
        app.mail("ann@ann.example", "osbox chat 104 ann ann-secret", &format!("words {number}")).await;
    }
    let strange = "From: other@other.example\r\nTo: postmaster@knotpost.example\r\nSubject: trouble\r\n\
                   Message-ID: <1@other.example>\r\n\r\nwords\r\n";
    app.receive_at(Some("other@other.example"), &["postmaster@knotpost.example"], strange.as_bytes()).await;
    seen.look(app).await;
}

/// What comes with time.
async fn wait(app: &TestApp, seen: &mut Seen) {
    say(app, "set bob bob-secret moves=digest puzzle=on", "").await;
    let host = HookHost::start().await;
    let wish = HookWish { url: host.url(), events: HookEvent::ALL.to_vec(), form: HookForm::Signed };
    create_webhook(&app.app, proven(app, "ann").await, wish).await.unwrap();
    host.answer_next(&["500 Oops"; 200]);
    say(app, "osbox chat 104 bob bob-secret", "for the hook").await;
    say(app, "osbox resign 104 ann ann-secret", "").await;
    for _ in 0..90 {
        app.clock.advance(HOUR);
        app.stay_alive().await;
        app.tick().await;
        seen.look(app).await;
    }
    for _ in 0..8 {
        app.pass(DAY).await;
        seen.look(app).await;
    }
}

/// A tournament, in which the director writes and expels a player, to its deadline, and a challenge on a ladder.
async fn play_tournament(seen: &mut Seen) {
    let players = ["ann", "bob", "cyd", "dan"];
    let here = |config: &mut knotpost_core::config::Config| ORIGIN.clone_into(&mut config.server.public_url);
    let club = Club::open_with(Place::Sqlite, &players, here).await;
    let name = club.announce("-players=4 -roundtime=4 -forfeittime=6").await;
    club.enter(name, &players).await;
    club.app.tick().await;
    club.direct("dir", name, DirectorAction::Say, "Good games.").await.unwrap();
    club.direct("dir", name, DirectorAction::Expel("dan".to_owned()), "Two accounts.").await.unwrap();
    let ladder = club.announce_by("dir", "ladder", "").await.expect("announced").line.name;
    club.enter(ladder, &["ann", "bob"]).await;
    club.app.mail("bob@bob.example", "ladder challenge bob bob-secret t2", "").await;
    for _ in 0..4 {
        club.app.pass(DAY).await;
        seen.look(&club.app).await;
    }
}

/// Lets a mail of every kind leave.
async fn everything() -> Seen {
    let (app, mut seen) = (server(Place::Sqlite, |_| {}).await, Seen::default());
    for name in ["ann", "bob", "cyd", "dan", "eve"] {
        sign_up(&app, &mut seen, name).await;
    }
    edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
    app.tick().await;
    let board = play(&app, &mut seen).await;
    ask(&app, &mut seen).await;
    reply_and_end(&app, &mut seen, &board).await;
    compete(&app, &mut seen).await;
    log_in_and_spend(&app, &mut seen).await;
    wait(&app, &mut seen).await;
    play_tournament(&mut seen).await;
    let other =
        server(Place::Sqlite, |config| config.inbound.auth_policy = AuthPolicy::RequireForTokens).await;
    for name in ["ann", "bob"] {
        other.sign_up(name).await;
    }
    say(&other, "osbox challenge -size=4 ann bob", "").await;
    let letters = seen.look(&other).await;
    other.reply("ann@ann.example", find(&letters, "Osbox Board 101 ann"), "f1").await;
    seen.look(&other).await;
    seen
}

#[tokio::test]
async fn every_kind_of_mail_says_what_its_row_says() {
    let (mut kinds, rows) = (mail_kinds(), KINDS.iter().map(|row| row.kind.to_owned()).collect::<Vec<_>>());
    kinds.sort();
    assert_eq!(kinds, rows, "the kinds of the code, and the rows");
    let Seen(seen) = everything().await;
    let mut wrong = Vec::new();
    for row in KINDS {
        let letters = seen.get(row.kind).map(Vec::as_slice).unwrap_or_default();
        let is_seen = |word: &str| letters.iter().any(|letter| stops(letter) == word);
        if letters.is_empty() != (row.auto == Never) {
            wrong.push(format!("{}: {} letters", row.kind, letters.len()));
            continue;
        }
        wrong.extend(
            row.stops
                .iter()
                .filter(|word| row.auto != Never && !is_seen(word))
                .map(|word| format!("{}: no `{word}`", row.kind)),
        );
        for letter in letters {
            let auto = header(letter, "Auto-Submitted").unwrap();
            let may_be = match row.auto {
                Replied => auto == "auto-replied",
                Generated => auto == "auto-generated",
                Either => true,
                Never => false,
            };
            let from = header(letter, "From").unwrap();
            if !may_be || !row.stops.contains(&&*stops(letter)) || !from.ends_with(&format!("<{ADDRESS}>")) {
                wrong.push(format!(
                    "{}: {auto}, stops `{}`, {from}, {}",
                    row.kind,
                    stops(letter),
                    letter.subject
                ));
            }
        }
        let largest = letters.iter().map(|letter| letter.bytes.len()).max().unwrap_or(0);
        println!("{:<20} {:>4} {largest:>8}", row.kind, letters.len());
    }
    assert!(seen.keys().all(|kind| kinds.contains(kind)), "{:?}", seen.keys());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever reads a mail that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// They have proven their address.
    Proven,
    /// Nobody asked them to.
    Unproven,
    /// Their sessions have ended, and they have another password.
    LoggedOut,
    /// They are locked out.
    Suspended,
}

/// What is switched off, by whom, and what they do so that such mails come.
const SWITCHED_OFF: &[(&str, &str, &str)] = &[
    ("broadcasts", "bert", "set bert bert-secret board=wide"),
    ("nags", "nora", "osbox challenge -size=4 nora cyd"),
    ("puzzles", "paul", "set paul paul-secret puzzle=on"),
    ("digests", "dora", "set dora dora-secret moves=digest"),
    ("messages", "mia", "set mia mia-secret board=wide"),
    ("board", "wim", "osbox subscribe wim wim-secret all"),
    ("end", "emma", "osbox notify emma emma-secret"),
    ("tournament", "tom", "enter tom tom-secret t1"),
];

/// What causes a mail of each kind, but for reminders.
async fn cause_all(app: &TestApp, board: u32) {
    say(app, "osbox challenge -size=4 ann cyd", "").await;
    for name in ["ann", "cyd"] {
        let play = if name == "ann" { "f1" } else { "f9" };
        say(app, &format!("osbox move {board} {name} {name}-secret {play}"), "").await;
    }
    say(app, "osbox challenge -size=4 ann dora", "").await;
    say(app, &format!("osbox resign {board} ann ann-secret"), "").await;
    say(app, "broadcast ann ann-secret", "hello").await;
    say(app, "direct ann ann-secret t1 say", "hello").await;
    // Refused by now, where nobody takes it.
    app.post("message ann ann-secret mia", "hello").await;
    for _ in 0..8 {
        app.pass(DAY).await;
    }
}

#[tokio::test]
async fn whoever_gets_a_mail_that_can_be_switched_off_switches_it_off() {
    for reader in [Reader::Proven, Reader::Unproven, Reader::LoggedOut, Reader::Suspended] {
        switch_off(Place::Sqlite, reader).await;
    }
}

#[tokio::test]
async fn a_mail_is_switched_off_on_postgres() {
    let Some(database) = database().await else { return };
    switch_off(Place::Postgres(Box::new(database)), Reader::Proven).await;
}

/// A click needs neither a session nor a password, nor does the mail that does the same; each stops what it says, whoever
/// is asked by it.
async fn switch_off(place: Place, reader: Reader) {
    let confirms = if reader == Reader::Unproven { Confirm::Off } else { Confirm::On };
    let app = server(place, |config| config.accounts.confirm_addresses = confirms).await;
    let mut seen = Seen::default();
    for name in ["ann", "cyd"].iter().chain(SWITCHED_OFF.iter().map(|(_, name, _)| name)) {
        app.sign_up(name).await;
    }
    edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
    app.tick().await;
    say(&app, "announce ann ann-secret osbox roundrobin -players=2-9", "Cup").await;
    for (_, _, line) in SWITCHED_OFF {
        say(&app, line, "").await;
    }
    app.play_on("osbox", 101, 2).await;
    cause_all(&app, 102).await;
    let letters = seen.look(&app).await;
    let of = |letters: &[Letter], name: &str, word: &str| {
        letters.iter().find(|one| one.to.starts_with(name) && stops(one) == word).cloned()
    };
    for (word, name, _) in SWITCHED_OFF {
        let letter = of(&letters, name, word).unwrap_or_else(|| panic!("{reader:?} {word}: {letters:?}"));
        assert!(header(&letter, "List-Unsubscribe").unwrap().contains("mailto:"), "{reader:?} {word}");
        match reader {
            Reader::Proven | Reader::Unproven => {}
            Reader::LoggedOut => {
                edit_user(&app.app, name, UserEdit::LogOut).await.unwrap();
                say(&app, &format!("change password {name} {name}-secret other-secret"), "").await;
                app.unsubscribe_by_mail(&letter).await;
                continue;
            }
            Reader::Suspended => edit_user(&app.app, name, UserEdit::Suspend).await.unwrap(),
        }
        let path = click(&letter).unwrap();
        let page = app.get(&path).await;
        assert_eq!(page.status, 200, "{reader:?} {word}: {}", page.text);
        press(&app, &path, &form(&[("List-Unsubscribe", "One-Click")])).await;
        edit_user(&app.app, name, UserEdit::Lift).await.unwrap();
    }
    seen.look(&app).await;
    cause_all(&app, 104).await;
    let letters = seen.look(&app).await;
    for (word, name, _) in SWITCHED_OFF {
        let again = of(&letters, name, word);
        assert!(again.is_none(), "{reader:?} {word}: {again:?}");
    }
}

/// Bytes of the largest mail of each kind that grows, from what it is made, and by how it was asked for.
const GROWN: &[(&str, usize)] = &[
    ("all_boards", 60_000),
    ("board", 330_000),
    ("board_list", 60_000),
    ("boards", 600_000),
    ("broadcast", 120_000),
    ("delete_asked", 40_000),
    ("digest", 600_000),
    ("error", 60_000),
    ("foreign_answer", 40_000),
    ("message", 120_000),
    ("multiple", 600_000),
    ("notifications", 60_000),
    ("postmaster", 40_000),
    ("queue", 60_000),
    ("subscriptions", 60_000),
];

/// Boards, more than any list has lines.
const BOARDS: usize = 520;

/// Words as long as they may be, in letters that take most bytes.
fn words(letter: char) -> String {
    std::iter::repeat_n(letter, 79).chain(['\n']).collect::<String>().repeat(100)
}

#[tokio::test]
async fn what_grows_in_a_mail_has_a_bound() {
    let (app, mut seen) = (server(Place::Sqlite, |_| {}).await, Seen::default());
    for name in ["ann", "bob", "cyd"] {
        app.sign_up(name).await;
        say(&app, &format!("set {name} {name}-secret moves=digest"), "").await;
    }
    edit_user(&app.app, "ann", UserEdit::Role("admin")).await.unwrap();
    app.tick().await;
    for number in 0..BOARDS {
        let game = if number % 2 == 0 { "obsidio" } else { "osbox" };
        say(&app, &format!("{game} challenge ann bob"), "").await;
    }
    app.clock.advance(HOUR);
    seen.look(&app).await;
    let numbers = |from: usize, count: usize| -> String {
        (from..from + count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    };
    let several: Vec<_> =
        (101..151).map(|number| format!("obsidio showas ann ann-secret {number}")).collect();
    let several = several.join("\n");
    let queued = vec!["f1"; 100].join(" ");
    for (subject, body) in [
        ("osbox games", String::new()),
        ("all games ann", String::new()),
        (&*format!("obsidio showas ann ann-secret {}", numbers(101, 40)), String::new()),
        ("multiple", several),
        (&*format!("osbox subscribe cyd cyd-secret {}", numbers(101, 40)), String::new()),
        (&*format!("osbox notify cyd cyd-secret {}", numbers(101, 40)), String::new()),
        ("resend ann ann-secret", String::new()),
        ("message ann ann-secret bob", words('\u{1f600}')),
        ("broadcast ann ann-secret", words('\u{1f600}')),
        (&*format!("osbox queue 101 bob bob-secret {queued}"), String::new()),
        ("osbox queue 101 bob bob-secret f9", String::new()),
        (&*format!("osbox move 101 ann ann-secret {}", "z9 ".repeat(600)), words('\u{1f600}')),
        ("delete bob bob-secret", String::new()),
    ] {
        let is_by = |name: &&str| subject.contains(&format!(" {name} {name}-secret"));
        let from = ["bob", "cyd"].into_iter().find(is_by).unwrap_or("ann");
        app.clock.advance(HOUR);
        app.mail(&format!("{from}@{from}.example"), subject, &body).await;
        seen.look(&app).await;
    }
    let strange = format!(
        "From: other@other.example\r\nTo: postmaster@knotpost.example\r\nSubject: trouble\r\n\
         Message-ID: <1@other.example>\r\n\r\n{}\r\n",
        "many words of one who complains\r\n".repeat(100_000)
    );
    app.receive_at(Some("other@other.example"), &["postmaster@knotpost.example"], strange.as_bytes()).await;
    seen.look(&app).await;
    // A talk while no mail leaves.
    for name in ["ann", "bob"] {
        say(&app, &format!("set {name} {name}-secret moves=all"), "").await;
    }
    let letters = {
        for number in 0..60 {
            let name = ["ann", "bob"][number % 2];
            // Some are refused: they come too fast.
            app.post(&format!("osbox chat 101 {name} {name}-secret"), &words('\u{1f600}')).await;
        }
        say(&app, "osbox move 101 ann ann-secret f1", "").await;
        seen.look(&app).await
    };
    let talk = letters.iter().max_by_key(|letter| letter.text.len()).unwrap().clone();
    assert!(talk.text.contains("is left out"), "{} bytes", talk.text.len());
    app.reply("ann@office.example", &talk, &words('x')).await;
    say(&app, "set ann ann-secret moves=digest", "").await;
    for _ in 0..2 {
        app.pass(DAY).await;
        seen.look(&app).await;
    }
    let mut wrong = Vec::new();
    for (kind, letters) in &seen.0 {
        let largest = letters.iter().map(|letter| letter.bytes.len()).max().unwrap_or(0);
        println!("{kind:<20} {:>4} {largest:>8}", letters.len());
        let most = GROWN.iter().find(|(grown, _)| grown == kind).map_or(40_000, |(_, most)| *most);
        if largest > most {
            wrong.push(format!("{kind}: {largest} bytes"));
        }
    }
    wrong.extend(
        GROWN.iter().filter(|(kind, _)| !seen.0.contains_key(*kind)).map(|(kind, _)| format!("no {kind}")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
