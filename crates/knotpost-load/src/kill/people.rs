//! Users of a deployed server: players, who sign up by mail and confirm their addresses, and an administrator.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::deployed::{forwarded_for, received_from};
use crate::http::Http;
use crate::people::{address, make_key, password};
use crate::play::fleet::Fleet;
use crate::play::post::SERVER;
use crate::play::wait_until_idle;
use crate::server::{PATIENCE, Patience, Place, said};
use crate::sink::Sink;
use crate::smtp::{command_mail, hand_over};
use crate::trial::Trial;

/// The administrator, who may read the metrics of a server with a public name.
const OVERSEER: &str = "olga";

/// New passwords that one host may ask for in an hour, by default.
const RESETS: usize = 5;

/// Checks that the profile is in effect: an unprivileged user, limits on, and no trust in clients of this machine.
/// Without this check the trial could pass without the profile.
pub(super) async fn check_profile(fleet: &Fleet) -> anyhow::Result<()> {
    let process = fleet.process().context("no server runs")?;
    let process = std::fs::metadata(format!("/proc/{process}"))?;
    ensure!(process.uid() != 0, "the server is a process of root");
    let mut http = Http::connect(fleet.endpoints()?.http).await?;
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

/// Signs up every player by mail through the relay; returns the administrator's key. The sink discards the mails of this.
pub(super) async fn open(trial: &Trial) -> anyhow::Result<String> {
    let (endpoints, sink) = (trial.fleet.endpoints()?, &trial.fleet.sink);
    let mut http = Http::connect(endpoints.http).await?;
    for userid in trial.pairs.iter().flat_map(|pair| &pair.userids) {
        let address = address(userid);
        let subject = format!("signup {userid} {}", password(userid));
        let mail = command_mail(&address, SERVER, &subject, &format!("signup-{userid}"));
        let mail = format!("{}{mail}", received_from(&address));
        hand_over(endpoints.smtp, &address, SERVER, &mail).await?;
        let page = confirmation(sink, &address).await?;
        let confirmed = http.post(&page, &forwarded_for(&address), b"").await?;
        ensure!(confirmed.status == 200, "{address} cannot be confirmed: {}", confirmed.text());
    }
    let key = make_key(&mut http, OVERSEER, &["read", "admin"], &forwarded_for(OVERSEER)).await?;
    wait_until_idle(&trial.fleet, Some(&key), Duration::from_mins(1)).await?;
    sink.clear();
    Ok(key)
}

/// Waits for the confirmation mail of an address; returns the path of its page.
async fn confirmation(sink: &Sink, address: &str) -> anyhow::Result<String> {
    let mut patience = Patience::growing(PATIENCE);
    loop {
        let mut found = sink.arrivals().into_iter().filter(|arrival| arrival.recipient == address);
        if let Some(page) = found.find_map(|arrival| arrival.confirmation) {
            return Ok(page);
        }
        patience.wait(&format!("{address} never gets its confirmation")).await?;
    }
}
