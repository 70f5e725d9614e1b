//! The desk as the listeners know it: judges recipients, takes messages, and always has an answer.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::pipeline::Desk;
use super::reason::Reason;
use super::smtp::{Envelope, Intake, Receipt, RecipientVerdict};
use crate::outage::log_failure;

impl Intake for Desk {
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
            // A mail that makes the program stumble is kept for a person to look at; sent again it would do the same.
            let taken = AssertUnwindSafe(self.take(&envelope, &raw)).catch_unwind().await;
            let receipt = match taken {
                Ok(receipt) => receipt,
                Err(_) => self
                    .keep_aside(&envelope, &raw, Reason::Failed)
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
