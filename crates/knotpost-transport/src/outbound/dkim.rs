//! Signatures on our mail (DKIM: RFC 6376, and RFC 8463 for Ed25519).
//!
//! The same mail with the same date and key always gets the same signature, so that a mail sent again stays the same
//! bytes. mail-auth reduces message and field to their canonical forms; the key signs.

use mail_auth::AuthenticatedMessage;
use mail_auth::common::crypto::HashAlgorithm;
use mail_auth::dkim::{Canonicalization, Signature};
use secrecy::ExposeSecret as _;

use super::dkim_key::{KeyError, SigningKey, zone_line};
use knotpost_core::config::Config;
use knotpost_model::Millis;

/// The fields that are signed, each once more than it occurs, so that a field added later breaks the signature.
const SIGNED: &[&str] = &[
    "From",
    "To",
    "Cc",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Reply-To",
    "Sender",
    "List-Id",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "Auto-Submitted",
];
/// Signs what the server sends.
pub struct Signer {
    key: SigningKey,
    domain: String,
    selector: String,
}

impl std::fmt::Debug for Signer {
    /// Omits the key.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Signer").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl Signer {
    /// The signer of a configuration; `None` when it names no key. The domain is that of the server's address.
    ///
    /// # Errors
    /// When the key cannot be used.
    pub fn from_config(config: &Config) -> Result<Option<Self>, KeyError> {
        let key = config.dkim.key.expose_secret();
        if key.is_empty() {
            return Ok(None);
        }
        let domain = config.server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        Ok(Some(Self {
            key: SigningKey::read(key)?,
            domain: domain.to_ascii_lowercase(),
            selector: config.dkim.selector.clone(),
        }))
    }

    /// The name at which verifiers look for the public key.
    pub fn record_name(&self) -> String {
        format!("{}._domainkey.{}", self.selector, self.domain)
    }

    /// The text of the TXT record there.
    pub fn record(&self) -> String {
        self.key.record()
    }

    /// Both as the line of a zone file.
    pub fn zone_line(&self) -> String {
        zone_line(&self.record_name(), &self.record())
    }

    /// The message with its signature on top. `date` is the time that the signature names; mail-auth's own signer asks the
    /// clock.
    ///
    /// # Errors
    /// When signing fails, which it does not with a key that was read and a message that has a header.
    pub fn sign(&self, message: &[u8], date: Millis) -> Result<Vec<u8>, KeyError> {
        let parsed = AuthenticatedMessage::parse(message).ok_or(KeyError::Sign)?;
        let body = message.get(parsed.body_offset as usize..).unwrap_or_default();
        let form = Canonicalization::Relaxed;
        let mut signature = Signature {
            v: 1,
            a: self.key.algorithm(),
            d: self.domain.clone(),
            s: self.selector.clone(),
            t: date.0.div_euclid(1000).max(0).unsigned_abs(),
            bh: HashAlgorithm::Sha256.hash(form.canonical_body(body, 0)).as_ref().to_vec(),
            ch: form,
            cb: form,
            ..Signature::default()
        };
        let mut data = Vec::new();
        for name in SIGNED {
            // From the last to the first: RFC 6376, section 5.4.2.
            for field in parsed.headers.iter().rev().filter(|(its, _)| is_named(its, name)) {
                form.canonicalize_headers(std::iter::once(*field), &mut data);
                signature.h.push((*name).to_owned());
            }
            signature.h.push((*name).to_owned());
        }
        signature.write(&mut data, false);
        signature.b = self.key.sign(&data)?;
        let mut signed = Vec::with_capacity(message.len() + 1024);
        signature.write(&mut signed, true);
        signed.extend_from_slice(message);
        Ok(signed)
    }
}

fn is_named(field: &[u8], name: &str) -> bool {
    field.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_records_are_split_into_strings() {
        let line = zone_line("s._domainkey.x.example", &"k".repeat(300));
        assert_eq!(
            line,
            format!("s._domainkey.x.example. IN TXT ( \"{}\" \"{}\" )", "k".repeat(255), "k".repeat(45))
        );
    }
}
