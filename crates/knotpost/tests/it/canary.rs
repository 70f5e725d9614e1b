//! A password that nobody else would think of, typed into everything and in every wrong place. What
//! the server wrote afterwards (files, log, answers, mails) holds it nowhere.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use knotpost_core::mailing::{Author, masked_text};
use tracing_subscriber::fmt::MakeWriter;

use crate::harness::{ADDRESS, Place, TestApp};

const CANARY: &str = "Wren.Can4ry-77Q";
const NEXT: &str = "Finch.Can4ry-88Z";

/// What the program told its log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Whether a password occurs, also in the other case and in the forms in which texts travel.
fn holds_canary(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    [CANARY, NEXT].iter().any(|secret| {
        let secret = secret.to_lowercase();
        let hex = secret.bytes().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let encoded = secret.replace('.', "%2e");
        [secret, hex, encoded].iter().any(|form| text.contains(form.as_str()))
    })
}

fn search(folder: &Path, found: &mut Vec<String>, seen: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, found, seen);
            continue;
        }
        *seen += 1;
        if holds_canary(&std::fs::read(&path).unwrap()) || holds_canary(path.to_string_lossy().as_bytes()) {
            found.push(path.display().to_string());
        }
    }
}

/// Every acting verb in order: first wrong in each way, then right.
fn lines(user: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let verbs = [
        ("osbox move 101", "f1"),
        ("osbox move 101", "nonsense"),
        ("osbox move 101", "f1#9"),
        ("osbox move 101", "pass"),
        ("osbox move 101", "propose"),
        ("osbox resign 101", ""),
        ("osbox chat 101", ""),
        ("osbox submit 101", "f1"),
        ("osbox queue 101", "f1"),
        ("osbox subscribe 101", ""),
        ("osbox resign 999", ""),
        ("move 101", "f1"),
        ("hex move 101", "f1"),
        ("add", "more@wren.example"),
        ("add", "nonsense"),
        ("change address", "wren@wren.example"),
        ("change password", NEXT),
        ("change password", "short"),
        ("vacation", "3"),
        ("set", "mail=text"),
        ("announce", "osbox roundrobin"),
        ("announce", "osbox swiss -rounds=3"),
        ("enter", "t1"),
        ("withdraw", "t1"),
        ("direct", "t1 say"),
        ("direct", "t1 expel bob"),
        ("ladder challenge", "t1 bob"),
        ("delete", ""),
        ("signup", "wren@wren.example"),
    ];
    for (head, tail) in verbs {
        // Exchanged, doubled, without the user, without the rest, in front, in the option's place, glued together.
        if head != "signup" {
            // There the first word becomes a userid, which everybody may read.
            lines.push(format!("{head} {CANARY} {user} {tail}"));
            lines.push(format!("{head} {CANARY} {tail}"));
        }
        lines.push(format!("{head} {user} {CANARY} {CANARY} {tail}"));
        if head != "delete" {
            // That would be right, and the end of this user.
            lines.push(format!("{head} {user} {tail} {CANARY}"));
        }
        lines.push(format!("{head} {user}:{CANARY} {tail}"));
        lines.push(format!("{CANARY} {head} {user} {tail}"));
        lines.push(format!("{head} {user} -{CANARY} {tail}"));
        lines.push(format!("{head} {user} --password={CANARY} {tail}"));
        lines.push(format!("{head} {user} \"{CANARY}\" {tail}"));
        lines.push(format!("frobnicate {user} {CANARY} {tail}"));
        lines.push(format!("{head} nobody-here {CANARY} {tail}"));
    }
    lines
}

/// What works, the password used as it should be.
fn right_lines(user: &str) -> Vec<String> {
    [
        "osbox move 101 USER SECRET f1",
        "osbox board 101 USER SECRET f2",
        "osbox chat 101 USER SECRET",
        "add USER SECRET other@wren.example",
        "change address USER SECRET wren@wren.example",
        "change password USER SECRET NEXT",
        "change password USER NEXT SECRET",
        "osbox resign 101 USER SECRET",
        "announce USER SECRET osbox ladder",
        "enter USER SECRET t1",
        "direct USER SECRET t1 say",
        "ladder challenge USER SECRET t1",
        "withdraw USER SECRET t1",
        "message USER SECRET bob",
        "set USER SECRET moves=mine",
        "add USER SECRET third@wren.example",
        "signoff USER SECRET third@wren.example",
    ]
    .iter()
    .map(|line| line.replace("USER", user).replace("SECRET", CANARY).replace("NEXT", NEXT))
    .collect()
}

async fn use_everything(app: &TestApp, user: &str) -> Vec<String> {
    let mut answers = Vec::new();
    answers.push(app.post(&format!("signup {user} {CANARY} wren@wren.example"), "").await.text);
    answers.push(app.post("signup bob bob-secret bob@bob.example", "").await.text);
    answers.push(app.post(&format!("osbox challenge {user} bob"), "").await.text);
    let body = format!("Hello! My password is {CANARY}, do not tell.");
    for (number, line) in lines(user).into_iter().enumerate() {
        if number % 2 == 0 {
            answers.push(app.post(&line, &body).await.text);
        } else {
            app.mail("wren@wren.example", &format!("Re: {line} **"), &body).await;
        }
    }
    let several = lines(user).into_iter().step_by(5).take(45).collect::<Vec<_>>().join("\n");
    answers.push(app.post("multiple", &several).await.text);
    app.mail("wren@wren.example", "multiple", &several).await;
    for line in right_lines(user) {
        let page = app.post(&line, &body).await;
        answers.push(page.text);
        app.mail("wren@wren.example", &line, &body).await;
    }
    let odd = format!("{{\"command\": \"osbox move 101 {user} {CANARY} f1\", \"password\": \"{CANARY}\"");
    for json in [odd.clone(), format!("{odd}}}")] {
        let request = axum::http::Request::post("/commands").header("content-type", "application/json");
        answers.push(app.send(request.body(json.into()).unwrap()).await.text);
    }
    answers.push(app.get(&format!("/api/v1/boards?user={CANARY}x")).await.status.to_string());
    // The key of feeds stands in their address.
    for feed in ["turns.atom", "deadlines.ics"] {
        answers.push(app.get(&format!("/api/v1/users/{user}/{feed}?key={CANARY}")).await.text);
    }
    app.work().await;
    answers
}

/// Mails that are only stored: a password that is in no cache waits for its turn; others are quarantined.
async fn leave_in_the_inbox(app: &TestApp, user: &str) {
    app.app.credentials.forget_all();
    for (number, line) in lines(user).iter().step_by(3).chain(&right_lines(user)).enumerate() {
        let raw = format!(
            "From: wren@wren.example\r\nTo: {ADDRESS}\r\nMessage-ID: <cold{number}@wren.example>\r\nSubject: {line}\r\n\r\n{line}\r\n"
        );
        app.receive(Some("wren@wren.example"), raw.as_bytes()).await;
        let automatic = raw.replace("Message-ID", "Auto-Submitted: auto-replied\r\nMessage-ID");
        app.receive(Some("wren@wren.example"), automatic.as_bytes()).await;
    }
}

async fn nothing_holds_the_password(user: &str) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone());
    // In a process shared with other tests theirs may be set already; then this one sees less.
    let _ = tracing::subscriber::set_global_default(subscriber.finish());
    let app = TestApp::start_with(Place::Sqlite, |_| {}).await;
    let answers = use_everything(&app, user).await;
    leave_in_the_inbox(&app, user).await;

    let told: Vec<&String> = answers.iter().filter(|answer| holds_canary(answer.as_bytes())).collect();
    assert!(told.is_empty(), "in answers: {told:#?}");
    let letters = app.letters();
    assert!(letters.len() > 10, "mails were sent");
    let written: Vec<String> = letters
        .iter()
        .filter(|l| holds_canary(&l.bytes) || holds_canary(l.text.as_bytes()))
        .map(ToString::to_string)
        .collect();
    assert!(written.is_empty(), "in mails: {}", written.join("\n"));

    let inbox = app.tables().await;
    let readable: Vec<&String> =
        inbox.rows("inbox").iter().filter(|row| holds_canary(row.as_bytes())).collect();
    assert!(readable.is_empty(), "in the inbox: {readable:#?}");
    let (mut found, mut seen) = (Vec::new(), 0);
    search(app.data.path(), &mut found, &mut seen);
    assert!(seen >= 3, "the database, its log and the key were searched");
    assert!(found.is_empty(), "in files: {found:?}");
    app.work().await;
    search(app.data.path(), &mut found, &mut seen);
    assert!(found.is_empty(), "in files, once the waiting mails were processed: {found:?}");
    let log = log.0.lock().unwrap();
    let lines = String::from_utf8_lossy(&log);
    let leaks: Vec<&str> = lines.lines().filter(|line| holds_canary(line.as_bytes())).take(5).collect();
    assert!(leaks.is_empty(), "in the log: {leaks:#?}");
}

#[tokio::test]
async fn no_password_is_ever_written_down() {
    nothing_holds_the_password("wren").await;
}

/// A userid that could be a password: exchanged, nothing tells which of the two words is which.
#[tokio::test]
async fn no_password_is_written_down_for_a_userid_that_could_be_one() {
    nothing_holds_the_password("wrenfried").await;
}

/// Verbs that take no password, with one behind them all the same.
fn lines_without_password(user: &str) -> Vec<String> {
    let heads = [
        "osbox show 101",
        "osbox challenge",
        "osbox games",
        "osbox history",
        "osbox standings",
        "osbox export 101",
        "osbox preview 101",
        "all show",
        "all games",
        "help",
        "help osbox",
        "list",
        "password",
        "test display",
        "osbox help",
        "nonsense",
        "osbox nonsense 101",
        "hex show 101",
    ];
    let forms =
        ["USER SECRET", "SECRET USER", "SECRET", "USER SECRET bob", "USER -SECRET", "USER --password=SECRET"];
    let line =
        |head: &str, form: &str| format!("{head} {}", form.replace("USER", user).replace("SECRET", CANARY));
    heads.iter().flat_map(|head| forms.iter().map(move |form| line(head, form))).collect()
}

/// A password behind a verb that takes none: where the line cannot be read as a command it is written down nowhere, and
/// of none is it written into the log. What the line was that could be read stands in the inbox, as in its answer.
#[tokio::test]
async fn a_password_after_a_verb_that_takes_none_is_not_in_what_administrators_read() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone());
    let _guard = tracing::subscriber::set_default(subscriber.finish());
    let app = TestApp::with_players(Place::Sqlite, &["wren", "bob"]).await;
    app.post("osbox challenge wren bob", "").await;
    app.work().await;
    let (mut unreadable, mut sent) = (0, 0);
    for line in lines_without_password("wren") {
        if knotpost_commands::parse(&line, &app.app.vocabulary).is_ok() {
            continue;
        }
        unreadable += 1;
        if unreadable % 9 == 0 {
            // Who proves nothing is answered ten times an hour.
            app.clock.advance(3_600_000);
        }
        app.mail("wren@wren.example", &line, "").await;
        app.post(&line, "").await;
        for letter in app.letters() {
            sent += 1;
            // As an operator is shown what went out.
            let shown = masked_text(&app.app.vocabulary, &letter.bytes, Author::Server);
            assert!(!holds_canary(shown.as_bytes()), "{line}: {shown}");
        }
    }
    assert!(unreadable > 40 && sent > 40, "{unreadable} lines, {sent} mails");
    let lines = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    let told: Vec<&str> = lines.lines().filter(|line| holds_canary(line.as_bytes())).take(5).collect();
    assert!(told.is_empty(), "in the log: {told:#?}");
    let tables = app.tables().await;
    // A mail says to its reader what they wrote; it was looked at above.
    for name in tables.names().filter(|name| *name != "outbox") {
        let rows: Vec<&String> =
            tables.rows(name).iter().filter(|row| holds_canary(row.as_bytes())).take(5).collect();
        assert!(rows.is_empty(), "in {name}: {rows:#?}");
    }
}

#[test]
fn the_search_would_find_it() {
    assert!(holds_canary(b"x Wren.Can4ry-77Q y") && holds_canary(b"wren%2ecan4ry-77q"));
    assert!(!holds_canary(b"wren@wren.example"));
}
