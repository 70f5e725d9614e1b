//! The database: connection, permissions, key and schema.

use std::sync::Arc;
use std::time::Duration;

use knotpost_core::app::{App, Parts};
use knotpost_core::config::{Config, Migrate};
use knotpost_core::hold::Hold;
use knotpost_core::identity::{KeyError, compare_key};
use knotpost_core::play::computer;
use knotpost_platform::clock::{SystemClock, SystemEntropy};
use knotpost_platform::secret::KeyRing;
use knotpost_storage::{Store, StoreError};
use knotpost_transport::outbound::MailComposer;
use secrecy::ExposeSecret as _;
use tokio::time::timeout;

use super::{Depth, Findings, Running, Setup, traces};
use crate::server::{
    Mark, absolute, check_first, is_in_use, refuse_lost_file, refuse_unfinished_import, shown_database,
};
use crate::thinker::BotThinker;

const PATIENCE: Duration = Duration::from_secs(10);
const SUBJECT: &str = "database.url";

pub(super) async fn check(setup: &Setup<'_>, running: &Running, depth: Depth, findings: &mut Findings) {
    let config = setup.config;
    let settings = config.store_settings();
    if let Err(error) = refuse_lost_file(&settings) {
        let mend = "put the file back, or restore the last backup, see `A database that is gone` in docs/operations/backup.md";
        return findings.error(SUBJECT, error, mend);
    }
    if let Some(file) = settings.sqlite_file() {
        match std::fs::metadata(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return check_place(config, findings);
            }
            Ok(found) if found.is_file() && found.len() == 0 => return,
            Ok(found) if !found.is_file() => {
                let problem = format!("{} is no file", absolute(&file).display());
                return findings.error(SUBJECT, problem, "let `database.url` name a file");
            }
            _ => {}
        }
        if matches!(running, Running::No) && is_in_use(&file) {
            let problem =
                format!("another server is running on the database file {}", absolute(&file).display());
            return findings.error(
                SUBJECT,
                problem,
                "stop that server, or let `database.url` name another file",
            );
        }
    } else {
        match timeout(PATIENCE, Store::try_server(&settings)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return unreachable(config, &error.with_causes(), findings),
            Err(_) => return unreachable(config, "no answer within 10 seconds", findings),
        }
    }
    match Store::open(&settings).await {
        Ok(store) => {
            if !store.is_working() {
                let mend = "let `database.url` lead to the server that takes writes, see docs/operations/failover.md";
                findings.error(SUBJECT, "the server of the database takes no writes", mend);
            }
            check_open(setup, (running, depth), store, findings).await;
        }
        Err(error) => unreachable(config, &error.with_causes(), findings),
    }
}

fn check_place(config: &Config, findings: &mut Findings) {
    let Some(file) = config.store_settings().sqlite_file() else { return };
    let Some(folder) = file.parent().filter(|folder| *folder != config.server.data) else { return };
    let folder = absolute(folder);
    // Only the data folder is made.
    if !folder.is_dir() {
        let problem = format!("there is no folder {} for the database file", folder.display());
        findings.error(SUBJECT, problem, "make it, or let `database.url` name a file in another folder");
    }
}

fn unreachable(config: &Config, error: &str, findings: &mut Findings) {
    let problem = format!("the database {} cannot be opened: {error}", shown_database(config));
    let mend = match config.store_settings().sqlite_file() {
        Some(_) => {
            "let the file and its folder belong to the user that runs the server; a damaged file is replaced by the \
             last backup, see `A damaged database` in docs/operations/backup.md"
        }
        None => "start PostgreSQL, and make the user and the database that `database.url` names",
    };
    findings.error(SUBJECT, problem, mend);
}

async fn check_open(setup: &Setup<'_>, how: (&Running, Depth), store: Store, findings: &mut Findings) {
    let migrates = setup.config.database.migrate == Migrate::Auto;
    match store.check_schema().await {
        Ok(()) => check_contents(setup, how, store, findings).await,
        // The server upgrades it.
        Err(StoreError::OlderSchema(_)) if migrates => store.close().await,
        Err(error) => {
            let mend = match error {
                StoreError::OlderSchema(_) => "run `knotpost migrate`, or set `database.migrate` to \"auto\"",
                StoreError::NewerSchema(_) => {
                    "install that version again; there is no way back but the last backup"
                }
                _ => "see `A damaged database` in docs/operations/backup.md",
            };
            findings.error(SUBJECT, error.with_causes(), mend);
            store.close().await;
        }
    }
}

async fn check_contents(
    setup: &Setup<'_>,
    (running, depth): (&Running, Depth),
    store: Store,
    findings: &mut Findings,
) {
    let config = setup.config;
    let Ok(key) = KeyRing::read(config.secrets.key.expose_secret(), &config.key_file()) else {
        // Reported as a finding of its own.
        return store.close().await;
    };
    let has_key = key.is_some();
    if !has_key {
        let problem = format!(
            "there is a database and no key file {}: a new key would be made, and links in mails and reply addresses \
             that are out would end",
            absolute(&config.key_file()).display()
        );
        findings.error("secrets.key_file", problem, "put the key file there from the backup");
        return store.close().await;
    }
    let parts = Parts {
        config: config.clone(),
        store,
        registry: setup.registry,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy::default()),
        composer: Arc::new(MailComposer::new(config)),
        thinker: Arc::new(BotThinker(setup.find_bot)),
    };
    // The reason was found before.
    let Ok(app) = App::new(parts) else { return };
    if let Err(error) = refuse_unfinished_import(&app.store).await {
        findings.error(SUBJECT, format!("{error:#}"), "run `knotpost import FILE` again with the same file");
    }
    let mend = "give the server the key of the database (`secrets.key_file`), or, when that is lost, run `knotpost \
                migrate --new-key`";
    match compare_key(&app).await {
        Ok(true) => {}
        Ok(false) => findings.warning(
            "secrets.key_file",
            "the secret key is not the one this database was used with: links in mails that are under way and mail \
             stored for a second try cannot be read any more",
            mend,
        ),
        Err(error @ KeyError::Foreign) => findings.error("secrets.key_file", error, mend),
        Err(KeyError::Store(error)) => unreachable(config, &error.with_causes(), findings),
    }
    if config.bots.enabled
        && let Ok(taken) = computer::view_taken(&app.store).await
        && !taken.is_empty()
    {
        findings.warning(
            "bots.enabled",
            format!(
                "people have these userids, so there are no computer players of these levels: {}",
                taken.join(", ")
            ),
            "give them other names with `knotpost admin user rename`, or leave it so: the other levels play",
        );
    }
    match Hold::of(&app.store, config.mail.hold).await {
        Ok(Some(hold)) => findings.warning("mail.hold", Hold::WORDS, hold.mend()),
        Ok(None) => {}
        Err(error) => unreachable(config, &error.with_causes(), findings),
    }
    if matches!(running, Running::No)
        && let Some(mark) = Mark::of(&app)
        && let Err(error) = check_first(&app, &mark).await
    {
        let mend = "restore the last backup, see `A damaged database` in docs/operations/backup.md";
        findings.error(SUBJECT, format!("{error:#}"), mend);
    }
    if depth == Depth::Everything {
        traces::check(&app, findings).await;
    }
    app.store.close().await;
}
