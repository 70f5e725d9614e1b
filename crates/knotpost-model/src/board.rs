//! Boards by name, and the states of boards, seats and moves.

use std::fmt;

use crate::words;

/// A board as players name it: the game and its number there, from 101.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct BoardRef {
    /// The game's name, lower case.
    pub game: String,
    /// The number among the game's boards.
    pub number: u32,
}

impl fmt::Display for BoardRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.number)
    }
}

words! {
    /// The state of a board.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    BoardState {
        /// Being played.
        Active = "active",
        /// Finished.
        Over = "over",
        /// Declined by all but one before it began.
        Removed = "removed",
    }

    /// The state of a seat.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    SeatState {
        /// Takes its turns.
        Playing = "playing",
        /// Gave up; its turns are skipped.
        Resigned = "resigned",
        /// Ran out of time; its turns are skipped.
        Forfeited = "forfeited",
    }

    /// The kind of an entry in the list of moves.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    MoveKind {
        /// A move of the game.
        Move = "move",
        /// A pass.
        Pass = "pass",
        /// A change of sides.
        Swap = "swap",
        /// A resignation.
        Resign = "resign",
        /// A loss on time.
        Forfeit = "forfeit",
        /// All who still play agreed on a draw.
        Draw = "draw",
        /// An administrator said who has won.
        Adjudicated = "adjudicated",
        /// The deadline of a tournament decided, for the player who had used less time.
        Deadline = "deadline",
    }

    /// A proposal to the other players.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    ProposalKind {
        /// That the game ends as a tie.
        Draw = "draw",
        /// That the last move is taken back.
        Undo = "undo",
        /// That a computer player goes on in the seat of the player to move.
        Substitute = "substitute",
    }

    /// A relation of a user to another.
    Relation {
        /// Nothing passes between them.
        Block = "block",
        /// Their games are shown.
        Follow = "follow",
    }

    /// The kind of a remark.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    RemarkKind {
        /// With a move or a challenge.
        Comment = "comment",
        /// With `chat`.
        Chat = "chat",
    }
}

impl std::fmt::Display for ProposalKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Draw => "a draw",
            Self::Undo => "to take back the last move",
            Self::Substitute => "a computer player for the player to move",
        })
    }
}
