//! Provable fairness: a commitment to the seed at the start, the seed at the end.

use knotpost_rules::Ability;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::boards::{Board, Standing};
use knotpost_platform::secret::to_hex;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chance {
    /// Digest of the seed, published at the start.
    pub commitment: String,
    /// Published after the end; every roll can be recomputed from it.
    pub seed: Option<String>,
    /// True for a deal, false for dice.
    #[serde(skip)]
    pub is_deal: bool,
}

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

/// SHA-256 in hexadecimal; `seed` is hexadecimal too.
pub fn commitment(game: &str, number: &str, seed: &str) -> String {
    to_hex(&Sha256::digest(format!("knotpost-dice-1 {game} {number} {seed}").as_bytes()))
}
