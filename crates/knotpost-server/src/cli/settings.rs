//! `config show` and `migrate`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::config::Config;
use crate::service::adopt_key;
use crate::store::Store;

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Print every setting with its effective value; secrets are masked.
    Show,
}

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// From now on this server's secret key is that of the database; mail stored under the former key is lost.
    #[arg(long)]
    new_key: bool,
}

pub(super) fn run(config: &Config, action: &Action) -> anyhow::Result<ExitCode> {
    let Action::Show = action;
    print!("{}", config.to_toml()?);
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn migrate(config: Config, args: &MigrateArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&config.server.data)?;
    Store::migrate(&config.store_settings()).await?;
    println!("The database is up to date.");
    if args.new_key {
        let app = super::open_with_any_key(config).await?;
        adopt_key(&app).await?;
        app.store.close().await;
        println!("The secret key of this server is now that of the database.");
    }
    Ok(ExitCode::SUCCESS)
}
