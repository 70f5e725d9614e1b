//! tmp
#[derive(Debug, clap::Args)]
pub struct PlayArgs {}
pub fn run(_a: &PlayArgs, _r: &knotpost_rules::Registry) -> std::process::ExitCode { std::process::ExitCode::SUCCESS }
