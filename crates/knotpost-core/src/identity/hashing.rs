//! argon2id with reused memory: allocating and touching 19 MiB takes longer than hashing.
//!
//! Knows neither users nor concurrency limits.

use std::sync::{Mutex, PoisonError};

use argon2::password_hash::PasswordHasher;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;

const MAX_OUTPUT: usize = 64;

/// Maximum costs of a foreign hash, so that one try cannot exhaust memory or time.
const MOST_KIB: u32 = 128 * 1024;
const MOST_PASSES: u32 = 10;
const MOST_LANES: u32 = 4;

/// A hash of no password, with the costs of a new one, for equal timing.
pub(crate) const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCAxNg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// As many blocks as were ever used at once.
#[derive(Debug, Default)]
pub(crate) struct HashMemory {
    free: Mutex<Vec<Blocks>>,
}

struct Blocks(Vec<Block>);

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blocks({} KiB)", self.0.len())
    }
}

impl HashMemory {
    /// Checks a password; a `stored` that is no argon2 hash matches nothing.
    pub(crate) fn verify(&self, password: &str, stored: &str) -> bool {
        let Ok(stored) = PasswordHash::new(stored) else { return false };
        if let Some((computed, expected)) = self.computed(password, &stored) {
            return computed.ct_eq(&expected).into();
        }
        // Equal timing for hashes that are refused.
        let _ = PasswordHash::new(NOBODYS).ok().and_then(|nobodys| self.computed(password, &nobodys));
        false
    }

    /// Output for `password` with salt and costs of `stored`, and the stored output.
    fn computed(&self, password: &str, stored: &PasswordHash) -> Option<(Vec<u8>, Vec<u8>)> {
        let algorithm = Algorithm::new(stored.algorithm).ok()?;
        let version = stored.version.map_or(Ok(Version::default()), Version::try_from).ok()?;
        let params = Params::try_from(stored).ok().filter(is_affordable)?;
        let (salt, expected) = (stored.salt.as_ref()?, stored.hash.as_ref()?);
        let mut output = [0; MAX_OUTPUT];
        let output = output.get_mut(..expected.len())?;
        let needed = params.block_count();
        let argon2 = Argon2::new(algorithm, version, params);
        let mut blocks = self.take(needed);
        let memory = blocks.0.get_mut(..needed)?;
        let done = argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, memory);
        self.give_back(blocks);
        done.ok().map(|()| (output.to_vec(), expected.as_bytes().to_vec()))
    }

    fn take(&self, needed: usize) -> Blocks {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut blocks = free.unwrap_or(Blocks(Vec::new()));
        if blocks.0.len() < needed {
            blocks.0.resize(needed, Block::new());
        }
        blocks
    }

    /// Keeps memory of our own size; larger blocks go back to the system.
    fn give_back(&self, blocks: Blocks) {
        if blocks.0.len() > Params::DEFAULT.block_count() {
            return;
        }
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
    }
}

fn is_affordable(params: &Params) -> bool {
    params.m_cost() <= MOST_KIB && params.t_cost() <= MOST_PASSES && params.p_cost() <= MOST_LANES
}

/// Reason to refuse an imported hash that is too expensive. A text that is no argon2 hash is accepted: it
/// matches nothing and costs nothing.
pub(crate) fn too_costly(stored: &str) -> Option<String> {
    let stored = PasswordHash::new(stored).ok()?;
    let params = Params::try_from(&stored).ok()?;
    (!is_affordable(&params)).then(|| {
        format!(
            "its password hash costs m={} KiB, t={}, p={}; at most m={MOST_KIB}, t={MOST_PASSES}, p={MOST_LANES} \
             are taken: replace it there by a new password, or by null, and ask for a new password afterwards",
            params.m_cost(),
            params.t_cost(),
            params.p_cost()
        )
    })
}

/// Hash with a fresh salt.
pub(crate) fn hash_new(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::PasswordVerifier as _;

    use super::*;

    #[test]
    fn what_argon2_itself_says_of_a_password_is_said_with_kept_memory() {
        let memory = HashMemory::default();
        let stored = hash_new("chocolate").expect("a hash");
        // Imported costs, then our own again: the memory is reused.
        let params = Params::new(8 * 1024, 3, 2, Some(24)).expect("costs");
        let other = Argon2::new(Algorithm::Argon2i, Version::V0x10, params);
        let other = other.hash_password(b"vanilla1").expect("a hash").to_string();
        for stored in [&stored, &other, &stored] {
            let known = PasswordHash::new(stored).expect("a hash");
            for password in ["chocolate", "vanilla1", "", "chocolat\u{e9}"] {
                let right = Argon2::default().verify_password(password.as_bytes(), &known).is_ok();
                assert_eq!(memory.verify(password, stored), right, "{password} and {stored}");
            }
        }
        assert_eq!(memory.free.lock().expect("no poisoned lock").len(), 1);
    }

    #[test]
    fn nobodys_password_costs_as_much_as_anybodys() {
        let (new, nobodys) =
            (hash_new("chocolate").expect("a hash"), PasswordHash::new(NOBODYS).expect("a hash"));
        let new = PasswordHash::new(&new).expect("a hash");
        let costs = |hash: &PasswordHash| (hash.algorithm.to_string(), hash.version, hash.params.to_string());
        assert_eq!(costs(&nobodys), costs(&new));
        let lengths = |hash: &PasswordHash| {
            (
                hash.salt.as_ref().map(|salt| salt.len()),
                hash.hash.as_ref().map(|output| output.as_bytes().len()),
            )
        };
        assert_eq!(lengths(&nobodys), lengths(&new));
        let computed = HashMemory::default().computed("chocolate", &nobodys);
        assert!(computed.is_some_and(|(computed, expected)| computed.len() == 32 && computed != expected));
    }

    #[test]
    fn a_hash_that_costs_too_much_is_never_computed() {
        let salted = |costs: &str| {
            format!(
                "$argon2id$v=19${costs}$bm9ib2R5J3Mgc2FsdCAxNg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            )
        };
        let memory = HashMemory::default();
        for costs in ["m=4194304,t=2,p=1", "m=19456,t=4000000,p=1", "m=131073,t=1,p=1", "m=19456,t=2,p=5"] {
            let said = too_costly(&salted(costs)).expect("it costs too much");
            assert!(said.contains("new password"), "{said}");
            let parsed = salted(costs);
            assert!(memory.computed("x", &PasswordHash::new(&parsed).expect("a hash")).is_none(), "{costs}");
        }
        for costs in ["m=19456,t=2,p=1", "m=131072,t=10,p=4", "m=8192,t=3,p=2"] {
            assert_eq!(too_costly(&salted(costs)), None, "{costs}");
        }
        assert_eq!(too_costly("!"), None);
    }

    #[test]
    fn what_is_no_hash_belongs_to_no_password() {
        let memory = HashMemory::default();
        for stored in [
            "",
            "!",
            "$argon2id$",
            "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ",
        ] {
            assert!(!memory.verify("", stored), "{stored}");
        }
    }
}
