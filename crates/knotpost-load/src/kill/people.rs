//! Players of a deployed server, who sign up by mail and prove their addresses, and who looks after it.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::deployed::{forwarded_for, received_from};
use crate::http::Http;
use crate::play::post::SERVER;
use crate::play::table::{Pair, address, password};
use crate::play::{Patience, wait_until_idle};
use crate::report::Report;
use crate::server::{Doors, PATIENCE, Place, Running, said};
use crate::sink::Sink;
use crate::smtp::{Client, Dialect, encode};

/// The user who may see the figures of a server with a public name.
const OVERSEER: &str = "olga";

/// New passwords that one host may ask for in an hour, by default.
const RESETS: usize = 5;

/// Whether the profile is what it should be: an ordinary user, limits on, and nobody on this machine behind a public
/// name. Otherwise the trial would hold its rules without it.
pub(super) async fn check_profile(server: &Running) -> anyhow::Result<()> {
    let process = std::fs::metadata(format!("/proc/{}", server.id()))?;
    ensure!(process.uid() != 0, "the server is a process of root");
    let mut http = Http::connect(server.doors.http).await?;
    let metrics = http.get("/metrics").await?;
    ensure!(metrics.status == 403, "/metrics is open to everybody: {}", metrics.status);
    for asked in 0..=RESETS {
        let answer = http.post("/commands", &forwarded_for("nobody"), b"password nobody").await?;
        let expected = if asked < RESETS { 200 } else { 429 };
        ensure!(answer.status == expected, "request {asked} for a new password: {}", answer.text());
    }
    Ok(())
}

/// Adds that user before the server starts; returns what opens a key for them.
pub(super) async fn add_overseer(place: &Place) -> anyhow::Result<String> {
    place.add_user(OVERSEER, &password(OVERSEER), &address(OVERSEER)).await?;
    let output = place.run(&["admin", "user", "grant", OVERSEER], b"").await?;
    ensure!(output.status.success(), "no administrator: {}", said(&output));
    let pair = format!("{OVERSEER}:{}", password(OVERSEER));
    Ok(format!("Authorization: Basic {}\r\n", data_encoding::BASE64.encode(pair.as_bytes())))
}

/// Lets every player sign up by mail; returns the key of the overseer. The mails of all this are forgotten.
pub(super) async fn open(
    doors: Doors,
    overseer: &str,
    pairs: &[Pair],
    sink: &Sink,
) -> anyhow::Result<String> {
    let mut http = Http::connect(doors.http).await?;
    for (userid, password, address) in pairs.iter().flat_map(Pair::users) {
        sign_up(doors, &userid, &password, &address).await?;
        let page = timeout(PATIENCE, confirmation(sink, &address)).await;
        let page = page.with_context(|| format!("{address} never gets its confirmation"))?;
        let confirmed = http.post(&page, &forwarded_for(&address), b"").await?;
        ensure!(confirmed.status == 200, "{address} cannot be confirmed: {}", confirmed.text());
    }
    let wish = json!({ "name": "trial", "scopes": ["read", "admin"] }).to_string();
    let headers = format!("Content-Type: application/json\r\n{overseer}{}", forwarded_for(OVERSEER));
    let answer = http.post("/api/v1/tokens", &headers, wish.as_bytes()).await?;
    ensure!(answer.status == 201, "no key for {OVERSEER}: {}", answer.text());
    let answer = answer.json()?;
    let key = answer.get("token").and_then(Value::as_str).context("the answer holds no key")?.to_owned();
    let mut report = Report::default();
    wait_until_idle(doors.http, Some(&key), None, Duration::from_mins(1), &mut report).await?;
    ensure!(report.is_sound(), "{report}");
    sink.truncate(0);
    Ok(key)
}

/// Mails the command, over the relay.
async fn sign_up(doors: Doors, userid: &str, password: &str, address: &str) -> anyhow::Result<()> {
    let message = format!(
        "{}From: {address}\nTo: {SERVER}\nSubject: signup {userid} {password}\n\
         Message-ID: <signup-{userid}@mail.example.net>\nDate: Sat, 21 Nov 2026 10:00:00 +0000\n\n",
        received_from(address)
    );
    let mut client = Client::connect(doors.smtp, Dialect::Smtp).await?;
    let reply = client.send(address, SERVER, &encode(&message)).await?;
    ensure!(reply.is_success(), "{userid} cannot sign up: {}", reply.text);
    Ok(client.quit().await?)
}

/// The path of the page at which this address is confirmed, as soon as its mail has come.
async fn confirmation(sink: &Sink, address: &str) -> String {
    let mut patience = Patience::new();
    loop {
        let mut found = sink.arrivals().into_iter().filter(|arrival| arrival.recipient == address);
        if let Some(page) = found.find_map(|arrival| arrival.confirmation) {
            return page;
        }
        patience.wait().await;
    }
}
