//! The facts about Boxilies, its options, and the deal they ask for.

use super::stones::{Hand, Stone};
use knotpost_rules::{
    Abilities, Ability, ChoiceOption, FlagOption, GameKind, GameOptions, Meta, OptionSpec, Preset, Seat,
    Seed, SwapRight, TextOption, rng::Draws,
};

/// The facts about Boxilies.
pub(super) static META: Meta = Meta {
    name: "boxilies",
    title: "Boxilies",
    aliases: &[],
    kind: GameKind::Capture,
    weight: 2,
    length: 30,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset {
            title: "Same stones",
            options: &[],
            about: "The usual deal. First is favoured: play twice, with the seats exchanged.",
        },
        Preset {
            title: "With a swap",
            options: &[("swap", "on")],
            about: "The usual deal, and after the first stone Second may change sides. The fairest single game.",
        },
        Preset {
            title: "Stones of your own",
            options: &[("deal", "own")],
            about: "One of each total, drawn for each player.",
        },
        Preset {
            title: "Any stones",
            options: &[("deal", "open")],
            about: "Five of any totals; a rematch repeats them with the seats exchanged.",
        },
    ],
    trial: "",
    abilities: Abilities::of(&[Ability::Swap, Ability::Draw, Ability::Undo, Ability::Dice, Ability::Deal]),
    seat_names: &[&["First", "Second"]],
    credit: "author not named where the rules are published",
    contact: None,
    summary: "place stones of arrows, capture weaker sides",
    help: super::help::write,
    lessons: include_str!("lessons.json"),
    puzzles: include_str!("puzzles.tsv"),
};

/// The order is that of canonical options.
static OPTIONS: [OptionSpec; 3] = [DEAL.spec(), HAND.spec(), SWAP.spec()];

/// The origin of the hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deal {
    /// One stone of each total, the same for both.
    Same,
    /// One stone of each total, drawn apart.
    Own,
    /// Any stones, drawn apart.
    Open,
}

static DEAL: ChoiceOption<Deal, 3> = ChoiceOption::new(
    "deal",
    [("same", Deal::Same), ("own", Deal::Own), ("open", Deal::Open)],
    "same",
    "Which stones are drawn. same: one of each total from 1 to 5, the same five for both. own: likewise, drawn for each player apart. open: five of any totals, drawn for each player apart.",
)
.excluding(&["hand"]);

static HAND: TextOption = TextOption {
    name: "hand",
    shape: "1a,2b,3e,4j,5n",
    normalise: normalise_hand,
    help: "Five stones by name, 1a to 5n, the same for both players; nothing is drawn then.",
    excludes: &["deal"],
};

static SWAP: FlagOption<SwapRight> = FlagOption {
    name: "swap",
    off: SwapRight::Never,
    on: SwapRight::Later,
    help: "After the first stone the second player may change sides instead of placing one.",
    excludes: &[],
};

/// The right to swap at the start.
pub(super) fn swap_right(options: &GameOptions) -> SwapRight {
    SWAP.of(options)
}

/// Exactly five names in lower case, in the order given.
fn normalise_hand(text: &str) -> Option<String> {
    Hand::from_names(text).filter(|hand| hand.len() == Hand::MAX).map(|hand| hand.to_string())
}

/// The side name of a seat.
pub(super) fn seat_name(seat: Seat) -> &'static str {
    META.seat_names(super::SEATS).get(seat.index()).copied().unwrap_or("")
}

/// The hands of both seats. Draws go through the first hand from its first stone to its last, then the second.
pub(super) fn deal(options: &GameOptions, seed: &Seed) -> [Hand; super::SEATS] {
    if let Some(hand) = HAND.of(options).and_then(Hand::from_names) {
        return [hand; super::SEATS];
    }
    let mut draws = Draws::new(seed);
    match DEAL.of(options) {
        Deal::Open => [(); super::SEATS].map(|()| draw_any(&mut draws)),
        Deal::Own => [(); super::SEATS].map(|()| draw_totals(&mut draws)),
        Deal::Same => [draw_totals(&mut draws); super::SEATS],
    }
}

/// One stone of each total, in ascending order.
fn draw_totals(draws: &mut Draws) -> Hand {
    (1..=Hand::MAX).filter_map(|total| draw(Stone::of_total(total), draws)).collect()
}

/// Five stones of all there are.
fn draw_any(draws: &mut Draws) -> Hand {
    (0..Hand::MAX).filter_map(|_| draw(Stone::all(), draws)).collect()
}

/// One of these stones, each equally likely.
fn draw(mut candidates: impl ExactSizeIterator<Item = Stone>, draws: &mut Draws) -> Option<Stone> {
    let choice = draws.below(candidates.len() as u32);
    candidates.nth(choice as usize)
}
