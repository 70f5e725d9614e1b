//! The typed trait that the author of a game implements. Everything else follows from it.

use crate::{
    choice::{Part, PartKind},
    error::{PositionError, SyntaxError},
    help::HelpPage,
    meta::Meta,
    options::GameOptions,
    seat::Seat,
    seed::Seed,
    turn::{Outcome, Scores, Status, Steps},
    view::{View, Viewer},
};
use std::{error::Error, fmt::Display, str::FromStr};

/// A game in progress, as its author sees it.
///
/// The truth of a board is its setup and its canonical moves, so everything must be a function of these. Seats are
/// colours: after a swap the server exchanges the users, never the game.
pub trait Game: Clone + Send + Sync + 'static {
    /// A move. Parsing is lenient about case and optional signs, `Display` is canonical.
    type Move: Clone + Display + FromStr<Err = SyntaxError>;
    /// Why a well-formed move is refused; `Display` is one clause that names the rule.
    type Illegal: Error;

    /// The facts about the game.
    fn meta() -> &'static Meta;

    /// The help page.
    fn help() -> HelpPage;

    /// The start. `options` come from this game's table and `players` lies in its range.
    fn setup(options: &GameOptions, players: usize, seed: &Seed) -> Self;

    /// A start from a position string.
    ///
    /// # Errors
    /// Syntax, size, seat and letters are checked, reachability is not.
    fn parse_position(
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Self, PositionError>;

    /// The position string; parsing it gives the same position again.
    fn position(&self) -> String;

    /// Whether the game goes on, and who moves.
    fn status(&self) -> Status;

    /// The seat to move, or, when over, the one that would be next.
    fn next_seat(&self) -> Seat;

    /// Plays a move for the seat to move and returns the points it won.
    ///
    /// # Errors
    /// The rule that forbids the move; then nothing has changed.
    fn play(&mut self, mv: &Self::Move) -> Result<u32, Self::Illegal>;

    /// The canonical form of a legal move in this position, where several spellings mean the same.
    fn normalise(&self, mv: &Self::Move) -> Self::Move {
        mv.clone()
    }

    /// Lets the turn go by.
    ///
    /// # Errors
    /// Unless the game has passes and one is legal here.
    fn pass(&mut self) -> Result<(), Forbidden> {
        Err(Forbidden::Never("passing"))
    }

    /// Takes over the opponent's side.
    ///
    /// # Errors
    /// Unless the game has swaps and one is legal here.
    fn swap(&mut self) -> Result<(), Forbidden> {
        Err(Forbidden::Never("swapping"))
    }

    /// Whether the seat to move can do nothing but pass.
    fn must_pass(&self) -> bool {
        false
    }

    /// Whether the seat to move may swap.
    fn may_swap(&self) -> bool {
        false
    }

    /// Takes a seat out of the game: it is skipped from now on. What becomes of its chances is the game's rule.
    fn retire(&mut self, seat: Seat);

    /// Every legal move, in any order; none when over. Where moves are put together from so many parts that nobody
    /// could list them all, this is a small sample, and [`Self::steps`] tells the whole.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// How a move that has been begun can go on, in a game whose moves are put together part by part; `None` in
    /// all other games. A move that cannot go on is complete.
    fn steps(&self, _begun: Option<&Self::Move>) -> Option<Result<Steps, Self::Illegal>> {
        None
    }

    /// The parts of a move in the order in which a player points at them; their texts, joined, are its canonical
    /// text.
    fn parts(mv: &Self::Move) -> Vec<Part> {
        vec![Part { text: mv.to_string(), kind: PartKind::Word }]
    }

    /// Legal moves that begin with this one and are too many to be among [`Self::legal_moves`], each with one part
    /// more.
    fn extensions(&self, _begun: &Self::Move) -> Vec<Self::Move> {
        Vec::new()
    }

    /// What chance has decided for this turn, as in the position string; `None` when there is nothing of that
    /// kind or it is not decided yet.
    fn roll(&self) -> Option<String> {
        None
    }

    /// Stops chance: from now on nothing more is drawn, and a turn whose dice are not rolled cannot be played.
    /// Previews look ahead with a sealed copy, so that they show nothing that is still hidden.
    fn seal_chance(&mut self) {}

    /// Some legal move, found cheaply.
    fn example_move(&self) -> Option<Self::Move> {
        self.legal_moves().into_iter().next()
    }

    /// The standing of every seat.
    fn scores(&self) -> Scores;

    /// The outcome if the game ended here by its scores.
    fn result_by_scores(&self) -> Outcome;

    /// What a viewer sees, last move marked.
    fn view(&self, viewer: Viewer) -> View;
}

/// A pass or swap that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// The game has no such turn.
    #[error("{0} is not part of this game")]
    Never(&'static str),
    /// Not in this position; the text is the whole clause.
    #[error("{0}")]
    NotNow(&'static str),
}
