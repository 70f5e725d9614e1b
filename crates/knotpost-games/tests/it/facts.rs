//! Facts of a game that contradict each other are refused by the kit.

use knotpost_rules::{
    Abilities, Ability, ChoiceOption, EitherOption, FlagOption, GameKind, GameOptions, HelpPage, Meta,
    NumberOption, OptionSpec, Preset, TextOption, conformance::check_meta,
};

use crate::play::given;

fn meta() -> Meta {
    Meta {
        name: "game",
        title: "Game",
        aliases: &["play"],
        kind: GameKind::Race,
        weight: 1,
        length: 20,
        rules_version: 1,
        players: 2..=3,
        options: &[],
        presets: &[],
        trial: "",
        abilities: Abilities::of(&[Ability::PlayOn]),
        seat_names: &[&["First", "Second"], &["First", "Second", "Third"]],
        credit: "traditional",
        contact: None,
        summary: "a game",
        help: || HelpPage { title: String::new(), sections: Vec::new(), figures: Vec::new() },
        lessons: "",
        puzzles: "",
    }
}

#[track_caller]
fn refused(meta: &Meta, clause: &str) {
    let broken = check_meta(meta).expect_err(clause);
    assert!(broken.contains(clause), "{broken}");
}

fn with_options(options: Vec<OptionSpec>) -> Meta {
    Meta { options: Vec::leak(options), ..meta() }
}

const fn number(name: &'static str, default: &'static str) -> OptionSpec {
    NumberOption { name, min: 2, max: 9, default, help: "A number.", excludes: &[] }.spec()
}

#[test]
fn facts_that_agree_are_accepted() {
    assert_eq!(check_meta(&meta()), Ok(()));
    assert_eq!(check_meta(&with_options(vec![number("size", "4")])), Ok(()));
}

#[test]
fn names_and_sentences_are_words_and_lines() {
    refused(&Meta { name: "My Game", ..meta() }, "not one word in lower case");
    refused(&Meta { summary: "two\nlines", ..meta() }, "the summary is not one line");
    refused(&Meta { contact: Some(""), ..meta() }, "the contact is not one line");
    refused(&Meta { rules_version: 0, ..meta() }, "count from 1");
    refused(&Meta { aliases: &["Play"], ..meta() }, "not one word in lower case");
    refused(&Meta { aliases: &["game"], ..meta() }, "names the game twice");
    refused(&Meta { weight: 4, ..meta() }, "a weight of 4");
    refused(&Meta { length: 0, ..meta() }, "no moves");
}

#[test]
fn each_number_of_players_has_its_seat_names() {
    refused(&Meta { players: 2..=4, ..meta() }, "seat names are for [2, 3] players, not for [2, 3, 4]");
    refused(&Meta { players: 2..=9, ..meta() }, "no seats for 9 players");
    refused(&Meta { players: 2..=2, seat_names: &[&["X", "X"]], ..meta() }, "do not tell the seats apart");
    refused(&Meta { players: 2..=2, seat_names: &[&["X", "O"]], ..meta() }, "`PlayOn` is for three or more");
}

#[test]
fn a_default_is_a_value_that_can_be_given() {
    static CHOICE: ChoiceOption<u8, 2> =
        ChoiceOption::new("score", [("low", 1), ("high", 2)], "middle", "A choice.");
    refused(&with_options(vec![number("size", "10")]), "not a number from 2 to 9");
    refused(&with_options(vec![number("size", "04")]), "not a number from 2 to 9");
    refused(&with_options(vec![CHOICE.spec()]), "none of its choices");
    let text = TextOption { name: "hand", shape: "1a", normalise: |_| None, help: "A text.", excludes: &[] };
    refused(&with_options(vec![text.spec()]), "does not accept its own example");
    let same = EitherOption { usual: ("on", 1), other: ("on", 2), help: "Twice.", excludes: &[] };
    refused(&with_options(vec![same.spec()]), "which differs from");
}

#[test]
fn presets_name_values_that_can_be_given() {
    const SIZE: Preset = Preset { title: "Big", options: &[("size", "9")], about: "Long." };
    let with = |preset| Meta { presets: vec![preset].leak(), ..with_options(vec![number("size", "4")]) };
    assert_eq!(check_meta(&with(SIZE)), Ok(()));
    for options in [&[("size", "10")], &[("size", "4")], &[("sise", "9")]] {
        refused(&with(Preset { options, ..SIZE }), "the preset \"Big\" has");
    }
    refused(&with(Preset { about: "", ..SIZE }), "lacks words");
}

#[test]
fn no_word_selects_two_options_or_excludes_what_is_not_there() {
    refused(&with_options(vec![number("size", "4"), number("size", "5")]), "the same word");
    let flag = FlagOption { name: "fast", off: 0, on: 1, help: "A flag.", excludes: &["slow"] };
    refused(&with_options(vec![flag.spec()]), "excludes Some(\"slow\")");
}

#[test]
fn an_option_is_read_by_the_meaning_of_its_word() {
    static TAKE: EitherOption<char> =
        EitherOption { usual: ("take", 't'), other: ("no_take", 'n'), help: "Both.", excludes: &[] };
    static WIDTH: ChoiceOption<u8, 2> = ChoiceOption::new("width", [("5", 5), ("7", 7)], "7", "Columns.");
    static SLOW: FlagOption<char> =
        FlagOption { name: "slow", off: 'f', on: 's', help: "Slowly.", excludes: &[] };
    static TABLE: [OptionSpec; 4] = [TAKE.spec(), WIDTH.spec(), SLOW.spec(), SIZE.spec()];
    static SIZE: NumberOption =
        NumberOption { name: "size", min: 2, max: 9, default: "4", help: "Rows.", excludes: &[] };
    let read = |typed| {
        let options = GameOptions::parse(&TABLE, &given(typed)).unwrap();
        (TAKE.of(&options), WIDTH.of(&options), SLOW.of(&options), SIZE.of(&options))
    };
    assert_eq!(read(""), ('t', 7, 'f', 4));
    assert_eq!(read("-take -width=7 -size=4"), ('t', 7, 'f', 4));
    assert_eq!(read("-no_take -width=5 -slow -size=9"), ('n', 5, 's', 9));
}
