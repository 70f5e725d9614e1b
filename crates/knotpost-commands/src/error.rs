//! Why a line is not a command, said so that its writer can do better.
//!
//! An error never carries a word that may be a password; see the `mask` module for what may be shown.

use std::fmt;

use crate::verbs::Verb;

/// The kind of a failure, one of the codes of the HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// Too few, too many or misplaced words.
    WrongArguments,
    /// The first words are no command.
    UnknownCommand,
    /// A playing verb, but no game of that name.
    UnknownGame,
    /// An option that does not exist, or does not take what it was given.
    BadOption,
    /// A word in the right place that cannot mean anything there.
    BadValue,
    /// The answer would be too much mail.
    TooMuchMail,
    /// More lines than are taken at once.
    TooLarge,
}

impl ErrorCode {
    /// The code as it appears in the interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongArguments => "wrong_arguments",
            Self::UnknownCommand => "unknown_command",
            Self::UnknownGame => "unknown_game",
            Self::BadOption => "bad_option",
            Self::BadValue => "bad_value",
            Self::TooMuchMail => "too_much_mail",
            Self::TooLarge => "too_large",
        }
    }
}

/// A line that is not a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The kind.
    pub code: ErrorCode,
    /// One clause that names the input, safe to be shown to anybody.
    pub message: String,
    /// The game that was meant, if known, by its canonical name.
    pub game: Option<String>,
    /// The board that was meant, if known.
    pub board: Option<u32>,
    /// The verb that was meant, if known.
    pub verb: Option<Verb>,
    /// The rule that was broken, for a writer to whom nothing of the line may be repeated: it holds no word of it.
    pub rule: Option<String>,
    /// Known words near to what was typed, best first; whole commands are never in here.
    pub suggestions: Vec<String>,
}

/// What is known about the reader of an error, so that the example fits them. Empty fields get stand-ins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleContext {
    /// Their userid.
    pub userid: Option<String>,
    /// Another user's userid.
    pub opponent: Option<String>,
    /// A game they play.
    pub game: Option<String>,
    /// A board of theirs in that game.
    pub board: Option<u32>,
    /// A legal move on that board.
    pub legal_move: Option<String>,
}

impl ParseError {
    /// An error that names neither game, board nor command.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            game: None,
            board: None,
            verb: None,
            rule: None,
            suggestions: Vec::new(),
        }
    }

    pub(crate) fn with_rule(mut self, rule: impl fmt::Display) -> Self {
        self.rule = Some(rule.to_string());
        self
    }

    pub(crate) fn with_suggestions(mut self, suggestions: Vec<String>) -> Self {
        self.suggestions = suggestions;
        self
    }

    /// The syntax of the verb, one form a line, with the game's name put in where it is known.
    pub fn syntax(&self) -> Option<String> {
        let spec = self.verb?.spec();
        let lines: Vec<String> = spec
            .syntax
            .iter()
            .map(|line| line.replace("<game>", self.game.as_deref().unwrap_or("<game>")))
            .collect();
        Some(lines.join("\n"))
    }

    /// A command of the same verb that would work for this reader, with `PASSWORD` for the password.
    pub fn example(&self, context: &ExampleContext) -> Option<String> {
        let mut context = context.clone();
        if let Some(game) = &self.game {
            context.game = Some(game.clone());
        }
        if let Some(board) = self.board {
            context.board = Some(board);
        }
        Some(self.verb?.spec().example(&context))
    }
}
