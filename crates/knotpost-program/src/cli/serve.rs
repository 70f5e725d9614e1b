//! `serve`: everything in one process, until a signal ends it.

use knotpost_core::boards::Games;
use knotpost_storage::Store;
use std::process::ExitCode;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::output::say;
use super::supervisor::{State, Supervisor};
use crate::server::{Opening, Ports, Server, bind_http, start_warnings, wait_for_database};
use crate::telemetry;
use knotpost_core::app::{App, Condition};
use knotpost_core::config::{Config, LogFormat};
use knotpost_core::queries::has_people;

#[derive(Debug, Default, clap::Args)]
pub(super) struct Args {
    /// Run although the data folder belongs to another user, as root for instance: what is made there is in the way of
    /// that user's server.
    #[arg(long)]
    allow_root: bool,
}

pub(super) async fn run(config: Config, args: &Args) -> anyhow::Result<ExitCode> {
    telemetry::start_logging(&config)?;
    let is_for_machines = config.log.format == LogFormat::Json;
    let supervisor = Supervisor::from_environment();
    let opening = if args.allow_root { Opening::ServeAsAnyUser } else { Opening::Serve };
    let outcome = serve(config, opening, &supervisor).await;
    if let Err(error) = &outcome {
        supervisor.tell(State::Failed(&format!("{error:#}")));
    }
    match outcome {
        // A program that reads the log cannot parse a line that is no JSON.
        Err(error) if is_for_machines => {
            tracing::error!(error = format!("{error:#}"), "the server ends");
            Ok(ExitCode::from(super::exit_code(&error)))
        }
        outcome => outcome,
    }
}

async fn serve(config: Config, opening: Opening, supervisor: &Supervisor) -> anyhow::Result<ExitCode> {
    // One provider for every use of TLS; a second try in the same process changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let metrics = telemetry::start_metrics();
    let mut interrupt = signal(SignalKind::interrupt()).context("signals cannot be received")?;
    let mut terminate = signal(SignalKind::terminate()).context("signals cannot be received")?;
    // Received from here on, so that a signal during the start is handled after it.
    let mut hangup = signal(SignalKind::hangup()).context("signals cannot be received")?;
    for warning in start_warnings(&config) {
        tracing::warn!("{warning}");
    }
    supervisor.tell(State::Starting("the database is waited for"));
    let is_there = tokio::select! {
        () = wait_for_database(&config) => true,
        _ = interrupt.recv() => false,
        _ = terminate.recv() => false,
    };
    if !is_there {
        tracing::info!("stopped before the database could be worked with");
        return Ok(ExitCode::SUCCESS);
    }
    supervisor.tell(State::Starting("the database is opened and brought up to date"));
    let mut config = config;
    // A free port never blocks another server, whose folder this may turn out to be.
    let http = if config.links_follow_port() { bind_http(&config).await? } else { None };
    if let Some(listener) = &http {
        config.lead_links_to(listener.local_addr()?);
    }
    let app = super::open(config, opening).await?;
    supervisor.tell(State::Starting("the database is checked, listeners are opened"));
    let server = Server::start(app, http, metrics).await?;
    tell_ready(&server);
    if server.app.config.log.format == LogFormat::Text {
        tell_of_authors(&server.app.store, &server.app.games).await;
    }
    let listening = listening(&server.ports);
    supervisor.tell(State::Ready(&listening));
    let mut condition = server.app.condition.subscribe();
    let damage = loop {
        tokio::select! {
            _ = interrupt.recv() => break None,
            _ = terminate.recv() => break None,
            _ = hangup.recv() => {
                supervisor.tell(State::Reloading);
                let status = reload(&server).map_or_else(|error| format!("{error}; {listening}"), |()| listening.clone());
                supervisor.tell(State::Ready(&status));
            }
            damage = wait_for_damage(&mut condition) => break Some(damage),
        }
    };
    tracing::info!("stopping: what is in progress is finished");
    supervisor.tell(State::Stopping);
    server.stop().await;
    tracing::info!("stopped");
    // The supervisor of the process must notice.
    damage.map_or(Ok(ExitCode::SUCCESS), |damage| Err(anyhow::Error::msg(damage)))
}

fn reload(server: &Server) -> Result<(), String> {
    match server.reload() {
        Ok(()) => {
            tracing::info!("certificate, key for signatures and mail templates were read again");
            Ok(())
        }
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(error, "nothing was read again; what was in use stays in use");
            Err(format!("Nothing was read again: {error}"))
        }
    }
}

fn listening(ports: &Ports) -> String {
    let http = ports.http.map(|address| format!("web on {address}"));
    let smtp = ports.smtp.map(|address| format!("SMTP on {address}"));
    let lmtp = ports.lmtp.as_ref().map(|address| format!("LMTP on {address}"));
    let listeners: Vec<String> = [http, smtp, lmtp].into_iter().flatten().collect();
    if listeners.is_empty() {
        "Ready, no listener is on".to_owned()
    } else {
        format!("Ready: {}", listeners.join(", "))
    }
}

async fn wait_for_damage(condition: &mut watch::Receiver<Condition>) -> String {
    loop {
        if let Condition::Damaged(damage) | Condition::Broken(damage) = &*condition.borrow_and_update() {
            return damage.clone();
        }
        if condition.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

fn tell_ready(server: &Server) {
    let (config, ports) = (&server.app.config, &server.ports);
    let shown = |address: Option<String>| address.unwrap_or_else(|| "off".to_owned());
    tracing::info!(
        version = crate::build::VERSION.as_str(),
        http = shown(ports.http.map(|address| address.to_string())),
        smtp = shown(ports.smtp.map(|address| address.to_string())),
        lmtp = shown(ports.lmtp.clone()),
        "ready"
    );
    if config.log.format == LogFormat::Text {
        greet(&server.app, ports);
    }
}

fn greet(app: &App, ports: &Ports) {
    let config = &app.config;
    say!("{} {} is ready.", config.server.name, env!("CARGO_PKG_VERSION"));
    if let Some(http) = ports.http {
        say!("  Web page     http://{http}/");
        if let Some(key) = &ports.mailbox_key {
            say!("  Mail sent    http://{http}/mailbox?key={key}");
        }
    }
    if let Some(smtp) = ports.smtp {
        say!("  Mail in      smtp://{smtp} for {}", config.server.address);
    }
    if let Some(lmtp) = &ports.lmtp {
        say!("  Mail in      lmtp {lmtp} for {}", config.server.address);
    }
    if let Some(folder) = config.watched_maildir() {
        say!("  Mail in      the folder {} (a Maildir)", folder.display());
    }
    say!("  Mail out     {}", way_out(config));
    say!("  Data         {}", config.server.data.display());
    if let Some(http) = ports.http {
        say!("Try:  curl -d 'signup ann PASSWORD ann@example.org' http://{http}/commands");
        say!("      curl -d 'help tutorial' http://{http}/commands");
    }
}

/// Prints the wishes of the games' authors, until somebody has signed up.
async fn tell_of_authors(store: &Store, games: &Games) {
    if has_people(store).await.unwrap_or(true) {
        return;
    }
    for game in games.offered() {
        let meta = game.meta();
        if let Some(contact) = meta.contact {
            say!("{}: {contact}. To switch it off: games.disabled = [\"{}\"]", meta.title, meta.name);
        }
    }
}

fn way_out(config: &Config) -> String {
    if &*config.mail.transport == "maildir:" {
        return format!("the folder {} (a Maildir)", config.server.data.join("mail/out").display());
    }
    config.mail.transport.masked()
}
