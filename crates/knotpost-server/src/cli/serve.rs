//! `serve`: everything in one process, until a signal ends it.

use std::process::ExitCode;

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::app::{App, Condition};
use crate::config::Config;
use crate::server::{Ports, Server};
use crate::telemetry;

pub(super) async fn run(config: Config) -> anyhow::Result<ExitCode> {
    telemetry::start_logging(&config.log)?;
    // One provider for every use of TLS; a second try in the same process changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let metrics = telemetry::start_metrics();
    let mut interrupt = signal(SignalKind::interrupt()).context("signals cannot be received")?;
    let mut terminate = signal(SignalKind::terminate()).context("signals cannot be received")?;
    let app = super::open(config).await?;
    let server = Server::start(app, metrics).await?;
    greet(&server.app, &server.ports);
    let mut condition = server.app.condition.subscribe();
    let damage = tokio::select! {
        _ = interrupt.recv() => None,
        _ = terminate.recv() => None,
        damage = wait_for_damage(&mut condition) => Some(damage),
    };
    eprintln!("Stopping: finishing what is in hand.");
    server.stop().await;
    // Whatever keeps servers running shall notice.
    damage.map_or(Ok(ExitCode::SUCCESS), |damage| Err(anyhow::Error::msg(damage)))
}

/// Waits until the database file is found damaged; what is to be said about it.
async fn wait_for_damage(condition: &mut watch::Receiver<Condition>) -> String {
    loop {
        if let Condition::Damaged(damage) = &*condition.borrow_and_update() {
            return damage.clone();
        }
        if condition.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Where everything is, and what to try first.
fn greet(app: &App, ports: &Ports) {
    let config = &app.config;
    println!("{} {} is ready.", config.server.name, env!("CARGO_PKG_VERSION"));
    if let Some(http) = ports.http {
        println!("  Web page     http://{http}/");
        if let Some(key) = &ports.mailbox_key {
            println!("  Mail sent    http://{http}/mailbox?key={key}");
        }
    }
    if let Some(smtp) = ports.smtp {
        println!("  Mail in      smtp://{smtp} for {}", config.server.address);
    }
    if let Some(lmtp) = &ports.lmtp {
        println!("  Mail in      lmtp {lmtp} for {}", config.server.address);
    }
    if let Some(folder) = config.watched_maildir() {
        println!("  Mail in      the folder {} (a Maildir)", folder.display());
    }
    println!("  Mail out     {}", way_out(config));
    println!("  Data         {}", config.server.data.display());
    if let Some(http) = ports.http {
        println!("Try:  curl -d 'signup ann PASSWORD ann@example.org' http://{http}/commands");
        println!("      curl -d 'help tutorial' http://{http}/commands");
    }
    for game in app.games() {
        let meta = game.meta();
        if let Some(contact) = meta.contact {
            println!("{}: {contact}. To switch it off: games.disabled = [\"{}\"]", meta.title, meta.name);
        }
    }
    if app.games().all(|game| game.meta().contact.is_none()) {
        let first = app.games().next().map_or("osbox", |game| game.meta().name);
        println!(
            "No author of these games asks operators to get in touch. To switch a game off: games.disabled = [\"{first}\"]"
        );
    }
}

fn way_out(config: &Config) -> String {
    if &*config.mail.transport == "maildir:" {
        return format!("the folder {} (a Maildir)", config.server.data.join("mail/out").display());
    }
    config.mail.transport.masked()
}
