//! Trials of a real server over real sockets: it is killed again and again, and its speed is measured. They use the
//! server's public interfaces only.

mod bench;
mod clients;
mod deployed;
mod dice;
mod failover;
mod fill;
mod games;
mod http;
mod kill;
mod people;
mod play;
mod postgres;
mod powercut;
mod report;
mod server;
mod sink;
mod smtp;
mod storm;
mod trial;

use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

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
    /// Several servers on one PostgreSQL under load, killed one after the other, the database too.
    Storm(storm::Args),
    /// Two servers on a PostgreSQL with a synchronous standby, whose primary fails again and again.
    Failover(failover::Args),
    /// Cut the server's power again and again: what SQLite had not synced is lost or garbled.
    Powercut(powercut::Args),
    /// The speed of a server, by rows of `docs/performance.md`.
    Bench(bench::Args),
    /// The most frequent requests to a server with a million boards, beside a small one.
    Fill(fill::Args),
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = run(Cli::parse().scenario) => outcome,
        // Dropping the scenario ends the processes that it started: servers and a database.
        outcome = interrupted() => outcome,
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

/// Runs a trial; true when everything held.
async fn run(scenario: Scenario) -> anyhow::Result<bool> {
    match scenario {
        Scenario::Kill(args) => kill::run(args).await,
        Scenario::Storm(args) => storm::run(args).await,
        Scenario::Failover(args) => failover::run(args).await,
        Scenario::Powercut(args) => powercut::run(args).await,
        Scenario::Bench(args) => bench::run(args).await,
        Scenario::Fill(args) => fill::run(args).await,
    }
}

/// Waits for a signal to end.
async fn interrupted() -> anyhow::Result<bool> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => bail!("interrupted"),
        _ = terminate.recv() => bail!("terminated"),
    }
}
