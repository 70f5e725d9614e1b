//! The typed traits that the author of a game implements: [`Game`] for the rules, [`Show`] for what people see.
//! Everything else follows from them.

use crate::{
    choice::{Part, PartKind},
    error::{PositionError, SyntaxError},
    key,
    meta::Meta,
    moves,
    options::GameOptions,
    record::Format,
    seat::Seat,
    seed::Seed,
    turn::{Outcome, Scores, Status},
    view::{View, Viewer},
};
use std::{error::Error, fmt::Display, hash::Hash, ops::ControlFlow, str::FromStr};

/// A game in progress: its rules and nothing else. This is all that a search copies.
///
/// The truth of a board is its setup and its canonical moves, so everything must be a function of these. Seats are
/// colours: after a swap the server exchanges the users, never the game.
///
/// `Display` prints the position string; [`Self::parse_position`] reads it back as the same position. What happened
/// before is no part of the string: see [`Self::forget`].
pub trait Game: Clone + Display + Send + Sync + 'static {
    /// The facts about the game.
    const META: &'static Meta;

    /// A move. Parsing is lenient about case and optional signs, `Display` is canonical.
    type Move: Clone + Eq + Hash + Display + FromStr<Err = SyntaxError>;
    /// A step of a move that is put together step by step; the move itself where a move is a single step. A step
    /// converts into the move that it begins, and back.
    type Step: Copy + Eq + Hash + Into<Self::Move> + TryFrom<Self::Move>;
    /// The refusal of a well-formed move; `Display` is one clause that names the rule.
    type Illegal: Error;

    /// The forms of records beside that of the server.
    const FORMATS: &'static [Format] = &[];

    /// The facts about the game.
    fn meta() -> &'static Meta {
        Self::META
    }

    /// The start. `options` come from this game's table and `players` lies in its range.
    fn setup(options: &GameOptions, players: usize, seed: &Seed) -> Self;

    /// Reads a position string into a game that has just been set up.
    ///
    /// # Errors
    /// Syntax, size, seat and letters are checked, reachability is not.
    fn read_position(&mut self, text: &str) -> Result<(), PositionError>;

    /// A start from a position string. Overridden where setting up draws what the string already says.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn parse_position(
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Self, PositionError> {
        let mut game = Self::setup(options, players, seed);
        game.read_position(text)?;
        Ok(game)
    }

    /// True if the game has ended by its own rules.
    fn is_over(&self) -> bool;

    /// The seat to move, or, when over, the one that would be next.
    fn next_seat(&self) -> Seat;

    /// The end of the game, or the seat that moves.
    fn status(&self) -> Status {
        if self.is_over() { Status::Over(self.result_by_scores()) } else { Status::ToAct(self.next_seat()) }
    }

    /// Drops what happened before, so that the game is as its position string is read. Implemented by games with
    /// [`Ability::History`](crate::Ability::History), whose values carry keys of earlier positions.
    fn forget(&mut self) {}

    /// Reads a move. Overridden where reading needs the position, together with [`Self::is_move`].
    ///
    /// # Errors
    /// The text is no move of the game, or not of this position.
    fn read(&self, text: &str) -> Result<Self::Move, SyntaxError> {
        text.parse()
    }

    /// True if some position may read the text as a move.
    fn is_move(text: &str) -> bool {
        text.parse::<Self::Move>().is_ok()
    }

    /// The spelling of a legal move, in canonical form, in lists of moves. [`Self::read`] reads it as this move.
    fn list(&self, mv: &Self::Move) -> String {
        mv.to_string()
    }

    /// Plays a move for the seat to move and returns the points it won.
    ///
    /// # Errors
    /// The rule that forbids the move; then nothing has changed.
    fn play(&mut self, mv: &Self::Move) -> Result<u32, Self::Illegal>;

    /// The canonical form of a legal move in this position, where several spellings mean the same.
    fn normalise(&self, mv: &Self::Move) -> Self::Move {
        mv.clone()
    }

    /// Lets the turn go by. Implemented by games with [`Ability::Pass`](crate::Ability::Pass), and only by these.
    ///
    /// # Errors
    /// Unless passing is legal here.
    fn pass(&mut self) -> Result<(), Forbidden> {
        Err(Forbidden::Never("passing"))
    }

    /// Takes over the opponent's side. Implemented by games with [`Ability::Swap`](crate::Ability::Swap), and only by
    /// these.
    ///
    /// # Errors
    /// Unless swapping is legal here.
    fn swap(&mut self) -> Result<(), Forbidden> {
        Err(Forbidden::Never("swapping"))
    }

    /// True if the seat to move can do nothing but pass: then the server passes.
    fn must_pass(&self) -> bool {
        false
    }

    /// True if the seat to move may pass.
    fn may_pass(&self) -> bool {
        self.must_pass()
    }

    /// True if the seat to move may swap.
    fn may_swap(&self) -> bool {
        false
    }

    /// Takes a seat out of the game: it is skipped from now on. What becomes of its chances is the game's rule.
    fn retire(&mut self, seat: Seat);

    /// The legal moves, in any order; none when over. All of them, unless moves have several steps: then they may be
    /// a sample, and [`Self::each_move`] finds the rest.
    fn legal_moves(&self) -> Vec<Self::Move>;

    /// Calls `visit` with each step that can follow a begun move (`None`: with each first step) until it breaks off.
    /// Every step leads on to a legal move. A move without a further step is complete; see [`Self::is_complete`] for
    /// those that may go on and need not.
    ///
    /// The default is for games whose moves are single steps.
    ///
    /// # Errors
    /// Why no legal move begins like that.
    fn each_step(
        &self,
        begun: Option<&Self::Move>,
        visit: &mut dyn FnMut(Self::Step) -> ControlFlow<()>,
    ) -> Result<(), Self::Illegal> {
        if begun.is_none() {
            let steps = self.legal_moves().into_iter().filter_map(|mv| Self::Step::try_from(mv).ok());
            let _ = steps.into_iter().try_for_each(visit);
        }
        Ok(())
    }

    /// A begun move with one step more.
    fn join(_begun: Option<&Self::Move>, step: Self::Step) -> Self::Move {
        step.into()
    }

    /// True if a begun move, put together from steps of this position, can be played as it is.
    fn is_complete(&self, _begun: &Self::Move) -> bool {
        true
    }

    /// The amounts of a complete move of this turn, by name, in a game whose moves are too many to be listed and are
    /// shown to players step by step; `None` in all other games.
    fn quota(&self) -> Option<Vec<(&'static str, u32)>> {
        None
    }

    /// Calls `visit` with every legal move, in any order, until it breaks off.
    fn each_move(&self, visit: &mut dyn FnMut(Self::Move) -> ControlFlow<()>) {
        let _ = moves::visit_from(self, None, visit);
    }

    /// A legal move by chance, for play-outs; `None` when there is none. `below` gives a number below its argument.
    /// Every legal move can come; they need not be equally likely.
    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Self::Move> {
        moves::pick_steps(self, below)
    }

    /// A legal move by chance as a player with little time may choose it, for play-outs of a search; `None` when there is
    /// none. The nearer to what players do, the more a play-out says of a position, as long as it stays cheap.
    fn pick_likely(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Self::Move> {
        self.pick(below)
    }

    /// True if a move of this turn may end the game; `false` only when none does. Without it a computer player looking
    /// for a win plays every move there is.
    fn may_end(&self) -> bool {
        true
    }

    /// Some legal move, found cheaply.
    fn example_move(&self) -> Option<Self::Move> {
        self.legal_moves().into_iter().next()
    }

    /// The decision of chance for this turn, as in the position string; `None` when there is nothing of that
    /// kind or it is not decided yet.
    fn roll(&self) -> Option<String> {
        None
    }

    /// Stops chance: from now on nothing more is drawn, and a turn whose dice are not rolled cannot be played.
    /// Previews look ahead with a sealed copy, so that they show nothing that is still hidden.
    fn seal_chance(&mut self) {}

    /// From here on chance follows the stream of another seed. What is visible stays as it is, and what is hidden from
    /// any seat is drawn anew. Needed only where chance decides during play; see [`Unseen`](crate::Unseen).
    fn reseed(&mut self, _seed: &Seed) {}

    /// A number that is the same for equal positions, and for different ones hardly ever. Two positions are equal when
    /// the same turns lead to the same results; what chance will decide does not count.
    ///
    /// The default is computed from the position string. A game whose string leaves out something that decides play,
    /// such as retired seats, computes its own.
    fn key(&self) -> u64 {
        key::of_text(&self.to_string())
    }

    /// The standing of every seat.
    fn scores(&self) -> Scores;

    /// A seat's standing against the best of the others: more is better, zero is even, and between two what is good
    /// for one is as bad for the other.
    fn estimate(&self, seat: Seat) -> i32 {
        self.scores().lead(seat)
    }

    /// The outcome if the game ended here by its scores.
    fn result_by_scores(&self) -> Outcome;
}

/// The view of a game, and the parts of it that people point at.
pub trait Show: Game {
    /// Marks of the last turns in the view: dice just placed, pieces just taken. It is no part of the truth, and it
    /// lies beside the game, so that a search does not copy it. `()` where nothing is marked.
    type Trace: Clone + Default + Send + Sync;

    /// Brings the trace up to date after a turn that led from `before` to this position; `mv` is `None` for a pass and
    /// for a swap.
    fn note(&self, _trace: &mut Self::Trace, _before: &Self, _mv: Option<&Self::Move>) {}

    /// The view of a viewer, last turn marked.
    fn view(&self, trace: &Self::Trace, viewer: Viewer) -> View;

    /// The parts of a move in the order in which a player points at them; their texts, joined, are its canonical
    /// text.
    fn parts(mv: &Self::Move) -> Vec<Part> {
        vec![Part { text: mv.to_string(), kind: PartKind::Word }]
    }
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
