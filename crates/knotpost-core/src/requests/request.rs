//! What is asked of the server: a command, the text that came with it, and how its sender can be told.
//!
//! Commands are typed. Text becomes one in [`Request::of_line`] and nowhere else: mail, `POST /commands` and the
//! operator's shell bring lines, pages and the API put commands together. Nothing here checks a password.

use std::fmt;

use knotpost_commands::{Command, ParseError, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::identity::sessions::RECENT_MS;
use crate::requests::answering::Answering;
use knotpost_model::{Address, Host, Millis, UserKey};

/// How a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// As a mail.
    Mail,
    /// Over HTTP.
    Http,
    /// From the operator's shell.
    Operator,
}

impl Channel {
    /// Its name in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Http => "http",
            Self::Operator => "operator",
        }
    }
}

/// How the sender of a command proves who they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// By the password in the command.
    #[default]
    Password,
    /// By a session or a key of this user: commands in the user's name need no password.
    LoggedIn(ProvenUser),
}

/// A user who has proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenUser {
    /// The user.
    pub user: UserKey,
    /// Their name.
    pub userid: String,
    /// The password hash that they had then. A command is refused when they have another one by then.
    pub hash: String,
    /// The key of the API that they showed. A command is refused when it has been revoked by then.
    pub key: Option<i64>,
    /// Digest of the session in which they are logged in. What gives power for longer is refused when it has ended by
    /// then.
    pub session: Option<String>,
    /// When they last gave their password; `None`: a key or a link stood for it.
    pub password_at: Option<Millis>,
}

/// Whether a password given then still stands for one that is asked for now.
pub fn gave_password_lately(password_at: Option<Millis>, now: Millis) -> bool {
    password_at.is_some_and(|at| now.0 - at.0 < RECENT_MS)
}

/// Where a command came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// How.
    pub channel: Channel,
    /// The address of its sender, when it came by mail.
    pub sender: Option<Address>,
    /// Whom rates are counted for: an address or a network address.
    pub rate_key: String,
    /// The connecting host, behind proxies and relays that are known; `None`: it cannot be told, or there is none.
    pub host: Option<Host>,
    /// Whether the sender's domain vouches for the mail (aligned DKIM or SPF).
    pub aligned: bool,
    /// How the sender proves who they are.
    pub proof: Proof,
}

impl Origin {
    /// A request over HTTP.
    pub fn http(host: Host, proof: Proof) -> Self {
        let rate_key = host.to_string();
        Self { channel: Channel::Http, sender: None, rate_key, host: Some(host), aligned: false, proof }
    }

    /// A mail whose sender proves nothing but what the mail itself proves.
    pub fn mail(sender: Option<Address>, host: Option<Host>, aligned: bool) -> Self {
        let rate_key = sender.as_ref().map(Address::key).unwrap_or_default();
        Self { channel: Channel::Mail, sender, rate_key, host, aligned, proof: Proof::Password }
    }

    /// A command of whoever operates the server.
    pub fn operator() -> Self {
        Self {
            channel: Channel::Operator,
            sender: None,
            rate_key: "operator".to_owned(),
            host: None,
            aligned: false,
            proof: Proof::Password,
        }
    }
}

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
    pub(crate) answering: Option<Answering>,
}

impl Request {
    /// A command put together from typed parts, or what is wrong with one of them. What its words may hold is checked
    /// when it is prepared.
    pub fn typed(command: Result<Command, ParseError>, body: impl Into<String>, origin: Origin) -> Self {
        Self { command, line: None, body: body.into(), origin, answering: None }
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
        Self { command, line: Some(Line(line)), body: body.into(), origin, answering: None }
    }

    /// The same, if it is no answer to a board mail.
    #[must_use]
    pub fn unless_it_answers(self, answering: Option<Answering>) -> Self {
        Self { answering, ..self }
    }

    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether it came to a reply address.
    pub fn is_reply(&self) -> bool {
        self.answering.is_some()
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
