//! `export --all` and `import` of an entire server.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use super::EX_DATAERR;
use super::export::BUFFER;
use super::output::{Output, complain, say};
use super::progress::Progress;
use crate::server::{Opening, lock_folder};
use knotpost_core::config::Config;
use knotpost_core::transfer::{
    Began, Exported, ForeignKey, MoveError, Moved, Stage, check_export, discard_import, export_server,
    import_server,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    pub(super) foreign_key: ForeignKey,
    pub(super) starts_over: bool,
}

fn shown(stage: Stage) -> &'static str {
    match stage {
        Stage::Checking => "checking the file: ",
        Stage::Writing => "writing: ",
        Stage::Storing => "storing: ",
        Stage::Comparing => "comparing: ",
    }
}

pub(super) async fn export_all(config: Config, file: Option<&Path>) -> anyhow::Result<ExitCode> {
    let key = config.key_place();
    let app = super::open(config, Opening::Existing).await?;
    let mut progress = Progress::of("rows");
    let mut show = |stage, done, total| progress.show(shown(stage), done, total);
    let written = super::export::fill(file, async |out| {
        export_server(&app.store, app.games.registry, out, &mut show).await
    })
    .await;
    app.store.close().await;
    let written = written?;
    match file {
        None => tell_export(&mut std::io::stderr(), &written, "standard output", &key),
        Some(path) => {
            tell_export(&mut Output, &written, &path.display().to_string(), &key);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_export(out: &mut impl Write, written: &Exported, to: &str, key: &str) {
    let rows: u64 = written.tables.iter().map(|(_, rows)| rows).sum();
    // A reader who closed the stream does not want the rest.
    let _ = write!(
        out,
        "The server was written to {to}: {} users, {} boards, {} moves; {rows} rows in all, {} bytes.\n\
         Its content is {}.\n\
         It holds password hashes, mail and all that was said: let nobody else read it. Take {key} along.\n",
        written.rows("users"),
        written.rows("boards"),
        written.rows("moves"),
        written.bytes,
        written.sha256,
    );
}

pub(super) async fn import_all(config: Config, path: &Path, wishes: Wishes) -> anyhow::Result<ExitCode> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    let app = super::open_with_any_key(config, Opening::Create).await?;
    let lock = lock_folder(&app.config.server.data)?;
    let mut input = BufReader::with_capacity(BUFFER, file);
    let moved = take_in(&app, &mut input, wishes).await;
    app.store.close().await;
    drop(lock);
    match moved {
        Ok(moved) => {
            tell_import(&moved);
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ (MoveError::Damaged { .. } | MoveError::Refused(_))) => {
            complain!("knotpost: {}: {error}", path.display());
            Ok(ExitCode::from(EX_DATAERR))
        }
        Err(error) => Err(error.into()),
    }
}

async fn take_in(
    app: &std::sync::Arc<knotpost_core::app::App>,
    input: &mut BufReader<File>,
    wishes: Wishes,
) -> Result<Moved, MoveError> {
    let mut progress = Progress::of("rows");
    let mut show = |stage, done, total| progress.show(shown(stage), done, total);
    let schema = app.store.query().await?.schema_version().await?;
    let file = check_export(input, app.games.registry, schema, &mut show)?;
    if wishes.starts_over && discard_import(&app.store).await? {
        complain!("What the interrupted import had stored is forgotten.");
    }
    import_server(app, input, &file, wishes.foreign_key, &mut show).await
}

fn tell_import(moved: &Moved) {
    if let Began::After(rows) = moved.began {
        say!("{rows} rows were here from an import that was interrupted.");
    }
    say!("The server was taken in: {} rows, compared with the file and the same.", moved.rows);
    say!("Its content is {}.", moved.sha256);
}
