//! `config show` and `migrate`.

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;
use crate::outbound::Renderer;
use crate::store::Store;

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Print every setting with its effective value; secrets are masked.
    Show,
    /// List your own mail templates; exit code 1 when one of them cannot be used.
    Templates,
}

pub(super) fn run(config: &Config, action: &Action) -> anyhow::Result<ExitCode> {
    match action {
        Action::Show => print!("{}", config.to_toml()?),
        Action::Templates => return Ok(list_templates(config)),
    }
    Ok(ExitCode::SUCCESS)
}

fn list_templates(config: &Config) -> ExitCode {
    let own = Renderer::new(config).own_templates();
    if own.is_empty() {
        println!("There are no templates in {}.", config.mail_templates().display());
    }
    for template in &own {
        match &template.problem {
            None => println!("{}", template.file),
            Some(problem) => println!("{}: not used: {problem}", template.file),
        }
    }
    let all_good = own.iter().all(|template| template.problem.is_none());
    if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(super) async fn migrate(config: &Config) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&config.server.data)?;
    Store::migrate(&config.store_settings()).await?;
    println!("The database is up to date.");
    Ok(ExitCode::SUCCESS)
}
