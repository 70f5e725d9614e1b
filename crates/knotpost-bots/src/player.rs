//! A player: a level, or one of the simple players that levels are measured against.

use std::{fmt, str::FromStr};

/// A level of play, 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// The level with this number.
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= 8 { Some(Self(number)) } else { None }
    }

    /// The number, from 1.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The place in a list of levels, from 0.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// A computer player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The search of the game as a level uses it.
    Level(Level),
    /// Any move.
    Random,
    /// A move after which the scores are best for the player, ties by chance.
    Greedy,
    /// Plain UCT with this number of uniform play-outs.
    Uct(u64),
    /// The search of the game with this number of nodes.
    Nodes(u64),
    /// The search of the game with this number of nodes, and this number of a thousand decisions by chance: what levels
    /// are made of.
    Erring {
        /// Nodes of a decision.
        nodes: u64,
        /// Decisions by chance, of a thousand.
        errors: u32,
    },
    /// The search of the game until the caller says stop, after this number of milliseconds.
    Time(u64),
}

/// A text names no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a seat is a level from 1 to 8, random, greedy, uct:N, nodes:N, nodes:N:ERRORS or time:MS, with N and MS from 1 and ERRORS of 1,000"
)]
pub struct ParsePlayerError;

impl FromStr for Player {
    type Err = ParsePlayerError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerError> {
        let number = |digits: &str| match digits.parse() {
            Ok(number) if number > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
            _ => Err(ParsePlayerError),
        };
        match text.split_once(':') {
            Some(("uct", count)) => number(count).map(Self::Uct),
            Some(("nodes", counts)) => match counts.split_once(':') {
                Some((nodes, errors)) => {
                    let errors = number(errors)?;
                    let errors = u32::try_from(errors).ok().filter(|errors| *errors <= 1000);
                    Ok(Self::Erring { nodes: number(nodes)?, errors: errors.ok_or(ParsePlayerError)? })
                }
                None => number(counts).map(Self::Nodes),
            },
            Some(("time", count)) => number(count).map(Self::Time),
            Some(_) => Err(ParsePlayerError),
            None if text == "random" => Ok(Self::Random),
            None if text == "greedy" => Ok(Self::Greedy),
            None => {
                let level = number(text)?;
                u8::try_from(level).ok().and_then(Level::new).map(Self::Level).ok_or(ParsePlayerError)
            }
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => level.number().fmt(f),
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Uct(count) => write!(f, "uct:{count}"),
            Self::Nodes(count) => write!(f, "nodes:{count}"),
            Self::Erring { nodes, errors } => write!(f, "nodes:{nodes}:{errors}"),
            Self::Time(count) => write!(f, "time:{count}"),
        }
    }
}
