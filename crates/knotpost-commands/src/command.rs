//! Facts common to all commands, which are defined in `verbs`.

use std::fmt;
use std::fmt::Display;

use crate::mask::STAND_IN;
use crate::verb::Effect;
use crate::verbs::{Command, Verb};
use crate::words::{Credentials, Password};

#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    verb: Verb,
    who: Option<&'a Credentials>,
    game: Option<&'a str>,
    board: Option<u32>,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(verb: Verb) -> Self {
        Self { verb, who: None, game: None, board: None }
    }

    pub(crate) fn by(self, who: &'a Credentials) -> Self {
        Self { who: Some(who), ..self }
    }

    pub(crate) fn in_game(self, game: &'a str) -> Self {
        Self { game: Some(game), ..self }
    }

    pub(crate) fn in_any(self, game: Option<&'a String>) -> Self {
        Self { game: game.map(String::as_str), ..self }
    }

    pub(crate) fn on(self, board: impl Into<Option<u32>>) -> Self {
        Self { board: board.into(), ..self }
    }
}

/// Words of a line, as put together.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn into_texts(self) -> Vec<String> {
        self.0
    }

    pub(crate) fn add(self, word: impl Display) -> Self {
        self.all([word])
    }

    pub(crate) fn all<T: Display>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.0.extend(words.into_iter().map(|word| word.to_string()));
        self
    }

    pub(crate) fn who(self, who: &Credentials) -> Self {
        self.add(&who.userid).add(who.password.as_ref().map_or(STAND_IN, Password::expose))
    }
}

impl Command {
    /// The credentials to verify before the command may act. A sign-up has none to verify.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.parts().who
    }

    /// The game the command is about, by its canonical name.
    pub fn game(&self) -> Option<&str> {
        self.parts().game
    }

    /// The board, if the command is about exactly one.
    pub fn board(&self) -> Option<u32> {
        self.parts().board
    }

    /// The verb; `swap board …` and `resign board …` count as [`Verb::Swap`] and [`Verb::Resign`], as do
    /// `move … swap` and `move … resign`.
    pub fn verb(&self) -> Verb {
        self.parts().verb
    }

    /// Query or change. A `multiple` counts as a change; its lines are more exact.
    pub fn effect(&self) -> Effect {
        self.verb().spec().effect
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Command");
        shown.field("verb", &self.verb());
        if let Some(game) = self.game() {
            shown.field("game", &game);
        }
        if let Some(board) = self.board() {
            shown.field("board", &board);
        }
        if let Some(who) = self.credentials() {
            shown.field("who", who);
        }
        shown.finish_non_exhaustive()
    }
}
