//! The place in the queue of a mail that waits for a worker, and the reply when there is none.

use crate::inbound::Message;
use crate::inbound::intake::Receipt;
use crate::inbound::mail_intake::MailIntake;
use crate::inbound::read::Mail;
use knotpost_core::config::Inbound;
use knotpost_model::{Address, Host};
use knotpost_storage::{NewPlace, QueueBound, QueueBounds, Share, StoreError};

impl MailIntake {
    /// The flow by which a mail takes its turn. A From alone proves nothing, not even one with a verified address:
    /// only mail proven to come from its domain leaves the share of its host.
    pub(in crate::inbound) async fn place(
        &self,
        mail: &Mail,
        host: Option<Host>,
        is_aligned: bool,
    ) -> Result<NewPlace, StoreError> {
        let from_domain = domain_of(&mail.message);
        let share = match &mail.sender {
            Some(sender) if is_aligned && self.is_known(sender).await? => Share::Known,
            _ if is_aligned => Share::Proven,
            _ => Share::Unproven,
        };
        let flow = match (share, &mail.sender, host) {
            (Share::Known, Some(sender), _) => format!("sender {}", sender.key()),
            (Share::Unproven, _, Some(host)) => format!("host {host}"),
            (Share::Unproven, _, None) => format!("domain {from_domain}"),
            (Share::Proven | Share::Known, ..) => format!("proven {from_domain}"),
        };
        Ok(NewPlace { flow, from_domain, share })
    }

    async fn is_known(&self, sender: &Address) -> Result<bool, StoreError> {
        Ok(!self.app.store.query().await?.users_at(&sender.key()).await?.is_empty())
    }
}

fn domain_of(message: &Message) -> String {
    let domain = message.author().and_then(|author| author.rsplit_once('@')).map_or("", |(_, domain)| domain);
    domain.to_lowercase()
}

/// How many mails may wait in the flow of this one, from its domain, and in total.
pub(in crate::inbound) fn bounds(settings: &Inbound, place: &NewPlace) -> QueueBounds {
    let (host, domain) = (i64::from(settings.waiting_per_host), i64::from(settings.waiting_per_domain));
    let is_of_one = place.flow.starts_with("host ") || place.share == Share::Known;
    QueueBounds {
        // Without a known host, or for a flow of a domain, only the limit per domain applies.
        per_flow: if is_of_one { host } else { domain },
        per_domain: domain,
        total: i64::from(settings.waiting_total),
    }
}

/// The reply when a mail cannot be queued. The sender's server keeps it and tries again.
pub(in crate::inbound) fn put_off(bound: QueueBound, place: &NewPlace) -> Receipt {
    let (name, enhanced, text) = match bound {
        QueueBound::Flow if place.flow.starts_with("host ") => {
            ("host", "4.7.1", "too many mails from your host wait here to be processed".to_owned())
        }
        QueueBound::Flow if place.share == Share::Known => {
            ("sender", "4.7.1", "too many mails from your address wait here to be processed".to_owned())
        }
        QueueBound::Flow | QueueBound::Domain => {
            let text = format!("too many mails from {} wait here to be processed", place.from_domain);
            ("domain", "4.7.1", text)
        }
        QueueBound::Total => ("total", "4.3.1", "too many mails wait here to be processed".to_owned()),
    };
    metrics::counter!("knotpost_mails_put_off", "bound" => name).increment(1);
    Receipt::TryLater { code: 451, enhanced, text: format!("{text}; please try again in a few minutes") }
}
