//! Fairness that players can check: what is promised of a board's chance at its start, and shown at its end.

use knotpost_rules::Ability;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Board, Standing};
use crate::secret::to_hex;

/// The promise about the dice of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chance {
    /// Digest of the seed: it cannot be changed any more without everybody noticing.
    pub commitment: String,
    /// The seed itself, once the board is over: from it every roll can be computed again.
    pub seed: Option<String>,
}

/// The promise about a board; `None` when its game leaves nothing to chance.
pub fn chance(board: &Board) -> Option<Chance> {
    if !board.game.meta().abilities.has(Ability::Dice) {
        return None;
    }
    let seed = to_hex(&board.row.seed);
    let text = format!("knotpost-dice-1 {} {} {seed}", board.row.game, board.row.number);
    let commitment = to_hex(&Sha256::digest(text.as_bytes()));
    let over = matches!(board.standing(), Standing::Over(_)) && board.entries.len() as i64 == board.row.ply;
    Some(Chance { commitment, seed: over.then_some(seed) })
}
