//! What is asked of the server: a command, the text that came with it, and how its sender can be told.
//!
//! Commands are typed. Text becomes one in [`Request::of_line`] and nowhere else: mail, `POST /commands` and the
//! operator's shell bring lines, pages and the API put commands together. Nothing here checks a password.

use std::fmt;

use knotpost_commands::{Command, ParseError, Vocabulary};

use crate::identity::Origin;
use crate::requests::board_reply::BoardReply;

/// A line of text as it came. `Debug` does not show it: it may hold a password.
#[derive(Clone)]
pub(crate) struct Line(String);

impl Line {
    /// The line as its sender is shown it: its passwords are known by their places.
    pub(crate) fn masked(&self, vocabulary: &Vocabulary) -> String {
        knotpost_commands::mask(&self.0, vocabulary)
    }

    /// The line when its password is not right: with userid and password exchanged it looks like any other.
    pub(crate) fn masked_cautiously(&self, vocabulary: &Vocabulary) -> String {
        knotpost_commands::mask_cautiously(&self.0, vocabulary)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line(…)")
    }
}

/// A command as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is to be done, or why what came is no command.
    pub(crate) command: Result<Command, ParseError>,
    /// What it was read from; `None`: it was put together, and there is no line to be quoted.
    pub(crate) line: Option<Line>,
    /// The text that came with it.
    pub(crate) body: String,
    /// Where it came from.
    pub(crate) origin: Origin,
    /// What it would be as an answer to a board mail; where it is none, the command counts.
    pub(crate) board_reply: Option<BoardReply>,
}

impl Request {
    /// A command put together from typed parts, or what is wrong with one of them. What its words may hold is checked
    /// when it is prepared.
    pub fn typed(command: Result<Command, ParseError>, body: impl Into<String>, origin: Origin) -> Self {
        Self { command, line: None, body: body.into(), origin, board_reply: None }
    }

    /// The command that a line of text says. The one place where text becomes a request.
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

    /// The same, if it is no answer to a board mail.
    #[must_use]
    pub fn unless_it_answers(self, board_reply: Option<BoardReply>) -> Self {
        Self { board_reply, ..self }
    }

    /// The same without its line, which was no command for this reason.
    #[must_use]
    pub fn refused(self, error: ParseError) -> Self {
        Self { command: Err(error), line: None, ..self }
    }

    /// Returns true if it is a command, or was plainly meant to be one.
    pub fn names_verb(&self) -> bool {
        self.command.as_ref().map_or_else(|error| error.verb.is_some(), |_| true)
    }

    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether it came to a reply address.
    pub fn is_reply(&self) -> bool {
        self.board_reply.is_some()
    }

    /// Whether the command, or a line of a `multiple`, names the user who sends it.
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
