//! What a player is told when a line is no command.

use knotpost_commands::{ErrorCode, ExampleContext, ParseError, Verb, parse};
use proptest::prelude::*;

use super::{code, vocabulary};

fn error(line: &str) -> ParseError {
    parse(line, &vocabulary()).unwrap_err()
}

/// One line with all that an error says.
fn tell(line: &str) -> String {
    let error = error(line);
    let syntax = error.syntax().unwrap_or_default().replace('\n', " | ");
    let example = error.example(&ExampleContext::default()).unwrap_or_default();
    let place = format!("{:?} {:?} {:?}", error.verb, error.game, error.board);
    format!(
        "> {line}\n{}: {error}\nsuggested: {}\nsyntax: {syntax}\nexample: {example}\nat: {place}\n",
        error.code.as_str(),
        error.suggestions.join(", ")
    )
}

#[test]
fn errors_name_the_input_and_what_would_work() {
    let lines = [
        "",
        "hex challenge -size=19 ann bob",
        "shwo osbox 101",
        "singup fred secret",
        "osbox",
        "osbox mov 101 fred secret f12",
        "osbox move 101 fred f12",
        "osbox move 101 fred secret f12 g4",
        "osbox move ann fred secret f12",
        "show 101",
        "change pasword fred a b",
        "osbox chall ann bob -siez=5",
        "osbox challenge ann bob -thi",
        "osbox challenge ann bob --nagtime=soon",
        "osbox show all",
        "osbox games tournament",
        "signup f secret",
        "signup next secret",
        "signup fred short",
        "set fred secret mail=html",
        "set fred secret color=red",
        "list chess",
        "vacation fred secret 99",
        "osbox queue 101 fred secret if:f9",
        "osbox challenge ann bob -size 5",
        "osbox challenge ann bob --nagtime 5",
        "osbox challenge ann bob -thin_knots 5",
        "osbox 101 fred secret f12",
        "move osbox 101 fred secret f12",
        "show osbox 101",
    ];
    insta::assert_snapshot!(lines.map(tell).join("\n"));
}

#[test]
fn near_words_are_suggested() {
    for (line, expected) in [
        ("hlep", "help"),
        ("singup fred secret", "signup"),
        ("osbx show 101", "osbox"),
        ("obsidoi move 101 fred secret c3", "obsidio"),
        ("osbox shwo 101", "show"),
        ("osbox chalenge ann bob", "challenge"),
        ("osbox challenge ann -siez=5", "size"),
        ("lst", "list"),
    ] {
        let suggestions = error(line).suggestions;
        assert_eq!(suggestions.first().map(String::as_str), Some(expected), "{line}: {suggestions:?}");
    }
    assert!(error("xyzzy").suggestions.is_empty());
}

#[test]
fn unknown_games_and_unknown_commands_are_told_apart() {
    for (line, expected) in [
        ("hex move 101 fred secret f12", ErrorCode::UnknownGame),
        ("chess help", ErrorCode::UnknownGame),
        ("hex standings", ErrorCode::UnknownGame),
        ("hex", ErrorCode::UnknownCommand),
        ("hello world", ErrorCode::UnknownCommand),
        ("osbox dance", ErrorCode::UnknownCommand),
        ("fred secret f12", ErrorCode::UnknownCommand),
    ] {
        assert_eq!(code(line), expected, "{line}");
    }
}

#[test]
fn words_and_options_fail_before_the_game() {
    assert_eq!(code("hex move 101 fred"), ErrorCode::WrongArguments);
    assert_eq!(code("hex challenge ann bob --nagtime=x"), ErrorCode::BadOption);
    assert_eq!(code("hex challenge"), ErrorCode::WrongArguments);
}

#[test]
fn an_error_keeps_game_board_and_verb() {
    let error = error("osbox move #101 fred secret");
    assert_eq!(
        (error.game.as_deref(), error.board, error.verb),
        (Some("osbox"), Some(101), Some(Verb::Move))
    );
    let syntax = error.syntax().unwrap();
    assert!(syntax.starts_with("osbox move board userid password move[#n]\n"), "{syntax}");
}

proptest! {
    #[test]
    fn no_line_makes_the_parser_fail_otherwise(line in r"\PC{0,80}") {
        let _ = parse(&line, &vocabulary());
    }

    #[test]
    fn no_mix_of_known_words_makes_the_parser_fail_otherwise(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "osbox", "osbo", "move", "show", "queue", "set", "change", "password", "new", "New", "board", "all",
            "preview", "subscribe", "101", "#101", "101#-1", "#", "fred", "secret", "f12", "f12#8", "#8", "if:",
            "if:f9", "--", "-", "-size=5", "--nagtime=1", "-size", "-=", "=", "mail=text", "\"", "\"\"", "**",
            "********", "é", "signup", "a@b.c", "none", "off", "next", "2026-01-01",
        ]), 0..9)
    ) {
        let _ = parse(&pieces.join(" "), &vocabulary());
    }
}
