//! `export --user`: the archive of a user.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use super::EX_DATAERR;
use super::output::complain;
use crate::server::Opening;
use knotpost_core::archive::{ArchiveError, write_archive};
use knotpost_core::config::Config;

pub(super) async fn export_user(
    config: Config,
    userid: &str,
    file: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    if file.is_none() && std::io::stdout().is_terminal() {
        anyhow::bail!("the archive is a ZIP: name a file for it, such as {userid}.zip");
    }
    let app = super::open(config, Opening::Existing).await?;
    let written = super::export::fill(file, async |out| write_archive(&app, userid, out).await).await;
    app.store.close().await;
    match written {
        Ok(written) => {
            let to = file.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
            complain!(
                "What is held about {userid} was written to {to}: {} rows, {} boards. Let nobody else read it.",
                written.rows,
                written.boards
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ ArchiveError::NoSuchUser(_)) => {
            complain!("knotpost: {error}");
            Ok(ExitCode::from(EX_DATAERR))
        }
        Err(error) => Err(error.into()),
    }
}
