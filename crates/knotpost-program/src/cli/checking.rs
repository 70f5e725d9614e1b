//! `config check` and `doctor`: findings, one a line, with advice.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::output::say;
use super::{EX_CONFIG, games, name_games};
use crate::checkup::{self, Findings, Setup, check_settings};
use knotpost_core::config::Config;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// One JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

/// Returns 78 for anything that `serve` would refuse.
pub(super) async fn check(file: Option<&Path>, args: &CheckArgs) -> ExitCode {
    let (config, refusals) = Config::examine(file);
    let found = Config::file(file);
    let (registry, find_bot) = (name_games(&config), games().find_bot);
    let setup = Setup { config: &config, file: found.as_deref(), registry, find_bot };
    let findings = check_settings(&setup, &refusals).await;
    print(&findings, args, "`knotpost serve` can start");
    if findings.has_error() { ExitCode::from(EX_CONFIG) } else { ExitCode::SUCCESS }
}

/// Returns 1 if something does not work.
pub(super) async fn examine(file: Option<&Path>, args: &CheckArgs) -> ExitCode {
    // One provider for every use of TLS; a second try in the same process changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (config, refusals) = Config::examine(file);
    let found = Config::file(file);
    let (registry, find_bot) = (name_games(&config), games().find_bot);
    let setup = Setup { config: &config, file: found.as_deref(), registry, find_bot };
    let findings = checkup::examine(&setup, &refusals).await;
    print(&findings, args, "a server can run here");
    if findings.has_error() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn print(findings: &Findings, args: &CheckArgs, sound: &str) {
    if args.json {
        let sound = !findings.has_error();
        say!("{}", serde_json::json!({ "sound": sound, "findings": findings.list() }));
        return;
    }
    for finding in findings.list() {
        say!("{finding}");
    }
    match findings.list().len() {
        0 => say!("Nothing is wrong: {sound}."),
        _ if findings.has_error() => {}
        _ => say!("Apart from that nothing is wrong: {sound}."),
    }
}
