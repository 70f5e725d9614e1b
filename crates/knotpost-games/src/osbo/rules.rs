//! The facts about Osbo, and what the options and the number of players make of it.

use knotpost_rules::{
    Abilities, Ability, FlagOption, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Preset, Seat,
};

/// The facts about Osbo.
pub(super) static META: Meta = Meta {
    name: "osbo",
    title: "Osbo",
    aliases: &[],
    kind: GameKind::Knots,
    weight: 3,
    length: 40,
    rules_version: 1,
    players: 2..=super::MAX_SEATS,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 4x4", options: &[("size", "4")], about: "Quick, with many passes." },
        Preset { title: "Classic 5x5", options: &[], about: "The usual window." },
        Preset {
            title: "Big 7x7",
            options: &[("size", "7")],
            about: "Long strings, and more to choose from.",
        },
    ],
    trial: "",
    abilities: Abilities::of(&[Ability::Pass, Ability::Draw, Ability::Undo, Ability::Dice, Ability::PlayOn]),
    seat_names: &[
        &["First", "Second"],
        &["First", "Second", "Third"],
        &["First", "Second", "Third", "Fourth"],
    ],
    credit: "Cameron Browne, 2008",
    contact: None,
    summary: "grow knots of rolled dice, yours and theirs",
    help: super::help::write,
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// The order is that of canonical options.
static OPTIONS: [OptionSpec; 2] = [SIZE.spec(), AUTO_TIPS.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 3,
    max: 8,
    default: "5",
    help: "Rows and columns of the window that every design must fit.",
    excludes: &[],
};

static AUTO_TIPS: FlagOption<Tips> = FlagOption {
    name: "auto_tips",
    off: Tips::ByHand,
    on: Tips::Auto,
    help: "Whenever a turn is over, cells that nothing but a tip could ever fill get their tips at once.",
    excludes: &[],
};

/// The fate of cells that only a tip can fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tips {
    /// Players fill them with rolled dice.
    ByHand,
    /// They are filled at the end of each turn.
    Auto,
}

/// The rules of one board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Rows and columns of the window.
    pub size: u8,
    /// Seats, which is also the number of dice a turn, for as long as the game lasts.
    pub seats: usize,
    pub tips: Tips,
}

impl Rules {
    /// The rules that options and players of this game's table ask for.
    pub(super) fn new(options: &GameOptions, players: usize) -> Self {
        Self {
            size: SIZE.of(options) as u8,
            seats: players.clamp(2, super::MAX_SEATS),
            tips: AUTO_TIPS.of(options),
        }
    }

    /// The seat's side name.
    pub(super) fn seat_name(&self, seat: Seat) -> &'static str {
        META.seat_names(self.seats).get(seat.index()).copied().unwrap_or("")
    }
}
