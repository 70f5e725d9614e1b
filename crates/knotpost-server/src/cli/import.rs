//! `import`: finished games from a file of records.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::EX_DATAERR;
use crate::config::Config;
use crate::service::{Import, Imported, Strangers, import};

/// More than this is no file of records that is taken at once.
const MOST_BYTES: u64 = 64 << 20;
/// Records between two lines that tell how far it is.
const LINE_EVERY: usize = 500;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file, with one or many records; `-`: standard input.
    file: PathBuf,
    /// Make users of players who are none here; an administrator lets them in.
    #[arg(long)]
    create_users: bool,
}

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    let text = match read(&args.file)? {
        Ok(text) => text,
        Err(error) => {
            eprintln!("knotpost: {}: {error}", args.file.display());
            return Ok(ExitCode::from(EX_DATAERR));
        }
    };
    let strangers = if args.create_users { Strangers::Create } else { Strangers::Refuse };
    let app = super::open(config).await?;
    let is_terminal = std::io::stderr().is_terminal();
    let imported =
        import(&app, &text, strangers, |done, total| show_progress(done, total, is_terminal)).await;
    app.store.close().await;
    match imported? {
        Import::Done(games) => {
            tell(&games);
            Ok(ExitCode::SUCCESS)
        }
        Import::Refused(errors) => {
            for error in &errors {
                eprintln!("knotpost: {}: {error}", args.file.display());
            }
            eprintln!("Nothing was imported.");
            Ok(ExitCode::from(EX_DATAERR))
        }
    }
}

/// The file as text, or why it is none.
fn read(file: &Path) -> anyhow::Result<Result<String, &'static str>> {
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
    if bytes.len() as u64 > MOST_BYTES {
        return Ok(Err("that is too large for a file of records; split it"));
    }
    Ok(String::from_utf8(bytes).map_err(|_| "that is not UTF-8 text"))
}

/// A bar on a terminal, now and then a line elsewhere; nothing for a few games.
fn show_progress(done: usize, total: usize, is_terminal: bool) {
    if total < LINE_EVERY / 5 {
        return;
    }
    let mut errors = std::io::stderr().lock();
    // Whoever closed the stream does not want to see it.
    let _ = if is_terminal {
        let filled = done * 40 / total.max(1);
        let end = if done == total { "\n" } else { "" };
        write!(errors, "\r[{:<40}] {done} of {total}{end}", "#".repeat(filled)).and_then(|()| errors.flush())
    } else if done.is_multiple_of(LINE_EVERY) || done == total {
        writeln!(errors, "{done} of {total} games")
    } else {
        Ok(())
    };
}

fn tell(games: &[Imported]) {
    let (mut new, mut known) = (0, 0);
    for game in games {
        match game {
            Imported::New(board) => {
                new += 1;
                println!("{board}: imported");
            }
            Imported::Known(board) => {
                known += 1;
                println!("{board}: was here already");
            }
        }
    }
    println!("{new} imported, {known} already here.");
}
