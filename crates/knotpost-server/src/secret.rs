//! The server's secret key and everything derived from it: keyed digests and the sealing of
//! stored messages. Each use has a key of its own, so that none says anything about another.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::clock::{Entropy, random_bytes};

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
    /// Signatures of links and addresses that the server gives out.
    Tokens,
    /// Sealing of raw messages.
    Sealing,
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
            Self::Fingerprint => b"knotpost fingerprint 1",
        }
    }
}

/// What opens `/mailbox`: made anew at each start, and known to who sees the server start or may read its data folder.
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

    /// Whether this is the key, told in a time that says nothing of where they differ.
    pub fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

/// The server's secret key. Several servers behind one database share it.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(********)")
    }
}

/// Why there is no usable key.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file exists but is not a key.
    #[error("{0} does not hold 64 hexadecimal digits")]
    Malformed(String),
    /// The file could not be read or made.
    #[error("the key file could not be used")]
    File(#[from] std::io::Error),
}

impl SecretKey {
    /// The key `hex` when that is given, else the one in `file`, made if absent.
    ///
    /// # Errors
    /// When the key is malformed or its file cannot be read or made.
    pub fn load(hex: &str, file: &Path, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        if !hex.is_empty() {
            return parse_hex(hex).map(Self).ok_or_else(|| SecretError::Malformed("secrets.key".to_owned()));
        }
        match std::fs::read_to_string(file) {
            Ok(text) => parse_hex(text.trim())
                .map(Self)
                .ok_or_else(|| SecretError::Malformed(file.display().to_string())),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::create(file, entropy),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a new key whole or not at all; of two processes that do so at once both use the first.
    fn create(path: &Path, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        use std::os::unix::fs::OpenOptionsExt;
        let key: [u8; 32] = random_bytes(entropy)?;
        let mark: [u8; 8] = random_bytes(entropy)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let draft = folder.join(format!("{KEY_FILE}.{}", to_hex(&mark)));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        writeln!(file, "{}", to_hex(&key))?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&draft, path);
        std::fs::remove_file(&draft)?;
        match linked {
            Ok(()) => {
                std::fs::File::open(folder)?.sync_all()?;
                Ok(Self(key))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let text = std::fs::read_to_string(path)?;
                parse_hex(text.trim())
                    .map(Self)
                    .ok_or_else(|| SecretError::Malformed(path.display().to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The key for one purpose.
    pub fn derive(&self, purpose: Purpose) -> [u8; 32] {
        mac(&self.0, &[purpose.label()])
    }

    /// What tells this key from others and says nothing else about it.
    pub fn fingerprint(&self) -> String {
        to_hex(&self.derive(Purpose::Fingerprint)[..16])
    }

    /// A digest of `parts` that nobody without the key can make or test. Parts are told apart:
    /// moving a byte from one to the next changes the digest.
    pub fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        mac(&self.derive(purpose), parts)
    }

    /// Seals a message so that only this server can read it.
    ///
    /// # Errors
    /// When the machine has no randomness to give.
    pub fn seal(&self, entropy: &dyn Entropy, message: &[u8]) -> std::io::Result<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = random_bytes(entropy)?;
        let mut body = message.to_vec();
        self.sealing_key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut body)
            .map_err(|_| std::io::Error::other("the message could not be sealed"))?;
        let mut sealed = nonce.to_vec();
        sealed.append(&mut body);
        Ok(sealed)
    }

    /// Opens what [`SecretKey::seal`] made; `None` when it was made with another key or is damaged.
    pub fn unseal(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut body = body.to_vec();
        let key = self.sealing_key().ok()?;
        let length =
            key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), &mut body).ok()?.len();
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
mod tests {
    use super::*;
    use crate::clock::SystemEntropy;

    #[test]
    fn a_key_is_made_once_and_private() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().expect("a folder");
        let entropy = SystemEntropy::default();
        let first = SecretKey::load("", &data.path().join(KEY_FILE), &entropy).expect("a new key");
        let again = SecretKey::load("", &data.path().join(KEY_FILE), &entropy).expect("the same key");
        assert_eq!(first.0, again.0);
        let mode = std::fs::metadata(data.path().join(KEY_FILE)).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(data.path()).expect("the folder").count(), 1);
    }

    #[test]
    fn sealed_messages_open_with_the_same_key_only() {
        let entropy = SystemEntropy::default();
        let (ours, other) = (SecretKey([1; 32]), SecretKey([2; 32]));
        let sealed = ours.seal(&entropy, b"osbox move 101 ann secret f12").expect("sealed");
        assert!(!sealed.windows(6).any(|w| w == b"secret"));
        assert_eq!(ours.unseal(&sealed).as_deref(), Some(b"osbox move 101 ann secret f12".as_slice()));
        assert_eq!(other.unseal(&sealed), None);
        assert_eq!(ours.unseal(b"short"), None);
    }

    #[test]
    fn digests_tell_their_parts_and_purposes_apart() {
        let key = SecretKey([7; 32]);
        assert_ne!(key.digest(Purpose::Tokens, &[b"ab", b"c"]), key.digest(Purpose::Tokens, &[b"a", b"bc"]));
        assert_ne!(key.digest(Purpose::Tokens, &[b"ab"]), key.digest(Purpose::Dedupe, &[b"ab"]));
    }
}
