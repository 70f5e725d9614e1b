//! Users of a deployed server: players, who sign up by mail and confirm their addresses, and an administrator.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::timeout;

use crate::deployed::{forwarded_for, received_from};
use crate::http::Http;
use crate::people::{address, make_key, password};
use crate::play::post::SERVER;
use crate::play::table::Pair;
use crate::play::{Patience, wait_until_idle};
use crate::report::Report;
use crate::server::{Endpoints, PATIENCE, Place, said};
use crate::sink::Sink;
use crate::smtp::{Client, Dialect, encode};

/// The administrator, who may read the metrics of a server with a public name.
const OVERSEER: &str = "olga";

/// New passwords that one host may ask for in an hour, by default.
const RESETS: usize = 5;

/// Checks that the profile is in effect: an unprivileged user, limits on, and no trust in clients of this machine.
/// Without this check the trial could pass without the profile.
pub(super) async fn check_profile(process: u32, endpoints: Endpoints) -> anyhow::Result<()> {
    let process = std::fs::metadata(format!("/proc/{process}"))?;
    ensure!(process.uid() != 0, "the server is a process of root");
    let mut http = Http::connect(endpoints.http).await?;
    let metrics = http.get("/metrics").await?;
    ensure!(metrics.status == 403, "/metrics is open to everybody: {}", metrics.status);
    for asked in 0..=RESETS {
        let answer = http.post("/commands", &forwarded_for("nobody"), b"password nobody").await?;
        let expected = if asked < RESETS { 200 } else { 429 };
        ensure!(answer.status == expected, "request {asked} for a new password: {}", answer.text());
    }
    Ok(())
}

/// Adds the administrator before the server starts.
pub(super) async fn add_overseer(place: &Place) -> anyhow::Result<()> {
    place.add_user(OVERSEER, &password(OVERSEER), &address(OVERSEER)).await?;
    let output = place.run(&["admin", "user", "grant", OVERSEER], b"").await?;
    ensure!(output.status.success(), "no administrator: {}", said(&output));
    Ok(())
}

/// Signs up every player by mail; returns the administrator's key. The sink discards the mails of this.
pub(super) async fn open(endpoints: Endpoints, pairs: &[Pair], sink: &Sink) -> anyhow::Result<String> {
    let mut http = Http::connect(endpoints.http).await?;
    for userid in pairs.iter().flat_map(Pair::userids) {
        let address = address(userid);
        sign_up(endpoints, userid, &address).await?;
        let page = timeout(PATIENCE, confirmation(sink, &address)).await;
        let page = page.with_context(|| format!("{address} never gets its confirmation"))?;
        let confirmed = http.post(&page, &forwarded_for(&address), b"").await?;
        ensure!(confirmed.status == 200, "{address} cannot be confirmed: {}", confirmed.text());
    }
    let key = make_key(&mut http, OVERSEER, &["read", "admin"], &forwarded_for(OVERSEER)).await?;
    let mut report = Report::default();
    wait_until_idle(endpoints.http, Some(&key), None, Duration::from_mins(1), &mut report).await?;
    ensure!(report.is_sound(), "{report}");
    sink.truncate(0);
    Ok(key)
}

/// Mails a sign-up command through the relay.
async fn sign_up(endpoints: Endpoints, userid: &str, address: &str) -> anyhow::Result<()> {
    let password = password(userid);
    let message = format!(
        "{}From: {address}\nTo: {SERVER}\nSubject: signup {userid} {password}\n\
         Message-ID: <signup-{userid}@mail.example.net>\nDate: Sat, 21 Nov 2026 10:00:00 +0000\n\n",
        received_from(address)
    );
    let mut client = Client::connect(endpoints.smtp, Dialect::Smtp).await?;
    let reply = client.send(address, SERVER, &encode(&message)).await?;
    ensure!(reply.is_success(), "{userid} cannot sign up: {}", reply.text);
    Ok(client.quit().await?)
}

/// Waits for the confirmation mail of an address; returns the path of its page.
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
