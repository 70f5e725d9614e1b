//! `export`: the record of a board, the archive of a user, or the entire server, on standard output or in a new file.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::ArgGroup;
use knotpost_commands::BoardAt;

use super::EX_DATAERR;
use super::output::{Output, complain};
use crate::server::Opening;
use knotpost_core::boards::ServiceError;
use knotpost_core::config::Config;
use knotpost_core::records::export_record;
use knotpost_model::BoardRef;
use knotpost_platform::files::create_new_private;

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
    match record {
        Ok(text) => write(&text, file.as_deref()).map(|()| ExitCode::SUCCESS),
        Err(ServiceError::Refused(refusal)) => {
            complain!("knotpost: {}", refusal.message);
            Ok(ExitCode::from(EX_DATAERR))
        }
        Err(ServiceError::Store(error)) => Err(error.into()),
    }
}

fn write(text: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = file else {
        return Output.write_all(text.as_bytes()).context("standard output");
    };
    let mut file = create(path)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Readable by its owner only.
pub(super) fn create(path: &Path) -> anyhow::Result<File> {
    create_new_private(path).with_context(|| format!("{} cannot be made", path.display()))
}
