//! Detects an unclean stop of the last server on a SQLite file. The file is then checked: after a power failure the
//! disk may have lost writes that it had acknowledged.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use knotpost_core::app::{App, Condition};
use knotpost_platform::files::{create_private, sync_name};
use knotpost_storage::Settings;

const DAMAGED: &str = "damaged";
const ADVICE: &str = "no mail is taken and no move is made on it; restore the last backup, see \
                      `A damaged database` in docs/operations/backup.md";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The last stop was clean, or there was none.
    Never,
    /// Before the server listens.
    First,
    /// For a large file: while the server works.
    Meanwhile,
}

/// A file beside the database that exists while a server works on it. A clean stop removes it.
#[derive(Clone, Debug)]
pub(crate) struct Mark(PathBuf);

impl Mark {
    /// `None` on PostgreSQL.
    pub(crate) fn of(app: &App) -> Option<Self> {
        Some(Self::beside(&app.config.store_settings().sqlite_file()?))
    }

    fn beside(file: &Path) -> Self {
        let mut name = file.as_os_str().to_owned();
        name.push("-running");
        Self(name.into())
    }

    fn judge(&self, size: u64, largest_first: u64) -> Check {
        match std::fs::read_to_string(&self.0) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Check::Never,
            Ok(text) if text.trim() != DAMAGED && size > largest_first => Check::Meanwhile,
            // Small, or known to be damaged unless it was replaced, or a mark that cannot be read.
            _ => Check::First,
        }
    }

    /// On disk on return: it must outlast a power failure.
    pub(super) fn set(&self) -> std::io::Result<()> {
        self.write("running")
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut file = create_private(&self.0)?;
        writeln!(file, "{text}")?;
        file.sync_all()?;
        sync_name(&self.0)
    }

    /// Deletes the mark, unless the file is damaged or not yet checked.
    pub(super) fn clear(&self, app: &App) {
        if app.store.has_met_damage() {
            if let Err(error) = self.write(DAMAGED) {
                tracing::error!(%error, "the damage cannot be noted beside the database file");
            }
        } else if *app.condition.borrow() == Condition::Sound
            && let Err(error) = std::fs::remove_file(&self.0)
        {
            tracing::warn!(%error, "the database file will be checked at the next start for nothing");
        }
    }
}

/// Fails if the file is missing or empty beside the mark of a server that did not stop cleanly: no new one may replace
/// it.
pub(crate) fn refuse_lost_file(settings: &Settings) -> anyhow::Result<()> {
    let Some(file) = settings.sqlite_file() else { return Ok(()) };
    let mark = Mark::beside(&file);
    let is_lost = std::fs::metadata(&file).map_or_else(
        |error| error.kind() == std::io::ErrorKind::NotFound,
        |metadata| metadata.is_file() && metadata.len() == 0,
    );
    anyhow::ensure!(
        !is_lost || !mark.0.exists(),
        "the database file {} is missing or empty, but a server worked on it and did not stop in order: put it back or \
         restore the last backup; to begin with an empty database, remove {}",
        file.display(),
        mark.0.display()
    );
    Ok(())
}

/// Checks a small file if necessary, and fails if it is damaged; returns [`Check::Meanwhile`] for a large one.
pub(crate) async fn check_first(app: &App, mark: &Mark) -> anyhow::Result<Check> {
    let file = app.config.store_settings().sqlite_file().unwrap_or_default();
    let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
    let check = mark.judge(size, app.config.database.check_first_mib.saturating_mul(1 << 20));
    match check {
        Check::Never => {}
        Check::First => {
            tracing::info!(file = %file.display(), "the last stop was not a clean one; the database file is checked");
            let faults = app.store.find_damage().await.context("the database file cannot be checked")?;
            anyhow::ensure!(faults.is_empty(), "{}", words(&file, &faults));
            tracing::info!(file = %file.display(), "the database file is sound");
        }
        Check::Meanwhile => {
            tracing::warn!(file = %file.display(), mib = size >> 20,
                "the last stop was not a clean one; the database file is large and is checked while the server works");
            app.condition.send_replace(Condition::Checking);
        }
    }
    Ok(check)
}

/// Checks a large file while the server works, and reports the result in the app's condition.
pub(super) async fn check_meanwhile(app: Arc<App>, mark: Mark, stop: CancellationToken) {
    let file = app.config.store_settings().sqlite_file().unwrap_or_default();
    let found = tokio::select! {
        () = stop.cancelled() => return,
        found = app.store.find_damage() => found,
    };
    match found {
        Ok(faults) if faults.is_empty() => {
            tracing::info!(file = %file.display(), "the database file is sound");
            app.condition.send_replace(Condition::Sound);
        }
        Ok(faults) => {
            if let Err(error) = mark.write(DAMAGED) {
                tracing::error!(%error, "the damage cannot be noted beside the database file");
            }
            app.condition.send_replace(Condition::Damaged(words(&file, &faults)));
        }
        // Nothing is known of it: it stays to be checked.
        Err(error) => {
            tracing::error!(error = error.with_causes(), "the database file cannot be checked");
        }
    }
}

fn words(file: &Path, faults: &[String]) -> String {
    format!("the database file {} is damaged ({}); {ADVICE}", file.display(), faults.join("; "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_that_is_gone_is_refused_beside_the_mark_alone() {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            Settings { url: "sqlite:".to_owned(), data: folder.path().to_owned(), max_connections: 1 };
        let file = folder.path().join("knotpost.db");
        refuse_lost_file(&settings).unwrap();
        Mark::beside(&file).set().unwrap();
        let refusal = refuse_lost_file(&settings).unwrap_err().to_string();
        assert!(refusal.contains("missing or empty") && refusal.contains("knotpost.db-running"), "{refusal}");
        std::fs::write(&file, "").unwrap();
        refuse_lost_file(&settings).unwrap_err();
        std::fs::write(&file, "x").unwrap();
        refuse_lost_file(&settings).unwrap();
    }

    #[test]
    fn only_an_unclean_stop_leads_to_a_check_and_only_a_small_or_damaged_file_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let mark = Mark(folder.path().join("knotpost.db-running"));
        assert_eq!(mark.judge(5, 10), Check::Never);
        mark.set().unwrap();
        assert_eq!(mark.judge(10, 10), Check::First);
        assert_eq!(mark.judge(11, 10), Check::Meanwhile);
        mark.write(DAMAGED).unwrap();
        assert_eq!(mark.judge(11, 10), Check::First);
    }
}
