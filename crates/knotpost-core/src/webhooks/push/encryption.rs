//! Message encryption for Web Push (RFC 8291) with content coding `aes128gcm` (RFC 8188): only the browser
//! can read it, not the push service.

use hkdf::Hkdf;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::{PublicKey, SecretKey};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use sha2::Sha256;

/// Bytes of an uncompressed P-256 point.
pub(super) const POINT: usize = 65;
/// Bytes of the authentication secret.
pub(super) const AUTH: usize = 16;
pub(super) const SALT: usize = 16;
/// Record size; a message is one record (RFC 8291, section 4).
const RECORD: u32 = 4096;
/// Maximum plaintext: a record without delimiter and tag.
const LONGEST: usize = RECORD as usize - 17;
/// Delimiter of the last record (RFC 8188, section 2).
const LAST: u8 = 2;

#[derive(Clone)]
pub(super) struct Receiver {
    key: PublicKey,
    point: [u8; POINT],
    auth: [u8; AUTH],
}

impl Receiver {
    /// `point` is an uncompressed P-256 point.
    pub(super) fn new(point: [u8; POINT], auth: [u8; AUTH]) -> Option<Self> {
        let key = PublicKey::from_sec1_bytes(&point).ok()?;
        Some(Self { key, point, auth })
    }

    /// Encrypts with a one-time key and salt; `None`: too long.
    pub(super) fn encrypt(&self, message: &[u8], once: &SecretKey, salt: [u8; SALT]) -> Option<Vec<u8>> {
        if message.len() > LONGEST {
            return None;
        }
        let sender = once.public_key().to_sec1_point(false);
        let shared = once.diffie_hellman(&self.key);
        let info = [b"WebPush: info\0", self.point.as_slice(), sender.as_bytes()].concat();
        let input: [u8; 32] = derive(&self.auth, shared.raw_secret_bytes(), &info)?;
        let key: [u8; 16] = derive(&salt, &input, b"Content-Encoding: aes128gcm\0")?;
        let nonce: [u8; 12] = derive(&salt, &input, b"Content-Encoding: nonce\0")?;
        let mut record = [message, &[LAST]].concat();
        LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?)
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
            .ok()?;
        let length = u8::try_from(sender.as_bytes().len()).ok()?;
        Some([&salt, RECORD.to_be_bytes().as_slice(), &[length], sender.as_bytes(), &record].concat())
    }
}

/// HKDF with SHA-256.
fn derive<const N: usize>(salt: &[u8], input: &[u8], info: &[u8]) -> Option<[u8; N]> {
    let mut output = [0; N];
    Hkdf::<Sha256>::new(Some(salt), input).expand(info, &mut output).ok()?;
    Some(output)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use data_encoding::BASE64URL_NOPAD;

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        BASE64URL_NOPAD.decode(text.as_bytes()).unwrap().try_into().unwrap()
    }

    #[test]
    fn the_example_of_rfc_8291_is_encrypted_as_there() {
        let receiver = Receiver::new(
            bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            bytes("BTBZMqHH6r4Tts7J_aSIgg"),
        );
        let once =
            SecretKey::from_slice(&bytes::<32>("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let sent = receiver.unwrap().encrypt(b"When I grow up, I want to be a watermelon", &once, salt);
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWA\
                        mS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_\
                        Qulcy4a-fN";
        assert_eq!(BASE64URL_NOPAD.encode(&sent.unwrap()), expected);
    }

    #[test]
    fn keys_that_are_none_and_long_messages_are_refused() {
        assert!(Receiver::new([4; POINT], [0; AUTH]).is_none());
        let once = SecretKey::from_slice(&[7; 32]).unwrap();
        let point = once.public_key().to_sec1_point(false).as_bytes().try_into().unwrap();
        let receiver = Receiver::new(point, [0; AUTH]).unwrap();
        assert_eq!(receiver.encrypt(&[b'x'; LONGEST], &once, [0; SALT]).unwrap().len(), 86 + RECORD as usize);
        assert_eq!(receiver.encrypt(&[b'x'; LONGEST + 1], &once, [0; SALT]), None);
    }
}
