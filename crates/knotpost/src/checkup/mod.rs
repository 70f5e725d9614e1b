//! What is wrong with a set-up, found without starting a server and without making anything.
//!
//! The functions that make a server refuse to start are called here too. Knows nothing of how findings are printed.

mod database;
mod finding;
mod listeners;
mod parts;

use knotpost_core::config::{Config, ConfigError};
use knotpost_rules::Registry;

use crate::server::{LOCK_FILE, Ports, is_in_use, open_files, read_ports};

pub use finding::{Finding, Findings, Level};

/// What is checked.
pub struct Setup<'a> {
    /// The settings, as far as they can be used.
    pub config: &'a Config,
    /// The games of this program.
    pub registry: &'static Registry,
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
    let mut findings = Findings::default();
    for refusal in refusals {
        findings.refused(refusal);
    }
    findings.warn(setup.config.warnings.clone());
    if !refusals.is_empty() || !parts::check_folder(setup.config, &mut findings) {
        return findings;
    }
    let running = Running::on(setup.config);
    parts::check(setup, &mut findings);
    listeners::check(setup.config, &running, &mut findings).await;
    database::check(setup, &running, &mut findings).await;
    findings.warn(open_files(setup.config));
    findings
}
