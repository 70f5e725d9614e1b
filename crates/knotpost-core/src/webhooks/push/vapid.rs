//! Voluntary application server identification (RFC 8292): proves the sender to push services; browsers
//! accept no other.

use data_encoding::BASE64URL_NOPAD;
use p256::SecretKey;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::elliptic_curve::sec1::ToSec1Point as _;
use serde_json::json;

use knotpost_model::{HookUrl, Millis};
use knotpost_platform::secret::{KeyRing, Purpose};

/// Lifetime of a signature in seconds; the RFC allows a day.
const LIFE: i64 = 12 * 60 * 60;

/// Server key for push messages, derived from the key for digests, which never changes by itself: browsers
/// bind their subscriptions to it.
pub(super) fn own_key(ring: &KeyRing) -> Option<SecretKey> {
    // Nearly every digest is a valid key.
    (0..=u8::MAX).find_map(|attempt| SecretKey::from_slice(&ring.digest(Purpose::Push, &[&[attempt]])).ok())
}

/// In the encoding for browsers and push services.
pub(super) fn show_public(key: &SecretKey) -> String {
    BASE64URL_NOPAD.encode(key.public_key().to_sec1_point(false).as_bytes())
}

/// `Authorization` header; `contact` leads to this server's operators.
pub(super) fn authorize(key: &SecretKey, url: &HookUrl, contact: &str, now: Millis) -> String {
    let head = json!({ "typ": "JWT", "alg": "ES256" });
    let claims = json!({ "aud": url.origin(), "exp": now.0 / 1000 + LIFE, "sub": contact });
    let encode = |part: String| BASE64URL_NOPAD.encode(part.as_bytes());
    let signed = format!("{}.{}", encode(head.to_string()), encode(claims.to_string()));
    let signature: Signature = SigningKey::from(key).sign(signed.as_bytes());
    let signature = BASE64URL_NOPAD.encode(&signature.to_bytes());
    format!("vapid t={signed}.{signature}, k={}", show_public(key))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use knotpost_model::Reach;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn who_sends_is_signed_for_one_service_and_half_a_day() {
        let key = SecretKey::from_slice(&[7; 32]).unwrap();
        let url = HookUrl::parse("https://push.example:8443/send/abc", Reach::Public).unwrap();
        let shown = authorize(&key, &url, "mailto:games@example.org", Millis(1_000_000));
        let (token, public) = shown.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        // Checked by another implementation.
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, bytes(public))
            .verify(signed.as_bytes(), &bytes(signature))
            .unwrap();
        let claims: serde_json::Value =
            serde_json::from_slice(&bytes(signed.split_once('.').unwrap().1)).unwrap();
        let expected =
            json!({ "aud": "https://push.example:8443", "exp": 44_200, "sub": "mailto:games@example.org" });
        assert_eq!(claims, expected);
    }
}
