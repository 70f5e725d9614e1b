//! Verification of a browser's passkey messages (Web Authentication Level 3, sections 7.1 and 7.2), without
//! users or database.
//!
//! Attestation is neither requested nor checked: any authenticator is welcome.

use ciborium::Value;
use data_encoding::BASE64URL_NOPAD;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

const LONGEST: usize = 16 * 1024;
/// Bytes of a credential id (section 4).
const LONGEST_CREDENTIAL: usize = 1023;
const DEPTH: usize = 16;

/// Flags of authenticator data (section 6.1).
const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;
const HAS_EXTENSIONS: u8 = 0x80;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    pub(crate) id: String,
    pub(crate) origin: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the answer of the passkey cannot be read")]
    Malformed,
    #[error("the answer of the passkey is for another purpose")]
    Kind,
    #[error("the passkey was asked too long ago, or elsewhere; try again")]
    Challenge,
    #[error("the passkey was asked by a page of another address than this server's")]
    Origin,
    #[error("the passkey is for another server")]
    Party,
    #[error("the passkey did not ask for you")]
    Presence,
    #[error("the passkey did not check that it is you, by PIN, finger or face")]
    Verification,
    #[error("the passkey signs in a way that this server does not know")]
    Algorithm,
    #[error("the signature of the passkey is wrong")]
    Signature,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256, all that older devices know.
    Rs256,
}

impl Algorithm {
    pub(crate) const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];

    /// COSE number (RFC 9053, RFC 8812).
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Es256 => -7,
            Self::EdDsa => -8,
            Self::Rs256 => -257,
        }
    }

    fn verification(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::Es256 => &ECDSA_P256_SHA256_ASN1,
            Self::EdDsa => &ED25519,
            Self::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
        }
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.number() == number)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) credential: Vec<u8>,
    pub(crate) algorithm: Algorithm,
    pub(crate) public_key: Vec<u8>,
    pub(crate) counter: u32,
}

#[derive(Debug, Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    is_foreign_frame: bool,
}

/// Authenticator data up to the counter; extensions are ignored.
struct Signed<'a> {
    flags: u8,
    counter: u32,
    rest: &'a [u8],
}

/// Checks the client data and returns its challenge, which the caller must verify.
fn read_client_data(party: &Party, kind: &str, json: &[u8]) -> Result<String, Fault> {
    let seen: ClientData = serde_json::from_slice(json).map_err(|_| Fault::Malformed)?;
    if seen.kind != kind {
        return Err(Fault::Kind);
    }
    if seen.origin != party.origin || seen.is_foreign_frame {
        return Err(Fault::Origin);
    }
    Ok(seen.challenge)
}

fn read_signed<'a>(party: &Party, data: &'a [u8]) -> Result<Signed<'a>, Fault> {
    let (hash, rest) = data.split_first_chunk::<32>().ok_or(Fault::Malformed)?;
    let ([flags], rest) = rest.split_first_chunk::<1>().ok_or(Fault::Malformed)?;
    let (counter, rest) = rest.split_first_chunk::<4>().ok_or(Fault::Malformed)?;
    if hash[..] != Sha256::digest(party.id.as_bytes())[..] {
        return Err(Fault::Party);
    }
    if flags & USER_PRESENT == 0 {
        return Err(Fault::Presence);
    }
    if flags & USER_VERIFIED == 0 {
        return Err(Fault::Verification);
    }
    let is_odd = flags & BACKED_UP != 0 && flags & BACKUP_ELIGIBLE == 0;
    if is_odd || (flags & (HAS_CREDENTIAL | HAS_EXTENSIONS) == 0 && !rest.is_empty()) {
        return Err(Fault::Malformed);
    }
    Ok(Signed { flags: *flags, counter: u32::from_be_bytes(*counter), rest })
}

/// Reads one CBOR value and advances `input`.
fn read_cbor(input: &mut &[u8]) -> Result<Value, Fault> {
    if input.len() > LONGEST {
        return Err(Fault::Malformed);
    }
    ciborium::de::from_reader_with_recursion_limit(input, DEPTH).map_err(|_| Fault::Malformed)
}

/// Value of a map's key; none if the key is duplicated.
fn at<'a>(map: &'a [(Value, Value)], key: &Value) -> Option<&'a Value> {
    let mut found = map.iter().filter(|(one, _)| one == key).map(|(_, value)| value);
    found.next().filter(|_| found.next().is_none())
}

/// Parses a COSE key (RFC 9052, section 7; RFC 9053, section 7).
fn read_key(key: &Value) -> Result<(Algorithm, Vec<u8>), Fault> {
    let map = key.as_map().ok_or(Fault::Malformed)?;
    let number = |label: i64| {
        let value = at(map, &Value::from(label))?.as_integer()?;
        i64::try_from(value).ok()
    };
    let bytes = |label: i64| at(map, &Value::from(label)).and_then(Value::as_bytes).ok_or(Fault::Malformed);
    let part = |label: i64| {
        bytes(label).and_then(|bytes| if bytes.len() == 32 { Ok(bytes) } else { Err(Fault::Malformed) })
    };
    let algorithm = number(3).and_then(Algorithm::from_number).ok_or(Fault::Algorithm)?;
    if (algorithm, number(1)) == (Algorithm::Rs256, Some(3)) {
        return Ok((algorithm, write_rsa_key(bytes(-1)?, bytes(-2)?)));
    }
    match (algorithm, number(1), number(-1)) {
        (Algorithm::Es256, Some(2), Some(1)) => {
            Ok((algorithm, [&[4][..], part(-2)?.as_slice(), part(-3)?.as_slice()].concat()))
        }
        (Algorithm::EdDsa, Some(1), Some(6)) => Ok((algorithm, part(-2)?.clone())),
        _ => Err(Fault::Algorithm),
    }
}

/// Writes an RSA key as DER (RFC 8017, A.1.1).
fn write_rsa_key(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let integer = |number: &[u8]| {
        let number = number.iter().position(|byte| *byte > 0).and_then(|start| number.get(start..));
        let number = number.unwrap_or(&[0]);
        let sign: &[u8] = if number.first().is_some_and(|first| *first >= 0x80) { &[0] } else { &[] };
        write_der(0x02, &[sign, number].concat())
    };
    write_der(0x30, &[integer(modulus), integer(exponent)].concat())
}

fn write_der(tag: u8, content: &[u8]) -> Vec<u8> {
    // Keys are shorter than `LONGEST`.
    let [.., high, low] = content.len().to_be_bytes();
    let head: &[u8] = match (high, low) {
        (0, 0..0x80) => &[tag, low],
        (0, _) => &[tag, 0x81, low],
        _ => &[tag, 0x82, high, low],
    };
    [head, content].concat()
}

/// Verifies a registration; `read_challenge` verifies the challenge.
pub(crate) fn read_made<C>(
    party: &Party,
    client_data: &[u8],
    attestation: &[u8],
    read_challenge: impl FnOnce(&str) -> Option<C>,
) -> Result<(Made, C), Fault> {
    let challenge = read_client_data(party, "webauthn.create", client_data)?;
    let challenge = read_challenge(&challenge).ok_or(Fault::Challenge)?;
    let mut rest = attestation;
    let object = read_cbor(&mut rest)?;
    let map = object.as_map().filter(|_| rest.is_empty()).ok_or(Fault::Malformed)?;
    let data = at(map, &Value::from("authData")).and_then(Value::as_bytes).ok_or(Fault::Malformed)?;
    let signed = read_signed(party, data)?;
    if signed.flags & HAS_CREDENTIAL == 0 {
        return Err(Fault::Malformed);
    }
    let rest = signed.rest.get(16..).ok_or(Fault::Malformed)?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or(Fault::Malformed)?;
    let length = usize::from(u16::from_be_bytes(*length));
    if length == 0 || length > LONGEST_CREDENTIAL {
        return Err(Fault::Malformed);
    }
    let (credential, mut rest) = rest.split_at_checked(length).ok_or(Fault::Malformed)?;
    let (algorithm, public_key) = read_key(&read_cbor(&mut rest)?)?;
    if signed.flags & HAS_EXTENSIONS != 0 {
        read_cbor(&mut rest)?;
    }
    if !rest.is_empty() {
        return Err(Fault::Malformed);
    }
    let made = Made { credential: credential.to_vec(), algorithm, public_key, counter: signed.counter };
    Ok((made, challenge))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) client_data: &'a [u8],
    pub(crate) data: &'a [u8],
    pub(crate) signature: &'a [u8],
}

/// Verifies an assertion and returns its counter, as [`read_made`].
pub(crate) fn check_shown<C>(
    party: &Party,
    (algorithm, public_key): (Algorithm, &[u8]),
    shown: Shown<'_>,
    read_challenge: impl FnOnce(&str) -> Option<C>,
) -> Result<(u32, C), Fault> {
    let challenge = read_client_data(party, "webauthn.get", shown.client_data)?;
    let challenge = read_challenge(&challenge).ok_or(Fault::Challenge)?;
    let signed = read_signed(party, shown.data)?;
    let words = [shown.data, &Sha256::digest(shown.client_data)[..]].concat();
    let key = UnparsedPublicKey::new(algorithm.verification(), public_key);
    key.verify(&words, shown.signature).map_err(|_| Fault::Signature)?;
    Ok((signed.counter, challenge))
}

/// Decodes base64url; `None`: invalid or too long.
pub(crate) fn read_bytes(text: &str) -> Option<Vec<u8>> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok().filter(|bytes| bytes.len() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn party() -> Party {
        Party { id: "localhost".to_owned(), origin: "http://localhost".to_owned() }
    }

    const SEEN: &[u8] = br#"{"type":"webauthn.create","challenge":"c","origin":"http://localhost"}"#;

    /// Authenticator data with a P-256 key at `[4; 32]`, `[5; 32]`.
    fn data() -> Vec<u8> {
        let key: &[u8] = &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
        let key = [key, &[4; 32], &[0x22, 0x58, 32], &[5; 32]].concat();
        [&Sha256::digest("localhost")[..], &[0x45], &[0, 0, 0, 7], &[0; 16], &[0, 2], b"id", &key].concat()
    }

    fn object(data: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        let map = Value::Map(vec![(Value::from("authData"), Value::Bytes(data.to_vec()))]);
        ciborium::into_writer(&map, &mut written).expect("written");
        written
    }

    #[test]
    fn a_passkey_is_read_whole() {
        let read = |challenge: &str| (challenge == "c").then_some(());
        let (made, ()) = read_made(&party(), SEEN, &object(&data()), read).expect("made");
        assert_eq!((made.credential.as_slice(), made.counter), (b"id".as_slice(), 7));
        assert_eq!(made.algorithm, Algorithm::Es256);
        assert_eq!(made.public_key, [[4].as_slice(), &[4; 32], &[5; 32]].concat());
        assert_eq!(read_made(&party(), SEEN, &object(&data()), |_| None::<()>), Err(Fault::Challenge));
    }

    /// Of a key made by OpenSSL, with the exponent 65537.
    const MODULUS: &str = "8f518f4f767dbd5c062b14f12685147884722c1c31813e4507ee731aef3aabf3af8dc92ff35903477b43c95521c04e6a\
         646b7cc58ae714d71554763059abe6c64d42bb12ed4d770b65de32c0d5cbf4b8ba5431d7300935ebac99cabf1d32c72f\
         76ec8ad4d93b97c5a2d7d9a2abdbf6e148209aed62f9878421658461838ee4b2948d64089db86f84bb4479821dce69e4\
         4dc769aa8e5bde8c27ecdea8e80bd448210bbf428b8d839369a8d489c67bb594f5e29d78d30206550c8139e25d7b24c2\
         505ec28ebf783c4d2440b70f4f71e07bea26a23bd3973f326ad61f3a172df81bdddc09e02a1eb1f022ae00b272bb2296\
         e4450eb6421666312caee50d5497e5cd";
    /// By OpenSSL, of the authenticator data and the client data of the test.
    const SIGNATURE: &str = "3511e03b554511bdf334091b615f2f1218142bb9ccd65179e64357dd78a531b5b276425b731918d8c5ccb696d44081a3\
         adce7c0d5728cbc304d728b0193c126ad4b8b75f08b1928e0f2e9698fc4c630c8f6f7ee78c2fb38234306c726d9ab3d3\
         c67e357f538501264f182765a465fac926ca0288f5a042abd8d0ef4d4e679b1060f72c9634b508b0d53e10d236bae72c\
         49ea5b6896562a630d052b553adafb430e41c2cea19311e8c12d7a55d1daf0c00238329f03055d3fe9fcb79f55521d58\
         5b97c17e797b812a8d27abbf684ed8c028e97800be6121bd63db78a9291971332344a94a0384b0b4d0c8353b002b6ee2\
         4a899b58a8833211390aea8a1e17d6ea";

    #[test]
    fn a_passkey_of_rsa_is_read_and_its_signature_verified() {
        let bytes = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).expect("hexadecimal");
        let head: &[u8] = &[0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 1, 0];
        let key = [head, &bytes(MODULUS), &[0x21, 0x43, 1, 0, 1]].concat();
        let made =
            [&Sha256::digest("localhost")[..], &[0x45], &[0; 4], &[0; 16], &[0, 2], b"id", &key].concat();
        let (made, ()) = read_made(&party(), SEEN, &object(&made), |_| Some(())).expect("made");
        assert_eq!(made.algorithm, Algorithm::Rs256);
        let client_data = br#"{"type":"webauthn.get","challenge":"c","origin":"http://localhost"}"#;
        let data = [&Sha256::digest("localhost")[..], &[0x05, 0, 0, 0, 7]].concat();
        let mut signature = bytes(SIGNATURE);
        let check = |signature: &[u8]| {
            let shown = Shown { client_data, data: &data, signature };
            check_shown(&party(), (made.algorithm, &made.public_key), shown, |_| Some(()))
        };
        assert_eq!(check(&signature), Ok((7, ())));
        signature[9] ^= 1;
        assert_eq!(check(&signature), Err(Fault::Signature));
    }

    #[test]
    fn a_frame_of_another_site_is_refused() {
        let seen =
            br#"{"type":"webauthn.create","challenge":"c","origin":"http://localhost","crossOrigin":true}"#;
        assert_eq!(read_made(&party(), seen, &object(&data()), |_| Some(())), Err(Fault::Origin));
    }

    proptest! {
        #[test]
        fn nothing_that_comes_is_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let shown = Shown { client_data: SEEN, data: &bytes, signature: &bytes };
            prop_assert!(read_made(&party(), SEEN, &bytes, |_| Some(())).is_err());
            prop_assert!(read_made(&party(), &bytes, &bytes, |_| Some(())).is_err());
            prop_assert!(read_made(&party(), SEEN, &object(&bytes), |_| Some(())).is_err());
            prop_assert!(check_shown(&party(), (Algorithm::Es256, &bytes), shown, |_| Some(())).is_err());
        }

        #[test]
        fn a_changed_byte_is_read_or_refused(place in 0..131_usize, byte in any::<u8>(), length in 0..132_usize) {
            let mut data = data();
            if let Some(one) = data.get_mut(place) {
                *one = byte;
            }
            let _ = read_made(&party(), SEEN, &object(&data), |_| Some(()));
            data.truncate(length);
            prop_assert!(read_made(&party(), SEEN, &object(&data), |_| Some(())).is_err());
        }
    }
}
