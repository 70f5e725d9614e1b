//! Everything in one process: opened, started, and stopped in order.

mod doors;
mod unclean;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Parts};
use crate::clock::{Clock, Entropy};
use crate::config::{Config, Migrate};
use crate::inbound::{Desk, Intake, Protocol, SmtpSettings, Watch, handover, smtp};
use crate::outbound::{Courier, MailComposer, Sender, Signer, Transport};
use crate::service::{LocalMailbox, Mailroom, check_key, unfinished_import};
use crate::store::Store;
use crate::{web, worker};

pub use doors::{LocalDoor, PORTS_FILE, Ports};

use doors::{LmtpListener, address, bind, bind_lmtp, remove_ports, write_ports};
use unclean::{Check, Mark};

/// How long work in hand may take once the server is told to stop.
const GRACE: Duration = Duration::from_secs(7);
/// Tasks that send mail side by side.
const SENDERS: usize = 4;
/// … and while there is plenty of it, so many more. At other times they would only be in the way of moves.
const HELPERS: usize = 4;
/// Tasks that tell webhooks side by side what happened; one host has one of them at a time.
const COURIERS: usize = 4;
/// Tasks that process received mail side by side; while one waits for a password, others go on.
const READERS: usize = 4;

/// The file whose lock says that a server runs on this folder.
const LOCK_FILE: &str = "serve.lock";

/// A running server.
pub struct Server {
    /// Its parts.
    pub app: Arc<App>,
    /// Where it listens.
    pub ports: Ports,
    /// How its mail leaves.
    pub transport: Arc<Transport>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    mark: Option<Mark>,
    /// Held until the process ends, however it ends.
    _lock: File,
}

/// Opens what every command of the program needs: folder, database, secret.
///
/// # Errors
/// When one of them cannot be used.
pub async fn open(
    config: Config,
    registry: &'static Registry,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> anyhow::Result<Arc<App>> {
    let app = open_with_any_key(config, registry, clock, entropy).await?;
    if let Some(rows) = unfinished_import(&app).await? {
        anyhow::bail!(
            "the import of a whole server was interrupted here after {rows} rows: run `knotpost import FILE` again \
             with the same file"
        );
    }
    check_key(&app).await?;
    Ok(app)
}

/// The same for a server whose key may be new to the database.
///
/// # Errors
/// When folder, database or secret cannot be used.
pub async fn open_with_any_key(
    config: Config,
    registry: &'static Registry,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> anyhow::Result<Arc<App>> {
    let data = &config.server.data;
    std::fs::create_dir_all(data).with_context(|| format!("the folder {} cannot be made", data.display()))?;
    let settings = config.store_settings();
    if config.database.migrate == Migrate::Auto {
        Store::migrate(&settings).await.context("the database cannot be brought up to date")?;
    }
    let store = Store::open(&settings).await.context("the database cannot be opened")?;
    if config.database.migrate == Migrate::Off {
        store.check_schema().await?;
    }
    let signer = Signer::from_config(&config).context("dkim.key")?;
    let composer = Arc::new(MailComposer::new(&config).signed_by(signer));
    Ok(Arc::new(App::new(Parts { config, store, registry, clock, entropy, composer })?))
}

impl Server {
    /// Starts all listeners and workers of `app`.
    ///
    /// # Errors
    /// When another server runs on the same folder, the database file is damaged, an address is taken
    /// or a certificate cannot be read; then nothing is left running.
    pub async fn start(app: Arc<App>, metrics: Option<PrometheusHandle>) -> anyhow::Result<Self> {
        let config = &app.config;
        let lock = lock_folder(&config.server.data)?;
        let mark = Mark::of(&app);
        let check = match &mark {
            Some(mark) => unclean::check_first(&app, mark).await?,
            None => Check::Never,
        };
        let transport = Transport::from_config(&config).context("mail.transport")?;
        let transport = Arc::new(transport);
        let http = bind("http.listen", &config.http.listen).await?;
        let smtp = bind("smtp.listen", &config.smtp.listen).await?;
        let lmtp = bind_lmtp(config).await?;
        let ports = Ports {
            http: address(http.as_ref())?,
            smtp: address(smtp.as_ref())?,
            lmtp: lmtp.as_ref().map(LmtpListener::door).transpose()?,
        };
        let socket = handover::Socket::bind(&config.server.data, config.server.socket_mode.bits())
            .context("the socket for `deliver` cannot be made")?;
        let watch = watched_folder(config, &transport)?;
        if let Some(mark) = &mark {
            mark.set().context("it cannot be noted beside the database file that a server works on it")?;
        }
        release_leases(&app).await.context("mail that waits could not be taken up again")?;
        let stop = CancellationToken::new();
        let desk = Arc::new(Desk::new(Arc::clone(&app)));
        let mut tasks = JoinSet::new();
        if let Some(metrics) = &metrics {
            tasks.spawn(worker::work_metrics(metrics.clone(), stop.clone()));
        }
        if let Some(listener) = http {
            let web = web::Web::new(Arc::clone(&app), Arc::clone(&desk) as Arc<dyn Mailroom>, metrics);
            let mailbox = transport.maildir().cloned().map(|mails| Arc::new(mails) as Arc<dyn LocalMailbox>);
            tasks.spawn(web::serve(listener, web.with_mailbox(mailbox), stop.clone()));
        }
        let intake = || Arc::clone(&desk) as Arc<dyn Intake>;
        if let Some(listener) = smtp {
            let settings = Arc::new(mail_settings(config, Protocol::Smtp)?);
            tasks.spawn(smtp::serve(listener, settings, intake(), stop.clone()));
        }
        if let Some(listener) = lmtp {
            let settings = Arc::new(mail_settings(config, Protocol::Lmtp)?);
            match listener {
                LmtpListener::Tcp(listener) => {
                    tasks.spawn(smtp::serve(listener, settings, intake(), stop.clone()));
                }
                LmtpListener::Unix(socket) => {
                    tasks.spawn(smtp::serve_unix(socket, settings, intake(), stop.clone()));
                }
            }
        }
        if let Some(watch) = watch {
            let poll = Duration::from_secs_f64(config.maildir.poll_seconds);
            tasks.spawn(worker::work_maildir(watch, Arc::clone(&desk), poll, stop.clone()));
        }
        tasks.spawn(socket.serve(intake(), config.inbound.max_bytes, stop.clone()));
        for _ in 0..READERS {
            tasks.spawn(worker::work_inbox(Arc::clone(&desk), Arc::clone(&app), stop.clone()));
        }
        let sender = Arc::new(Sender::new(Arc::clone(&app), Arc::clone(&transport)));
        for _ in 0..SENDERS {
            tasks.spawn(worker::work_outbox(Arc::clone(&app), Arc::clone(&sender), stop.clone()));
        }
        for _ in 0..HELPERS {
            tasks.spawn(worker::help_outbox(Arc::clone(&sender), stop.clone()));
        }
        if config.webhooks.enabled {
            let courier = Arc::new(Courier::new(config).context("webhooks cannot be told anything")?);
            for _ in 0..COURIERS {
                tasks.spawn(worker::work_webhooks(Arc::clone(&app), Arc::clone(&courier), stop.clone()));
            }
        }
        tasks.spawn(worker::work_clock(Arc::clone(&app), stop.clone()));
        tasks.spawn(worker::work_peers(Arc::clone(&app), stop.clone()));
        tasks.spawn(worker::work_rounds(Arc::clone(&app), stop.clone()));
        tasks.spawn(worker::work_retention(Arc::clone(&app), stop.clone()));
        if let (Some(mark), Check::Meanwhile) = (&mark, check) {
            tasks.spawn(unclean::check_meanwhile(Arc::clone(&app), mark.clone(), stop.clone()));
        }
        write_ports(&config.server.data, &ports).context("ports.json cannot be written")?;
        Ok(Self { app, ports, transport, stop, tasks, mark, _lock: lock })
    }

    /// Stops accepting, finishes what is in hand, closes the database.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let finished =
            tokio::time::timeout(GRACE, async { while self.tasks.join_next().await.is_some() {} }).await;
        if finished.is_err() {
            tracing::warn!("some work was not finished in time; it goes on at the next start");
            self.tasks.shutdown().await;
        }
        remove_ports(&self.app.config.server.data);
        self.app.store.close().await;
        if let Some(mark) = &self.mark {
            mark.clear(&self.app);
        }
    }
}

/// One server a folder. The lock goes with the process, so a killed server leaves none behind.
///
/// # Errors
/// When a server runs on the folder, or it cannot be locked.
pub fn lock_folder(data: &Path) -> anyhow::Result<File> {
    let path = data.join(LOCK_FILE);
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => anyhow::bail!("another server is running on {}", data.display()),
        Err(TryLockError::Error(error)) => {
            Err(anyhow::Error::new(error).context(format!("{} cannot be locked", path.display())))
        }
    }
}

/// What a killed server had in hand goes on at once: whoever holds the folder is alone on its
/// SQLite database. On PostgreSQL others may be at work, and leases run out by themselves.
async fn release_leases(app: &App) -> anyhow::Result<()> {
    if app.config.store_settings().sqlite_file().is_none() {
        return Ok(());
    }
    let now = app.clock.now();
    app.store
        .write(move |tx| {
            Box::pin(async move {
                tx.release_duties(now).await?;
                tx.release_inbox(now).await?;
                tx.release_outbox(now).await
            })
        })
        .await?;
    Ok(())
}

fn mail_settings(config: &Config, protocol: Protocol) -> anyhow::Result<SmtpSettings> {
    let domain = config.server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    let mut settings = SmtpSettings::new(domain, protocol);
    settings.max_message = config.inbound.max_bytes;
    settings.relays = config.smtp.relays.clone();
    if protocol == Protocol::Smtp && !config.smtp.tls_cert.is_empty() {
        let tls = smtp::load_tls(Path::new(&config.smtp.tls_cert), Path::new(&config.smtp.tls_key));
        settings.tls = Some(tls.context("smtp.tls_cert")?);
    }
    Ok(settings)
}

/// The Maildir that is watched, if any.
fn watched_folder(config: &Config, transport: &Transport) -> anyhow::Result<Option<Watch>> {
    let Some(root) = config.watched_maildir() else { return Ok(None) };
    if let Transport::Maildir(out) = transport
        && is_same_folder(out.root(), &root)
    {
        anyhow::bail!(
            "maildir.watch: {} is where outgoing mail is kept; watch another folder",
            root.display()
        );
    }
    Ok(Some(Watch::new(root, config.inbound.max_bytes)))
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}
