//! A request: command, accompanying text, and origin.
//!
//! Commands are typed. Text is parsed by [`Request::of_line`] alone: mail, `POST /commands` and the
//! operator's shell send lines, pages and the API typed commands. Passwords are not checked here.

use std::fmt;

use knotpost_commands::{Command, ParseError, Vocabulary};

use crate::identity::{Login, Origin};
use crate::requests::board_reply::BoardReply;

/// Raw line. `Debug` hides it: it may hold a password.
#[derive(Clone)]
pub(crate) struct Line(String);

impl Line {
    /// Masks passwords by their positions, for the sender.
    fn masked(&self, vocabulary: &Vocabulary) -> String {
        knotpost_commands::mask(&self.0, vocabulary)
    }

    /// Masks more, for a wrong password: userid and password may have been exchanged.
    fn masked_cautiously(&self, vocabulary: &Vocabulary) -> String {
        knotpost_commands::mask_cautiously(&self.0, vocabulary)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line(…)")
    }
}

/// Words of a sender that an answer quotes.
#[derive(Debug)]
pub(crate) enum Quote {
    /// A typed command has none.
    None,
    Typed(Line),
    /// Holds no password, or was masked.
    Harmless(String),
}

impl Quote {
    /// Masks passwords; more if the password given was wrong.
    pub(crate) fn echo(self, login: &Login, vocabulary: &Vocabulary) -> String {
        match (self, login) {
            (Self::None, _) => String::new(),
            (Self::Harmless(line), _) => line,
            (Self::Typed(line), Login::NotNeeded | Login::Known { .. }) => line.masked(vocabulary),
            (Self::Typed(line), _) => line.masked_cautiously(vocabulary),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) command: Result<Command, ParseError>,
    /// `None`: a typed command, nothing to quote.
    pub(crate) line: Option<Line>,
    pub(crate) body: String,
    pub(crate) origin: Origin,
    /// Reading as an answer to a board mail; `command` counts if it is none.
    pub(crate) board_reply: Option<BoardReply>,
}

impl Request {
    /// Request of a typed command, or of an error in its parts. Its words are validated during preparation.
    pub fn typed(command: Result<Command, ParseError>, body: impl Into<String>, origin: Origin) -> Self {
        Self { command, line: None, body: body.into(), origin, board_reply: None }
    }

    /// Parses a line; the only way from text to a request.
    pub fn of_line(
        line: impl Into<String>,
        body: impl Into<String>,
        origin: Origin,
        vocabulary: &Vocabulary,
    ) -> Self {
        let line = line.into();
        let command = knotpost_commands::parse(&line, vocabulary);
        Self { command, line: Some(Line(line)), body: body.into(), origin, board_reply: None }
    }

    /// Adds the reading as an answer to a board mail.
    #[must_use]
    pub fn unless_it_answers(self, board_reply: Option<BoardReply>) -> Self {
        Self { board_reply, ..self }
    }

    #[must_use]
    pub fn refused(self, error: ParseError) -> Self {
        Self { command: Err(error), line: None, ..self }
    }

    /// True if it is a command, or was plainly meant as one.
    pub fn names_verb(&self) -> bool {
        self.command.as_ref().map_or_else(|error| error.verb.is_some(), |_| true)
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub fn is_reply(&self) -> bool {
        self.board_reply.is_some()
    }

    /// True if the command or a line of a `multiple` names its sender.
    pub fn names_user(&self, vocabulary: &Vocabulary) -> bool {
        let names_user = |command: &Command| command.credentials().is_some();
        match &self.command {
            Ok(Command::Multiple) => knotpost_commands::command_lines(&self.body).is_ok_and(|lines| {
                lines.iter().any(|line| {
                    knotpost_commands::parse(line, vocabulary).is_ok_and(|command| names_user(&command))
                })
            }),
            Ok(command) => names_user(command),
            Err(_) => false,
        }
    }
}
