//! The server's secret key and everything derived from it: keyed digests and the sealing of
//! stored messages. Each use has a key of its own, so that none says anything about another.

mod file;
mod ring;

use ::ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::clock::{Entropy, random_bytes};

pub use ring::{DropError, KeyRing, Role, Signature, seal_mark};

/// The key file in the data folder.
pub const KEY_FILE: &str = "secret.key";

/// What a derived key is for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Keys of the credential cache.
    Credentials,
    /// Digests of received mails.
    Dedupe,
    /// Digests of idempotent requests.
    Idempotency,
    /// Signatures of links and addresses that the server gives out, and digests of random tokens.
    Tokens,
    /// Sealing of raw messages.
    Sealing,
    /// The key that names the server to push services.
    Push,
    /// Telling one key from another without showing it.
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

/// The key to `/mailbox`: generated at each start, and known only to those who see the server start or may read its data
/// folder.
#[derive(Clone)]
pub struct MailboxKey(String);

impl std::fmt::Debug for MailboxKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MailboxKey(********)")
    }
}

impl MailboxKey {
    /// A new key.
    ///
    /// # Errors
    /// When the machine has no randomness to give.
    pub fn fresh(entropy: &dyn Entropy) -> std::io::Result<Self> {
        random_bytes::<16>(entropy).map(|bytes| Self(to_hex(&bytes)))
    }

    /// The key as it is shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether this is the key, compared in constant time.
    pub fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

/// One secret key of the server.
#[derive(Clone)]
struct SecretKey([u8; 32]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(********)")
    }
}

/// Why there is no usable key.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The text is not a key.
    #[error(
        "{0} does not hold a key of 64 hexadecimal digits, or keys marked `current:`, `next:`, `old:` and `digests:`"
    )]
    Malformed(String),
    /// The file could not be read or made.
    #[error("the key file {0} could not be used")]
    File(String, #[source] std::io::Error),
    /// The machine has no randomness to make one from.
    #[error("a key could not be made")]
    Chance(#[from] std::io::Error),
}

impl SecretKey {
    /// The key for one purpose.
    fn derive(&self, purpose: Purpose) -> [u8; 32] {
        mac(&self.0, &[purpose.label()])
    }

    /// A fingerprint, which identifies this key and reveals nothing else about it.
    fn fingerprint(&self) -> String {
        to_hex(&self.derive(Purpose::Fingerprint)[..16])
    }

    /// A digest of `parts` that cannot be made or tested without the key. Parts are told apart:
    /// moving a byte from one to the next changes the digest.
    fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        mac(&self.derive(purpose), parts)
    }

    /// The byte by which what was signed or sealed names this key.
    fn id(&self) -> u8 {
        self.derive(Purpose::Fingerprint)[0]
    }

    /// Seals a message; `context` must be the same when it is opened.
    fn seal(&self, nonce: [u8; NONCE_LEN], context: &[u8], message: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut body = message.to_vec();
        self.sealing_key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(context), &mut body)
            .map_err(|_| std::io::Error::other("the message could not be sealed"))?;
        Ok(body)
    }

    /// Opens a nonce and what [`SecretKey::seal`] made with it; `None` when it was made with another key or is damaged.
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

/// Lower-case hexadecimal digits of `bytes`.
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
