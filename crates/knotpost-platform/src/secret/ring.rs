//! Key ring: the current key signs and seals, others are still accepted. Signatures and seals carry the id of
//! their key.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use ring::aead::NONCE_LEN;
use subtle::{Choice, ConstantTimeEq};

use super::file::{create, replace};
use super::{Purpose, SecretError, SecretKey, parse_hex, to_hex};
use crate::clock::{Entropy, random_bytes};

/// Prefix of sealed data, before key id and nonce.
const SEAL: [u8; 3] = *b"kr1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Current,
    /// Next current key; accepted already, so that servers can rotate one after the other.
    Next,
    /// Former current key; still accepted.
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
    /// Full length; what is given out may be truncated.
    pub mac: [u8; 32],
}

impl Signature {
    /// Key id and the first `bytes` bytes, in hexadecimal.
    pub fn to_text(self, bytes: usize) -> String {
        format!("{:02x}{}", self.key, to_hex(self.mac.get(..bytes).unwrap_or(&self.mac)))
    }
}

/// Shared by the servers on one database.
#[derive(Clone, Debug)]
pub struct KeyRing {
    /// Current, next, then old keys, latest first.
    keys: Vec<(Role, SecretKey)>,
    /// Key of stored digests, not changed by rotation.
    digests: SecretKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropError {
    #[error("there is no such key; `knotpost admin key list` shows the ids")]
    Unknown,
    #[error("that is the current key; rotate first")]
    Current,
}

impl KeyRing {
    /// Parses `text` if given, else `file`, which is created if absent.
    pub fn load(text: &str, file: &Path, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        if let Some(ring) = Self::read(text, file)? {
            return Ok(ring);
        }
        let failed = |error| SecretError::File(file.display().to_string(), error);
        Self::parse_file(file, &create(file, entropy).map_err(failed)?)
    }

    /// As [`Self::load`], without creating; `None`: the file is absent.
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

    /// Parses keys separated by whitespace: 64 hexadecimal digits, after `current:`, `next:`, `old:` or
    /// `digests:`. An unmarked key is the current one, and the one for digests unless another is named.
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
        // Stable: old keys keep their order.
        keys.sort_by_key(|(role, _)| *role as u8);
        let current = keys.first().filter(|(role, _)| *role == Role::Current)?.1.clone();
        Some(Self { keys, digests: digests.unwrap_or(current) })
    }

    /// In the form read by [`Self::load`].
    pub fn to_text(&self) -> String {
        let keys = self.keys.iter().map(|(role, key)| format!("{role}:{}\n", to_hex(&key.0)));
        keys.chain([format!("digests:{}\n", to_hex(&self.digests.0))]).collect()
    }

    /// Replaces the key file atomically; owner and group stay. Fails if another process is writing it.
    pub fn save(&self, file: &Path) -> Result<(), SecretError> {
        Ok(replace(file, &self.to_text())?)
    }

    fn current(&self) -> &SecretKey {
        self.keys.first().map_or(&self.digests, |(_, key)| key)
    }

    pub fn list(&self) -> impl Iterator<Item = (u8, Role, String)> + '_ {
        self.keys.iter().map(|(role, key)| (key.id(), *role, key.fingerprint()))
    }

    /// Adds a next key, if there is none.
    pub fn with_next(&self, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        let mut ring = self.clone();
        if ring.keys.iter().any(|(role, _)| *role == Role::Next) {
            return Ok(ring);
        }
        loop {
            let key = SecretKey(random_bytes(entropy)?);
            // Ids have 256 values; keys of one ring get distinct ones.
            if ring.keys.iter().all(|(_, known)| known.id() != key.id()) {
                ring.keys.insert(1.min(ring.keys.len()), (Role::Next, key));
                return Ok(ring);
            }
        }
    }

    /// Makes the next key current, and the current one old.
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

    pub fn without(&self, id: u8) -> Result<Self, DropError> {
        let mut ring = self.clone();
        let place = ring.keys.iter().position(|(_, key)| key.id() == id).ok_or(DropError::Unknown)?;
        if ring.keys.remove(place).0 == Role::Current {
            return Err(DropError::Current);
        }
        Ok(ring)
    }

    pub fn knows(&self, fingerprint: &str) -> bool {
        self.list().any(|(_, _, known)| known == fingerprint)
    }

    /// Of the current key; reveals nothing else about it.
    pub fn fingerprint(&self) -> String {
        self.current().fingerprint()
    }

    pub fn digests_fingerprint(&self) -> String {
        self.digests.fingerprint()
    }

    pub fn derive(&self, purpose: Purpose) -> [u8; 32] {
        self.digests.derive(purpose)
    }

    /// Keyed digest for lookups, unchanged by rotation. Moving a byte from one part to the next changes it.
    pub fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        self.digests.digest(purpose, parts)
    }

    pub fn sign(&self, parts: &[&[u8]]) -> Signature {
        let key = self.current();
        Signature { key: key.id(), mac: key.digest(Purpose::Tokens, parts) }
    }

    /// True if `mac` is a prefix of the signature by the key of this id.
    pub fn is_signed(&self, key: u8, parts: &[&[u8]], mac: &[u8]) -> bool {
        let mut found = Choice::from(0);
        for known in self.candidates(key) {
            let right = known.digest(Purpose::Tokens, parts);
            found |= right.get(..mac.len()).unwrap_or(&right).ct_eq(mac);
        }
        found.into()
    }

    /// [`Self::is_signed`] for [`Signature::to_text`] of `bytes` bytes.
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

    /// Several for keys not made by rotation, which may share an id.
    fn candidates(&self, id: u8) -> impl Iterator<Item = &SecretKey> {
        self.keys.iter().map(|(_, key)| key).filter(move |key| key.id() == id)
    }

    /// Encrypts with the current key.
    pub fn seal(&self, entropy: &dyn Entropy, message: &[u8]) -> std::io::Result<Vec<u8>> {
        let key = self.current();
        let nonce: [u8; NONCE_LEN] = random_bytes(entropy)?;
        let mut sealed = seal_mark(key.id()).to_vec();
        let body = key.seal(nonce, &sealed, message)?;
        sealed.extend(nonce);
        sealed.extend(body);
        Ok(sealed)
    }

    /// `None`: unknown key, or damaged.
    pub fn unseal(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (mark, rest) = sealed.split_first_chunk::<4>().filter(|(mark, _)| mark.starts_with(&SEAL))?;
        self.candidates(mark[3]).find_map(|key| key.unseal(mark, rest))
    }

    pub fn is_freshly_sealed(&self, sealed: &[u8]) -> bool {
        sealed.starts_with(&seal_mark(self.current().id()))
    }
}

/// Prefix of all data sealed with the key of this id.
pub fn seal_mark(id: u8) -> [u8; 4] {
    let [first, second, third] = SEAL;
    [first, second, third, id]
}
