//! Moves, options and positions of Obsidio as text.

use crate::play::{given, place, start};
use knotpost_rules::{Rejected, Seed, Turn};

#[test]
fn squares_are_read_in_either_case_and_printed_in_lower_case() {
    for spelling in ["c2,e4", "C2,E4", "C2,e4"] {
        let played = start("obsidio", "", 2).play(Turn::Move(spelling)).unwrap();
        assert_eq!((played.canonical.as_str(), played.text.as_str()), ("c2,e4", "c2,e4"));
    }
}

#[test]
fn what_is_no_list_of_squares_is_no_move() {
    let long = vec!["b2"; 26].join(",");
    for text in [
        "", "c", "3", "c0", "c03", "c+3", "c 3", "c3,", ",c3", "c3,,c5", "c3;c5", "c100", "cc3", "\u{e9}3",
        &long,
    ] {
        let error = start("obsidio", "", 2).play(Turn::Move(text)).expect_err(text);
        assert!(matches!(error, Rejected::Syntax(_)), "{text}");
        let shape = "a move is a dark cell such as c3, two light cells such as c2,e4 or targets to claim such as b2,d4";
        assert!(error.to_string().ends_with(shape), "{error}");
    }
}

#[test]
fn every_broken_rule_has_its_own_clause() {
    let board = "...../.X.O./..x../.*.*./..... 2 c3";
    let words = [
        "f1", "a6", "k11", "z99", "c3", "c3,c5", "c5,c3", "c5,c5", "b2", "b2,b2", "b4", "d4", "a1", "c2",
        "a2,a4", "c2,c2", "c2,c3", "c2,b2", "c2,e4,a4", "b2,c3", "c2,b3", "c2,c4", "c2,e2",
    ];
    let lines = words.map(|word| {
        let error = place("obsidio", "-size=5", 2, board).play(Turn::Move(word)).expect_err(word);
        assert!(matches!(error, Rejected::Illegal(_)), "{word}");
        format!("{word}: {error}")
    });
    insta::assert_snapshot!("illegal_moves", lines.join("\n"));
}

#[test]
fn wrong_positions_are_refused_with_a_reason() {
    let registry = knotpost_games::registry();
    let obsidio = registry.find("obsidio").unwrap();
    let options = obsidio.parse_options(&given("-size=5"), 2).unwrap();
    let rows = "...../.*.*./...../.*.*./.....";
    let mut texts: Vec<String> = [
        " 1", "", " 1 - -", " 0 -", " 3 -", " 01 -", " 1 f1", " 1 a6", " 1 C3", " 1 c03", " 1  -", " 1 --",
        " 1 ",
    ]
    .iter()
    .map(|tail| format!("{rows}{tail}"))
    .collect();
    for broken in [
        "...../.*.*./...../.*.*.",
        "...../.*.*./...../.*.*./...../.....",
        "...../.*.*./....../.*.*./.....",
        "...../.*.*./..*../.*.*./.....",
        "...../.*.*./..X../.*.*./.....",
        "...../.*.*./...../.x.*./.....",
        "...../.*.*./...../...*./.....",
        "...../.*.*./..q../.*.*./.....",
        "...../.*.*./..,../.*.*./.....",
        "...../.*.*./..\u{e9}../.*.*./.....",
    ] {
        texts.push(format!("{broken} 1 -"));
    }
    let lines: Vec<String> = texts
        .iter()
        .map(|text| {
            let read = obsidio.parse_position(&options, 2, &Seed::default(), text);
            format!("{text:?}: {}", read.map(|game| game.position()).expect_err(text))
        })
        .collect();
    insta::assert_snapshot!("position_errors", lines.join("\n"));
}

#[test]
fn the_size_is_one_of_four() {
    let registry = knotpost_games::registry();
    let obsidio = registry.find("obsidio").unwrap();
    let parse = |text: &str| obsidio.parse_options(&given(text), 2).map(|options| options.to_string());
    for (typed, canonical) in [("", ""), ("-size=9", ""), ("-si=5", "-size=5"), ("--size=11", "-size=11")] {
        assert_eq!(parse(typed).as_deref(), Ok(canonical));
    }
    for typed in ["-size=3", "-size=6", "-size=13", "-size=", "-size", "-size=7 -size=7", "-any_side"] {
        assert!(parse(typed).is_err(), "{typed}");
    }
    assert!(obsidio.parse_options(&[], 3).is_err());
}
