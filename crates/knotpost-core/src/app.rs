//! A running server's parts, put together once and shared by all edges.

use std::sync::{Arc, Mutex, PoisonError};

use knotpost_commands::{GameWords, OptionWord, Vocabulary};
use knotpost_rules::{Meta, OptionKind, Registry};
use secrecy::ExposeSecret;
use tokio::sync::{broadcast, watch};

use crate::admin::LoggedErrors;
use crate::boards::Games;
use crate::clock::LeaderWatch;
use crate::clock::tournaments::PairingUnderWay;
use crate::config::{Config, ConfigError};
use crate::gallery::Gallery;
use crate::hold::Hold;
use crate::identity::{Credentials, Limits};
use crate::links::Links;
use crate::pulse::Pulse;
use crate::replies::Composer;
use crate::signals::{Announcements, Announcer, BoardsInSight, Notice, Wakeup, read_notices};
use crate::thinking::{Thinker, Thinking};
use knotpost_model::{BoardRef, Millis, OwnAddresses, UserKey};
use knotpost_platform::clock::{Clock, Entropy};
use knotpost_platform::secret::KeyRing;
use knotpost_storage::{Notification, Store, WriteError, WriteTx};

#[derive(Debug)]
pub struct Signals {
    pub inbox: Wakeup,
    pub outbox: Wakeup,
    pub webhooks: Arc<Wakeup>,
    pub boards: broadcast::Sender<BoardRef>,
    pub in_sight: BoardsInSight,
    announcer: Announcer,
    told: Mutex<Option<Announcements>>,
}

/// Backlog of a live watcher before it loses changes.
const BUFFERED_CHANGES: usize = 256;

impl Signals {
    fn new(announcer: &Announcer, told: Option<Announcements>) -> Self {
        // Not announced to other processes: the one that queued an event sends it, and all poll.
        let webhooks = Arc::new(Wakeup::new(Notice::Outbox, Announcer::default()));
        Self {
            inbox: Wakeup::new(Notice::Inbox, announcer.clone()),
            outbox: Wakeup::new(Notice::Outbox, announcer.clone()).beside(Arc::clone(&webhooks)),
            webhooks,
            boards: broadcast::Sender::new(BUFFERED_CHANGES),
            in_sight: BoardsInSight::default(),
            announcer: announcer.clone(),
            told: Mutex::new(told),
        }
    }

    /// Queue of announcements to other processes, taken once; `None` on a database of one process.
    pub fn take_announcements(&self) -> Option<Announcements> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells live watchers of these boards, here and at other processes, of a commit.
    pub fn tell_boards(&self, boards: &[BoardRef]) {
        for board in boards {
            self.tell_watchers_here(board.clone());
            self.announcer.announce(Notice::Board(board.clone()));
        }
    }

    /// Notes that a visible page of this user shows the board, here and at other processes.
    pub fn note_in_sight(&self, board: BoardRef, user: UserKey, now: Millis) {
        self.announcer.announce(Notice::InSight { board: board.clone(), user });
        self.in_sight.note(board, user, now);
    }

    /// Tells live watchers at this process only.
    pub fn tell_watchers_here(&self, board: BoardRef) {
        // An error means that nobody is watching.
        let _ = self.boards.send(board);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    #[default]
    Sound,
    /// Integrity check after an unclean stop.
    Checking,
    /// Faults of the file and the remedy. The server ends.
    Damaged(String),
    /// An essential loop has died. The server ends, to be restarted.
    Broken(String),
}

pub struct App {
    pub config: Config,
    pub store: Store,
    pub games: Games,
    pub vocabulary: Vocabulary,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub credentials: Credentials,
    /// Rates.
    pub limits: Limits,
    pub composer: Arc<dyn Composer>,
    pub gallery: Gallery,
    pub thinking: Thinking,
    pub secret: KeyRing,
    pub links: Links,
    pub own: OwnAddresses,
    pub signals: Signals,
    pub condition: watch::Sender<Condition>,
    pub logged_errors: watch::Sender<LoggedErrors>,
    pub pulse: Pulse,
    pub leader_watch: LeaderWatch,
    pub(crate) pairing: PairingUnderWay,
    /// Reason why nothing is sent, if on hold.
    pub hold: Option<Hold>,
}

pub struct Parts {
    pub config: Config,
    /// Open and migrated.
    pub store: Store,
    pub registry: &'static Registry,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub composer: Arc<dyn Composer>,
    pub thinker: Arc<dyn Thinker>,
}

impl App {
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
            links: Links::new(&secret, &config.server.public_url),
            own: OwnAddresses::new(&config.server.address)?,
            signals: Signals::new(&announcer, told),
            games: Games::new(registry, &config),
            config,
            store,
            clock,
            entropy,
            composer,
            thinking: Thinking::new(thinker),
            gallery: Gallery::default(),
            pulse: Pulse::default(),
            leader_watch: LeaderWatch::default(),
            pairing: PairingUnderWay::default(),
            hold: None,
            secret,
            condition: watch::Sender::default(),
            logged_errors: watch::Sender::default(),
        })
    }

    /// As [`Store::write`], for work that needs the server's other parts.
    pub async fn write<T, E, W>(self: &Arc<Self>, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        W: AsyncFn(&mut WriteTx, &Self) -> Result<T, E> + Send + 'static,
    {
        let app = Arc::clone(self);
        self.store.write(async move |tx| work(tx, &app).await).await
    }

    /// Acts on a notification of another process: wakes workers and watchers, counts its login attempts,
    /// notes its boards in sight.
    pub fn handle_notification(&self, heard: &Notification, me: &str) {
        let Some(notices) = read_notices(heard, me) else {
            // Anything may have been missed meanwhile.
            self.signals.inbox.wake_here();
            self.signals.outbox.wake_here();
            return;
        };
        for notice in notices {
            match notice {
                Notice::Inbox => self.signals.inbox.wake_here(),
                Notice::Outbox => self.signals.outbox.wake_here(),
                Notice::Board(board) => self.signals.tell_watchers_here(board),
                Notice::InSight { board, user } => {
                    self.signals.in_sight.note(board, user, self.clock.now());
                }
                Notice::Counted { share, key } => self.limits.count_elsewhere(share, &key),
            }
        }
    }
}

/// Refuses unknown names in the list of games to switch off, a list that leaves no game, and titles that cannot be.
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
    check_titles(config, registry)
}

/// Columns of a line of the list of games, without names.
const LIST_WIDTH: usize = 58;

/// Refuses titles of unknown games, and such as fit no line.
fn check_titles(config: &Config, registry: &Registry) -> Result<(), ConfigError> {
    let refuse = |problem| Err(ConfigError::Value { key: "games.titles", problem });
    for (name, title) in &config.games.titles {
        let Some(game) = registry.iter().find(|game| game.meta().name == name) else {
            return refuse(format!("there is no game `{name}`"));
        };
        if title.trim() != title || title.is_empty() || title.contains(char::is_control) {
            return refuse(format!("the title of `{name}` is not one line of text"));
        }
        let heading = Meta { title: "", ..game.meta().clone() }.heading();
        if heading.chars().count() + title.chars().count() > LIST_WIDTH {
            let most = LIST_WIDTH.saturating_sub(heading.chars().count());
            return refuse(format!("the title of `{name}` is longer than {most} characters"));
        }
    }
    Ok(())
}

fn own_names(config: &Config) -> Vec<&str> {
    let local = config.server.address.rsplit_once('@').map(|(local, _)| local);
    local.into_iter().chain([config.server.name.as_str()]).collect()
}

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
        GameWords {
            name: meta.name.to_owned(),
            aliases: meta.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            title: meta.title.to_owned(),
            options: options.collect(),
        }
    });
    Vocabulary::new(games.collect())
}
