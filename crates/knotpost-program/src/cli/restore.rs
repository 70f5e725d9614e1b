//! `restore`: a backup of the SQLite database into an empty place, or a proof that this would work.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use secrecy::ExposeSecret as _;

use super::EX_DATAERR;
use super::output::{complain, say};
use super::replay_all;
use crate::server::{Opening, OpeningError, absolute, lock_folder};
use knotpost_core::app::App;
use knotpost_core::config::{Config, Migrate};
use knotpost_core::hold::mark_copy;
use knotpost_core::identity::compare_key;
use knotpost_platform::files::{create_new_private, folder_of, foreign_owner, private_folder, sync_name};
use knotpost_storage::{Settings, Store, StoreError, Table};

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["copy", "same", "verify"])))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a command line, of which its group excludes all but one"
)]
pub(super) struct Args {
    /// The file that `knotpost backup` wrote.
    file: PathBuf,
    /// Restore a copy that is looked at beside the server that goes on: it is on hold, tells nobody anything, and lets no
    /// time run out, until `knotpost admin hold off`.
    #[arg(long)]
    copy: bool,
    /// Restore the server itself, which goes on from here: what waited to be sent leaves, and the clock runs.
    #[arg(long)]
    same: bool,
    /// Restore nothing: open a copy, check its structure, replay its boards, and leave nothing behind.
    #[arg(long)]
    verify: bool,
    /// With `--verify`: there need be no key to compare.
    #[arg(long, requires = "verify")]
    no_key: bool,
}

const BEGINS: &[u8] = b"SQLite format 3\0";

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    let Some(target) = config.store_settings().sqlite_file() else {
        anyhow::bail!("this database is PostgreSQL: restore it with its own `pg_restore` or `psql`");
    };
    if let Err(why) = check_file(&args.file) {
        complain!("knotpost: {}: {why}", args.file.display());
        return Ok(ExitCode::from(EX_DATAERR));
    }
    if args.verify {
        return verify(config, &args.file, args.no_key).await;
    }
    restore(config, &args.file, &target, args.copy).await
}

/// Refuses a live database: it has a log beside it, and the file alone is incomplete.
fn check_file(file: &Path) -> Result<(), String> {
    let mut begins = [0; BEGINS.len()];
    let opened = File::open(file).map_err(|error| format!("it cannot be opened: {error}"))?;
    let read = opened.take(BEGINS.len() as u64).read_exact(&mut begins);
    if read.is_err() || begins != BEGINS {
        return Err("this is no SQLite database".to_owned());
    }
    let log = beside(file, "-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(format!(
            "{} lies beside it: this is a database in use, not a backup; make one with `knotpost backup`",
            log.display()
        ));
    }
    Ok(())
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

async fn restore(config: Config, file: &Path, target: &Path, is_copy: bool) -> anyhow::Result<ExitCode> {
    let data = config.server.data.clone();
    if let Some(owner) = foreign_owner(&data) {
        return Err(OpeningError::Foreign { folder: absolute(&data), owner }.into());
    }
    for there in [target.to_owned(), beside(target, "-wal")] {
        anyhow::ensure!(
            !there.exists(),
            "{} is there already: move it away first, a backup is only restored into an empty place",
            absolute(&there).display()
        );
    }
    private_folder(&data).with_context(|| format!("the folder {} cannot be made", data.display()))?;
    let lock = lock_folder(&data)?;
    let arriving = beside(target, ".restoring");
    let restored = async {
        // Left by a run that was killed.
        let _ = std::fs::remove_file(&arriving);
        copy(file, &arriving)?;
        let settings = Settings { url: format!("sqlite:{}", arriving.display()), ..config.store_settings() };
        let refused = look_at(&settings).await?;
        if refused.is_none() {
            if is_copy {
                hold(&settings, &arriving).await?;
            }
            // Nothing is replaced: it fails if the name exists meanwhile.
            std::fs::hard_link(&arriving, target)
                .with_context(|| format!("{} cannot be made", target.display()))?;
            sync_name(target).with_context(|| format!("{} may not outlast a crash", target.display()))?;
        }
        anyhow::Ok(refused)
    };
    let restored = restored.await;
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(&arriving, ending));
    }
    drop(lock);
    if let Some(why) = restored? {
        complain!("knotpost: {}: {why}", file.display());
        return Ok(ExitCode::from(EX_DATAERR));
    }
    say!("{} was restored to {}.", file.display(), absolute(target).display());
    if is_copy {
        say!("It is a copy on hold: it tells nobody anything until `knotpost admin hold off`.");
    }
    say!(
        "Put {} there too, if it is not; `knotpost serve` brings an older schema up to date.",
        config.key_place()
    );
    Ok(ExitCode::SUCCESS)
}

/// Marks the file as a copy, before it has the name under which a server finds it.
async fn hold(settings: &Settings, file: &Path) -> anyhow::Result<()> {
    let store = Store::open(settings).await?;
    let marked = mark_copy(&store).await;
    store.close().await;
    marked.context(
        "the copy cannot be put on hold; a backup of a much older program has to be restored by that one",
    )?;
    let log = std::fs::metadata(beside(file, "-wal"));
    anyhow::ensure!(
        log.map_or(true, |log| log.len() == 0),
        "the mark of the copy could not be written into its file"
    );
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let copied = File::open(from).and_then(|mut from| {
        let mut to = create_new_private(to)?;
        io::copy(&mut from, &mut to)?;
        to.sync_all()
    });
    copied.with_context(|| format!("{} cannot be written", to.display()))
}

/// Checks structure and schema of a copy; returns the reason of a refusal.
async fn look_at(settings: &Settings) -> anyhow::Result<Option<String>> {
    let store = match Store::open(settings).await {
        Ok(store) => store,
        Err(error @ StoreError::Damaged(_)) => return Ok(Some(error.with_causes())),
        Err(error) => return Err(error.into()),
    };
    let looked = async {
        let faults = store.check_integrity().await?;
        if !faults.is_empty() {
            return Ok(Some(format!("it is damaged: {}", faults.join("; "))));
        }
        match store.check_schema().await {
            Ok(()) | Err(StoreError::OlderSchema(_)) => Ok(None),
            Err(error @ (StoreError::NewerSchema(_) | StoreError::Damaged(_))) => {
                Ok(Some(error.with_causes()))
            }
            Err(error) => Err(anyhow::Error::from(error)),
        }
    };
    let looked = looked.await;
    store.close().await;
    looked
}

/// Restores into a folder of its own, which is always removed.
async fn verify(config: Config, file: &Path, needs_no_key: bool) -> anyhow::Result<ExitCode> {
    let data = &config.server.data;
    let near = if data.is_dir() { data.as_path() } else { folder_of(file) };
    let folder = near.join(format!("verify-{}", std::process::id()));
    private_folder(&folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let outcome = verify_in(&config, file, &folder, needs_no_key).await;
    let removed = std::fs::remove_dir_all(&folder);
    let outcome = outcome?;
    removed.with_context(|| format!("{} cannot be removed", folder.display()))?;
    Ok(outcome)
}

async fn verify_in(
    config: &Config,
    file: &Path,
    folder: &Path,
    needs_no_key: bool,
) -> anyhow::Result<ExitCode> {
    let database = folder.join("knotpost.db");
    copy(file, &database)?;
    let url = format!("sqlite:{}", database.display());
    if let Some(why) = look_at(&Settings { url: url.clone(), ..config.store_settings() }).await? {
        complain!("knotpost: {}: {why}", file.display());
        return Ok(ExitCode::from(EX_DATAERR));
    }
    say!("Its structure is sound.");
    let key_file = Some(config.key_file()).filter(|file| file.is_file()).map(|file| absolute(&file));
    let has_key = key_file.is_some() || !config.secrets.key.expose_secret().is_empty();
    let mut copy = config.clone();
    folder.clone_into(&mut copy.server.data);
    copy.database.url.0 = url;
    copy.database.migrate = Migrate::Auto;
    // Without one, a key is made for the copy and removed with it.
    copy.secrets.key_file = key_file.unwrap_or_default();
    let app = super::open_with_any_key(copy, Opening::Create).await?;
    let found = examine(&app, has_key, needs_no_key).await;
    app.store.close().await;
    Ok(if found? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports figures and the key, and replays all boards; false if the key is wrong or boards differ from their stored
/// state.
async fn examine(app: &App, has_key: bool, needs_no_key: bool) -> anyhow::Result<bool> {
    let mut tx = app.store.read().await?;
    let mut figures = Vec::new();
    for name in ["users", "boards", "moves", "inbox", "outbox"] {
        if let Some(table) = Table::moving().find(|table| table.name == name) {
            figures.push(format!("{} rows in {name}", tx.count_rows(table).await?));
        }
    }
    say!("It opens with this program, at schema {}: {}.", tx.schema_version().await?, figures.join(", "));
    drop(tx);
    let is_key_well = if !has_key {
        say!(
            "There is no key here: without the one it was used with, mails that wait and links that were given out are \
             lost.{}",
            if needs_no_key { "" } else { " To accept that: --no-key." }
        );
        needs_no_key
    } else if matches!(compare_key(app).await, Ok(true)) {
        say!("The key of this server is the one it was used with.");
        true
    } else {
        say!(
            "The key of this server is not the one it was used with: without that, mails that wait and links that \
             were given out are lost."
        );
        false
    };
    Ok(replay_all(&app.store, &app.games).await? && is_key_well)
}
