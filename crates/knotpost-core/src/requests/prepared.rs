//! A command between its two steps: slow work done, transaction not begun.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotpost_commands::{Command, Effect, ParseError};

use crate::app::App;
use crate::identity::limits::Asker;
use crate::identity::{Limited, Login, Origin};
use crate::requests::board_reply::Standpoint;
use crate::thinking::{Question, Thought, Thoughts, Unanswered};
use knotpost_model::{Comment, Host, UserKey};

/// A question to a computer player, with its answer.
#[derive(Debug)]
pub(crate) struct Advice {
    pub(crate) question: Question,
    pub(crate) answer: Result<Arc<Thought>, Unanswered>,
}

#[derive(Debug)]
pub struct Prepared {
    /// Line as typed, passwords masked; empty for a typed command.
    pub echo: String,
    pub(crate) body: Comment,
    pub(crate) origin: Origin,
    pub(crate) command: Result<Command, ParseError>,
    pub(crate) login: Login,
    pub(crate) new_hash: Option<String>,
    /// Candidate users: the sender is one of these. Set only for commands without a password.
    pub(crate) proven: Vec<UserKey>,
    /// Identity charged for its rate, if limited.
    pub(crate) asker: Option<Asker>,
    /// Readers mailed by the latest run of the transaction, charged after the commit.
    pub(crate) mailed: Mutex<Vec<UserKey>>,
    pub(crate) limited: Option<Limited>,
    /// True if the latest run of the transaction counts against the rate.
    pub(crate) made: AtomicBool,
    pub(crate) advice: Option<Advice>,
    pub(crate) analysis: Option<(Question, Result<Thoughts, Unanswered>)>,
    pub(crate) lines: Vec<Prepared>,
    pub(crate) standpoint: Option<Standpoint>,
}

impl Prepared {
    pub(crate) fn new(command: Result<Command, ParseError>, origin: Origin) -> Self {
        Self {
            echo: String::new(),
            body: Comment::default(),
            origin,
            command,
            login: Login::NotNeeded,
            new_hash: None,
            proven: Vec::new(),
            asker: None,
            mailed: Mutex::default(),
            limited: None,
            made: AtomicBool::new(false),
            advice: None,
            analysis: None,
            lines: Vec::new(),
            standpoint: None,
        }
    }

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

    /// Records whether the command counts against its rate limit; each run of the transaction sets it anew.
    pub(crate) fn set_made(&self, made: bool) {
        self.made.store(made, Ordering::Relaxed);
        if !made {
            self.mailed().clear();
        }
    }

    pub(crate) fn mailed(&self) -> MutexGuard<'_, Vec<UserKey>> {
        self.mailed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work after the commit: charges the share of all, drops stale passwords from the cache.
    pub fn after_commit(&self, app: &App) {
        if let Some(asker) = self.asker.as_ref().filter(|_| self.made.swap(false, Ordering::Relaxed)) {
            app.limits.made(asker);
            self.mailed().drain(..).for_each(|reader| app.limits.mailed(asker, reader));
        }
        if let (Ok(Command::ChangePassword { .. } | Command::Delete { .. }), Login::Known { user, .. }) =
            (&self.command, &self.login)
        {
            app.credentials.forget(*user);
        }
        for line in &self.lines {
            line.after_commit(app);
        }
    }
}
