//! Facts about a game as data: names, players, options, abilities, credit.

use crate::{help::HelpPage, options::OptionSpec};
use std::ops::RangeInclusive;

/// The facts of a game that do not depend on a position.
#[derive(Clone, Debug)]
pub struct Meta {
    /// The word players type, lower case.
    pub name: &'static str,
    /// The name in headings.
    pub title: &'static str,
    /// Other words for it, lower case, that commands and searches take.
    pub aliases: &'static [&'static str],
    /// The kind that lists put it under.
    pub kind: GameKind,
    /// The amount of rules to learn, from 1 to 3.
    pub weight: u8,
    /// Moves of a usual game, both players' together.
    pub length: u16,
    /// Raised whenever a stored game could replay differently.
    pub rules_version: u32,
    /// Number of players; the kit refuses more than eight.
    pub players: RangeInclusive<usize>,
    /// Every option, in the order they are printed.
    pub options: &'static [OptionSpec],
    /// Sets of options that are worth a try, the usual one among them; none where there is nothing to choose.
    pub presets: &'static [Preset],
    /// The options, as typed, of a first game against a weak player: one that can be won. Empty: the usual ones.
    pub trial: &'static str,
    /// Words of the server that the game allows.
    pub abilities: Abilities,
    /// Side names: one list for each number of players in the range, in its order.
    pub seat_names: &'static [SeatNames],
    /// The author of the game, with the year.
    pub credit: &'static str,
    /// The author's request to those who program or sell the game, if any.
    pub contact: Option<&'static str>,
    /// One line for lists of games.
    pub summary: &'static str,
    /// Writes the help page.
    pub help: fn() -> HelpPage,
    /// The file of its lessons, as JSON: the moves of a figure, and small boards with one move each, see
    /// `docs/adding-a-game.md`; empty where there are none.
    pub lessons: &'static str,
    /// The file of its puzzles, see [`Puzzle`](crate::Puzzle); empty where there are none.
    pub puzzles: &'static str,
}

/// The kind of a game, by what its players strive for; lists of games are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameKind {
    /// Lines of knots that close.
    Knots,
    /// Chains that join sides.
    Connection,
    /// Pieces in a row.
    Line,
    /// The greater part of the board.
    Territory,
    /// Pieces of the other side.
    Capture,
    /// The far side.
    Race,
    /// Leaving no move.
    Blockade,
    /// Seeds sown around.
    Sowing,
    /// Rolled dice.
    Dice,
    /// Mate.
    Chess,
}

impl GameKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 10] = [
        Self::Knots,
        Self::Connection,
        Self::Line,
        Self::Territory,
        Self::Capture,
        Self::Race,
        Self::Blockade,
        Self::Sowing,
        Self::Dice,
        Self::Chess,
    ];

    /// The word of the API and of addresses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Knots => "knots",
            Self::Connection => "connection",
            Self::Line => "line",
            Self::Territory => "territory",
            Self::Capture => "capture",
            Self::Race => "race",
            Self::Blockade => "blockade",
            Self::Sowing => "sowing",
            Self::Dice => "dice",
            Self::Chess => "chess",
        }
    }
}

/// Options that are chosen together by one click.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name among players, such as `Big 6x6`.
    pub title: &'static str,
    /// The options that differ from their defaults, each with its value.
    pub options: &'static [(&'static str, &'static str)],
    /// Its audience, or its character, in a sentence.
    pub about: &'static str,
}

/// Side names at a board with as many seats as names.
pub type SeatNames = &'static [&'static str];

impl Meta {
    /// True if a word is the name of the game or one of its aliases, in any case.
    pub fn is_called(&self, word: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|name| name.eq_ignore_ascii_case(word))
    }

    /// Title and summary, as the help page is headed.
    pub fn heading(&self) -> String {
        format!("{} - {}", self.title, self.summary)
    }

    /// The side names for this number of players; the longest list there is when none fits.
    pub fn seat_names(&self, players: usize) -> SeatNames {
        let fitting = self.seat_names.iter().find(|names| names.len() == players);
        fitting.or(self.seat_names.last()).copied().unwrap_or(&[])
    }

    /// The table entry of an option, by its full name.
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|spec| spec.name == name)
    }
}

/// A thing a game may allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Ability {
    /// Some positions let the mover pass. The game implements `pass`, and `must_pass` or `may_pass`.
    Pass = 1,
    /// Some positions let the mover take over the other side. The game implements `swap` and `may_swap`.
    Swap = 2,
    /// Players may agree on a draw.
    Draw = 4,
    /// Players may agree to take a move back.
    Undo = 8,
    /// Seats see different things. Without it a board is drawn once, and all viewers get that drawing.
    Hidden = 16,
    /// Rolls or deals from the seed: it is committed to at the start, kept secret, and revealed when the game is over.
    Dice = 32,
    /// With more than two players the last one left may go on to the end instead of winning at once.
    PlayOn = 64,
    /// The seed decides a deal at the start, and nothing is rolled. Goes with [`Self::Dice`].
    Deal = 128,
    /// Earlier positions decide which moves are legal, or the end. The game implements `forget`.
    History = 256,
}

/// A set of abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities(u32);

impl Abilities {
    /// The set of these.
    pub const fn of(list: &[Ability]) -> Self {
        let mut set = 0;
        let mut rest = list;
        while let [first, others @ ..] = rest {
            set |= *first as u32;
            rest = others;
        }
        Self(set)
    }

    /// True if the game allows this.
    pub const fn has(self, ability: Ability) -> bool {
        self.0 & ability as u32 != 0
    }
}
