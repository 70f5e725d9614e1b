//! `import`: finished games from a file of records, or an entire server.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::EX_DATAERR;
use super::moving::{Wishes, import_all};
use super::output::{complain, say};
use super::progress::Progress;
use crate::server::Opening;
use knotpost_core::config::Config;
use knotpost_core::records::{Import, Imported, Strangers, import};
use knotpost_core::transfer::{ForeignKey, is_export};

const MOST_BYTES: u64 = 64 << 20;
/// Bytes that tell a file of an entire server from records.
const BEGINNING: u64 = 32;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file, with one or many records or an entire server; `-`: records from standard input.
    file: PathBuf,
    /// Make users of players without an account; an administrator lets them in.
    #[arg(long)]
    create_users: bool,
    /// Import an entire server although its secret key is another one; mail stored under that key is lost.
    #[arg(long)]
    new_key: bool,
    /// Delete what an interrupted import of an entire server stored, and begin with the first row.
    #[arg(long)]
    start_over: bool,
}

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    if args.file.as_os_str() != "-" && is_export(&beginning(&args.file)?) {
        let foreign_key = if args.new_key { ForeignKey::Adopt } else { ForeignKey::Refuse };
        let wishes = Wishes { foreign_key, starts_over: args.start_over };
        return import_all(config, &args.file, wishes).await;
    }
    let text = match text_of(read(&args.file)?) {
        Ok(text) => text,
        Err(error) => {
            complain!("knotpost: {}: {error}", args.file.display());
            return Ok(ExitCode::from(EX_DATAERR));
        }
    };
    let strangers = if args.create_users { Strangers::Create } else { Strangers::Refuse };
    let app = super::open(config, Opening::Create).await?;
    let mut progress = Progress::of("games");
    let imported =
        import(&app, &text, strangers, |done, total| progress.show("", done as u64, total as u64)).await;
    app.store.close().await;
    match imported? {
        Import::Done(games) => {
            tell(&games);
            Ok(ExitCode::SUCCESS)
        }
        Import::Refused(errors) => {
            for error in &errors {
                complain!("knotpost: {}: {error}", args.file.display());
            }
            complain!("Nothing was imported.");
            Ok(ExitCode::from(EX_DATAERR))
        }
    }
}

fn beginning(file: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = file.display();
    let opened = std::fs::File::open(file).with_context(|| format!("{shown} cannot be opened"))?;
    let mut bytes = Vec::new();
    opened.take(BEGINNING).read_to_end(&mut bytes).with_context(|| format!("{shown} cannot be read"))?;
    Ok(bytes)
}

/// Reads a byte more than is taken.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes).context("standard input")?;
    } else {
        let opened = std::fs::File::open(file);
        let opened = opened.with_context(|| format!("{} cannot be opened", file.display()))?;
        opened
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} cannot be read", file.display()))?;
    }
    Ok(bytes)
}

fn text_of(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err("that is too large for a file of records; split it");
    }
    if is_export(&bytes) {
        return Err("an entire server is read more than once: give it as a file");
    }
    String::from_utf8(bytes).map_err(|_| "that is not UTF-8 text")
}

fn tell(games: &[Imported]) {
    let (mut new, mut known) = (0, 0);
    for game in games {
        match game {
            Imported::New(board) => {
                new += 1;
                say!("{board}: imported");
            }
            Imported::Known(board) => {
                known += 1;
                say!("{board}: was here already");
            }
        }
    }
    say!("{new} imported, {known} already here.");
}
