//! The server process: opened, started, and stopped in order.

mod crash_recovery;
mod descriptors;
mod holder;
mod listeners;
mod opening;
mod warnings;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_bots::FindBot;
use knotpost_rules::Registry;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::thinker::BotThinker;
use crate::worker;
use crate::worker::{Budget, Workers};
use knotpost_core::admin::RunningServer;
use knotpost_core::app::{App, Parts};
use knotpost_core::config::{Config, ConfigError, Migrate};
use knotpost_core::hold::Hold;
use knotpost_core::identity::check_key;
use knotpost_core::mailing::{LocalMailbox, WebhookIntake};
use knotpost_core::play::computer;
use knotpost_core::transfer::unfinished_import;
use knotpost_platform::clock::{Clock, Entropy};
use knotpost_platform::files::create_private;
use knotpost_platform::secret::MailboxKey;
use knotpost_platform::with_causes;
use knotpost_storage::Store;
use knotpost_transport::inbound::smtp::Certificates;
use knotpost_transport::inbound::{
    Intake, MailIntake, MaildirWatcher, Protocol, SmtpSettings, local_socket, smtp,
};
use knotpost_transport::outbound::{
    Courier, DeliveryWorker, MailComposer, Maildir, Transport, TransportError,
};
use knotpost_web::{ServeLimits, Web};

pub use listeners::{PORTS_FILE, Ports};
pub use opening::{Opening, OpeningError, absolute, wait_for_database};
pub use warnings::start_warnings;

pub(crate) use crash_recovery::{Mark, check_first, refuse_lost_file};
pub(crate) use listeners::{LmtpListener, bind, bind_lmtp, bind_socket, read_ports};
pub(crate) use opening::{check_data, find_unusable, shown_database};
pub(crate) use warnings::is_within_reach;

use crash_recovery::Check;
use descriptors::Shares;
use listeners::{address, remove_ports, write_ports};

/// Limit of running work after the stop signal.
const GRACE: Duration = Duration::from_secs(7);
/// Tasks that send mail concurrently.
const SENDERS: usize = 8;
/// Concurrent deliveries to webhooks; each host gets one at a time.
const COURIERS: usize = 4;
/// Tasks that process received mail; while one waits for a password hash, others go on.
const READERS: usize = 4;

pub(crate) const LOCK_FILE: &str = "serve.lock";

pub struct Server {
    pub app: Arc<App>,
    pub ports: Ports,
    pub transport: Arc<Transport>,
    certificates: Option<Arc<Certificates>>,
    stop: CancellationToken,
    workers: Workers,
    mark: Option<Mark>,
    /// Released at the end of the process, even after a crash.
    _lock: File,
    _file_lock: Option<File>,
}

pub async fn open(
    config: Config,
    registry: &'static Registry,
    find_bot: FindBot,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    opening: Opening,
) -> anyhow::Result<Arc<App>> {
    let app = Box::pin(open_with_any_key(config, registry, find_bot, clock, entropy, opening)).await?;
    refuse_unfinished_import(&app.store).await?;
    check_key(&app).await?;
    Ok(app)
}

pub(crate) async fn refuse_unfinished_import(store: &Store) -> anyhow::Result<()> {
    if let Some(rows) = unfinished_import(store).await? {
        anyhow::bail!(
            "the import of a server was interrupted here after {rows} rows: run `knotpost import FILE` again \
             with the same file"
        );
    }
    Ok(())
}

/// The server's key may be new to the database.
pub async fn open_with_any_key(
    config: Config,
    registry: &'static Registry,
    find_bot: FindBot,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    opening: Opening,
) -> anyhow::Result<Arc<App>> {
    opening::prepare(&config, opening).await?;
    let settings = config.store_settings();
    let database = || shown_database(&config);
    refuse_lost_file(&settings)?;
    let migrates = opening != Opening::Existing && config.database.migrate == Migrate::Auto;
    if migrates {
        let migrated = Store::migrate(&settings).await;
        migrated.with_context(|| format!("the database {} cannot be brought up to date", database()))?;
    }
    let store = Store::open(&settings).await;
    let store = store.with_context(|| format!("the database {} cannot be opened", database()))?;
    if !migrates && let Err(error) = store.check_schema().await {
        store.close().await;
        return Err(opening::of_other_schema(&config, error));
    }
    let composer = Arc::new(open_composer(&config)?);
    let thinker = Arc::new(BotThinker(find_bot));
    let hold = Hold::of(&store, config.mail.hold).await?;
    let mut app = App::new(Parts { config, store, registry, clock, entropy, composer, thinker })?;
    app.hold = hold;
    Ok(Arc::new(app))
}

impl Server {
    /// Starts all listeners and workers, or leaves nothing running; `http` is the web listener, if it is open already.
    pub async fn start(
        app: Arc<App>,
        http: Option<TcpListener>,
        metrics: Option<PrometheusHandle>,
    ) -> anyhow::Result<Self> {
        let config = &app.config;
        let lock = lock_folder(&config.server.data)?;
        let file_lock = config.store_settings().sqlite_file().map(|file| lock_file(&file)).transpose()?;
        let mark = Mark::of(&app);
        let check = match &mark {
            Some(mark) => check_first(&app, mark).await?,
            None => Check::Never,
        };
        let transport = Transport::from_config(config);
        let transport = Arc::new(transport.map_err(|error| refuse_transport(&error))?);
        let shares = descriptors::share(config);
        let http = if http.is_some() { http } else { bind_http(config).await? };
        let smtp = bind("smtp.listen", &config.smtp.listen).await?;
        let lmtp = bind_lmtp(config).await?;
        let mailbox = match (transport.maildir(), &http) {
            (Some(mails), Some(_)) => {
                let key = MailboxKey::fresh(app.entropy.as_ref());
                let key = key.context("no key for /mailbox can be made")?;
                Some((Arc::new(mails.clone()) as Arc<dyn LocalMailbox>, key))
            }
            _ => None,
        };
        let ports = Ports {
            mailbox_key: mailbox.as_ref().map(|(_, key)| key.reveal().to_owned()),
            http: address(http.as_ref())?,
            smtp: address(smtp.as_ref())?,
            lmtp: lmtp.as_ref().map(LmtpListener::local_address).transpose()?,
        };
        let socket = bind_socket(config)?;
        let watch = watched_folder(config, transport.maildir().map(Maildir::root))?;
        if let Some(mark) = &mark {
            mark.set().context("it cannot be noted beside the database file that a server works on it")?;
        }
        release_leases(&app).await.context("mail that waits could not be taken up again")?;
        let holder = holder::succeed(&app).await;
        let holder = holder.context("the clock of the boards could not be taken up again")?;
        enlist_bots(&app).await.context("the computer players have no accounts")?;
        let stop = CancellationToken::new();
        let mail_intake = Arc::new(MailIntake::new(Arc::clone(&app)));
        let mut workers = Workers::new(app.condition.clone(), stop.clone());
        if let Some(metrics) = &metrics {
            let (metrics, stop) = (metrics.clone(), stop.clone());
            workers.spawn("metrics", move || worker::work_metrics(metrics.clone(), stop.clone()));
        }
        if let Some(listener) = http {
            let intake = Arc::clone(&mail_intake) as Arc<dyn WebhookIntake>;
            let web = Web::new(Arc::clone(&app), intake, metrics);
            let web = match mailbox {
                Some((mails, key)) => web.with_mailbox(mails, key),
                None => web,
            };
            let limits = ServeLimits { max_connections: shares.http, ..ServeLimits::new(&config.http) };
            workers.spawn_once("http", knotpost_web::serve(listener, web, limits, stop.clone()));
        }
        let intake = || Arc::clone(&mail_intake) as Arc<dyn Intake>;
        let certificates = load_certificates(config)?;
        report_certificate(certificates.as_deref());
        if let Some(listener) = smtp {
            let mut settings = mail_settings(config, Protocol::Smtp, shares);
            settings.tls = certificates.as_ref().map(Certificates::server_config).transpose()?;
            let settings = Arc::new(settings);
            workers.spawn_once("smtp", smtp::serve(listener, settings, intake(), stop.clone()));
        }
        if let Some(listener) = lmtp {
            let settings = Arc::new(mail_settings(config, Protocol::Lmtp, shares));
            match listener {
                LmtpListener::Tcp(listener) => {
                    workers.spawn_once("lmtp", smtp::serve(listener, settings, intake(), stop.clone()));
                }
                LmtpListener::Unix(socket) => {
                    workers.spawn_once("lmtp", smtp::serve_unix(socket, settings, intake(), stop.clone()));
                }
            }
        }
        let serving = local_socket::serve(socket, intake(), config.inbound.max_bytes, stop.clone());
        workers.spawn_once("deliver", serving);
        start_loops(&app, &mail_intake, &transport, watch, holder, &mut workers, &stop)?;
        if let (Some(mark), Check::Meanwhile) = (&mark, check) {
            let checking = crash_recovery::check_meanwhile(Arc::clone(&app), mark.clone(), stop.clone());
            workers.spawn_once("check", checking);
        }
        write_ports(&config.server.data, &ports).context("ports.json cannot be written")?;
        Ok(Self {
            app,
            ports,
            transport,
            certificates,
            stop,
            workers,
            mark,
            _lock: lock,
            _file_lock: file_lock,
        })
    }

    /// Reads certificate, signing key and templates again; if one of them is unusable, all stay as they are.
    pub fn reload(&self) -> anyhow::Result<()> {
        let read =
            self.certificates.as_deref().map(Certificates::read).transpose().context("smtp.tls_cert")?;
        self.app.composer.reload().map_err(anyhow::Error::msg)?;
        if let (Some(certificates), Some(read)) = (&self.certificates, read) {
            certificates.replace(read);
        }
        report_certificate(self.certificates.as_deref());
        Ok(())
    }

    /// Stops accepting, finishes running requests and mails, closes the database.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let finished = tokio::time::timeout(GRACE, self.workers.join()).await;
        if finished.is_err() {
            tracing::warn!("some work was not finished in time; it goes on at the next start");
            self.workers.shutdown().await;
        }
        remove_ports(&self.app.config.server.data);
        self.app.store.close().await;
        if let Some(mark) = &self.mark {
            mark.clear(&self.app);
        }
    }
}

pub async fn bind_http(config: &Config) -> anyhow::Result<Option<TcpListener>> {
    bind("http.listen", &config.http.listen).await
}

fn report_certificate(certificates: Option<&Certificates>) {
    if let Some(end) = certificates.and_then(Certificates::ends_at) {
        metrics::gauge!("knotpost_tls_certificate_end_timestamp_seconds").set(end.0 as f64 / 1000.0);
    }
}

/// Allows one server for a folder. The lock goes with the process, so a killed server leaves none behind.
pub fn lock_folder(data: &Path) -> anyhow::Result<File> {
    let path = data.join(LOCK_FILE);
    let file = create_private(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    lock(file, &path, || data.display().to_string())
}

/// Allows one server for a database file, wherever their folders are. The lock is on the file, so links do not evade
/// it; SQLite's own locks are of another kind and do not collide.
fn lock_file(path: &Path) -> anyhow::Result<File> {
    let name = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let file = File::open(path).with_context(|| format!("{} cannot be opened", name.display()))?;
    lock(file, &name, || format!("the database file {}", name.display()))
}

fn lock(file: File, name: &Path, place: impl Fn() -> String) -> anyhow::Result<File> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => anyhow::bail!("another server is running on {}", place()),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", name.display()))
        }
    }
}

fn start_loops(
    app: &Arc<App>,
    intake: &Arc<MailIntake>,
    transport: &Arc<Transport>,
    watch: Option<MaildirWatcher>,
    holder: Arc<str>,
    workers: &mut Workers,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let config = &app.config;
    if let Some(hold) = app.hold {
        tracing::warn!(held = Hold::WORDS, mend = hold.mend(), "this server is on hold");
    }
    let mut loops = Loops { app, workers, stop };
    let intake = Arc::clone(intake);
    // The mail in a watched folder may belong to the original server.
    if let Some(watch) = watch.filter(|_| app.hold.is_none()) {
        let poll = Duration::from_secs_f64(config.maildir.poll_seconds);
        let (watch, intake) = (Arc::new(Mutex::new(watch)), Arc::clone(&intake));
        loops.spawn("maildir", 1, move |_, stop| {
            worker::work_maildir(Arc::clone(&watch), Arc::clone(&intake), poll, stop)
        });
    }
    loops.spawn("inbox", READERS, move |app, stop| worker::work_inbox(Arc::clone(&intake), app, stop));
    let delivery = Arc::new(DeliveryWorker::new(Arc::clone(app), Arc::clone(transport)));
    loops.spawn("outbox", SENDERS, move |app, stop| worker::work_outbox(app, Arc::clone(&delivery), stop));
    if config.webhooks.enabled {
        let courier = Arc::new(Courier::new(config).context("webhooks cannot be told anything")?);
        loops.spawn("webhooks", COURIERS, move |app, stop| {
            worker::work_webhooks(app, Arc::clone(&courier), stop)
        });
    }
    if config.bots.enabled && app.hold.is_none() {
        let (budget, threads) = (Arc::new(Budget::new(&config.bots)), config.bots.threads as usize);
        loops.spawn("bots", threads, move |app, stop| worker::work_bots(app, Arc::clone(&budget), stop));
    }
    let server = RunningServer::new(app, Arc::clone(&holder), knotpost_platform::host_name());
    let server = Arc::new(server);
    loops.spawn("report", 1, move |app, stop| worker::work_report(app, Arc::clone(&server), stop));
    let told = Arc::new(Mutex::new(app.signals.take_announcements()));
    loops.spawn("peers", 1, move |app, stop| worker::work_peers(app, Arc::clone(&told), stop));
    let same_holder = Arc::clone(&holder);
    loops.spawn("clock", 1, move |app, stop| worker::work_clock(app, Arc::clone(&holder), stop));
    loops.spawn("tournaments", 1, move |app, stop| {
        worker::work_tournaments(app, Arc::clone(&same_holder), stop)
    });
    loops.spawn("rounds", 1, worker::work_rounds);
    let folder = transport.maildir().cloned();
    loops.spawn("retention", 1, move |app, stop| worker::work_retention(app, folder.clone(), stop));
    loops.spawn("file", 1, worker::work_file);
    Ok(())
}

struct Loops<'a> {
    app: &'a Arc<App>,
    workers: &'a mut Workers,
    stop: &'a CancellationToken,
}

impl Loops<'_> {
    fn spawn<F>(
        &mut self,
        name: &'static str,
        count: usize,
        start: impl Fn(Arc<App>, CancellationToken) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        for _ in 0..count {
            let (start, app, stop) = (start.clone(), Arc::clone(self.app), self.stop.clone());
            self.workers.spawn(name, move || start(Arc::clone(&app), stop.clone()));
        }
    }
}

/// Makes leased mails of a killed server due at once: the lock of the folder proves that no other process uses its
/// SQLite database. On PostgreSQL others may be at work, and leases expire by themselves.
async fn release_leases(app: &App) -> anyhow::Result<()> {
    if app.config.store_settings().sqlite_file().is_none() {
        return Ok(());
    }
    let now = app.clock.now();
    app.store
        .write_queue(async move |tx| {
            tx.release_leader_leases().await?;
            // A backup holds the row of the server that ran at that time.
            tx.delete_servers().await?;
            tx.end_bot_leases().await?;
            tx.release_inbox(now).await?;
            tx.release_outbox(now).await
        })
        .await?;
    Ok(())
}

async fn enlist_bots(app: &App) -> anyhow::Result<()> {
    if !app.config.bots.enabled {
        return Ok(());
    }
    let taken = computer::enlist(&app.store, app.clock.as_ref()).await?;
    if !taken.is_empty() {
        tracing::warn!(
            userids = taken.join(", "),
            "people have these userids, so there are no computer players of these levels"
        );
    }
    Ok(())
}

pub(crate) fn is_in_use(lock: &Path) -> bool {
    let Ok(file) = File::open(lock) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

pub(crate) fn open_composer(config: &Config) -> Result<MailComposer, ConfigError> {
    MailComposer::signing(config).map_err(|error| refuse("dkim.key", &error))
}

pub(crate) fn load_certificates(config: &Config) -> Result<Option<Arc<Certificates>>, ConfigError> {
    if config.smtp.tls_cert.is_empty() {
        return Ok(None);
    }
    let loaded = Certificates::load(Path::new(&config.smtp.tls_cert), Path::new(&config.smtp.tls_key));
    Ok(Some(Arc::new(loaded.map_err(|error| refuse("smtp.tls_cert", &error))?)))
}

pub(crate) fn refuse(key: &'static str, error: &dyn std::error::Error) -> ConfigError {
    ConfigError::Value { key, problem: with_causes(error) }
}

pub(crate) fn refuse_transport(error: &TransportError) -> ConfigError {
    let is_authority = matches!(error, TransportError::Authorities(_));
    refuse(if is_authority { "mail.tls_ca" } else { "mail.transport" }, error)
}

fn mail_settings(config: &Config, protocol: Protocol, shares: Shares) -> SmtpSettings {
    let domain = config.server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    let mut settings = SmtpSettings::new(domain, protocol);
    settings.max_message = config.inbound.max_bytes;
    settings.max_connections = settings.max_connections.min(shares.mail);
    settings.relays = config.smtp.relays.clone();
    settings
}

/// `out` is the Maildir of outgoing mail.
pub(crate) fn watched_folder(
    config: &Config,
    out: Option<&Path>,
) -> Result<Option<MaildirWatcher>, ConfigError> {
    let Some(root) = config.watched_maildir() else { return Ok(None) };
    if out.is_some_and(|out| is_same_folder(out, &root)) {
        let problem = format!("{} is where outgoing mail is kept; watch another folder", root.display());
        return Err(ConfigError::Value { key: "maildir.watch", problem });
    }
    Ok(Some(MaildirWatcher::new(root, config.inbound.max_bytes)))
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}
