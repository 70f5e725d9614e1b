//! Verification of a browser's passkey messages (Web Authentication Level 3, sections 7.1 and 7.2), without
//! users or database.
//!
//! Attestation is neither requested nor checked: any authenticator is welcome.

use ciborium::Value;
use data_encoding::BASE64URL_NOPAD;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
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
}

impl Algorithm {
    pub(crate) const ALL: [Self; 2] = [Self::Es256, Self::EdDsa];

    /// COSE number (RFC 9053).
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Es256 => -7,
            Self::EdDsa => -8,
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
    let part = |label: i64| {
        let bytes = at(map, &Value::from(label)).and_then(Value::as_bytes);
        bytes.filter(|bytes| bytes.len() == 32).ok_or(Fault::Malformed)
    };
    let algorithm = number(3).and_then(Algorithm::from_number).ok_or(Fault::Algorithm)?;
    match (algorithm, number(1), number(-1)) {
        (Algorithm::Es256, Some(2), Some(1)) => {
            Ok((algorithm, [&[4][..], part(-2)?.as_slice(), part(-3)?.as_slice()].concat()))
        }
        (Algorithm::EdDsa, Some(1), Some(6)) => Ok((algorithm, part(-2)?.clone())),
        _ => Err(Fault::Algorithm),
    }
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
    let verified = match algorithm {
        Algorithm::Es256 => {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, public_key).verify(&words, shown.signature)
        }
        Algorithm::EdDsa => UnparsedPublicKey::new(&ED25519, public_key).verify(&words, shown.signature),
    };
    verified.map_err(|_| Fault::Signature)?;
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
