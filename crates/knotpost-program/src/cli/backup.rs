//! `backup`: a copy of the SQLite database, taken while the server runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;

use super::output::say;
use super::progress::Progress;
use crate::server::{OpeningError, absolute};
use knotpost_core::config::Config;
use knotpost_platform::files::{create_new_private, sync_name};
use knotpost_storage::{Store, StoreError};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The new file.
    file: PathBuf,
}

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    let settings = config.store_settings();
    if let Some(file) = settings.sqlite_file().filter(|file| !file.is_file()) {
        return Err(OpeningError::NoDatabase(absolute(&file)).into());
    }
    let target = args.file.to_str().context("the file's name is not UTF-8")?;
    let store = Store::open(&settings).await?;
    if settings.sqlite_file().is_some() {
        // Made first and private: SQLite fills an empty file, and refuses one with something in it.
        create_new_private(&args.file).with_context(|| format!("{target} cannot be made"))?;
    }
    let copied = watch(&store, target, settings.sqlite_file().as_deref()).await;
    store.close().await;
    if let Err(error) = copied {
        if settings.sqlite_file().is_some() {
            std::fs::remove_file(&args.file)?;
        }
        return Err(error.into());
    }
    std::fs::File::open(&args.file)?.sync_all()?;
    sync_name(&args.file)?;
    say!("The database was copied to {target}.");
    say!(
        "Keep {} with it: without that key, mails that wait and links that were given out are lost.",
        config.key_place()
    );
    Ok(ExitCode::SUCCESS)
}

/// Copies and shows the progress. The copy has no gaps and may end up smaller.
async fn watch(store: &Store, target: &str, source: Option<&Path>) -> Result<(), StoreError> {
    let mebibytes = |file: &Path| std::fs::metadata(file).map_or(0, |found| found.len() >> 20);
    let total = source.map_or(0, mebibytes);
    let mut progress = Progress::of("MiB");
    let mut copying = std::pin::pin!(store.backup(target));
    loop {
        match tokio::time::timeout(Duration::from_millis(500), &mut copying).await {
            Ok(copied) => {
                if copied.is_ok() {
                    progress.show("", total, total);
                }
                return copied;
            }
            Err(_) => progress.show("", mebibytes(Path::new(target)).min(total), total),
        }
    }
}
