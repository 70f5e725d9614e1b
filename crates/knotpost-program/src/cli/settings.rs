//! `config show` and `migrate`.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::EX_CONFIG;
use super::checking::CheckArgs;
use super::output::{complain, say};
use crate::server::Opening;
use knotpost_core::config::{Config, Database, Migrate};
use knotpost_core::identity::adopt_key;
use knotpost_transport::outbound::{Renderer, Signer};
use knotpost_web::check_privacy_text;

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Print every setting with its effective value; secrets are masked.
    Show,
    /// Check everything that `serve` would refuse, without starting; exit code 78 when there is something.
    Check(CheckArgs),
    /// Print the DNS record that lets others verify this server's signatures.
    DkimRecord,
    /// List your own templates of mails and of the page about privacy; exit code 1 when one of them cannot be used.
    Templates,
}

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// Make this server's secret key that of the database; mail stored under the former key is lost.
    #[arg(long)]
    new_key: bool,
}

pub(super) fn run(config: &Config, action: &Action) -> anyhow::Result<ExitCode> {
    match action {
        // It needs no sound settings.
        Action::Check(_) => {}
        Action::Show => super::output::text(&config.to_toml()?),
        Action::DkimRecord => return dkim_record(config),
        Action::Templates => return Ok(list_templates(config)),
    }
    Ok(ExitCode::SUCCESS)
}

fn dkim_record(config: &Config) -> anyhow::Result<ExitCode> {
    let Some(signer) = Signer::from_config(config).context("dkim.key")? else {
        complain!(
            "knotpost: dkim.selector and dkim.key are not set, so mail is not signed. A key is made with"
        );
        complain!("  openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out dkim.pem");
        return Ok(ExitCode::from(EX_CONFIG));
    };
    say!("; name   {}", signer.record_name());
    say!("; type   TXT");
    say!("; value  {}", signer.record());
    say!("{}", signer.zone_line());
    Ok(ExitCode::SUCCESS)
}

fn list_templates(config: &Config) -> ExitCode {
    let own = Renderer::new(config).own_templates();
    if own.is_empty() && !config.mail_templates().join("privacy.html").exists() {
        say!("There are no templates in {}.", config.mail_templates().display());
    }
    for template in &own {
        match &template.problem {
            None => say!("{}", template.file),
            Some(problem) => say!("{}: not used: {problem}", template.file),
        }
    }
    let page = check_privacy_text(config);
    match &page {
        None => {}
        Some(Ok(file)) => say!("{file}"),
        Some(Err(problem)) => say!("{problem}"),
    }
    let all_good = own.iter().all(|template| template.problem.is_none()) && !matches!(page, Some(Err(_)));
    if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(super) async fn migrate(config: Config, args: &MigrateArgs) -> anyhow::Result<ExitCode> {
    let config = Config { database: Database { migrate: Migrate::Auto, ..config.database }, ..config };
    let app = super::open_with_any_key(config, Opening::Create).await?;
    let adopted = if args.new_key { adopt_key(&app).await } else { Ok(()) };
    app.store.close().await;
    say!("The database is up to date.");
    adopted?;
    if args.new_key {
        say!("The secret key of this server is now that of the database.");
    }
    Ok(ExitCode::SUCCESS)
}
