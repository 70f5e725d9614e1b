//! Trials of a real server over real sockets: what it does when it is killed again and again, and
//! how fast it is. Nothing here looks into the server; it is asked what everybody may ask.

mod choose;
mod dice;
mod http;
mod kill;
mod report;
mod server;
mod sink;
mod smtp;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Trials of a Knotpost server on this machine.
#[derive(Debug, Parser)]
#[command(name = "knotpost-load", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    scenario: Scenario,
}

#[derive(Debug, Subcommand)]
enum Scenario {
    /// Kill the server again and again while games are played by mail, then count every mail.
    Kill(kill::Args),
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match Cli::parse().scenario {
        Scenario::Kill(args) => kill::run(args).await,
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("knotpost-load: {error:#}");
            ExitCode::from(2)
        }
    }
}
