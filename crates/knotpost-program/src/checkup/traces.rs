//! Traces in the database of a wrong clock and of unlisted relays.

use knotpost_core::app::App;
use knotpost_core::queries::{RecentPeers, view_traces};
use knotpost_model::Millis;

use super::Findings;

const DRIFT_MS: i64 = 5_000;
/// Tolerated lead of stored times: other servers store times, too.
const FUTURE_MS: i64 = 60_000;
/// Mails of three senders or more that hardly come from one person's host.
const MAILS: i64 = 10;
const SENDERS: i64 = 3;

pub(super) async fn check(app: &App, findings: &mut Findings) {
    // A failing database is found elsewhere.
    let Ok(traces) = view_traces(&app.store).await else { return };
    let now = app.clock.now();
    check_clock(now, traces.time_of_database, traces.last_noted, findings);
    if app.config.smtp.relays.is_empty() {
        check_peers(&traces.peers, findings);
    }
}

fn check_clock(now: Millis, database: Option<Millis>, noted: Option<Millis>, findings: &mut Findings) {
    let mend = "let NTP set the clock of the machine (`timedatectl set-ntp true`)";
    if let Some(database) = database.filter(|database| (database.0 - now.0).abs() > DRIFT_MS) {
        let seconds = (database.0 - now.0) / 1000;
        findings.warning(
            "clock",
            format!("the clock of the database is {seconds} seconds ahead of this machine's"),
            mend,
        );
    }
    if let Some(noted) = noted.filter(|noted| noted.0 - now.0 > FUTURE_MS) {
        let seconds = (noted.0 - now.0) / 1000;
        let problem = format!(
            "the clock of this machine is slow: a server noted a moment in the database that is {seconds} seconds ahead"
        );
        findings.error("clock", problem, mend);
    }
}

/// An unlisted relay makes all its clients share one host's limits.
fn check_peers(peers: &RecentPeers, findings: &mut Findings) {
    let is_relay = peers.hosts == 1 && peers.mails >= MAILS && peers.senders >= SENDERS;
    let Some(host) = peers.host.as_ref().filter(|_| is_relay) else { return };
    let problem = format!(
        "the last {} mails of {} senders all came from the host {host}: it seems to be a mail server that relays to \
         this one, and everybody shares the limits of one host",
        peers.mails, peers.senders
    );
    findings.warning("smtp.relays", problem, format!("set `smtp.relays` to [\"{host}\"]"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_are_told_apart() {
        let count = |database: Option<i64>, noted: Option<i64>| {
            let mut findings = Findings::default();
            let now = 1_000_000_000;
            check_clock(
                Millis(now),
                database.map(|ms| Millis(now + ms)),
                noted.map(|ms| Millis(now + ms)),
                &mut findings,
            );
            (findings.list().len(), findings.has_error())
        };
        assert_eq!(count(None, None), (0, false));
        assert_eq!(count(Some(4_000), Some(30_000)), (0, false));
        assert_eq!(count(Some(-6_000), Some(-1_000_000)), (1, false));
        assert_eq!(count(None, Some(61_000)), (1, true));
    }
}
