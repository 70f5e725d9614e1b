//! What a stranger can make the server do: each command at its largest, by mail with a forged sender and over HTTP,
//! costs no more than its row of the table says. A command without a row fails.

mod table;

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::Request;
use knotpost_commands::{MOST_NAMES, Verb};
use knotpost_server::inbound::Receipt;
use knotpost_server::outbound::Sent;
use knotpost_server::web::routes;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use table::{Cost, ROUTES, VERBS};

use crate::harness::{HOUR, Place, TestApp};

/// Bytes of the longest lines: what a Subject carries.
const LONGEST: usize = 30 * 1024;
/// Boards that there are to ask for, from 101 on.
const BOARDS: usize = MOST_NAMES + 2;

/// A form of a verb with words in its places as far as a list, and what the list is of. Its first `fixed` words say what
/// verb it is.
fn fill(form: &str, fixed: usize, unique: usize) -> (String, Option<String>) {
    let (mut line, mut last) = (String::new(), String::new());
    for (place, piece) in form.split_whitespace().enumerate() {
        let piece = piece.trim_matches(['[', ']']);
        if piece.starts_with("...") {
            return (line, Some(last));
        }
        let word = piece.split(['|', '[']).next().unwrap_or(piece);
        let filled = match word {
            word if place < fixed && word != "<game>" => word.to_owned(),
            "<game>" | "game" | "subject" => "osbox".to_owned(),
            "userid" if form.starts_with("signup") => format!("new{unique}"),
            "userid" => "ann".to_owned(),
            "touserid" => "bob".to_owned(),
            "password" | "current" => "wrong-secret".to_owned(),
            "new" if form.starts_with("change") => "other-secret".to_owned(),
            "board" => "101".to_owned(),
            "move" => "f1".to_owned(),
            "address" => format!("a{unique}@victim.example"),
            "players" => "2".to_owned(),
            "n" => "1".to_owned(),
            "options" => "-size=3".to_owned(),
            other => other.to_owned(),
        };
        let _ = write!(line, "{filled} ");
        word.clone_into(&mut last);
    }
    (line, None)
}

/// The place `number` of a list, as different from the others as what exists allows.
fn item(kind: &str, number: usize, unique: usize) -> String {
    match kind {
        "board" => (101 + number % BOARDS).to_string(),
        "address" => format!("a{number}.{unique}@victim.example"),
        "game" => ["osbox", "osbo", "obsidio", "boxilies"][number % 4].to_owned(),
        "subject" => ["osbox", "commands", "tutorial", "move", "obsidio"][number % 5].to_owned(),
        "move" => ["f1", "f2", "f3", "l1"][number % 4].to_owned(),
        "name=value" => "moves=mine".to_owned(),
        _ => ["ann", "bob"][number % 2].to_owned(),
    }
}

/// The lines of a verb that ask for most.
fn largest(verb: Verb, unique: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, form) in verb.spec().syntax.iter().enumerate() {
        let unique = unique * 10 + index;
        let fixed = verb.spec().words.len() + usize::from(form.starts_with("<game>"));
        let (start, list) = fill(form, fixed, unique);
        lines.push(start.clone());
        let Some(kind) = list else { continue };
        // One more, as many as are taken, and as many as fit.
        for most in [1, MOST_NAMES - 1, usize::MAX] {
            let mut line = start.clone();
            for number in (1..).take_while(|number| *number <= most) {
                let item = item(&kind, number, unique);
                if line.len() + item.len() > LONGEST {
                    break;
                }
                let _ = write!(line, "{item} ");
            }
            lines.push(line);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn body(verb: Verb) -> String {
    if verb != Verb::Multiple {
        return "words ".repeat(1_500);
    }
    let boards: Vec<String> = (0..MOST_NAMES).map(|number| (101 + number).to_string()).collect();
    format!("osbox show {}\n", boards.join(" ")).repeat(50)
}

/// The rows of all tables.
async fn rows(app: &TestApp) -> usize {
    let options = SqliteConnectOptions::new().filename(app.data.path().join("knotpost.db")).read_only(true);
    let mut connection: SqliteConnection = options.connect().await.unwrap();
    let names: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    let mut rows = 0;
    for name in names {
        let sql = format!("SELECT COUNT(*) FROM {name}");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut connection).await.unwrap();
        rows += usize::try_from(count).unwrap();
    }
    connection.close().await.unwrap();
    rows
}

/// Mails and bytes that left since the last look, and the rows that came.
async fn check_cost(app: &TestApp, cost: Cost, before: usize, what: &str) -> (usize, usize, usize) {
    // Wrong passwords are told to their owner once a day, whatever the command.
    let is_warning = |mail: &Sent| String::from_utf8_lossy(&mail.bytes).contains("Subject: Wrong passwords");
    let sent: Vec<Sent> = app.sent().into_iter().filter(|mail| !is_warning(mail)).collect();
    let bytes: usize = sent.iter().map(|mail| mail.bytes.len()).sum();
    let rows = rows(app).await.saturating_sub(before);
    assert!(sent.len() <= cost.mails, "{what}: {} mails, {} at most", sent.len(), cost.mails);
    assert!(bytes <= cost.mail_bytes, "{what}: {bytes} bytes of mail, {} at most", cost.mail_bytes);
    assert!(rows <= cost.rows, "{what}: {rows} rows, {} at most", cost.rows);
    (sent.len(), bytes, rows)
}

async fn a_server_with_boards() -> TestApp {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    for _ in 0..BOARDS {
        assert_eq!(app.post("osbox challenge -size=3 ann bob", "").await.outcome(), "200 ok");
    }
    app.work().await;
    app.sent();
    app
}

#[tokio::test]
async fn a_command_of_a_stranger_costs_no_more_than_its_row() {
    let app = a_server_with_boards().await;
    println!(
        "{:<16} {:>8} {:>6} {:>8} {:>6} {:>8}",
        "verb", "bytes in", "mails", "bytes", "rows", "over HTTP"
    );
    for (index, verb) in Verb::all().iter().enumerate() {
        let row = VERBS.iter().find(|(known, _)| known == verb);
        let (_, cost) = *row.unwrap_or_else(|| panic!("{verb:?} has no row in the table of costs"));
        let body = body(*verb);
        let mut most = [0; 5];
        for (number, line) in largest(*verb, index).into_iter().enumerate() {
            let what = format!("{verb:?}: {}", line.chars().take(60).collect::<String>());
            // Every mail meets budgets that nobody has spent of.
            app.clock.advance(HOUR);
            let before = rows(&app).await;
            let receipt = app.mail(&format!("v{index}.{number}@victim.example"), &line, &body).await;
            assert!(matches!(receipt, Receipt::Stored { .. }), "{what}: {receipt:?}");
            let (mails, bytes, rows_written) = check_cost(&app, cost, before, &what).await;
            let before = rows(&app).await;
            // What is signed up by mail cannot be signed up once more.
            let line = line.replace("signup new", "signup web").replace("@victim", "@w.victim");
            let page = app.post(&line, &body).await;
            app.work().await;
            check_cost(&app, Cost { rows: cost.rows + 1, ..cost }, before, &format!("{what} over HTTP"))
                .await;
            let answer = page.text.len();
            assert!(answer <= cost.answer_bytes, "{what}: {answer} bytes over HTTP");
            let seen = [line.len() + body.len(), mails, bytes, rows_written, answer];
            most.iter_mut().zip(seen).for_each(|(most, seen)| *most = seen.max(*most));
        }
        let [bytes_in, mails, bytes, rows, answer] = most;
        println!("{:<16} {bytes_in:>8} {mails:>6} {bytes:>8} {rows:>6} {answer:>8}", verb.spec().name());
    }
}

/// What a form or a program may send, as much of it as there is room for.
fn posted(path: &str) -> (&'static str, String) {
    let filling = "x".repeat(200_000);
    if path == "/commands" {
        return ("text/plain", format!("list {}", "osbox ".repeat(5_000)));
    }
    if path.starts_with("/api/") {
        return ("application/json", format!(r#"{{"act":"add","target":"{filling}"}}"#));
    }
    let form = "userid=ann&password=wrong-secret&address=v@victim.example&act=add&next=/&comment=";
    ("application/x-www-form-urlencoded", format!("{form}{filling}"))
}

#[tokio::test]
async fn a_request_of_a_stranger_costs_no_more_than_its_row() {
    let app = a_server_with_boards().await;
    let fill = |path: &str| {
        path.replace("{game}", "osbox")
            .replace("{number}", "101")
            .replace("{userid}", "ann")
            .replace("{id}", "1")
            .replace("{topic}", "tutorial")
            .replace("{token}", &"x".repeat(500))
            .replace("{name}", "style.css")
    };
    for (method, path, _) in ROUTES {
        let is_there = routes().any(|route| (route.method, route.path) == (*method, *path));
        assert!(is_there, "{method} {path} has a row in the table of costs and is no address");
    }
    for route in routes() {
        let (method, path) = (route.method, route.path);
        let row = ROUTES.iter().find(|row| (row.0, row.1) == (method, path));
        let (_, _, most) = *row.unwrap_or_else(|| panic!("{method} {path} has no row in the table of costs"));
        if path.ends_with("/events") {
            // Without an end; how many may listen is limited elsewhere.
            continue;
        }
        let queries = ["", "?limit=500&ply=1&q=a", "?limit=999999999&ply=-999999999"];
        for query in queries.iter().take(if method == "GET" { 3 } else { 1 }) {
            let before = rows(&app).await;
            let (content_type, body) = posted(path);
            let request = Request::builder()
                .method(method)
                .uri(format!("{}{query}", fill(path)))
                .header("sec-fetch-site", "same-origin")
                .header("content-type", content_type)
                .body(if method == "GET" { Body::empty() } else { Body::from(body) })
                .unwrap();
            let page = app.send_any(request).await;
            app.work().await;
            let status = page.0.as_u16();
            assert!(status < 500 || path == "/readyz", "{method} {path}{query}: {status}");
            assert!(page.1 <= most, "{method} {path}{query}: {} bytes, {most} at most", page.1);
            let cost = Cost { mails: 0, mail_bytes: 0, rows: 1, answer_bytes: most };
            check_cost(&app, cost, before, &format!("{method} {path}{query}")).await;
        }
    }
}
