//! A command between its two steps: everything slow is done, nothing is read or written in its transaction yet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotpost_commands::{Command, Effect, ParseError};

use crate::app::App;
use crate::identity::limits::Asker;
use crate::identity::{Limited, Login, Origin};
use crate::requests::board_reply::Standpoint;
use crate::thinking::{Question, Thought, Thoughts, Unanswered};
use knotpost_model::{Comment, Host, UserKey};

/// What a computer player was asked, and its answer.
#[derive(Debug)]
pub(crate) struct Advice {
    /// The board as it was then.
    pub(crate) question: Question,
    pub(crate) answer: Result<Arc<Thought>, Unanswered>,
}

/// A command whose slow parts are done.
#[derive(Debug)]
pub struct Prepared {
    /// The line that the command was read from, its passwords masked; empty when it was put together from typed parts.
    pub echo: String,
    pub(crate) body: Comment,
    pub(crate) origin: Origin,
    pub(crate) command: Result<Command, ParseError>,
    pub(crate) login: Login,
    /// Hash of a new password.
    pub(crate) new_hash: Option<String>,
    pub(crate) overloaded: bool,
    /// Users one of whom it comes from for certain, where no password is asked for.
    pub(crate) proven: Vec<UserKey>,
    /// Whose shares it spends, where its rate is limited.
    pub(crate) asker: Option<Asker>,
    /// Readers of what it mails, as far as the transaction goes that carried it out last. Their shares are spent after
    /// the commit.
    pub(crate) mailed: Mutex<Vec<UserKey>>,
    /// It came too often.
    pub(crate) limited: Option<Limited>,
    /// Whether it made what its rate counts, as far as the transaction goes that carried it out last.
    pub(crate) made: AtomicBool,
    /// What a computer player said, where the command asks for that.
    pub(crate) advice: Option<Advice>,
    /// What it said of every position of a game.
    pub(crate) analysis: Option<(Question, Result<Thoughts, Unanswered>)>,
    pub(crate) lines: Vec<Prepared>,
    /// When it came as the answer to a board mail.
    pub(crate) standpoint: Option<Standpoint>,
}

impl Prepared {
    /// A command of which nothing is known yet but where it came from.
    pub(crate) fn new(command: Result<Command, ParseError>, origin: Origin) -> Self {
        Self {
            echo: String::new(),
            body: Comment::default(),
            origin,
            command,
            login: Login::NotNeeded,
            new_hash: None,
            overloaded: false,
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

    /// Whether the command only looks, so that a snapshot suffices for it.
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

    /// Whether it only says something on a board.
    pub fn is_chat(&self) -> bool {
        matches!(self.command, Ok(Command::Chat { .. }))
    }

    /// Returns true if it only says something, to the players of a board or to one user, or holds a line that does.
    pub fn is_talk(&self) -> bool {
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().any(Self::is_talk),
            _ => self.is_chat() || matches!(self.command, Ok(Command::Message { .. })),
        }
    }

    /// Whether the line is a command at all.
    pub fn parses(&self) -> bool {
        self.command.is_ok()
    }

    /// Whether its password could not be checked because too many others wait.
    pub fn is_overloaded(&self) -> bool {
        self.overloaded || self.lines.iter().any(Self::is_overloaded)
    }

    /// Whether its sender's domain vouches for the mail that it came in.
    pub fn is_aligned(&self) -> bool {
        self.origin.aligned
    }

    /// The host that it came from, as far as that can be told.
    pub fn host(&self) -> Option<&Host> {
        self.origin.host.as_ref()
    }

    /// Whose keys it uses: two clients may choose the same key and must not meet in it.
    pub(crate) fn key_scope(&self) -> String {
        match (&self.login, &self.command) {
            // Once it has been carried out, its name is somebody's.
            (_, Ok(Command::Signup { .. })) => format!("from {}", self.origin.rate_key),
            (Login::Known { user, .. }, _) => format!("user {}", user.0),
            _ => format!("from {}", self.origin.rate_key),
        }
    }

    /// The user it proved to come from.
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

    /// Whether it names a user and proved to come from them.
    pub fn is_authenticated(&self) -> bool {
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().any(Self::is_authenticated),
            _ => matches!(self.login, Login::Known { .. }),
        }
    }

    /// Returns true if a page of the web sent it.
    pub(crate) fn has_session(&self) -> bool {
        matches!(&self.login, Login::Known { session: Some(_), .. })
    }

    /// Notes whether the command made what its rate counts. Each run of its transaction notes it anew.
    pub(crate) fn set_made(&self, made: bool) {
        self.made.store(made, Ordering::Relaxed);
        if !made {
            self.mailed().clear();
        }
    }

    /// Readers of what the command mails.
    pub(crate) fn mailed(&self) -> MutexGuard<'_, Vec<UserKey>> {
        self.mailed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what follows from the commit of a command: what it made is counted for all together, and a password that
    /// no longer holds is forgotten.
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
