//! `command`: one command line, executed as if the operator had mailed it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use super::output::say;
use super::{EX_DATAERR, EX_TEMPFAIL};
use crate::server::Opening;
use knotpost_core::commands::execute;
use knotpost_core::config::Config;
use knotpost_core::identity::Origin;
use knotpost_core::requests::Request;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The command, as it would stand in the Subject.
    line: String,
    /// File with the text of the mail; `-`: standard input.
    #[arg(long, value_name = "FILE")]
    body: Option<PathBuf>,
}

pub(super) async fn run(config: Config, args: Args) -> anyhow::Result<ExitCode> {
    let body = match &args.body {
        None => String::new(),
        Some(file) if file.as_os_str() == "-" => {
            std::io::read_to_string(std::io::stdin()).context("standard input cannot be read")?
        }
        Some(file) => {
            std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?
        }
    };
    let origin = Origin::operator();
    let app = super::open(config, Opening::Existing).await?;
    let body = knotpost_model::limit_comment(body.trim());
    let answer = execute(&app, Request::of_line(args.line, body, origin, &app.vocabulary)).await?;
    let (subject, text) = app.composer.text(&answer.reply).map_err(anyhow::Error::msg)?;
    say!("{}", knotpost_model::clean_text(&format!("Subject: {subject}\n\n{text}")));
    app.store.close().await;
    Ok(match answer.failure {
        None => ExitCode::SUCCESS,
        Some(failure) if failure.retry_after.is_some() => ExitCode::from(EX_TEMPFAIL),
        Some(_) => ExitCode::from(EX_DATAERR),
    })
}
