//! The server's intake, common to all listeners: reads, authenticates, decides, commits.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::authentication::Authenticator;
use super::decide::policy::{Ruling, rule};
use super::decide::{CommandState, Decision, decide, decide_command};
use super::intake::{Envelope, Intake, Receipt, RecipientVerdict};
use super::read::Mail;
use super::read::hosts::connecting_host;
use super::read::relay_hint::RelayHint;
use super::receipts::receipt_of;
use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::commands::prepare_at_once;
use knotpost_core::intake::{Arrival, Class, Reason, commit, count_outcome, find_place, refuse_stranger};
use knotpost_core::outage::log_failure;

pub struct MailIntake {
    pub(super) app: Arc<App>,
    authenticator: Authenticator,
    relay_hint: RelayHint,
}

impl MailIntake {
    pub fn new(app: Arc<App>) -> Self {
        let authenticator = Authenticator::new(&app.config);
        Self { app, authenticator, relay_hint: RelayHint::default() }
    }

    async fn take(&self, envelope: &Envelope, raw: &[u8]) -> Result<Receipt, StoreError> {
        let app = &self.app;
        let mail = match Mail::read(app, raw, envelope.mail_from.as_deref(), &envelope.recipients) {
            Ok(mail) => mail,
            Err(refusal) => return Ok(refusal.into_receipt()),
        };
        if let Some(peer) = self.relay_hint.note(&app.config.smtp.relays, envelope, &mail.message) {
            tracing::warn!(
                %peer,
                "all mail comes from one mail server that relays for many: list it in smtp.relays, or its clients count as one host"
            );
        }
        let (arrival, ruling) = self.authenticate(envelope, raw, &mail).await;
        let decision = match decide(&mail, &arrival, ruling, &app.own) {
            Some(decision) => decision,
            None => decide_command(envelope.way, self.look_up_command(&mail, &arrival, ruling).await?),
        };
        match decision {
            Decision::Refuse(refusal) => {
                count_outcome(refusal.reason);
                Ok(refusal.into_receipt())
            }
            Decision::Commit(disposition) => {
                let committed = commit(app, mail.into_incoming(), &arrival, disposition).await?;
                Ok(receipt_of(committed))
            }
        }
    }

    /// Skips mail that is neither executed nor answered.
    async fn authenticate<'a>(
        &self,
        envelope: &'a Envelope,
        raw: &'a [u8],
        mail: &Mail,
    ) -> (Arrival<'a>, Ruling) {
        let config = &self.app.config;
        let verdicts = match mail.class {
            Class::Automatic(_) => None,
            Class::Bulk | Class::Person => self.authenticator.verify(envelope, raw, &mail.message).await,
        };
        let ruling = rule(config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        let host = connecting_host(&config.smtp.relays, envelope, &mail.message);
        let arrival = envelope.arrival(raw, self.app.clock.now());
        (Arrival { verdicts, host, ..arrival }, ruling)
    }

    async fn look_up_command(
        &self,
        mail: &Mail,
        arrival: &Arrival<'_>,
        ruling: Ruling,
    ) -> Result<CommandState, StoreError> {
        let (app, sender, verdicts) = (&self.app, mail.sender.as_ref(), arrival.verdicts.as_ref());
        let request = mail.request(ruling, arrival.host, verdicts, &app.vocabulary);
        if let Some(text) = refuse_stranger(app, sender, &request).await? {
            return Ok(CommandState::NotWelcome(text));
        }
        if let Some(ready) = prepare_at_once(app, request).await? {
            return Ok(CommandState::Ready(Box::new(ready)));
        }
        let from_domain = mail.author_domain().to_lowercase();
        let is_aligned = mail.is_aligned(verdicts);
        let place = find_place(&app.store, sender, from_domain, arrival.host, is_aligned).await?;
        Ok(CommandState::Unprepared(place))
    }
}

impl Intake for MailIntake {
    fn recipient(&self, address: &str) -> RecipientVerdict {
        if self.app.own.recipient(address).is_some() {
            return RecipientVerdict::Accepted;
        }
        let domain = address.rsplit_once('@').map(|(_, domain)| domain);
        if domain.is_some_and(|domain| self.app.own.is_own_domain(domain)) {
            let text = format!("there is no such address here; commands go to {}", self.app.own.plain());
            return RecipientVerdict::Unknown { text };
        }
        RecipientVerdict::NotOurs
    }

    fn receive(&self, envelope: Envelope, raw: Vec<u8>) -> BoxFuture<'_, Receipt> {
        Box::pin(async move {
            // A mail that causes a panic is quarantined: sent again it would cause the same.
            let taken = AssertUnwindSafe(self.take(&envelope, &raw)).catch_unwind().await;
            let receipt = match taken {
                Ok(receipt) => receipt,
                Err(_) => self
                    .quarantine(&envelope, &raw, Reason::Failed)
                    .await
                    .map(|()| Receipt::Stored { text: Reason::Failed.to_string() }),
            };
            receipt.unwrap_or_else(|error| {
                log_failure(&error, "a mail could not be stored");
                Receipt::try_later("the server cannot store mail at the moment")
            })
        })
    }
}
