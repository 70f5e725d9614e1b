//! Queue of received mail: places by sender, and limits.

use crate::config::Inbound;
use knotpost_model::{Address, Host};
use knotpost_storage::{NewPlace, QueueBound, QueueBounds, Share, Store, StoreError};

#[derive(Debug)]
pub struct Place(NewPlace);

/// Limit that keeps a mail from being queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    Host,
    Sender,
    Domain(String),
    Total,
}

impl QueueLimit {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Sender => "sender",
            Self::Domain(_) => "domain",
            Self::Total => "total",
        }
    }

    pub(super) fn begin_counting() {
        for bound in [Self::Host, Self::Sender, Self::Domain(String::new()), Self::Total] {
            metrics::counter!("knotpost_mails_put_off_total", "bound" => bound.as_str()).increment(0);
        }
    }

    pub(super) fn count(&self) {
        metrics::counter!("knotpost_mails_put_off_total", "bound" => self.as_str()).increment(1);
    }
}

/// Place for a mail of this sender (From domain in lower case). Only mail proven to come from its domain
/// leaves the share of its host; a From alone proves nothing.
pub async fn find_place(
    store: &Store,
    sender: Option<&Address>,
    from_domain: String,
    host: Option<Host>,
    is_aligned: bool,
) -> Result<Place, StoreError> {
    let share = match sender {
        Some(sender) if is_aligned && is_known(store, sender).await? => Share::Known,
        _ if is_aligned => Share::Proven,
        _ => Share::Unproven,
    };
    let flow = match (share, sender, host) {
        (Share::Known, Some(sender), _) => format!("sender {}", sender.key()),
        (Share::Unproven, _, Some(host)) => format!("host {host}"),
        (Share::Unproven, _, None) => format!("domain {from_domain}"),
        (Share::Proven | Share::Known, ..) => format!("proven {from_domain}"),
    };
    Ok(Place(NewPlace { flow, from_domain, share }))
}

async fn is_known(store: &Store, sender: &Address) -> Result<bool, StoreError> {
    Ok(!store.query().await?.users_at(&sender.key()).await?.is_empty())
}

impl Place {
    pub(super) fn row(&self) -> &NewPlace {
        &self.0
    }

    pub(super) fn bounds(&self, settings: &Inbound) -> QueueBounds {
        let (host, domain) = (i64::from(settings.waiting_per_host), i64::from(settings.waiting_per_domain));
        let is_of_one = self.is_of_host() || self.0.share == Share::Known;
        QueueBounds {
            // Only the limit per domain applies without a known host, or to a flow of a domain.
            per_flow: if is_of_one { host } else { domain },
            per_domain: domain,
            total: i64::from(settings.waiting_total),
        }
    }

    pub(super) fn limit(&self, bound: QueueBound) -> QueueLimit {
        match bound {
            QueueBound::Flow if self.is_of_host() => QueueLimit::Host,
            QueueBound::Flow if self.0.share == Share::Known => QueueLimit::Sender,
            QueueBound::Flow | QueueBound::Domain => QueueLimit::Domain(self.0.from_domain.clone()),
            QueueBound::Total => QueueLimit::Total,
        }
    }

    fn is_of_host(&self) -> bool {
        self.0.flow.starts_with("host ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(flow: &str, share: Share) -> Place {
        Place(NewPlace { flow: flow.to_owned(), from_domain: "x.example".to_owned(), share })
    }

    #[test]
    fn the_limit_of_a_flow_is_named_by_what_shares_it() {
        let met = |flow, share| place(flow, share).limit(QueueBound::Flow);
        let domain = QueueLimit::Domain("x.example".to_owned());
        assert_eq!(met("host 192.0.2.7", Share::Unproven), QueueLimit::Host);
        assert_eq!(met("sender ann@x.example", Share::Known), QueueLimit::Sender);
        assert_eq!(met("proven x.example", Share::Proven), domain);
        assert_eq!(met("domain x.example", Share::Unproven), domain);
        assert_eq!(place("host 192.0.2.7", Share::Unproven).limit(QueueBound::Domain), domain);
        assert_eq!(place("host 192.0.2.7", Share::Unproven).limit(QueueBound::Total), QueueLimit::Total);
    }

    #[test]
    fn a_flow_of_a_domain_may_be_as_long_as_all_mail_of_the_domain() {
        let settings = Inbound { waiting_per_host: 3, waiting_per_domain: 7, ..Inbound::default() };
        let per_flow = |flow, share| place(flow, share).bounds(&settings).per_flow;
        assert_eq!(per_flow("host 192.0.2.7", Share::Unproven), 3);
        assert_eq!(per_flow("sender ann@x.example", Share::Known), 3);
        assert_eq!(per_flow("proven x.example", Share::Proven), 7);
        assert_eq!(per_flow("domain x.example", Share::Unproven), 7);
    }
}
