//! File descriptors: shared between web and mail if there are too few.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use knotpost_core::config::{Config, Warning};

const MAIL_CONNECTIONS: u64 = 1000;
/// Descriptors for databases, logs, files, outgoing mails and webhooks.
const BESIDE: u64 = 256;
/// The limit is never raised further: child processes may iterate over all descriptors.
const MOST: u64 = 65_536;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) http: usize,
    pub(super) mail: usize,
}

pub(super) fn descriptor_warning(config: &Config) -> Option<Warning> {
    let (limit, shares) = measure(config);
    is_short(config, shares).then(|| {
        let problem = format!(
            "the limit of open files is {limit}, too low for all connections that the settings allow: {} of the web \
             and {} of each mail listener are possible at once",
            shares.http, shares.mail
        );
        let mend = "raise it for the user of the server (`LimitNOFILE=` in the unit, `ulimit -n`), or lower \
                    `http.max_connections`";
        Warning::new("http.max_connections", problem, mend)
    })
}

fn is_short(config: &Config, shares: Shares) -> bool {
    (shares.http as u64) < u64::from(config.http.max_connections) || (shares.mail as u64) < MAIL_CONNECTIONS
}

fn measure(config: &Config) -> (u64, Shares) {
    let wished = u64::from(config.http.max_connections);
    let listeners = u64::from(!config.smtp.listen.is_empty()) + u64::from(!config.lmtp.listen.is_empty());
    let limit = raise_limit();
    (limit, divide(limit, wished, listeners))
}

pub(super) fn share(config: &Config) -> Shares {
    measure(config).1
}

fn raise_limit() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let now = current.unwrap_or(MOST);
    let wished = maximum.unwrap_or(MOST).min(MOST);
    if now >= wished {
        return now;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wished), maximum }) {
        Ok(()) => wished,
        Err(error) => {
            tracing::warn!(%error, now, wished, "the limit of open files cannot be raised");
            now
        }
    }
}

/// Reserves for mail as many as needed, up to half, so that the web never takes its descriptors.
fn divide(limit: u64, http: u64, mail_listeners: u64) -> Shares {
    let left = limit.saturating_sub(BESIDE.min(limit / 2));
    let mail = (MAIL_CONNECTIONS * mail_listeners).min((left / 2).max(left.saturating_sub(http)));
    let http = http.min(left.saturating_sub(mail)).max(1);
    let each = mail.checked_div(mail_listeners).unwrap_or(MAIL_CONNECTIONS).max(1);
    Shares { http: http as usize, mail: each as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_web_leaves_mail_its_descriptors() {
        assert_eq!(divide(65_536, 1000, 1), Shares { http: 1000, mail: 1000 });
        assert_eq!(divide(65_536, 1000, 2), Shares { http: 1000, mail: 1000 });
        assert_eq!(divide(1024, 1000, 1), Shares { http: 384, mail: 384 });
        assert_eq!(divide(1024, 1000, 2), Shares { http: 384, mail: 192 });
        assert_eq!(divide(1024, 1000, 0), Shares { http: 768, mail: 1000 });
        assert_eq!(divide(1024, 100, 1), Shares { http: 100, mail: 668 });
        assert_eq!(divide(64, 1000, 1), Shares { http: 16, mail: 16 });
        for limit in 0..3000 {
            for listeners in 1..=2 {
                let Shares { http, mail } = divide(limit, 1000, listeners);
                let used = http as u64 + mail as u64 * listeners;
                assert!(http > 0 && mail > 0 && (used <= limit || limit < 8), "{limit}: {http} {mail}");
            }
        }
    }
}
