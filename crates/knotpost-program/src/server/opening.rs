//! Checks the preconditions of opening. A read-only command creates nothing: run in the wrong place, it names the
//! place.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use tokio::time::Instant;

use knotpost_core::config::{Config, Migrate};
use knotpost_platform::files::{
    check_folder, folder_of, foreign_owner, is_writable, owner, private_folder, this_user,
};
use knotpost_storage::{Settings, Store, StoreError};

use super::{LOCK_FILE, PORTS_FILE, holder};

/// Permission to create missing parts, and to upgrade an older schema (unless `database.migrate` is off).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Folder, key and database must exist, in the schema of this program.
    Existing,
    /// For a command, run as the user that owns the folder.
    Create,
    /// For the server, as the user that owns the folder.
    Serve,
    /// For the server, whoever owns the folder.
    ServeAsAnyUser,
}

#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    #[error(
        "there is no database at {}; `knotpost serve` makes one. Where it is, is said by `server.data` and \
         `database.url`: name the server's configuration with --config",
        .0.display()
    )]
    NoDatabase(PathBuf),
    #[error("there is no server in the database at {0}; `knotpost serve` and `knotpost migrate` make one")]
    NoSchema(String),
    #[error(
        "there is no key file {}: put it there from the backup, or say with `secrets.key_file` where it is",
        .0.display()
    )]
    NoKey(PathBuf),
    /// A database of an older program, opened by a command that may not upgrade it.
    #[error("the database {place} lacks schema {missing}; run `knotpost migrate`, or start the server")]
    OlderSchema {
        place: String,
        /// First schema number that is missing.
        missing: i64,
    },
    #[error(
        "the folder {} belongs to user {owner}, and this is user {}, whose files the server of that user could not use: \
         run it as that user, `sudo -u '#{owner}' knotpost …`, or say --allow-root",
        folder.display(),
        this_user()
    )]
    ForeignServer {
        folder: PathBuf,
        /// Numeric user id.
        owner: u32,
    },
    #[error(
        "{} belongs to user {}, and user {} cannot read and write it: run `chown {} {}`",
        .0.display(),
        owner(.0).unwrap_or_default(),
        this_user(),
        this_user(),
        .0.display()
    )]
    Unusable(PathBuf),
    /// New files would block the owner's server.
    #[error(
        "the folder {} is that of another user, whose server could not use what is made here: run the command as \
         that user, `sudo -u '#{owner}' knotpost …`",
        folder.display()
    )]
    Foreign {
        folder: PathBuf,
        /// Numeric user id.
        owner: u32,
    },
}

/// Checks that everything exists, or may be created.
pub(super) async fn prepare(config: &Config, opening: Opening) -> anyhow::Result<()> {
    let data = &config.server.data;
    let settings = config.store_settings();
    if opening == Opening::Existing {
        ensure_database(config, &settings).await?;
    }
    let makes_key = config.secrets.key.expose_secret().is_empty() && !exists(&config.key_file())?;
    if opening == Opening::Existing && makes_key {
        return Err(OpeningError::NoKey(absolute(&config.key_file())).into());
    }
    if opening == Opening::Serve {
        check_user(config)?;
        if let Some(file) = find_unusable(config) {
            return Err(OpeningError::Unusable(file).into());
        }
    }
    if [Opening::Existing, Opening::Create].contains(&opening)
        && let Some(owner) = foreign_owner(data)
        && (makes_key || makes_database(&settings)?)
    {
        return Err(OpeningError::Foreign { folder: absolute(data), owner }.into());
    }
    if opening != Opening::Existing {
        check_data(config)?;
        private_folder(data).with_context(|| no_folder(data))?;
    }
    Ok(())
}

/// Refuses a server on the data folder of another user, except root's, as a container volume is: root can use whatever
/// is made there.
fn check_user(config: &Config) -> Result<(), OpeningError> {
    let data = &config.server.data;
    match foreign_owner(data) {
        Some(owner) if owner != 0 => Err(OpeningError::ForeignServer { folder: absolute(data), owner }),
        _ => Ok(()),
    }
}

/// Finds a file of the server that this user cannot read and write.
pub(crate) fn find_unusable(config: &Config) -> Option<PathBuf> {
    let data = &config.server.data;
    let database = config.store_settings().sqlite_file();
    let mut files: Vec<PathBuf> =
        [LOCK_FILE, PORTS_FILE, holder::FILE].iter().map(|name| data.join(name)).collect();
    if let Some(file) = &database {
        files.push(Store::lock_file(file));
        let beside = std::fs::read_dir(folder_of(file)).into_iter().flatten().flatten();
        // The file, its mark, and those of SQLite beside it.
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        let is_part =
            |path: &PathBuf| path.file_name().is_some_and(|other| other.as_encoded_bytes().starts_with(name));
        files.extend(beside.map(|entry| entry.path()).filter(is_part));
    }
    files.sort();
    files.into_iter().map(|file| absolute(&file)).find(|file| is_writable(file) == Some(false))
}

/// Explains a schema mismatch, with a server as the way to upgrade.
pub(super) fn of_other_schema(config: &Config, error: StoreError) -> anyhow::Error {
    match error {
        StoreError::OlderSchema(missing) if config.database.migrate == Migrate::Auto => {
            OpeningError::OlderSchema { place: shown_database(config), missing }.into()
        }
        error => error.into(),
    }
}

pub(crate) fn check_data(config: &Config) -> anyhow::Result<()> {
    let data = &config.server.data;
    check_folder(data).with_context(|| no_folder(data))
}

const PAUSE: Duration = Duration::from_secs(1);
const REMINDER: Duration = Duration::from_mins(1);

/// Waits for a PostgreSQL database and logs the reason: after a reboot it may start later than this program. An error
/// that waiting does not mend is left to the opening.
pub async fn wait_for_database(config: &Config) {
    let settings = config.store_settings();
    let mut told: Option<(String, Instant)> = None;
    while let Err(error) = Store::try_server(&settings).await {
        if !error.is_away() {
            return;
        }
        let why = error.with_causes();
        if told.as_ref().is_none_or(|(before, at)| *before != why || at.elapsed() >= REMINDER) {
            tracing::warn!(database = shown_database(config), error = why, "waiting for the database");
            told = Some((why, Instant::now()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn no_folder(data: &Path) -> String {
    format!("the folder {} cannot be made or written to", absolute(data).display())
}

async fn ensure_database(config: &Config, settings: &Settings) -> anyhow::Result<()> {
    match settings.sqlite_file() {
        // An empty file is what a shell makes by mistake.
        Some(file) if !exists(&file)? || std::fs::metadata(&file)?.len() == 0 => {
            Err(OpeningError::NoDatabase(absolute(&file)).into())
        }
        Some(_) => Ok(()),
        None => {
            let place = config.database.url.masked();
            let has_schema = Store::has_schema(settings).await;
            if !has_schema.with_context(|| format!("the database at {place} cannot be opened"))? {
                return Err(OpeningError::NoSchema(place).into());
            }
            Ok(())
        }
    }
}

fn makes_database(settings: &Settings) -> anyhow::Result<bool> {
    match settings.sqlite_file() {
        Some(file) => Ok(!exists(&file)? || !exists(&Store::lock_file(&file))?),
        None => Ok(false),
    }
}

fn exists(path: &Path) -> anyhow::Result<bool> {
    match std::fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(false),
        Err(error) => {
            Err(anyhow::Error::new(error)
                .context(format!("{} cannot be looked at", absolute(path).display())))
        }
    }
}

pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // Without the `.` of a default.
    path.components().collect()
}

pub(crate) fn shown_database(config: &Config) -> String {
    match config.store_settings().sqlite_file() {
        Some(file) => absolute(&file).display().to_string(),
        None => config.database.url.masked(),
    }
}
