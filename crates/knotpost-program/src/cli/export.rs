//! `export`: the record of a board, the archive of a user, or the entire server, on standard output or in a new file.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::ArgGroup;
use knotpost_commands::BoardAt;

use super::output::Output;
use crate::server::Opening;
use knotpost_core::config::Config;
use knotpost_core::records::export_record;
use knotpost_model::BoardRef;
use knotpost_platform::files::{create_new_private, sync_name};

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("what").required(true).args(["board", "user", "all"])))]
pub(super) struct Args {
    /// The board, for example osbox/123; osbox/123#7 is the record of its first seven moves.
    #[arg(long, value_name = "GAME/N")]
    board: Option<Wanted>,
    /// Everything that is held about a user, as a ZIP.
    #[arg(long, value_name = "USERID")]
    user: Option<String>,
    /// The entire server, for `knotpost import` on another database.
    #[arg(long)]
    all: bool,
    /// A new file for it, readable by its owner alone (default: standard output).
    file: Option<PathBuf>,
    /// The same new file, named by an option.
    #[arg(long, short, value_name = "FILE", conflicts_with = "file")]
    output: Option<PathBuf>,
}

#[derive(Clone, Debug)]
struct Wanted {
    game: String,
    at: BoardAt,
}

impl FromStr for Wanted {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let wanted = text.split_once('/').and_then(|(game, number)| {
            Some(Self { game: game.to_lowercase(), at: BoardAt::from_word(number)? })
        });
        wanted.ok_or("write the game, a slash and the number of the board, for example osbox/123")
    }
}

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    let file = args.file.or(args.output);
    if args.all {
        return super::moving::export_all(config, file.as_deref()).await;
    }
    if let Some(userid) = args.user {
        return super::personal::export_user(config, &userid, file.as_deref()).await;
    }
    let Some(Wanted { game, at }) = args.board else { anyhow::bail!("name a board with --board GAME/N") };
    let app = super::open(config, Opening::Existing).await?;
    let record = export_record(&app, &BoardRef { game, number: at.number }, at.at).await;
    app.store.close().await;
    let text = match record {
        Ok(text) => text,
        Err(error) => return super::report(Err(error)),
    };
    let file = file.as_deref();
    let name = file.map_or("standard output".to_owned(), |path| path.display().to_string());
    let written = fill(file, async |out| out.write_all(text.as_bytes())).await;
    written.map(|()| ExitCode::SUCCESS).with_context(|| format!("{name} cannot be written"))
}

pub(super) const BUFFER: usize = 1 << 20;

/// Has a new file written, which is readable by its owner alone, and on disk afterwards or not there; without one,
/// standard output.
pub(super) async fn fill<T, E: From<io::Error>>(
    file: Option<&Path>,
    write: impl AsyncFnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    let Some(path) = file else { return write(&mut BufWriter::with_capacity(BUFFER, Output)).await };
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = create_new_private(path).map_err(named)?;
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let filled = match write(&mut out).await {
        Ok(written) => {
            let stored = out.flush().and_then(|()| out.get_ref().sync_all()).and_then(|()| sync_name(path));
            stored.map(|()| written).map_err(E::from)
        }
        Err(error) => Err(error),
    };
    if filled.is_err() {
        std::fs::remove_file(path)?;
    }
    filled
}
