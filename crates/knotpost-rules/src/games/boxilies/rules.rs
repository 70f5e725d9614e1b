//! The facts about Boxilies, its options, and the deal they ask for.

use super::stones::{Hand, Stone};
use crate::{
    meta::{Abilities, Ability, Meta},
    options::{GameOptions, OptionKind, OptionSpec},
    rng::Draws,
    seat::Seat,
    seed::Seed,
};

/// The facts about Boxilies.
pub(super) static META: Meta = Meta {
    name: "boxilies",
    title: "Boxilies",
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    abilities: Abilities::of(&[Ability::Draw, Ability::Undo, Ability::Dice]),
    seat_names: &[&["First", "Second"]],
    credit: "author not named where the rules are published",
    contact: None,
    summary: "place stones of arrows, capture weaker sides",
};

/// The order is that of canonical options.
static OPTIONS: [OptionSpec; 2] = [
    OptionSpec {
        name: "deal",
        kind: OptionKind::Choice(&["same", "own", "open"]),
        default: "same",
        help: "Which stones are drawn. same: one of each total from 1 to 5, the same five for both. own: likewise, drawn for each player apart. open: five of any totals, drawn for each player apart.",
        excludes: &["hand"],
    },
    OptionSpec {
        name: "hand",
        kind: OptionKind::Text { shape: "1a,2b,3e,4j,5n", normalise: normalise_hand },
        default: "",
        help: "Five stones by name, 1a to 5n, the same for both players; nothing is drawn then.",
        excludes: &["deal"],
    },
];

/// Exactly five names in lower case, in the order given.
fn normalise_hand(text: &str) -> Option<String> {
    Hand::from_names(text).filter(|hand| hand.len() == Hand::MOST).map(|hand| hand.to_string())
}

/// The side name of a seat.
pub(super) fn seat_name(seat: Seat) -> &'static str {
    META.seat_names(super::SEATS).get(seat.index()).copied().unwrap_or("")
}

/// The hands of both seats. Draws go through the first hand from its first stone to its last, then the second.
pub(super) fn deal(options: &GameOptions, seed: &Seed) -> [Hand; super::SEATS] {
    if let Some(hand) = Hand::from_names(options.value("hand")) {
        return [hand; super::SEATS];
    }
    let mut draws = Draws::new(seed);
    match options.value("deal") {
        "open" => [(); super::SEATS].map(|()| draw_any(&mut draws)),
        "own" => [(); super::SEATS].map(|()| draw_totals(&mut draws)),
        _ => [draw_totals(&mut draws); super::SEATS],
    }
}

/// One stone of each total, in ascending order.
fn draw_totals(draws: &mut Draws) -> Hand {
    (1..=Hand::MOST).filter_map(|total| draw(Stone::of_total(total), draws)).collect()
}

/// Five stones of all there are.
fn draw_any(draws: &mut Draws) -> Hand {
    (0..Hand::MOST).filter_map(|_| draw(Stone::all(), draws)).collect()
}

/// One of these stones, each equally likely.
fn draw(mut candidates: impl ExactSizeIterator<Item = Stone>, draws: &mut Draws) -> Option<Stone> {
    let choice = draws.below(candidates.len() as u32);
    candidates.nth(choice as usize)
}
