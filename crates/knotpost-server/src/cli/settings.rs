//! `config show` and `migrate`.

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;
use crate::store::Store;

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Print every setting with its effective value; secrets are masked.
    Show,
}

pub(super) fn run(config: &Config, action: &Action) -> anyhow::Result<ExitCode> {
    let Action::Show = action;
    print!("{}", config.to_toml()?);
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn migrate(config: &Config) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&config.server.data)?;
    Store::migrate(&config.store_settings()).await?;
    println!("The database is up to date.");
    Ok(ExitCode::SUCCESS)
}
