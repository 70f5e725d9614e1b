//! `new-game`: the folder of a game that its author goes on with.

mod folder;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, builder::PossibleValuesParser};
use knotpost_rules::Registry;

use super::output::say;
use folder::{Board, Moves};

/// The folder of the games in a checkout.
const GAMES: &str = "crates/knotpost-games/src";

#[derive(Debug, Args)]
pub(super) struct NewGameArgs {
    /// The word players will type: a letter, then letters and digits in lower case.
    name: String,
    /// The board.
    #[arg(long, value_parser = PossibleValuesParser::new(Board::ALL.map(|(_, word)| word)))]
    board: String,
    /// A move places a stone (the default) or shifts a man; houses are sown.
    #[arg(long, value_parser = PossibleValuesParser::new(Moves::ALL.map(|(_, word)| word)))]
    moves: Option<String>,
    /// The folder in which that of the game is made (default: the games of the checkout that the working folder is in).
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

pub(super) fn run(args: &NewGameArgs, registry: &Registry) -> anyhow::Result<ExitCode> {
    let name = args.name.as_str();
    if let Some(game) = registry.iter().find(|game| game.meta().is_called(name)) {
        bail!("there is a game `{}` already", game.meta().name);
    }
    let board = find(Board::ALL, &args.board).context("there is no such board")?;
    let moves = args.moves.as_ref().and_then(|word| find(Moves::ALL, word));
    let files = folder::write(name, board, moves)?;
    let parent = match &args.into {
        Some(parent) => parent.clone(),
        None => find_games()?,
    };
    let folder = parent.join(name);
    make(&folder, &files).with_context(|| format!("{} cannot be made", folder.display()))?;
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    say!("Made {} with {}.\n", folder.display(), paths.join(", "));
    say!(
        "What to do next; docs/adding-a-game.md tells more:\n\
         \n\
         1. Add this line to the list `games!` in {GAMES}/lib.rs:\n\
         \n\
         \x20      {}\n\
         \n\
         2. Play it: `cargo run -- play {name} --interactive`. A stone can be placed, and\n\
         \x20  nobody wins.\n\
         3. Write the rules in mod.rs and the page in help.txt until\n\
         \x20  `cargo test -p knotpost-games {name}` finds nothing to say.\n\
         4. Name the author in NOTICE, and the game in CHANGELOG.md.",
        folder::line(name)
    );
    Ok(ExitCode::SUCCESS)
}

fn find<T, const N: usize>(all: [(T, &str); N], word: &str) -> Option<T> {
    all.into_iter().find(|(_, known)| *known == word).map(|(choice, _)| choice)
}

/// The games of the checkout that the working folder is in.
fn find_games() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("there is no working folder")?;
    let found = here.ancestors().map(|folder| folder.join(GAMES)).find(|games| games.is_dir());
    found.with_context(|| {
        format!("{} is in no checkout of Knotpost: name a folder with --into", here.display())
    })
}

/// Writes the files into a folder that must be new.
fn make(folder: &Path, files: &[folder::File]) -> anyhow::Result<()> {
    fs::create_dir(folder)?;
    for (path, text) in files {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}
