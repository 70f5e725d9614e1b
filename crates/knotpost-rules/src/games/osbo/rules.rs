//! The facts about Osbo, and what the options and the number of players make of it.

use crate::{
    meta::{Abilities, Ability, Meta},
    options::{GameOptions, OptionKind, OptionSpec},
    seat::Seat,
};

/// The facts about Osbo.
pub(super) static META: Meta = Meta {
    name: "osbo",
    title: "Osbo",
    rules_version: 1,
    players: 2..=super::MOST_SEATS,
    options: &OPTIONS,
    abilities: Abilities::of(&[Ability::Pass, Ability::Draw, Ability::Undo, Ability::Dice, Ability::PlayOn]),
    seat_names: &[
        &["First", "Second"],
        &["First", "Second", "Third"],
        &["First", "Second", "Third", "Fourth"],
    ],
    credit: "Cameron Browne, 2008",
    contact: None,
    summary: "grow knots of rolled dice, yours and theirs",
};

static OPTIONS: [OptionSpec; 2] = [
    OptionSpec {
        name: "size",
        kind: OptionKind::Number { min: 3, max: 8 },
        default: "5",
        help: "Rows and columns of the window that every design must fit.",
        excludes: &[],
    },
    OptionSpec {
        name: "auto_tips",
        kind: OptionKind::Flag,
        default: "",
        help: "Whenever a turn is over, cells that nothing but a tip could ever fill get their tips at once.",
        excludes: &[],
    },
];

/// What becomes of cells that only a tip can fill.
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
            size: options.number("size").clamp(3, 8) as u8,
            seats: players.clamp(2, super::MOST_SEATS),
            tips: if options.is_set("auto_tips") { Tips::Auto } else { Tips::ByHand },
        }
    }

    /// The seat's side name.
    pub(super) fn seat_name(&self, seat: Seat) -> &'static str {
        META.seat_names(self.seats).get(seat.index()).copied().unwrap_or("")
    }
}
