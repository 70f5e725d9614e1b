//! Errors of lines that are no command, with help for their writer.
//!
//! An error never contains a word that may be a password; see the `mask` module.

use std::fmt;

use crate::verbs::Verb;

/// The kind of an error, one of the codes of the HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// Too few, too many or misplaced words.
    WrongArguments,
    /// The first words are no command.
    UnknownCommand,
    /// A playing verb, but no game of that name.
    UnknownGame,
    /// An unknown option, or a value that it does not take.
    BadOption,
    /// A word in the right place with an impossible value.
    BadValue,
    /// The answer would be too much mail.
    TooMuchMail,
    /// Too many lines.
    TooLarge,
}

impl ErrorCode {
    /// The code in the HTTP interface.
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

/// Error of a line that is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The kind.
    pub code: ErrorCode,
    /// One clause that names the input, safe to be shown to anybody.
    pub message: String,
    /// The intended game, if known, by its canonical name.
    pub game: Option<String>,
    /// The intended board, if known.
    pub board: Option<u32>,
    /// The intended verb, if known.
    pub verb: Option<Verb>,
    /// The violated rule, without any word of the line: for a writer to whom nothing may be repeated.
    pub rule: Option<String>,
    /// Known words near the one typed, best first; never whole commands.
    pub suggestions: Vec<String>,
}

/// Facts about the reader of an error, for a fitting example. Placeholders replace empty fields.
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
    /// An error without game, board and command.
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

    /// Syntax of the verb, one form a line, with the game's name if known.
    pub fn syntax(&self) -> Option<String> {
        let spec = self.verb?.spec();
        let lines: Vec<String> = spec
            .syntax
            .iter()
            .map(|line| line.replace("<game>", self.game.as_deref().unwrap_or("<game>")))
            .collect();
        Some(lines.join("\n"))
    }

    /// A command of the same verb that works for this reader, with `PASSWORD` for the password.
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
