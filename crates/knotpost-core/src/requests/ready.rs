//! A command before its transaction: authenticated, then admitted by its rate, then ready.

use std::sync::Arc;

use knotpost_commands::{Command, Effect, ParseError};

use crate::identity::limits::{Asker, Charge};
use crate::identity::{Credentials, Limited, Limits, Login, Origin};
use crate::requests::board_reply::Standpoint;
use crate::requests::request::Quote;
use crate::thinking::{Question, Thought, Thoughts, Unanswered};
use knotpost_model::{Comment, Host, UserKey};

/// One command, and what its sender proved.
#[derive(Debug)]
pub(crate) struct Authenticated {
    pub(crate) quote: Quote,
    pub(crate) body: Comment,
    pub(crate) origin: Origin,
    pub(crate) command: Result<Command, ParseError>,
    /// Not yet that of a signup, whose password is checked once it is admitted.
    pub(crate) login: Login,
    /// Candidate users: the sender is one of these. Set only for commands without a password.
    pub(crate) proven: Vec<UserKey>,
    pub(crate) standpoint: Option<Standpoint>,
}

impl Authenticated {
    /// A command that names nobody and has no text.
    pub(crate) fn unproven(command: Result<Command, ParseError>, quote: Quote, origin: Origin) -> Self {
        Self {
            quote,
            body: Comment::default(),
            origin,
            command,
            login: Login::NotNeeded,
            proven: Vec::new(),
            standpoint: None,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Admission {
    /// Has no rate.
    Free,
    Counted(Asker),
    Refused(Limited),
}

/// A command that was counted against its rate.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) sent: Authenticated,
    pub(crate) admission: Admission,
}

/// Result of the slow work that a command needs.
#[derive(Debug)]
pub(crate) enum Preparation {
    None,
    /// Hash of a newly chosen password.
    NewHash(String),
    Hint {
        question: Question,
        thought: Result<Arc<Thought>, Unanswered>,
    },
    Analysis {
        question: Question,
        thoughts: Result<Thoughts, Unanswered>,
    },
}

/// A command whose slow work is done.
#[derive(Debug)]
pub struct Ready {
    /// Line as typed, passwords masked; empty for a typed command.
    pub echo: String,
    pub(crate) body: Comment,
    pub(crate) origin: Origin,
    pub(crate) command: Result<Command, ParseError>,
    pub(crate) login: Login,
    pub(crate) proven: Vec<UserKey>,
    pub(crate) standpoint: Option<Standpoint>,
    pub(crate) admission: Admission,
    pub(crate) preparation: Preparation,
    /// Of a `multiple`.
    pub(crate) lines: Vec<Ready>,
}

impl Ready {
    /// True if a read-only snapshot suffices.
    pub fn is_query(&self) -> bool {
        if self.link_reply().is_some() {
            return false;
        }
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().all(Self::is_query),
            Ok(command) => command.effect() == Effect::Query,
            Err(_) => true,
        }
    }

    pub fn is_chat(&self) -> bool {
        matches!(self.command, Ok(Command::Chat { .. }))
    }

    /// True if it only says something, to players or a user, or contains a line that does.
    pub fn is_talk(&self) -> bool {
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().any(Self::is_talk),
            _ => self.is_chat() || matches!(self.command, Ok(Command::Message { .. })),
        }
    }

    pub fn parses(&self) -> bool {
        self.command.is_ok()
    }

    pub fn is_aligned(&self) -> bool {
        self.origin.aligned
    }

    pub fn host(&self) -> Option<&Host> {
        self.origin.host.as_ref()
    }

    /// Namespace of idempotency keys: equal keys of two clients must not collide.
    pub(crate) fn key_scope(&self) -> String {
        match (&self.login, &self.command) {
            // After the signup, its name is a user's.
            (_, Ok(Command::Signup { .. })) => format!("from {}", self.origin.rate_key),
            (Login::Known { user, .. }, _) => format!("user {}", user.0),
            _ => format!("from {}", self.origin.rate_key),
        }
    }

    pub fn user(&self) -> Option<UserKey> {
        if self.is_foreign() {
            return None;
        }
        if let Some(grant) = self.grant() {
            return Some(grant.user.id);
        }
        match &self.login {
            Login::Known { user, .. } => Some(*user),
            _ => self.lines.iter().find_map(Self::user),
        }
    }

    /// True if it names a user and proved to come from them.
    pub fn is_authenticated(&self) -> bool {
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().any(Self::is_authenticated),
            _ => matches!(self.login, Login::Known { .. }),
        }
    }

    pub(crate) fn has_session(&self) -> bool {
        matches!(&self.login, Login::Known { session: Some(_), .. })
    }

    /// Hash of a newly chosen password; `None`: it could not be taken.
    pub(crate) fn new_hash(&self) -> Option<&str> {
        match &self.preparation {
            Preparation::NewHash(hash) => Some(hash),
            Preparation::None | Preparation::Hint { .. } | Preparation::Analysis { .. } => None,
        }
    }

    /// Work after the commit: charges what was used up, drops stale passwords from the cache.
    pub(crate) fn after_commit(&self, limits: &Limits, credentials: &Credentials, charges: &[Charge]) {
        for charge in charges {
            limits.charge(charge);
        }
        for command in self.lines.iter().chain([self]) {
            if let (Ok(Command::ChangePassword { .. } | Command::Delete { .. }), Login::Known { user, .. }) =
                (&command.command, &command.login)
            {
                credentials.forget(*user);
            }
        }
    }
}
