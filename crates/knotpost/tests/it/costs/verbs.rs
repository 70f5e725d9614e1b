//! Every verb at its largest, by mail with a forged sender and over HTTP.

use std::cell::Cell;
use std::fmt::Write as _;

use knotpost_commands::{MOST_NAMES, Verb};
use knotpost_transport::inbound::Receipt;

use super::spent::{Meter, Spent, check_growth, print_head};
use super::table::{Cost, cost_of};
use super::{BOARDS, a_server_with_boards};
use crate::harness::{HOUR, TestApp};

/// Bytes of the longest lines: what a Subject carries.
const LONGEST: usize = 30 * 1024;

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

/// The line with a list of `places`, as far as they fit into `bytes`.
fn listing(start: &str, kind: &str, unique: usize, places: usize, bytes: usize) -> String {
    let mut line = start.to_owned();
    for number in 1..=places {
        let item = item(kind, number, unique);
        if line.len() + item.len() > bytes {
            break;
        }
        let _ = write!(line, "{item} ");
    }
    line.trim_end().to_owned()
}

/// The forms of a verb with their places filled, and what the list is of in which each ends, if any.
fn forms(verb: Verb, unique: usize) -> Vec<(String, Option<String>, usize)> {
    let mut forms = Vec::new();
    for (index, form) in verb.spec().syntax.iter().enumerate() {
        let unique = unique * 10 + index;
        let fixed = verb.spec().words.len() + usize::from(form.starts_with("<game>"));
        let (start, list) = fill(form, fixed, unique);
        forms.push((start, list, unique));
    }
    forms
}

/// The lines of a verb that ask for most.
fn largest(verb: Verb, unique: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (start, list, unique) in forms(verb, unique) {
        lines.push(start.trim_end().to_owned());
        let Some(kind) = list else { continue };
        // One more, as many as are taken, and as many as fit.
        for most in [1, MOST_NAMES - 1, usize::MAX] {
            lines.push(listing(&start, &kind, unique, most, LONGEST));
        }
    }
    lines
}

fn body(verb: Verb) -> String {
    if verb != Verb::Multiple {
        return "words ".repeat(1_500);
    }
    let boards: Vec<String> = (0..MOST_NAMES).map(|number| (101 + number).to_string()).collect();
    format!("osbox show {}\n", boards.join(" ")).repeat(50)
}

async fn mailed(app: &TestApp, from: &str, line: &str, body: &str) -> Spent {
    // Every mail meets budgets that nobody has spent of.
    app.clock.advance(HOUR);
    let meter = Meter::start(app);
    let receipt = app.mail(from, line, body).await;
    assert!(matches!(receipt, Receipt::Stored { .. }), "{line:.60}: {receipt:?}");
    meter.stop(app, line.len() + body.len(), 0)
}

async fn posted(app: &TestApp, line: &str, body: &str) -> Spent {
    let meter = Meter::start(app);
    let page = app.post(line, body).await;
    app.work().await;
    meter.stop(app, line.len() + body.len(), page.text.len())
}

#[tokio::test]
async fn a_command_of_a_stranger_costs_no_more_than_its_row() {
    let app = a_server_with_boards().await;
    print_head();
    for (index, verb) in Verb::all().iter().enumerate() {
        let (cost, body) = (cost_of(*verb), body(*verb));
        let (mut by_mail, mut by_http) = (Spent::default(), Spent::default());
        for (number, line) in largest(*verb, index).into_iter().enumerate() {
            let what = format!("{verb:?}: {}", line.chars().take(60).collect::<String>());
            let spent = mailed(&app, &format!("v{index}.{number}@victim.example"), &line, &body).await;
            spent.check(cost, 1, &what);
            by_mail = by_mail.most(spent);
            // What is signed up by mail cannot be signed up once more.
            let line = line.replace("signup new", "signup web").replace("@victim", "@w.victim");
            let spent = posted(&app, &line, &body).await;
            spent.check(Cost { rows: cost.rows + 1, ..cost }, 1, &format!("{what} over HTTP"));
            by_http = by_http.most(spent);
        }
        by_mail.print(&verb.spec().name());
        by_http.print(&format!("{} over HTTP", verb.spec().name()));
    }
}

#[tokio::test]
async fn a_line_that_is_twice_as_long_takes_twice_as_long_to_read() {
    let app = a_server_with_boards().await;
    let number = Cell::new(0);
    for verb in Verb::all() {
        for (start, list, unique) in forms(*verb, 1) {
            let Some(kind) = list else { continue };
            check_growth(&start, (LONGEST / 2, LONGEST), async |bytes| {
                number.set(number.get() + 1);
                let line = listing(&start, &kind, unique, usize::MAX, bytes);
                mailed(&app, &format!("g{}@victim.example", number.get()), &line, "").await.processor
            })
            .await;
        }
    }
}
