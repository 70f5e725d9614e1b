//! How much one line can ask for, whatever its verb.

use std::collections::HashSet;
use std::fmt::Write as _;

use knotpost_commands::{BoardSet, Command, ErrorCode, MOST_MOVES, MOST_NAMES, Verb, parse};

use super::{read, vocabulary};

/// Bytes of the longest line that mail carries.
const LONGEST: usize = 32 * 1024;

/// The syntax of a verb with words in place of its places, up to where a list begins; and what the list is of.
fn filled(form: &str) -> (String, Option<String>) {
    let mut line = String::new();
    let mut last = String::new();
    let mut listed = None;
    for piece in form.split_whitespace() {
        let piece = piece.trim_matches(|c| matches!(c, '[' | ']'));
        if piece == "..." || piece.starts_with("...|") {
            listed = Some(last.clone());
            break;
        }
        let word = piece.split('|').next().unwrap_or(piece);
        let word = word.trim_end_matches("[#n").trim_end_matches("[#n]");
        let filled = match word {
            "userid" | "touserid" => "fred",
            "password" | "current" => "chocolate",
            "new" if form.starts_with("change") => "chocolate2",
            "board" => "101",
            "move" if line.starts_with("osbox move ") || line.contains(" preview ") => "f12",
            "players" => "2",
            "<game>" | "game" | "subject" => "osbox",
            "address" => "fred@x.y",
            "name=value" => "moves=mine",
            "options" | "options]" => continue,
            other => other,
        };
        let _ = write!(line, "{filled} ");
        word.clone_into(&mut last);
    }
    (line, listed)
}

fn word(kind: &str, number: usize) -> String {
    match kind {
        "board" => (100 + number).to_string(),
        "address" => format!("a{number}@x.y"),
        "game" => ["osbox", "OSBO", "obsidio", "Boxilies"][number % 4].to_owned(),
        "move" => format!("m{number}"),
        "name=value" => "moves=mine".to_owned(),
        _ => format!("u{number}x"),
    }
}

/// A line of the largest size.
fn largest(start: &str, kind: &str, different: usize) -> String {
    let mut line = start.to_owned();
    let mut number = 0;
    while line.len() < LONGEST - 12 {
        let _ = write!(line, "{} ", word(kind, number % different));
        number += 1;
    }
    line
}

/// How many things a command lists.
fn listed(command: &Command) -> usize {
    match command {
        Command::Help { subjects } => subjects.len(),
        Command::Signup { addresses, .. }
        | Command::Add { addresses, .. }
        | Command::ChangeAddress { addresses, .. }
        | Command::Signoff { addresses, .. } => addresses.len(),
        Command::List { games } => games.len(),
        Command::Message { to: users, .. }
        | Command::Relate { users, .. }
        | Command::AllShow { users, .. }
        | Command::AllGames { users, .. }
        | Command::ShowUsers { users, .. }
        | Command::Games { users, .. }
        | Command::History { users, .. } => users.len(),
        Command::ShowBoards { boards, .. } | Command::ShowAs { boards, .. } => boards.len(),
        Command::Subscribe { boards: BoardSet::These(boards), .. }
        | Command::Unsubscribe { boards: BoardSet::These(boards), .. }
        | Command::Notify { boards, .. } => boards.len(),
        Command::Challenge { players, options, .. } => players.len().max(options.len()),
        Command::Set { values, .. } => values.len(),
        Command::Queue { moves, .. } => moves.len() * MOST_NAMES / MOST_MOVES,
        Command::Preview { moves, .. } | Command::PreviewNew { moves, .. } => {
            moves.len() * MOST_NAMES / MOST_MOVES
        }
        _ => 1,
    }
}

#[test]
fn no_line_however_long_names_more_than_forty_things() {
    let vocabulary = vocabulary();
    let mut with_lists = HashSet::new();
    for verb in Verb::all() {
        for form in verb.spec().syntax {
            let (start, list) = filled(form);
            let kinds = ["board", "userid"];
            for kind in list.iter().map(String::as_str).chain(kinds) {
                for different in [1, MOST_NAMES, MOST_NAMES + 1, usize::MAX] {
                    let line = largest(&start, kind, different);
                    match parse(&line, &vocabulary) {
                        Ok(command) => {
                            assert!(listed(&command) <= MOST_NAMES, "{start} … {kind} × {different}");
                            if list.is_some() {
                                with_lists.insert(*verb);
                            }
                        }
                        Err(error) => assert!(error.message.len() < 1000, "{start}: {error}"),
                    }
                }
            }
        }
    }
    for verb in [Verb::List, Verb::Games, Verb::AllShow, Verb::Show, Verb::Notify, Verb::Add] {
        assert!(with_lists.contains(&verb), "{verb:?} takes what is repeated");
    }
}

#[test]
fn too_many_names_are_refused_with_a_sentence() {
    let users: Vec<String> = (0..=MOST_NAMES).map(|number| format!("u{number}x")).collect();
    let error = parse(&format!("osbox games {}", users.join(" ")), &vocabulary()).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooMuchMail);
    assert_eq!(error.message, "one command names at most 40 users, and this one names 41");
    assert_eq!(listed(&read(&format!("osbox games {}", users[1..].join(" ")))), MOST_NAMES);
}

#[test]
fn what_is_named_twice_counts_once() {
    assert_eq!(read("list osbox OSBOX osbox"), read("list osbox"));
    assert_eq!(read("osbox show 101 #101 101"), read("osbox show 101"));
    assert_eq!(listed(&read("osbox show 101 101#2")), 2, "two moments of a board are two");
    assert_eq!(read("osbox games ann Ann ANN"), read("osbox games ann"));
    assert_eq!(listed(&read("osbox challenge ann ann")), 2, "both sides in one hand");
}
