//! `knotpost play --verify-dice`: proves that the chance of a game came from the promised seed.
//!
//! Everything is computed again from the record alone; no board of a server is read.

use super::{
    request::Request,
    table::{Fault, Table},
};
use knotpost_core::boards::commitment;
use knotpost_rules::{Ability, Record, Seed};
use std::fmt;

pub(super) struct Proof {
    /// True if the record has a commitment, and it is that of the seed.
    pub committed: bool,
    /// True if the record has rolls, and they agree.
    told: bool,
    /// One for each turn; none in a game whose only chance is the deal at the start.
    pub rolls: Vec<String>,
    /// Includes the deal.
    pub start: String,
}

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Doubt {
    #[error("{0} leaves nothing to chance: there is nothing to verify")]
    NoChance(&'static str),
    #[error("the record has no [Seed]: it is revealed when the game is over")]
    NoSeed,
    #[error("the record has a [Commitment] but not the [Board] number that is part of it")]
    NoBoard,
    #[error("the seed is not the one committed to: its commitment is {computed}, the record has {told}")]
    Commitment { computed: String, told: String },
    #[error("roll {number} is {computed} by the seed and {told} in the record")]
    Roll { number: usize, computed: String, told: String },
    #[error("the seed gives {computed} rolls for these moves, and the record has {told}")]
    Count { computed: usize, told: usize },
    #[error("the moves cannot be played with what the seed gives: {0}")]
    Unplayable(#[from] Fault),
    #[error("the game ends at {computed} by the seed and at {told} in the record")]
    End { computed: String, told: String },
}

/// Recomputes the chance of a record that `request` follows from `table`, its start; the error is the first
/// difference.
pub(super) fn verify(request: &Request<'_>, record: &Record, table: Table) -> Result<Proof, Doubt> {
    let meta = request.game.meta();
    if !meta.abilities.has(Ability::Dice) {
        return Err(Doubt::NoChance(meta.title));
    }
    if record.tag("Seed").is_none() {
        return Err(Doubt::NoSeed);
    }
    let committed = check_commitment(meta.name, record, &request.seed)?;
    let start = table.position.position();
    let told: Option<Vec<&str>> = record.tag("Rolls").map(|rolls| rolls.split_whitespace().collect());
    let rolls = replay(&request.moves, record, told.as_deref(), table)?;
    Ok(Proof { committed, told: told.is_some(), rolls, start })
}

fn check_commitment(game: &str, record: &Record, seed: &Seed) -> Result<bool, Doubt> {
    let Some(told) = record.tag("Commitment") else { return Ok(false) };
    let computed = commitment(game, record.tag("Board").ok_or(Doubt::NoBoard)?, &seed.to_string());
    if computed.eq_ignore_ascii_case(told) {
        return Ok(true);
    }
    Err(Doubt::Commitment { computed, told: told.to_owned() })
}

/// Returns the roll of each move, and that of the next turn if the record has it.
fn replay(
    moves: &[String],
    record: &Record,
    told: Option<&[&str]>,
    mut table: Table,
) -> Result<Vec<String>, Doubt> {
    let mut rolls = Vec::new();
    let compare = |rolls: &[String]| match (rolls.last(), told.and_then(|told| told.get(rolls.len() - 1))) {
        (Some(computed), Some(told)) if computed != told => {
            Err(Doubt::Roll { number: rolls.len(), computed: computed.clone(), told: (*told).to_owned() })
        }
        _ => Ok(()),
    };
    for word in moves {
        if let Some(roll) = table.position.roll() {
            rolls.push(roll);
            compare(&rolls)?;
        }
        table.play(word)?;
    }
    if told.is_some_and(|told| told.len() == rolls.len() + 1)
        && let Some(roll) = table.position.roll()
    {
        rolls.push(roll);
        compare(&rolls)?;
    }
    if let Some(told) = told.filter(|told| told.len() != rolls.len()) {
        return Err(Doubt::Count { computed: rolls.len(), told: told.len() });
    }
    let computed = table.position_text();
    match record.tag("Position").filter(|told| *told != computed) {
        Some(told) => Err(Doubt::End { computed, told: told.to_owned() }),
        None => Ok(rolls),
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.committed {
            "The seed is the one committed to at the start, and "
        } else {
            "The record has no commitment to compare the seed with, but "
        })?;
        match self.rolls.len() {
            0 => f.write_str("every move is legal with the deal it gives."),
            count if self.told => write!(f, "it gives all {count} rolls of the record."),
            count => write!(f, "every move is legal with the {count} rolls it gives."),
        }
    }
}
