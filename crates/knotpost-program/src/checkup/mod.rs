//! Checks of a set-up, without starting a server and without making anything.
//!
//! Calls the functions that make a server refuse to start.

mod database;
mod finding;
mod listeners;
mod machine;
mod names;
mod parts;
mod relay;
mod traces;

use std::path::Path;

use knotpost_bots::FindBot;
use knotpost_core::config::{Config, ConfigError};
use knotpost_rules::Registry;

use crate::server::{LOCK_FILE, Ports, is_in_use, read_ports, start_warnings};

pub use finding::{Finding, Findings, Level};

pub struct Setup<'a> {
    /// As far as they can be used.
    pub config: &'a Config,
    pub file: Option<&'a Path>,
    pub registry: &'static Registry,
    pub find_bot: FindBot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Start,
    Everything,
}

#[derive(Clone, Debug)]
enum Running {
    No,
    Yes(Box<Ports>),
}

impl Running {
    fn on(config: &Config) -> Self {
        let data = &config.server.data;
        if !is_in_use(&data.join(LOCK_FILE)) {
            return Self::No;
        }
        Self::Yes(Box::new(read_ports(data).unwrap_or_default()))
    }

    fn ports(&self) -> Option<&Ports> {
        match self {
            Self::No => None,
            Self::Yes(ports) => Some(ports),
        }
    }
}

/// Finds all reasons and warnings of `serve`. `refusals` are those of the settings themselves; only without any are
/// files, ports and database checked.
pub async fn check_settings(setup: &Setup<'_>, refusals: &[ConfigError]) -> Findings {
    check_start(setup, refusals, Depth::Start).await
}

/// Finds in addition later trouble: the machine, the way out, and DNS. Connects to the relay and to name servers, and
/// sends no mail.
pub async fn examine(setup: &Setup<'_>, refusals: &[ConfigError]) -> Findings {
    let mut findings = check_start(setup, refusals, Depth::Everything).await;
    // Under wrong settings a consequence is no finding.
    if !refusals.is_empty() {
        return findings;
    }
    machine::check(setup, &mut findings);
    if setup.config.really_mails() {
        relay::check(setup.config, &mut findings).await;
        if !setup.config.has_loopback_address() {
            names::check(setup.config, &mut findings).await;
        }
    }
    findings
}

async fn check_start(setup: &Setup<'_>, refusals: &[ConfigError], depth: Depth) -> Findings {
    let mut findings = Findings::default();
    for refusal in refusals {
        findings.refused(refusal);
    }
    // Wrong settings: their files and ports are not checked.
    let is_usable = refusals.is_empty();
    findings.warn(if is_usable { start_warnings(setup.config) } else { setup.config.warnings.clone() });
    if !refusals.is_empty() || !parts::check_folder(setup.config, &mut findings) {
        return findings;
    }
    let running = Running::on(setup.config);
    parts::check(setup, &mut findings);
    listeners::check(setup.config, &running, &mut findings).await;
    database::check(setup, &running, depth, &mut findings).await;
    findings
}
