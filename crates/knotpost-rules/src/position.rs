//! The object-safe face of games for the server, derived from the typed trait by blanket implementation.

use crate::{
    choice::{self, Choices},
    error::{Illegal, PositionError, Rejected},
    game::Game,
    help::HelpPage,
    meta::Meta,
    options::{GameOptions, GivenOption, OptionError},
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Played, Scores, Status, Steps, Turn},
    view::{View, Viewer},
};
use std::marker::PhantomData;

/// A game in progress, whichever it is.
pub trait Position: Send + Sync {
    /// Whether the game goes on, and who moves.
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

    /// Every legal move in canonical spelling, sorted by bytes; empty when over. Just a sample of them where
    /// [`Self::steps`] gives an answer.
    fn legal_moves(&self) -> Vec<String>;

    /// How a move that has been begun (an empty text: not yet) can go on; `None` in games whose moves are not put
    /// together part by part.
    ///
    /// # Errors
    /// What is wrong with the beginning.
    fn steps(&self, begun: &str) -> Result<Option<Steps>, Rejected>;

    /// How a move that is put together by pointing can go on. `begun` is what was chosen so far, empty at the start;
    /// what no legal move begins with cannot go on.
    fn choices(&self, begun: &str) -> Choices;

    /// What chance has decided for this turn, as in the position string; `None` when there is nothing of that
    /// kind or it is not decided yet.
    fn roll(&self) -> Option<String>;

    /// Stops chance: nothing more is drawn, and a turn whose dice are not rolled cannot be played. For looking
    /// ahead with a copy.
    fn seal_chance(&mut self);

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

    /// What a viewer sees, last move marked.
    fn view(&self, viewer: Viewer) -> View;

    /// Whether the text is a move of this game, legal here or not.
    fn is_legal_syntax(&self, text: &str) -> bool;

    /// A copy that can be played on its own.
    fn clone_box(&self) -> Box<dyn Position>;
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
}

/// A typed game as a value of the registry: `Box::new(Kind::<Osbox>::default())`.
pub struct Kind<G>(PhantomData<fn() -> G>);

impl<G> Default for Kind<G> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<G: Game> Kind<G> {
    fn bring_into_range(players: usize) -> usize {
        players.clamp(*G::meta().players.start(), *G::meta().players.end())
    }
}

impl<G: Game> AnyGame for Kind<G> {
    fn meta(&self) -> &'static Meta {
        G::meta()
    }

    fn parse_options(&self, given: &[GivenOption], players: usize) -> Result<GameOptions, OptionError> {
        let Meta { title: game, players: range, options, .. } = G::meta();
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
        Box::new(InPlay(G::setup(options, Self::bring_into_range(players), seed)))
    }

    fn parse_position(
        &self,
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Box<dyn Position>, PositionError> {
        let game = G::parse_position(options, Self::bring_into_range(players), seed, text)?;
        Ok(Box::new(InPlay(game)))
    }

    fn help(&self) -> HelpPage {
        G::help()
    }
}

/// Keeps the two traits apart: a typed game never has both `play`s in scope.
struct InPlay<G>(G);

impl<G: Game> InPlay<G> {
    fn play_move(&mut self, text: &str) -> Result<Played, Rejected> {
        let seat = self.0.next_seat();
        let mv = text.parse::<G::Move>()?;
        let canonical = self.0.normalise(&mv).to_string();
        let gain = self.0.play(&mv).map_err(|broken| Illegal::new(broken.to_string()))?;
        Ok(Played { seat, text: canonical.clone(), canonical, gain })
    }

    fn play_word(
        &mut self,
        word: &str,
        act: impl FnOnce(&mut G) -> Result<(), crate::Forbidden>,
    ) -> Result<Played, Rejected> {
        let seat = self.0.next_seat();
        act(&mut self.0).map_err(|forbidden| Illegal::new(forbidden.to_string()))?;
        Ok(Played { seat, text: word.to_owned(), canonical: word.to_owned(), gain: 0 })
    }
}

impl<G: Game> Position for InPlay<G> {
    fn status(&self) -> Status {
        self.0.status()
    }

    fn next_seat(&self) -> Seat {
        self.0.next_seat()
    }

    fn play(&mut self, turn: Turn<'_>) -> Result<Played, Rejected> {
        match turn {
            Turn::Move(text) => self.play_move(text),
            Turn::Pass => self.play_word("pass", G::pass),
            Turn::Swap => self.play_word("swap", G::swap),
        }
    }

    fn retire(&mut self, seat: Seat) {
        self.0.retire(seat);
    }

    fn forced(&self) -> Option<Turn<'static>> {
        self.0.must_pass().then_some(Turn::Pass)
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut moves: Vec<_> = self.0.legal_moves().iter().map(ToString::to_string).collect();
        moves.sort_unstable();
        moves
    }

    fn steps(&self, begun: &str) -> Result<Option<Steps>, Rejected> {
        let begun = if begun.is_empty() { None } else { Some(begun.parse::<G::Move>()?) };
        let steps = self.0.steps(begun.as_ref()).transpose();
        steps.map_err(|broken| Illegal::new(broken.to_string()).into())
    }

    fn choices(&self, begun: &str) -> Choices {
        choice::choices(&self.0, begun)
    }

    fn roll(&self) -> Option<String> {
        self.0.roll()
    }

    fn seal_chance(&mut self) {
        self.0.seal_chance();
    }

    fn legal_words(&self) -> Vec<&'static str> {
        let words = [("pass", self.0.must_pass()), ("swap", self.0.may_swap())];
        words.into_iter().filter_map(|(word, legal)| legal.then_some(word)).collect()
    }

    fn example_move(&self) -> Option<String> {
        self.0.example_move().map(|mv| mv.to_string())
    }

    fn scores(&self) -> Scores {
        self.0.scores()
    }

    fn result_by_scores(&self) -> Outcome {
        self.0.result_by_scores()
    }

    fn position(&self) -> String {
        self.0.position()
    }

    fn view(&self, viewer: Viewer) -> View {
        self.0.view(viewer)
    }

    fn is_legal_syntax(&self, text: &str) -> bool {
        text.parse::<G::Move>().is_ok()
    }

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(Self(self.0.clone()))
    }
}
