//! Osbox by its options and the number of players: size, sides, capture, scoring.

use super::moves::Line;
use knotpost_rules::{
    Abilities, Ability, ChoiceOption, EitherOption, FlagOption, GameKind, GameOptions, Meta, NumberOption,
    OptionSpec, Preset, Seat, knot::Side,
};

/// The facts about Osbox.
pub(super) static META: Meta = Meta {
    name: "osbox",
    title: "Osbox",
    aliases: &[],
    kind: GameKind::Knots,
    weight: 2,
    length: 40,
    rules_version: 1,
    players: 2..=4,
    options: &OPTIONS,
    presets: &[
        Preset {
            title: "Quick 3x3",
            options: &[("size", "3")],
            about: "Over in ten turns or so, and mostly 0-0.",
        },
        Preset {
            title: "Classic 4x4",
            options: &[],
            about: "The usual box; beginners and careful players mostly finish 0-0.",
        },
        Preset {
            title: "Thin knots 4x4",
            options: &[("thick_knots", "thin_knots")],
            about: "Every closed knot scores: the one to begin with.",
        },
        Preset { title: "Big 6x6", options: &[("size", "6")], about: "Longer, and rich in knots." },
    ],
    trial: "-thin_knots",
    abilities: Abilities::of(&[Ability::Draw, Ability::Undo]),
    seat_names: &[&["Horz", "Vert"], &["Left", "Top", "Right"], &["Left", "Top", "Right", "Bottom"]],
    credit: "Cameron Browne, 2008",
    contact: None,
    summary: "push knot dice into a box and close thick knots",
    help: super::help::write,
    lessons: include_str!("lessons.json"),
    puzzles: include_str!("puzzles.tsv"),
};

/// The order is that of canonical options.
static OPTIONS: [OptionSpec; 5] = [SIZE.spec(), ANY_SIDE.spec(), CAPTURE.spec(), KNOTS.spec(), SCORE.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 2,
    max: 12,
    default: "4",
    help: "Rows and columns of the box.",
    excludes: &[],
};

static ANY_SIDE: FlagOption<Entrance> = FlagOption {
    name: "any_side",
    off: Entrance::Own,
    on: Entrance::Any,
    help: "Everybody may push from any side of the box.",
    excludes: &[],
};

static CAPTURE: EitherOption<Capture> = EitherOption {
    usual: ("capture", Capture::Take),
    other: ("no_capture", Capture::Leave),
    help: "Whether the dice of scoring knots leave the box. With -no_capture they stay and may score again.",
    excludes: &[],
};

static KNOTS: EitherOption<Knots> = EitherOption {
    usual: ("thick_knots", Knots::Thick),
    other: ("thin_knots", Knots::ThinToo),
    help: "Whether a knot must spread over more than one row and column to score. With -thin_knots every closed knot scores.",
    excludes: &[],
};

static SCORE: ChoiceOption<Scoring, 2> = ChoiceOption::new(
    "score",
    [("crossings", Scoring::Crossings), ("dice", Scoring::Dice)],
    "crossings",
    "What a scoring move is worth: the crossings its knots pass, or the number of dice they run through.",
);

/// The fate of the dice of scoring paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capture {
    /// They leave the board.
    Take,
    /// They stay.
    Leave,
}

/// The closed paths that score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Knots {
    /// Only thick ones.
    Thick,
    /// All of them.
    ThinToo,
}

/// The value of scoring paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scoring {
    /// The sum of their lengths.
    Crossings,
    /// The number of distinct dice on them.
    Dice,
}

/// From which sides a seat may push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entrance {
    /// From its own.
    Own,
    /// From all four.
    Any,
}

/// The rules of one board.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub size: u8,
    pub seats: usize,
    pub entrance: Entrance,
    pub capture: Capture,
    pub knots: Knots,
    pub scoring: Scoring,
    /// The sides each seat may push from, a bit each; looked up on every move.
    reach: [u8; super::MAX_SEATS],
    /// The lines behind the entries, likewise.
    lines: [Option<Line>; MAX_ENTRIES],
}

/// Entries of the largest board.
const MAX_ENTRIES: usize = 48;

impl Rules {
    /// The rules that options and players of this game's table ask for.
    pub(super) fn new(options: &GameOptions, players: usize) -> Self {
        let mut rules = Self {
            size: SIZE.of(options) as u8,
            seats: players.clamp(2, super::MAX_SEATS),
            entrance: ANY_SIDE.of(options),
            capture: CAPTURE.of(options),
            knots: KNOTS.of(options),
            scoring: SCORE.of(options),
            reach: [0; super::MAX_SEATS],
            lines: [None; MAX_ENTRIES],
        };
        rules.fill_tables();
        rules
    }

    fn fill_tables(&mut self) {
        self.lines = std::array::from_fn(|index| Line::through(index as u8 + 1, self.size));
        self.reach = std::array::from_fn(|index| {
            let seat = Seat::from_index(index);
            let owned = |side: &&Side| self.entrance == Entrance::Any || self.owner(**side) == seat;
            Side::ALL.iter().filter(owned).fold(0, |bits, side| bits | 1 << *side as u8)
        });
    }

    /// The line behind an entry; `None` for a number the board does not have.
    pub(super) fn line(&self, entry: u8) -> Option<Line> {
        self.lines.get(usize::from(entry).wrapping_sub(1)).copied().flatten()
    }

    /// The owner of a side; `None` when it has none or all seats may use it.
    pub(super) const fn owner(&self, side: Side) -> Option<Seat> {
        if matches!(self.entrance, Entrance::Any) {
            return None;
        }
        let number = match (self.seats, side) {
            (2, Side::West | Side::East) | (_, Side::West) => 1,
            (_, Side::North) | (2, Side::South) => 2,
            (_, Side::East) => 3,
            (3, Side::South) => 0,
            (_, Side::South) => 4,
        };
        Seat::new(number)
    }

    /// True if a seat may push from a side.
    pub(super) fn owns(&self, seat: Seat, side: Side) -> bool {
        self.reach.get(seat.index()).is_some_and(|sides| sides >> side as u8 & 1 == 1)
    }

    /// True if anybody may push from a side.
    pub(super) fn is_used(&self, side: Side) -> bool {
        self.entrance == Entrance::Any || self.owner(side).is_some()
    }

    /// The seat's side name.
    pub(super) fn seat_name(&self, seat: Seat) -> &'static str {
        META.seat_names(self.seats).get(seat.index()).copied().unwrap_or("")
    }

    /// A seat's sides, to complete "pushes from ...".
    pub(super) fn sides_of(&self, seat: Seat) -> &'static str {
        match (self.entrance, self.seats, seat.number()) {
            (Entrance::Any, ..) => "any side",
            (_, 2, 1) => "left and right",
            (_, 2, _) => "top and bottom",
            (_, _, 1) => "the left",
            (_, _, 2) => "the top",
            (_, _, 3) => "the right",
            _ => "the bottom",
        }
    }
}
