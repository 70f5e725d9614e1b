//! `config check` and `doctor`: what is wrong, one finding a line, each with what to do about it.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::output::say;
use super::{EX_CONFIG, GAMES};
use crate::checkup::{Findings, Setup, check_settings};
use knotpost_core::config::Config;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// One JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

/// The settings, files, ports and database; exit code 78 for what `serve` would refuse.
pub(super) async fn check(file: Option<&Path>, args: &CheckArgs) -> ExitCode {
    let (config, refusals) = Config::examine(file);
    let findings = check_settings(&Setup { config: &config, registry: &GAMES }, &refusals).await;
    print(&findings, args, "`knotpost serve` can start");
    if findings.has_error() { ExitCode::from(EX_CONFIG) } else { ExitCode::SUCCESS }
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
