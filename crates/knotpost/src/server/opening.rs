//! Checks what must exist before a server's parts are opened. A read-only command creates nothing: run in the wrong
//! place, it says where it looked.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use tokio::time::Instant;

use knotpost_core::config::{Config, FileMode, Migrate, Warning};
use knotpost_platform::files::{check_folder, foreign_owner, is_open_to_others, private_folder};
use knotpost_storage::{Settings, Store, StoreError};

/// Whether what is missing may be made, and an older schema brought up to date (unless `database.migrate` is off).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing: folder, key and database must be there, of the schema of this program.
    Existing,
    /// By a command, run as the user that owns the folder.
    Create,
    /// By the server.
    Serve,
}

/// Why the parts are not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// No file of the database.
    #[error(
        "there is no database at {}; `knotpost serve` makes one. Where it is, is said by `server.data` and \
         `database.url`: name the server's configuration with --config",
        .0.display()
    )]
    NoDatabase(PathBuf),
    /// A database of another program.
    #[error("there is no server in the database at {0}; `knotpost serve` and `knotpost migrate` make one")]
    NoSchema(String),
    /// The key was lost, or is elsewhere.
    #[error(
        "there is no key file {}: put it there from the backup, or say with `secrets.key_file` where it is",
        .0.display()
    )]
    NoKey(PathBuf),
    /// A database of an older program, opened by a command that may not change its schema.
    #[error("the database {place} lacks schema {missing}; run `knotpost migrate`, or start the server")]
    OlderSchema {
        /// The database.
        place: String,
        /// The first number it lacks.
        missing: i64,
    },
    /// Files of another user would be in the server's way.
    #[error(
        "the folder {} is that of another user, whose server could not use what is made here: run the command as \
         that user, `sudo -u '#{owner}' knotpost …`",
        folder.display()
    )]
    Foreign {
        /// The data folder.
        folder: PathBuf,
        /// The user's number.
        owner: u32,
    },
}

/// Checks that everything exists, or may be created.
///
/// # Errors
/// [`OpeningError`], and when something cannot be read.
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
    if opening != Opening::Serve
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

/// Why a database is not worked on whose schema was compared. A server that would bring it up to date is named as a way.
pub(super) fn of_other_schema(config: &Config, error: StoreError) -> anyhow::Error {
    match error {
        StoreError::OlderSchema(missing) if config.database.migrate == Migrate::Auto => {
            OpeningError::OlderSchema { place: shown_database(config), missing }.into()
        }
        error => error.into(),
    }
}

/// Whether the data folder can be used, or made.
///
/// # Errors
/// When not.
pub(crate) fn check_data(config: &Config) -> anyhow::Result<()> {
    let data = &config.server.data;
    check_folder(data).with_context(|| no_folder(data))
}

/// How long a database that is not there yet is left alone between two tries.
const PAUSE: Duration = Duration::from_secs(1);
/// How often it is said that it is still not there.
const REMINDER: Duration = Duration::from_mins(1);

/// Waits until a PostgreSQL database can be reached, and says why it cannot: after a reboot it may start later than this
/// program, and while another server takes over there is none for a while. An error that waiting does not mend is left to
/// those who open the database.
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

/// Whether opening a SQLite database makes a file.
fn makes_database(settings: &Settings) -> anyhow::Result<bool> {
    match settings.sqlite_file() {
        Some(file) => Ok(!exists(&file)? || !exists(&Store::lock_file(&file))?),
        None => Ok(false),
    }
}

/// Whether the file exists; an error when that cannot be determined.
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

/// The absolute path.
pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // Without the `.` of a default.
    path.components().collect()
}

/// The database as it may be shown: its file, or its address without secrets.
pub(crate) fn shown_database(config: &Config) -> String {
    match config.store_settings().sqlite_file() {
        Some(file) => absolute(&file).display().to_string(),
        None => config.database.url.masked(),
    }
}

/// Warnings about files that other users of the machine can read.
pub fn open_files(config: &Config) -> Vec<Warning> {
    let data = &config.server.data;
    if is_open_to_others(data) == Some(true) {
        let shown = absolute(data);
        let shown = shown.display();
        let problem = format!(
            "others on this machine may read or change what is in {shown}, mail and password hashes among it"
        );
        let mend = format!(
            "run `chmod 700 {shown}`. For a `knotpost deliver` of other users let `server.socket` name a place outside"
        );
        return vec![Warning::new("server.data", problem, mend)];
    }
    let mode = config.server.socket_mode.bits();
    let lets_others_in = mode & 0o022 != 0 && config.server.socket_mode != FileMode::default();
    if lets_others_in && config.server.socket.as_os_str().is_empty() && !is_within_reach(&config.socket()) {
        let socket = absolute(&config.socket());
        let problem = format!(
            "server.socket_mode is {mode:04o}, but others cannot enter the folder of {}",
            socket.display()
        );
        let mend = "let `server.socket` name a place outside the data folder";
        return vec![Warning::new("server.socket", problem, mend)];
    }
    let database = config.store_settings().sqlite_file();
    let files = database.into_iter().chain([config.key_file()]).filter(|file| is_within_reach(file));
    let open = files.filter(|file| is_open_to_others(file) == Some(true));
    open.map(|file| {
        let shown = absolute(&file);
        let shown = shown.display();
        let problem = format!("others on this machine may read {shown}");
        Warning::new("server.data", problem, format!("run `chmod 600 {shown}`"))
    })
    .collect()
}

/// Whether others can enter the folder of a file.
pub(crate) fn is_within_reach(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::metadata(folder).is_ok_and(|found| found.mode() & 0o011 != 0)
}
