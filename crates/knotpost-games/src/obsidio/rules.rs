//! The facts about Obsidio and its options.

use knotpost_rules::{Abilities, Ability, ChoiceOption, GameKind, Meta, OptionSpec, Preset, Seat};

/// The facts about Obsidio.
pub(super) static META: Meta = Meta {
    name: "obsidio",
    title: "Obsidio",
    aliases: &[],
    kind: GameKind::Territory,
    weight: 2,
    length: 40,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset {
            title: "Quick 5x5",
            options: &[("size", "5")],
            about: "Four targets; whoever begins has it easier.",
        },
        Preset { title: "Small 7x7", options: &[("size", "7")], about: "Nine targets." },
        Preset { title: "Classic 9x9", options: &[], about: "The usual board, with sixteen targets." },
        Preset { title: "Big 11x11", options: &[("size", "11")], about: "The longest, and the fairest." },
    ],
    trial: "",
    abilities: Abilities::of(&[Ability::Pass, Ability::Swap, Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Phil Leduc, 2025",
    contact: Some("the author asks those who program or sell the game to get in touch"),
    summary: "surround targets along lines of sight",
    help: super::help::write,
    lessons: include_str!("lessons.json"),
    puzzles: include_str!("puzzles.tsv"),
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

/// Rows and columns.
pub(super) static SIZE: ChoiceOption<u8, 4> = ChoiceOption::new(
    "size",
    [("5", 5), ("7", 7), ("9", 9), ("11", LARGEST)],
    "9",
    "Rows and columns of the board; there are 4, 9, 16 or 25 targets on it.",
);

/// Rows and columns of the largest board.
pub(super) const LARGEST: u8 = 11;

/// The seat that moves second and may swap.
pub(super) const SECOND: Seat = match Seat::new(2) {
    Some(seat) => seat,
    None => Seat::FIRST,
};

/// The seat's side name.
pub(super) const fn seat_name(seat: Seat) -> &'static str {
    if seat.number() == Seat::FIRST.number() { "X" } else { "O" }
}
