//! Trials of a real server over real sockets: what happens when it is killed again and again, and how fast it is. They
//! use the server's public interfaces only.

mod choose;
mod deployed;
mod dice;
mod failover;
mod fill;
mod floor;
mod grown;
mod http;
mod kill;
mod load;
mod play;
mod powercut;
mod report;
mod server;
mod sink;
mod smtp;
mod start;
mod storm;

use std::process::ExitCode;

use anyhow::bail;
use clap::{Parser, Subcommand};
use load::What;
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
    /// Moves by SMTP, beside the floor and a peer.
    Smtp(load::Args),
    /// Moves by LMTP, beside the floor and a peer.
    Lmtp(load::Args),
    /// Moves over HTTP, beside the floor.
    Http(load::Args),
    /// Moves over the API with keys, passwords or sessions, beside the floor.
    Api(load::Args),
    /// The same while a hundred passwords wait to be checked, beside the same without them.
    Crowd(load::Args),
    /// Passwords that are not cached, beside argon2 alone.
    Passwords(load::Args),
    /// How soon a server takes its first connection, and its memory while idle.
    Start(start::Args),
    /// One board again and again, as JSON and as text, beside a page that says hello.
    Reads(load::Args),
    /// The pages that people visit most, by turns, beside a page that says hello.
    Mixed(load::Args),
    /// Mail that piled up leaves, beside a client that does nothing but send.
    Outbox(load::Args),
    /// The floors alone, beside a peer.
    Floor(load::Args),
    /// Make a server with many users and boards.
    Fill(fill::Args),
    /// What is asked most on such a server, beside an empty one.
    Grown(grown::Args),
    #[command(hide = true)]
    FloorServer(floor::Args),
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

/// Whether everything held.
async fn run(scenario: Scenario) -> anyhow::Result<bool> {
    match scenario {
        Scenario::Kill(args) => kill::run(args).await,
        Scenario::Storm(args) => storm::run(args).await,
        Scenario::Failover(args) => failover::run(args).await,
        Scenario::Powercut(args) => powercut::run(args).await,
        Scenario::Smtp(args) => load::run(What::Smtp, args).await,
        Scenario::Lmtp(args) => load::run(What::Lmtp, args).await,
        Scenario::Http(args) => load::run(What::Http, args).await,
        Scenario::Api(args) => load::run(What::Api, args).await,
        Scenario::Crowd(args) => load::run(What::Crowd, args).await,
        Scenario::Passwords(args) => load::run(What::Passwords, args).await,
        Scenario::Start(args) => start::run(args).await,
        Scenario::Reads(args) => load::run(What::Reads, args).await,
        Scenario::Mixed(args) => load::run(What::Mixed, args).await,
        Scenario::Outbox(args) => load::run(What::Outbox, args).await,
        Scenario::Floor(args) => load::run(What::Floor, args).await,
        Scenario::Fill(args) => fill::run(args).await,
        Scenario::Grown(args) => grown::run(args).await,
        Scenario::FloorServer(args) => floor::serve(args).await,
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
