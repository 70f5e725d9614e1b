//! The object-safe face of games for the server, derived from the typed traits by blanket implementation.

use crate::{
    choice::{self, Choices},
    error::{Illegal, PositionError, Rejected},
    game::Show,
    help::HelpPage,
    meta::Meta,
    options::{GameOptions, GivenOption, OptionError},
    record::Format,
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Played, Scores, Status, Steps, Turn},
    view::{Cast, Now, View, Viewer},
};
use std::{any::Any, marker::PhantomData, ops::ControlFlow};

/// A game in progress, whichever it is.
pub trait Position: Send + Sync {
    /// The end of the game, or the seat that moves.
    fn status(&self) -> Status;

    /// The seats that may act now; none when over.
    fn to_move(&self) -> Seats {
        match self.status() {
            Status::ToAct(seat) => seat.into(),
            Status::Over(_) => Seats::NONE,
        }
    }

    /// The seat to move, or, when over, the one that would be next.
    fn next_seat(&self) -> Seat;

    /// Makes a turn for the seat to move.
    ///
    /// # Errors
    /// The broken rule; then nothing has changed.
    fn play(&mut self, turn: Turn<'_>) -> Result<Played, Rejected>;

    /// Takes a seat out of the game after a resignation or forfeit. Ending a game of two is the caller's task.
    fn retire(&mut self, seat: Seat);

    /// The turn that must be played for the seat to move because there is no other.
    fn forced(&self) -> Option<Turn<'static>>;

    /// The legal moves in canonical spelling, sorted by bytes; empty when over. A sample of them where
    /// [`Self::steps`] is not `None`.
    fn legal_moves(&self) -> Vec<String>;

    /// The ways on from a move that has been begun (an empty text: not yet); `None` in games whose moves are not put
    /// together part by part.
    ///
    /// # Errors
    /// The fault of the beginning.
    fn steps(&self, begun: &str) -> Result<Option<Steps>, Rejected>;

    /// The ways on from a move that is put together by pointing. `begun` is what was chosen so far, empty at the start;
    /// what no legal move begins with cannot go on.
    fn choices(&self, begun: &str) -> Choices;

    /// The decision of chance for this turn, as in the position string; `None` when there is nothing of that
    /// kind or it is not decided yet.
    fn roll(&self) -> Option<String>;

    /// Drops what happened before: then the position is as its string is read.
    fn forget(&mut self);

    /// Stops chance: nothing more is drawn, and a turn whose dice are not rolled cannot be played. For looking
    /// ahead with a copy.
    fn seal_chance(&mut self);

    /// From here on chance follows the stream of another seed, which must not be the seed of a board. What is visible
    /// stays as it is. For playing on with a copy.
    fn reseed(&mut self, seed: &Seed);

    /// `pass` and `swap`, where legal now.
    fn legal_words(&self) -> Vec<&'static str>;

    /// Some legal move, found cheaply; `None` when there is none.
    fn example_move(&self) -> Option<String>;

    /// The standing of every seat.
    fn scores(&self) -> Scores;

    /// The outcome if the game ended here by its scores.
    fn result_by_scores(&self) -> Outcome;

    /// The one-line position string.
    fn position(&self) -> String;

    /// The view of a viewer, last turn marked.
    fn view(&self, viewer: Viewer) -> View;

    /// True if the text is a move of this game, legal here or not.
    fn is_legal_syntax(&self, text: &str) -> bool;

    /// A copy that can be played on its own.
    fn clone_box(&self) -> Box<dyn Position>;

    /// The typed game, for a search that knows its type.
    fn game(&self) -> &dyn Any;
}

impl Clone for Box<dyn Position> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// A game that can be set up, whichever it is.
pub trait AnyGame: Send + Sync {
    /// The facts about the game.
    fn meta(&self) -> &'static Meta;

    /// The forms of records beside that of the server.
    fn formats(&self) -> &'static [Format];

    /// Checks the options and the number of players of a challenge.
    ///
    /// # Errors
    /// Unknown, ill-valued, repeated or contradictory options; too few or too many players.
    fn parse_options(&self, given: &[GivenOption], players: usize) -> Result<GameOptions, OptionError>;

    /// The start of a board with options and players that [`Self::parse_options`] accepted. A number of players
    /// outside the game's range is brought into it.
    fn setup(&self, options: &GameOptions, players: usize, seed: &Seed) -> Box<dyn Position>;

    /// A start from a position string, under the same conditions as [`Self::setup`].
    ///
    /// # Errors
    /// What is wrong with the text.
    fn parse_position(
        &self,
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Box<dyn Position>, PositionError>;

    /// The help page.
    fn help(&self) -> HelpPage;

    /// Gives the game another title, for as long as the process lives.
    fn rename(&mut self, title: &str);

    /// Runs the conformance kit on the game, with `rounds` random games for each option and number of players.
    ///
    /// # Errors
    /// The first promise that does not hold.
    #[cfg(feature = "test-kit")]
    fn check(&self, rounds: u64) -> Result<(), crate::conformance::Broken>;
}

/// A typed game as a value of the registry: `Box::new(Kind::<Osbox>::default())`.
pub struct Kind<G> {
    /// Those of the game, under the title that it has here.
    meta: &'static Meta,
    game: PhantomData<fn() -> G>,
}

impl<G: Show> Default for Kind<G> {
    fn default() -> Self {
        Self { meta: G::META, game: PhantomData }
    }
}

impl<G: Show> Kind<G> {
    fn bring_into_range(players: usize) -> usize {
        players.clamp(*G::meta().players.start(), *G::meta().players.end())
    }
}

impl<G: Show> AnyGame for Kind<G> {
    fn meta(&self) -> &'static Meta {
        self.meta
    }

    fn formats(&self) -> &'static [Format] {
        G::FORMATS
    }

    fn parse_options(&self, given: &[GivenOption], players: usize) -> Result<GameOptions, OptionError> {
        let Meta { title: game, players: range, options, .. } = self.meta;
        let parsed = GameOptions::parse(options, given)?;
        if players < *range.start() {
            return Err(OptionError::TooFewPlayers { game, least: *range.start(), given: players });
        }
        if players > *range.end() {
            return Err(OptionError::TooManyPlayers { game, most: *range.end(), given: players });
        }
        Ok(parsed)
    }

    fn setup(&self, options: &GameOptions, players: usize, seed: &Seed) -> Box<dyn Position> {
        Box::new(InPlay::new(G::setup(options, Self::bring_into_range(players), seed)))
    }

    fn parse_position(
        &self,
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Box<dyn Position>, PositionError> {
        let game = G::parse_position(options, Self::bring_into_range(players), seed, text)?;
        Ok(Box::new(InPlay::new(game)))
    }

    fn help(&self) -> HelpPage {
        HelpPage { title: self.meta.heading(), ..(self.meta.help)() }
    }

    fn rename(&mut self, title: &str) {
        let title = Box::leak(title.to_owned().into_boxed_str());
        self.meta = Box::leak(Box::new(Meta { title, ..self.meta.clone() }));
    }

    #[cfg(feature = "test-kit")]
    fn check(&self, rounds: u64) -> Result<(), crate::conformance::Broken> {
        crate::conformance::check_game::<G>(rounds)
    }
}

/// A typed game and what its last turns left to be marked.
///
/// It keeps the two traits apart: a typed game never has both `play`s in scope.
struct InPlay<G: Show> {
    game: G,
    trace: G::Trace,
}

impl<G: Show> InPlay<G> {
    fn new(game: G) -> Self {
        Self { game, trace: G::Trace::default() }
    }

    fn play_move(&mut self, text: &str) -> Result<Played, Rejected> {
        let seat = self.game.next_seat();
        let mv = self.game.read(text)?;
        let normal = self.game.normalise(&mv);
        let (canonical, text) = (normal.to_string(), self.game.list(&normal));
        let before = self.game.clone();
        let gain = self.game.play(&mv).map_err(|broken| Illegal::new(broken.to_string()))?;
        self.game.note(&mut self.trace, &before, Some(&mv));
        Ok(Played { seat, canonical, text, gain })
    }

    fn play_word(
        &mut self,
        word: &str,
        act: impl FnOnce(&mut G) -> Result<(), crate::Forbidden>,
    ) -> Result<Played, Rejected> {
        let seat = self.game.next_seat();
        let before = self.game.clone();
        act(&mut self.game).map_err(|forbidden| Illegal::new(forbidden.to_string()))?;
        self.game.note(&mut self.trace, &before, None);
        Ok(Played { seat, text: word.to_owned(), canonical: word.to_owned(), gain: 0 })
    }
}

impl<G: Show> Position for InPlay<G> {
    fn status(&self) -> Status {
        self.game.status()
    }

    fn next_seat(&self) -> Seat {
        self.game.next_seat()
    }

    fn play(&mut self, turn: Turn<'_>) -> Result<Played, Rejected> {
        match turn {
            Turn::Move(text) => self.play_move(text),
            Turn::Pass => self.play_word("pass", G::pass),
            Turn::Swap => self.play_word("swap", G::swap),
        }
    }

    fn retire(&mut self, seat: Seat) {
        self.game.retire(seat);
    }

    fn forced(&self) -> Option<Turn<'static>> {
        self.game.must_pass().then_some(Turn::Pass)
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut moves: Vec<_> = self.game.legal_moves().iter().map(ToString::to_string).collect();
        moves.sort_unstable();
        moves
    }

    fn steps(&self, begun: &str) -> Result<Option<Steps>, Rejected> {
        let begun = if begun.is_empty() { None } else { Some(begun.parse::<G::Move>()?) };
        let Some(quota) = self.game.quota() else { return Ok(None) };
        let mut next = Vec::new();
        let spell = &mut |step| {
            next.push(G::join(begun.as_ref(), step).to_string());
            ControlFlow::Continue(())
        };
        self.game.each_step(begun.as_ref(), spell).map_err(|broken| Illegal::new(broken.to_string()))?;
        next.sort_unstable();
        Ok(Some(Steps { next, quota }))
    }

    fn choices(&self, begun: &str) -> Choices {
        choice::choices(&self.game, begun)
    }

    fn roll(&self) -> Option<String> {
        self.game.roll()
    }

    fn forget(&mut self) {
        self.game.forget();
    }

    fn seal_chance(&mut self) {
        self.game.seal_chance();
    }

    fn reseed(&mut self, seed: &Seed) {
        self.game.reseed(seed);
    }

    fn legal_words(&self) -> Vec<&'static str> {
        let words = [("pass", self.game.may_pass()), ("swap", self.game.may_swap())];
        words.into_iter().filter_map(|(word, legal)| legal.then_some(word)).collect()
    }

    fn example_move(&self) -> Option<String> {
        self.game.example_move().map(|mv| mv.to_string())
    }

    fn scores(&self) -> Scores {
        self.game.scores()
    }

    fn result_by_scores(&self) -> Outcome {
        self.game.result_by_scores()
    }

    fn position(&self) -> String {
        self.game.to_string()
    }

    fn view(&self, viewer: Viewer) -> View {
        let now = match self.game.status() {
            Status::ToAct(seat) => Now::Turn(seat),
            Status::Over(outcome) => Now::from(&outcome),
        };
        self.game.view(&self.trace, viewer).with_cast(Cast { now: Some(now), ..Cast::default() })
    }

    fn is_legal_syntax(&self, text: &str) -> bool {
        G::is_move(text)
    }

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(Self { game: self.game.clone(), trace: self.trace.clone() })
    }

    fn game(&self) -> &dyn Any {
        &self.game
    }
}
