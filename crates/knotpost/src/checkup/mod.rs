//! What is wrong with a set-up, found without starting a server and without making anything.
//!
//! The functions that make a server refuse to start are called here too. Knows nothing of how findings are printed.

mod database;
mod finding;
mod listeners;
mod machine;
mod names;
mod parts;
mod relay;
mod traces;

use std::path::Path;

use knotpost_core::config::{Config, ConfigError};
use knotpost_rules::Registry;

use crate::server::{LOCK_FILE, Ports, is_in_use, read_ports, start_warnings};

pub use finding::{Finding, Findings, Level};

/// What is checked.
pub struct Setup<'a> {
    /// The settings, as far as they can be used.
    pub config: &'a Config,
    /// The configuration file, if there is one.
    pub file: Option<&'a Path>,
    /// The games of this program.
    pub registry: &'static Registry,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// What a server looks at when it starts.
    Start,
    /// What it depends on later, too.
    Everything,
}

/// Whether a server runs on the data folder, and where it listens.
#[derive(Clone, Debug)]
enum Running {
    /// None does.
    No,
    /// One does.
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

/// All that `serve` refuses, and all that it warns of. `refusals` are those of the settings themselves; files, ports and
/// database are looked at without any alone.
pub async fn check_settings(setup: &Setup<'_>, refusals: &[ConfigError]) -> Findings {
    check_start(setup, refusals, Depth::Start).await
}

/// All of [`check_settings`], and all that would be regretted while the server runs: the machine, the way out, and
/// what DNS says. Connects to the relay and to name servers, and sends no mail.
pub async fn examine(setup: &Setup<'_>, refusals: &[ConfigError]) -> Findings {
    let mut findings = check_start(setup, refusals, Depth::Everything).await;
    // Where settings are wrong, what follows from them is no finding.
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
    // Wrong settings: nothing that they name is looked at.
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
