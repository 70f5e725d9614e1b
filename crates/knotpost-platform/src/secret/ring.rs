//! The keys a server knows: the current one, by which everything new is signed and sealed, and others whose
//! signatures and seals are still accepted. What is signed or sealed carries the id of its key.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use ring::aead::NONCE_LEN;
use subtle::{Choice, ConstantTimeEq};

use super::file::{create, replace};
use super::{Purpose, SecretError, SecretKey, parse_hex, to_hex};
use crate::clock::{Entropy, random_bytes};

/// Stands before the id of the key and the nonce of whatever is sealed.
const SEAL: [u8; 3] = *b"kr1";

/// What a key of the ring is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Signs and seals.
    Current,
    /// Will be the current one; accepted already, so that servers can change one after the other.
    Next,
    /// Was the current one; still accepted.
    Old,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "current",
            Self::Next => "next",
            Self::Old => "old",
        })
    }
}

/// A signature and the id of its key.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub key: u8,
    /// All its bytes; what is given out may be their beginning.
    pub mac: [u8; 32],
}

impl Signature {
    /// The id of the key and the first `bytes` bytes, in hexadecimal digits.
    pub fn to_text(self, bytes: usize) -> String {
        format!("{:02x}{}", self.key, to_hex(self.mac.get(..bytes).unwrap_or(&self.mac)))
    }
}

/// The server's secret keys. Several servers behind one database share them.
#[derive(Clone, Debug)]
pub struct KeyRing {
    /// The current key first, then the next one, then the old ones, the latest first.
    keys: Vec<(Role, SecretKey)>,
    /// The key of digests that the database holds, which no rotation changes.
    digests: SecretKey,
}

/// Why a key cannot be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropError {
    /// Nothing to drop.
    #[error("there is no such key; `knotpost admin key list` shows the ids")]
    Unknown,
    /// Without it nothing could be signed.
    #[error("that is the current key; rotate first")]
    Current,
}

impl KeyRing {
    /// The keys in `text` when that is given, else those in `file`, made if absent.
    ///
    /// # Errors
    /// When a key is malformed or the file cannot be read or made.
    pub fn load(text: &str, file: &Path, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        if let Some(ring) = Self::read(text, file)? {
            return Ok(ring);
        }
        let failed = |error| SecretError::File(file.display().to_string(), error);
        Self::parse_file(file, &create(file, entropy).map_err(failed)?)
    }

    /// The same without making any; `None`: the file is absent.
    ///
    /// # Errors
    /// When a key is malformed or the file cannot be read.
    pub fn read(text: &str, file: &Path) -> Result<Option<Self>, SecretError> {
        if !text.is_empty() {
            let malformed = || SecretError::Malformed("secrets.key".to_owned());
            return Self::parse(text).map(Some).ok_or_else(malformed);
        }
        match std::fs::read_to_string(file) {
            Ok(text) => Self::parse_file(file, &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SecretError::File(file.display().to_string(), error)),
        }
    }

    fn parse_file(file: &Path, text: &str) -> Result<Self, SecretError> {
        Self::parse(text).ok_or_else(|| SecretError::Malformed(file.display().to_string()))
    }

    /// Reads keys apart by blanks or line ends: 64 hexadecimal digits, with `current:`, `next:`, `old:` or `digests:`
    /// before them. A key with nothing before it is the current one; the one for digests is that too, unless another
    /// is named.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut keys, mut digests): (Vec<(Role, SecretKey)>, Option<SecretKey>) = (Vec::new(), None);
        for word in text.split_whitespace() {
            let (role, hex) = word.split_once(':').unwrap_or(("current", word));
            let key = SecretKey(parse_hex(hex)?);
            let role = match role {
                "current" => Role::Current,
                "next" => Role::Next,
                "old" => Role::Old,
                "digests" if digests.is_none() => {
                    digests = Some(key);
                    continue;
                }
                _ => return None,
            };
            let is_single = role == Role::Old || keys.iter().all(|(known, _)| *known != role);
            if !is_single || keys.iter().any(|(_, known)| known.0 == key.0) {
                return None;
            }
            keys.push((role, key));
        }
        // Stable: the old ones stay in their order.
        keys.sort_by_key(|(role, _)| *role as u8);
        let current = keys.first().filter(|(role, _)| *role == Role::Current)?.1.clone();
        Some(Self { keys, digests: digests.unwrap_or(current) })
    }

    /// The same as [`Self::load`] reads it.
    pub fn to_text(&self) -> String {
        let keys = self.keys.iter().map(|(role, key)| format!("{role}:{}\n", to_hex(&key.0)));
        keys.chain([format!("digests:{}\n", to_hex(&self.digests.0))]).collect()
    }

    /// Puts these keys into the file in place of those that are there, atomically; owner and group of the
    /// file stay.
    ///
    /// # Errors
    /// When the file cannot be written, or another process is writing it.
    pub fn save(&self, file: &Path) -> Result<(), SecretError> {
        Ok(replace(file, &self.to_text())?)
    }

    fn current(&self) -> &SecretKey {
        self.keys.first().map_or(&self.digests, |(_, key)| key)
    }

    /// Each key's id, role and fingerprint.
    pub fn list(&self) -> impl Iterator<Item = (u8, Role, String)> + '_ {
        self.keys.iter().map(|(role, key)| (key.id(), *role, key.fingerprint()))
    }

    /// With a next key, which is there already or made now.
    ///
    /// # Errors
    /// When the machine has no randomness to give.
    pub fn with_next(&self, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        let mut ring = self.clone();
        if ring.keys.iter().any(|(role, _)| *role == Role::Next) {
            return Ok(ring);
        }
        loop {
            let key = SecretKey(random_bytes(entropy)?);
            // An id has 256 values: keys of one ring get different ones.
            if ring.keys.iter().all(|(_, known)| known.id() != key.id()) {
                ring.keys.insert(1.min(ring.keys.len()), (Role::Next, key));
                return Ok(ring);
            }
        }
    }

    /// The next key is the current one, and the current one is old.
    ///
    /// # Errors
    /// As [`Self::with_next`].
    pub fn rotated(&self, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        let mut ring = self.with_next(entropy)?;
        for (role, _) in &mut ring.keys {
            *role = match role {
                Role::Next => Role::Current,
                Role::Current | Role::Old => Role::Old,
            };
        }
        ring.keys.sort_by_key(|(role, _)| *role as u8);
        Ok(ring)
    }

    /// Without the key of this id.
    ///
    /// # Errors
    /// When there is none, or it is the current one.
    pub fn without(&self, id: u8) -> Result<Self, DropError> {
        let mut ring = self.clone();
        let place = ring.keys.iter().position(|(_, key)| key.id() == id).ok_or(DropError::Unknown)?;
        if ring.keys.remove(place).0 == Role::Current {
            return Err(DropError::Current);
        }
        Ok(ring)
    }

    /// Whether a key with this fingerprint is among them.
    pub fn knows(&self, fingerprint: &str) -> bool {
        self.list().any(|(_, _, known)| known == fingerprint)
    }

    /// What tells the current key from others and says nothing else about it.
    pub fn fingerprint(&self) -> String {
        self.current().fingerprint()
    }

    /// The same of the key for digests.
    pub fn digests_fingerprint(&self) -> String {
        self.digests.fingerprint()
    }

    /// The key that digests in the database and in memory are made with, derived for one purpose.
    pub fn derive(&self, purpose: Purpose) -> [u8; 32] {
        self.digests.derive(purpose)
    }

    /// A digest of `parts` that cannot be made or tested without the key, the same before and after a rotation: for
    /// what is looked up by it. Parts are told apart: moving a byte from one to the next changes the digest.
    pub fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        self.digests.digest(purpose, parts)
    }

    /// Signs `parts` with the current key: for what is given out and comes back.
    pub fn sign(&self, parts: &[&[u8]]) -> Signature {
        let key = self.current();
        Signature { key: key.id(), mac: key.digest(Purpose::Tokens, parts) }
    }

    /// True if `mac` is the beginning of a signature over `parts` by the key of this id.
    pub fn is_signed(&self, key: u8, parts: &[&[u8]], mac: &[u8]) -> bool {
        let mut found = Choice::from(0);
        for known in self.candidates(key) {
            let right = known.digest(Purpose::Tokens, parts);
            found |= right.get(..mac.len()).unwrap_or(&right).ct_eq(mac);
        }
        found.into()
    }

    /// The same for [`Signature::to_text`] of `bytes` bytes.
    pub fn is_signed_text(&self, parts: &[&[u8]], bytes: usize, text: &str) -> bool {
        let Some((id, digits)) = text.split_at_checked(2) else { return false };
        let Ok(key) = u8::from_str_radix(id, 16) else { return false };
        if digits.len() != 2 * bytes {
            return false;
        }
        let mut found = Choice::from(0);
        for known in self.candidates(key) {
            let right = to_hex(&known.digest(Purpose::Tokens, parts));
            found |= right.as_bytes().get(..digits.len()).unwrap_or_default().ct_eq(digits.as_bytes());
        }
        found.into()
    }

    /// The keys of an id: keys that were not made by rotation may share one.
    fn candidates(&self, id: u8) -> impl Iterator<Item = &SecretKey> {
        self.keys.iter().map(|(_, key)| key).filter(move |key| key.id() == id)
    }

    /// Seals a message so that only servers with this key can read it.
    ///
    /// # Errors
    /// When the machine has no randomness to give.
    pub fn seal(&self, entropy: &dyn Entropy, message: &[u8]) -> std::io::Result<Vec<u8>> {
        let key = self.current();
        let nonce: [u8; NONCE_LEN] = random_bytes(entropy)?;
        let mut sealed = seal_mark(key.id()).to_vec();
        let body = key.seal(nonce, &sealed, message)?;
        sealed.extend(nonce);
        sealed.extend(body);
        Ok(sealed)
    }

    /// Opens what [`Self::seal`] made; `None` when it was made with a key that is not known or is damaged.
    pub fn unseal(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (mark, rest) = sealed.split_first_chunk::<4>().filter(|(mark, _)| mark.starts_with(&SEAL))?;
        self.candidates(mark[3]).find_map(|key| key.unseal(mark, rest))
    }

    /// Whether this was sealed with the current key.
    pub fn is_freshly_sealed(&self, sealed: &[u8]) -> bool {
        sealed.starts_with(&seal_mark(self.current().id()))
    }
}

/// What everything begins with that was sealed with the key of this id.
pub fn seal_mark(id: u8) -> [u8; 4] {
    let [first, second, third] = SEAL;
    [first, second, third, id]
}
