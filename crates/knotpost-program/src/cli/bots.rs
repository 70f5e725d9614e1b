//! `knotpost think` and `knotpost match`: computer players on the command line, with positions and moves as in
//! `knotpost play`.

mod contest;
mod flags;
mod saved;
mod think;

use knotpost_bots::FindBot;
use knotpost_rules::Registry;
use std::{process::ExitCode, time::Instant};

/// The words behind `knotpost think`. They stay raw here because the options are those of the game.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct ThinkArgs {
    /// The game, its options, flags of `think` and moves; `knotpost think --help` lists them
    #[arg(value_name = "GAME [OPTION|MOVE]", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// The words behind `knotpost match`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct MatchArgs {
    /// The game, its options and flags of `match`; `knotpost match --help` lists them
    #[arg(value_name = "GAME [OPTION]", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

pub(super) fn think(args: &ThinkArgs, registry: &Registry, find_bot: FindBot) -> ExitCode {
    think::execute(&args.words, registry, find_bot)
}

pub(super) fn contest(args: &MatchArgs, registry: &Registry, find_bot: FindBot) -> ExitCode {
    contest::execute(&args.words, registry, find_bot)
}

struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "this edge is where a search gets its clock from")]
    fn start() -> Self {
        Self(Instant::now())
    }

    fn read(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
