//! The value of a position to each player, between 0 and 1.
//!
//! Only additions, multiplications, divisions and square roots are used, which IEEE 754 defines to the last bit.

use knotpost_rules::Outcome;

/// The most players of a game.
pub(crate) const MAX_PLAYERS: usize = 8;

/// A value for each player; zeros beyond them.
pub(crate) type Values = [f32; MAX_PLAYERS];

/// The share of the first place in a value where there are more than two players. The rest is the placing,
/// so that a player who cannot win any more still prefers a better one.
const FIRST: f32 = 0.75;

/// The worth of an outcome to each seat: for two 1 for a win, 1/2 for a tie and 0 for a loss.
pub(crate) fn of_outcome(outcome: &Outcome) -> Values {
    let mut values = Values::default();
    let seats = outcome.placings.len();
    let alike = |placing: u8| {
        outcome.placings.iter().map(|other| f32::from(u8::from(*other == placing))).sum::<f32>()
    };
    for (value, placing) in values.iter_mut().zip(outcome.placings.iter()) {
        let tied = alike(*placing);
        let first = if *placing == 1 { 1.0 / tied } else { 0.0 };
        let mean = f32::from(*placing) + (tied - 1.0) / 2.0;
        let rank = (seats as f32 - mean) / (seats as f32 - 1.0).max(1.0);
        *value = FIRST * first + (1.0 - FIRST) * rank;
    }
    values
}

/// The chance to win that a lead promises, when `scale` is a lead that promises three quarters.
pub(crate) fn of_lead(lead: i32, scale: i32) -> f32 {
    let lead = lead as f32 / scale.max(1) as f32;
    0.5 + 0.5 * lead / (1.0 + lead.abs())
}

/// The logarithm to base 2, by straight lines between powers of two.
pub(crate) fn log2(number: u32) -> f32 {
    let number = number.max(1);
    let whole = number.ilog2();
    whole as f32 + (number as f32 / (1_u64 << whole) as f32 - 1.0)
}
