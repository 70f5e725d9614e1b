//! The server's secret key: keyed digests, signatures and sealing. Each purpose has a derived key, so that
//! none reveals another.

mod file;
mod ring;

use ::ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::clock::{Entropy, random_bytes};

pub use ring::{DropError, KeyRing, Role, Signature, seal_mark};

/// In the data folder.
pub const KEY_FILE: &str = "secret.key";

#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    Credentials,
    Dedupe,
    Idempotency,
    /// Signatures of links and addresses, and digests of random tokens.
    Tokens,
    Sealing,
    /// VAPID key for push services.
    Push,
    /// Comparison of keys without revealing them.
    Fingerprint,
}

impl Purpose {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Credentials => b"knotpost credentials 1",
            Self::Dedupe => b"knotpost dedupe 1",
            Self::Idempotency => b"knotpost idempotency 1",
            Self::Tokens => b"knotpost tokens 1",
            Self::Sealing => b"knotpost sealing 1",
            Self::Push => b"knotpost push 1",
            Self::Fingerprint => b"knotpost fingerprint 1",
        }
    }
}

/// Key to `/mailbox`: generated at each start, known only from the console or the data folder.
#[derive(Clone)]
pub struct MailboxKey(String);

impl std::fmt::Debug for MailboxKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MailboxKey(********)")
    }
}

impl MailboxKey {
    pub fn fresh(entropy: &dyn Entropy) -> std::io::Result<Self> {
        random_bytes::<16>(entropy).map(|bytes| Self(to_hex(&bytes)))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Compares in constant time.
    pub fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

#[derive(Clone)]
struct SecretKey([u8; 32]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(********)")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error(
        "{0} does not hold a key of 64 hexadecimal digits, or keys marked `current:`, `next:`, `old:` and `digests:`"
    )]
    Malformed(String),
    #[error("the key file {0} could not be used")]
    File(String, #[source] std::io::Error),
    #[error("a key could not be made")]
    Chance(#[from] std::io::Error),
}

impl SecretKey {
    fn derive(&self, purpose: Purpose) -> [u8; 32] {
        mac(&self.0, &[purpose.label()])
    }

    /// Identifies the key and reveals nothing else.
    fn fingerprint(&self) -> String {
        to_hex(&self.derive(Purpose::Fingerprint)[..16])
    }

    /// Keyed digest. Length-prefixed parts: moving a byte from one to the next changes it.
    fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        mac(&self.derive(purpose), parts)
    }

    /// Key id, carried by signatures and seals.
    fn id(&self) -> u8 {
        self.derive(Purpose::Fingerprint)[0]
    }

    /// `context` must be the same when it is opened.
    fn seal(&self, nonce: [u8; NONCE_LEN], context: &[u8], message: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut body = message.to_vec();
        self.sealing_key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(context), &mut body)
            .map_err(|_| std::io::Error::other("the message could not be sealed"))?;
        Ok(body)
    }

    /// `None`: another key, or damaged.
    fn unseal(&self, context: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut body = body.to_vec();
        let key = self.sealing_key().ok()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = key.open_in_place(nonce, Aad::from(context), &mut body).ok()?.len();
        body.truncate(length);
        Some(body)
    }

    fn sealing_key(&self) -> std::io::Result<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, &self.derive(Purpose::Sealing))
            .map(LessSafeKey::new)
            .map_err(|_| std::io::Error::other("the sealing key is unusable"))
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

pub fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests;
