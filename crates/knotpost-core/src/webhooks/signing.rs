//! Signatures of the Standard Webhooks specification, version 1, symmetric: the secret's holder can verify
//! that a message is ours and recent.

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Prefix of displayed secrets.
const PREFIX: &str = "whsec_";
/// Bytes; the specification asks for 24 to 64.
const LENGTH: usize = 32;

#[derive(Clone, PartialEq, Eq)]
pub struct HookSecret(Vec<u8>);

impl std::fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HookSecret(********)")
    }
}

impl HookSecret {
    pub(crate) fn new(bytes: [u8; LENGTH]) -> Self {
        Self(bytes.to_vec())
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn show(&self) -> String {
        format!("{PREFIX}{}", BASE64.encode(&self.0))
    }

    pub fn read(text: &str) -> Option<Self> {
        BASE64.decode(text.strip_prefix(PREFIX)?.as_bytes()).ok().map(Self)
    }

    /// Header `webhook-signature`; `timestamp` in Unix seconds.
    pub fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        format!("v1,{}", BASE64.encode(&mac(&self.0, format!("{id}.{timestamp}.{body}").as_bytes())))
    }
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn signatures_are_those_of_the_specification() {
        // The example of the reference implementations.
        let secret = HookSecret::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(secret.show(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        assert_eq!(HookSecret::read("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), None);
        assert!(!format!("{secret:?}").contains("MfKQ"));
    }
}
