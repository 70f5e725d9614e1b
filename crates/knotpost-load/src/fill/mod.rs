//! Makes a server with many users and boards, as after years of use, in minutes: writes an export file and imports it
//! with the program itself.

mod plan;
mod rows;
mod samples;
mod sheet;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use tokio::time::Instant;

use crate::server::{Place, program_at};
use plan::{Plan, Size};
use sheet::Header;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many boards.
    #[arg(long, default_value_t = 1_000_000)]
    boards: u64,
    /// How many users, u1, u2 and so on; their password is fill-secret.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(2..))]
    users: u64,
    /// The same seed makes the same server.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A new folder for the server.
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
    /// The database, an empty one (default: SQLite in the folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The program that takes it in (default: the `knotpost` beside this one).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Makes the server.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let began = Instant::now();
    let size = Size { users: args.users, boards: args.boards, seed: args.seed };
    std::fs::create_dir(&args.folder).with_context(|| format!("{} cannot be made", args.folder.display()))?;
    let folder = std::fs::canonicalize(&args.folder)?;
    let program = program_at(args.server.as_deref())?;
    let header = ask_for_header(&program, &folder).await?;
    let file = folder.join("filled.jsonl");
    let plan = Plan::new(size)?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&file)?);
    let lines = rows::write(&plan, header, &mut out)?;
    println!("{} written: {lines} lines, {:.0} s", file.display(), began.elapsed().as_secs_f64());

    let mut place = Place::at(&program, &folder);
    if let Some(url) = &args.database {
        place = place.with("DATABASE__URL", url);
    }
    let path = file.to_str().context("the folder's name is not UTF-8")?;
    let status = place.run_openly(&["import", path]).await?;
    ensure!(status.success(), "`knotpost import` ended with {status}");
    std::fs::remove_file(&file)?;
    println!("{} holds the server: {:.0} s in all", folder.display(), began.elapsed().as_secs_f64());
    Ok(true)
}

/// The header of an empty server's export. The key of that server becomes the key of the folder.
async fn ask_for_header(program: &Path, folder: &Path) -> anyhow::Result<Header> {
    let empty =
        Place::at(program, folder).with("DATABASE__URL", format!("sqlite:{}/empty.db", folder.display()));
    let made = empty.run(&["migrate"], b"").await?;
    ensure!(made.status.success(), "{}", crate::server::said(&made));
    let output = empty.run(&["export", "--all"], b"").await?;
    ensure!(output.status.success(), "{}", crate::server::said(&output));
    for name in ["empty.db", "empty.db-wal", "empty.db-shm", "empty.lock"] {
        // Some of these files may not exist.
        let _ = std::fs::remove_file(folder.join(name));
    }
    Header::read(&String::from_utf8(output.stdout)?)
}
