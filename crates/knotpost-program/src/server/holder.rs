//! The name under which this process holds leases, stored in its folder for its successor.
//!
//! The process with the lock of the folder knows that its predecessor is gone, and releases its leases: no process has
//! to wait until they run out. A copy of the folder on another machine may thus release leases that a live process
//! holds. That is harmless: whatever judges a board checks the lease in the same transaction.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use knotpost_core::app::App;
use knotpost_platform::clock::random_bytes;
use knotpost_platform::files::create_private;
use knotpost_platform::secret::to_hex;

pub(super) const FILE: &str = "server.run";
const BYTES: usize = 16;

/// Releases the leases of the last process of the folder, and stores the name of this one. The folder is locked.
pub(super) async fn succeed(app: &App) -> anyhow::Result<Arc<str>> {
    let path = app.config.server.data.join(FILE);
    let own = to_hex(&random_bytes::<BYTES>(app.entropy.as_ref())?);
    if let Some(earlier) = read(&path) {
        // Before it is overwritten: if this fails, the next start still finds the old name.
        app.store
            .write_queue(async move |tx| {
                tx.delete_server(&earlier).await?;
                tx.release_leader_leases_of(&earlier).await
            })
            .await?;
    }
    let written = create_private(&path).and_then(|mut file| file.write_all(own.as_bytes()));
    written.with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(own.into())
}

/// A file that was cut short, or is missing, names no process.
fn read(path: &Path) -> Option<String> {
    let name = std::fs::read_to_string(path).ok()?;
    (name.len() == 2 * BYTES).then_some(name)
}
