//! Colours of the Dutch system: preferences (article 1.7) and their allocation (article 5.2).

use crate::record::Colour;

/// The strength of a preference, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    None,
    Mild,
    Strong,
    Absolute,
}

/// The colours of a player's games, oldest first, and the colour they should have next.
#[derive(Clone, Debug)]
pub(super) struct Colours {
    pub(super) played: Vec<Colour>,
    pub(super) wish: Option<Colour>,
    pub(super) strength: Strength,
    /// Games with white minus games with black.
    pub(super) difference: i32,
}

impl Colours {
    /// Colours run over the games that were played; rounds without a game leave no gap (C.04.2, 3.4).
    pub(super) fn new(played: Vec<Colour>) -> Self {
        let difference = played.iter().map(|&colour| step(colour)).sum();
        let (wish, strength) = match played[..] {
            [] => (None, Strength::None),
            [.., last] => {
                let repeated = played.len() > 1 && played[played.len() - 2] == last;
                match difference {
                    2.. => (Some(Colour::Black), Strength::Absolute),
                    ..=-2 => (Some(Colour::White), Strength::Absolute),
                    _ if repeated => (Some(last.opposite()), Strength::Absolute),
                    1 => (Some(Colour::Black), Strength::Strong),
                    -1 => (Some(Colour::White), Strength::Strong),
                    0 => (Some(last.opposite()), Strength::Mild),
                }
            }
        };
        Self { played, wish, strength, difference }
    }

    /// True if both want the same colour.
    pub(super) fn clash(&self, other: &Self) -> bool {
        self.wish.is_some() && self.wish == other.wish
    }

    /// True if this colour would be the third in a row.
    pub(super) fn would_be_third(&self, colour: Colour) -> bool {
        self.played.len() > 1 && self.played[self.played.len() - 2..].iter().all(|&past| past == colour)
    }

    /// The difference after a game with this colour.
    pub(super) fn difference_after(&self, colour: Colour) -> i32 {
        self.difference + step(colour)
    }
}

fn step(colour: Colour) -> i32 {
    match colour {
        Colour::White => 1,
        Colour::Black => -1,
    }
}

/// The colour of the higher-ranked player of a pair. `without_wish` is theirs when neither has played before.
pub(super) fn allocate(higher: &Colours, lower: &Colours, without_wish: Colour) -> Colour {
    match (higher.wish, lower.wish) {
        (None, None) => without_wish,
        (Some(wish), None) => wish,
        (None, Some(wish)) => wish.opposite(),
        (Some(wish), Some(other)) if wish != other => wish,
        (Some(wish), Some(_)) => {
            let width = |colours: &Colours| {
                if colours.strength == Strength::Absolute { colours.difference.abs() } else { 0 }
            };
            let strengths = (higher.strength, width(higher)).cmp(&(lower.strength, width(lower)));
            match strengths {
                std::cmp::Ordering::Greater => wish,
                std::cmp::Ordering::Less => wish.opposite(),
                std::cmp::Ordering::Equal => alternate(higher, lower).unwrap_or(wish),
            }
        }
    }
}

/// The opposite of the colour that the higher-ranked player had when the two last had different ones (article 5.2.3).
fn alternate(higher: &Colours, lower: &Colours) -> Option<Colour> {
    higher
        .played
        .iter()
        .rev()
        .zip(lower.played.iter().rev())
        .find(|(mine, theirs)| mine != theirs)
        .map(|(mine, _)| mine.opposite())
}
