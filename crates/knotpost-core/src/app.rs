//! A running server's parts, put together once and shared by all edges.

use std::sync::{Arc, Mutex, PoisonError};

use knotpost_commands::{GameWords, OptionWord, Vocabulary};
use knotpost_rules::{AnyGame, OptionKind, Registry};
use secrecy::ExposeSecret;
use tokio::sync::{broadcast, watch};

use crate::admin::LoggedErrors;
use crate::boards::BoardContext;
use crate::clock::LeaderWatch;
use crate::config::{Config, ConfigError, Time};
use crate::gallery::Gallery;
use crate::hold::Hold;
use crate::identity::{Credentials, Limits};
use crate::links::Links;
use crate::pulse::Pulse;
use crate::replies::Composer;
use crate::signals::{Announcements, Announcer, Notice, Wakeup, WatchedBoards, read_notices};
use crate::thinking::{Thinker, Thinking};
use knotpost_model::{BoardRef, OwnAddresses};
use knotpost_platform::clock::{Clock, Entropy};
use knotpost_platform::secret::KeyRing;
use knotpost_storage::{Notification, Store};

/// Wakes workers whose work has just been committed.
#[derive(Debug)]
pub struct Signals {
    /// A mail waits in the inbox.
    pub inbox: Wakeup,
    /// A mail waits in the outbox.
    pub outbox: Wakeup,
    /// Something waits in the outbox for a webhook.
    pub webhooks: Arc<Wakeup>,
    /// Boards on which something has just happened, for those who watch them live.
    pub boards: broadcast::Sender<BoardRef>,
    /// The boards that somebody watches live here.
    pub watched: Arc<WatchedBoards>,
    announcer: Announcer,
    told: Mutex<Option<Announcements>>,
}

/// How many boards may change before a watcher reads the next one.
const BUFFERED_CHANGES: usize = 256;

impl Signals {
    fn new(announcer: &Announcer, told: Option<Announcements>) -> Self {
        // Other processes have no part in it: whoever queued an event sends it, and all look by themselves.
        let webhooks = Arc::new(Wakeup::new(Notice::Outbox, Announcer::default()));
        Self {
            inbox: Wakeup::new(Notice::Inbox, announcer.clone()),
            outbox: Wakeup::new(Notice::Outbox, announcer.clone()).beside(Arc::clone(&webhooks)),
            webhooks,
            boards: broadcast::Sender::new(BUFFERED_CHANGES),
            watched: Arc::default(),
            announcer: announcer.clone(),
            told: Mutex::new(told),
        }
    }

    /// What is to be told to other processes; to be had once, and only where there may be others.
    pub fn take_announcements(&self) -> Option<Announcements> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells those who watch these boards, here and at other processes, that something was committed there.
    pub fn tell_boards(&self, boards: &[BoardRef]) {
        for board in boards {
            self.tell_watchers_here(board.clone());
            self.announcer.announce(Notice::Board(board.clone()));
        }
    }

    /// Tells those who watch a board at this process.
    pub fn tell_watchers_here(&self, board: BoardRef) {
        // Without anybody who watches there is nobody to tell.
        let _ = self.boards.send(board);
    }
}

/// How the file of the database is, as far as this server knows, and whether the server can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Nothing is wrong with it.
    #[default]
    Sound,
    /// The last stop was not a clean one, and the file is being looked through.
    Checking,
    /// Something is wrong with it: the file, the faults, and what to do. The server ends.
    Damaged(String),
    /// A loop without which the server is of no use does not go on. The server ends, to be started again.
    Broken(String),
}

/// A running server's parts.
pub struct App {
    /// Its settings.
    pub config: Config,
    /// Its database.
    pub store: Store,
    /// The games it knows, those that are switched off included: their boards stay readable.
    pub registry: &'static Registry,
    /// The words of the command language.
    pub vocabulary: Vocabulary,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Passwords.
    pub credentials: Credentials,
    /// Rates.
    pub limits: Limits,
    /// How replies become messages.
    pub composer: Arc<dyn Composer>,
    /// Pictures of boards.
    pub gallery: Gallery,
    /// Computer players, for hints.
    pub thinking: Thinking,
    pub secret: KeyRing,
    /// Links it gives out.
    pub links: Links,
    /// Its mail addresses.
    pub own: OwnAddresses,
    /// Wake-ups.
    pub signals: Signals,
    /// How the file of the database is.
    pub condition: watch::Sender<Condition>,
    /// Errors that it has logged, as it reported last.
    pub logged_errors: watch::Sender<LoggedErrors>,
    /// Whether its loops go on.
    pub pulse: Pulse,
    /// Who has been seen keeping the clock.
    pub leader_watch: LeaderWatch,
    /// The reason for which it tells nobody anything, if there is one.
    pub hold: Option<Hold>,
}

/// What an [`App`] takes from outside.
pub struct Parts {
    /// Its settings.
    pub config: Config,
    /// Its database, open and migrated.
    pub store: Store,
    /// The games.
    pub registry: &'static Registry,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// How replies become messages.
    pub composer: Arc<dyn Composer>,
    /// Who thinks about boards.
    pub thinker: Arc<dyn Thinker>,
}

impl BoardContext for App {
    fn registry(&self) -> &'static Registry {
        self.registry
    }

    fn time_limits(&self) -> &Time {
        &self.config.time
    }
}

impl App {
    /// Puts a server together.
    ///
    /// # Errors
    /// When the secret key or the password hash cannot be used, or a game that is to be switched
    /// off does not exist.
    pub fn new(parts: Parts) -> anyhow::Result<Self> {
        let Parts { config, store, registry, clock, entropy, composer, thinker } = parts;
        check_games(&config, registry)?;
        let secret = KeyRing::load(config.secrets.key.expose_secret(), &config.key_file(), entropy.as_ref())?;
        let (announcer, told) = if store.is_shared() {
            let (announcer, told) = Announcer::new();
            (announcer, Some(told))
        } else {
            (Announcer::default(), None)
        };
        Ok(Self {
            vocabulary: vocabulary(registry).of_server(&own_names(&config)),
            credentials: Credentials::new(secret.clone()),
            limits: Limits::new(&config.limits, announcer.clone()),
            links: Links::new(&secret),
            own: OwnAddresses::new(&config.server.address)?,
            signals: Signals::new(&announcer, told),
            config,
            store,
            registry,
            clock,
            entropy,
            composer,
            thinking: Thinking::new(thinker),
            gallery: Gallery::default(),
            pulse: Pulse::default(),
            leader_watch: LeaderWatch::default(),
            hold: None,
            secret,
            condition: watch::Sender::default(),
            logged_errors: watch::Sender::default(),
        })
    }

    /// Acts on what another process told: wakes workers and watchers, counts what was tried there.
    pub fn handle_notification(&self, heard: &Notification, me: &str) {
        let Some(notices) = read_notices(heard, me) else {
            // What was missed meanwhile may have been anything.
            self.signals.inbox.wake_here();
            self.signals.outbox.wake_here();
            return;
        };
        for notice in notices {
            match notice {
                Notice::Inbox => self.signals.inbox.wake_here(),
                Notice::Outbox => self.signals.outbox.wake_here(),
                Notice::Board(board) => self.signals.tell_watchers_here(board),
                Notice::Counted { share, key } => self.limits.count_elsewhere(share, &key),
            }
        }
    }

    /// The game of that name, on offer or not: boards of a game that was switched off are played to their end.
    pub fn game(&self, name: &str) -> Option<&'static dyn AnyGame> {
        self.registry.find(name)
    }

    /// The game of that name when new boards of it may begin.
    pub fn offered_game(&self, name: &str) -> Option<&'static dyn AnyGame> {
        self.game(name).filter(|game| self.is_offered(game.meta().name))
    }

    /// The games of which new boards may begin.
    pub fn offered_games(&self) -> impl Iterator<Item = &'static dyn AnyGame> + '_ {
        self.registry.iter().filter(|game| self.is_offered(game.meta().name))
    }

    fn is_offered(&self, name: &str) -> bool {
        !self.config.games.disabled.iter().any(|off| off.eq_ignore_ascii_case(name))
    }
}

/// Whether the games that are to be switched off exist, and one is left.
///
/// # Errors
/// When not.
pub fn check_games(config: &Config, registry: &Registry) -> Result<(), ConfigError> {
    let disabled = &config.games.disabled;
    let refuse = |problem| Err(ConfigError::Value { key: "games.disabled", problem });
    if let Some(name) = disabled.iter().find(|name| registry.find(name).is_none()) {
        let known: Vec<&str> = registry.iter().map(|game| game.meta().name).collect();
        return refuse(format!("there is no game `{name}`; games are {}", known.join(", ")));
    }
    let is_off = |name: &str| disabled.iter().any(|off| off.eq_ignore_ascii_case(name));
    if registry.iter().all(|game| is_off(game.meta().name)) {
        return refuse("all games are switched off; leave one".to_owned());
    }
    Ok(())
}

/// What the server itself goes by: nobody else may have these as a userid.
fn own_names(config: &Config) -> Vec<&str> {
    let local = config.server.address.rsplit_once('@').map(|(local, _)| local);
    local.into_iter().chain([config.server.name.as_str()]).collect()
}

/// The words the command language needs to know of the games.
fn vocabulary(registry: &Registry) -> Vocabulary {
    let games = registry.iter().map(|game| {
        let meta = game.meta();
        let options = meta.options.iter().flat_map(|option| {
            let takes_value = !matches!(option.kind, OptionKind::Flag | OptionKind::Either(..));
            option.words().into_iter().map(move |word| OptionWord {
                name: word.to_owned(),
                takes_value,
                help: option.help.to_owned(),
                default: option.default_text(),
            })
        });
        GameWords { name: meta.name.to_owned(), title: meta.title.to_owned(), options: options.collect() }
    });
    Vocabulary::new(games.collect())
}
