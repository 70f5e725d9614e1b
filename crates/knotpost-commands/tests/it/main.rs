//! The command language, seen from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod accounts;
mod bounds;
mod cleaning;
mod errors;
mod looking;
mod masking;
mod playing;
mod short;
mod table;
mod tournaments;
mod typed;
mod wild;
mod words;

use knotpost_commands::{
    Command, Credentials, ErrorCode, GameWords, OptionWord, Password, Vocabulary, parse,
};

fn option(name: &str, default: &str) -> OptionWord {
    OptionWord {
        name: name.to_owned(),
        takes_value: !default.is_empty(),
        help: format!("sets {name}"),
        default: default.to_owned(),
    }
}

fn game(name: &str, options: Vec<OptionWord>) -> GameWords {
    let mut title = name.to_owned();
    title[..1].make_ascii_uppercase();
    GameWords { name: name.to_owned(), aliases: Vec::new(), title, options }
}

/// The games of the examples.
fn vocabulary() -> Vocabulary {
    let osbox = vec![
        option("size", "4"),
        option("any_side", ""),
        option("capture", ""),
        option("no_capture", ""),
        option("thick_knots", ""),
        option("thin_knots", ""),
        option("score", "crossings"),
    ];
    Vocabulary::new(vec![
        game("osbox", osbox),
        game("osbo", vec![option("size", "5"), option("auto_tips", "")]),
        game("obsidio", vec![option("size", "9")]),
        game("boxilies", vec![option("deal", "same"), option("hand", "1a,2b,3e,4j,5n")]),
    ])
}

/// The command of a line that must be one.
fn read(line: &str) -> Command {
    match parse(line, &vocabulary()) {
        Ok(command) => command,
        Err(error) => panic!("{line}: {error}"),
    }
}

/// The code of a line that must not be a command.
fn code(line: &str) -> ErrorCode {
    match parse(line, &vocabulary()) {
        Ok(command) => panic!("{line}: read as {command:?}"),
        Err(error) => error.code,
    }
}

fn who(userid: &str, password: &str) -> Credentials {
    Credentials::typed(userid, Password::given(password))
}

fn fred() -> Credentials {
    who("fred", "secret")
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}
