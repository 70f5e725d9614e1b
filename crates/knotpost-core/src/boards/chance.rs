//! Fairness that players can check: what is promised of a board's chance at its start, and shown at its end.

use knotpost_rules::Ability;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::boards::{Board, Standing};
use knotpost_platform::secret::to_hex;

/// The promise about the dice of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chance {
    /// Digest of the seed: it cannot be changed any more without everybody noticing.
    pub commitment: String,
    /// The seed itself, once the board is over: from it every roll can be computed again.
    pub seed: Option<String>,
    /// Whether it is about a deal, not about dice.
    #[serde(skip)]
    pub is_deal: bool,
}

/// The promise about a board; `None` when its game leaves nothing to chance.
pub fn chance(board: &Board) -> Option<Chance> {
    let abilities = board.game.meta().abilities;
    if !abilities.has(Ability::Dice) {
        return None;
    }
    let seed = to_hex(&board.row.seed);
    let commitment = commitment(&board.row.game, &board.row.number.to_string(), &seed);
    let over = matches!(board.standing(), Standing::Over(_)) && board.entries.len() as i64 == board.row.ply;
    Some(Chance { commitment, seed: over.then_some(seed), is_deal: abilities.has(Ability::Deal) })
}

/// What is published of a board's seed (in hexadecimal) at its start, so that it cannot be changed later: SHA-256
/// in hexadecimal.
pub fn commitment(game: &str, number: &str, seed: &str) -> String {
    to_hex(&Sha256::digest(format!("knotpost-dice-1 {game} {number} {seed}").as_bytes()))
}
