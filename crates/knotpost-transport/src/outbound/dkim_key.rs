//! The DKIM key, and the DNS record of its public half.
//!
//! Knows keys and records; not what is signed. No error repeats anything of the key.

use std::path::Path;

use data_encoding::BASE64;
use mail_auth::common::crypto::Algorithm;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use sha2::{Digest as _, Sha256};

/// The longest string within a TXT record (RFC 1035, section 3.3).
const MAX_STRING: usize = 255;
/// DER prefix of an RSA key in a `SubjectPublicKeyInfo`: algorithm `rsaEncryption` without parameters.
const RSA_ALGORITHM: &[u8] =
    &[0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/// Reason why a key cannot sign.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("the file {0} cannot be read ({1})")]
    File(String, std::io::ErrorKind),
    /// No private key in PEM.
    #[error("there is no private key in PEM form, neither in the setting nor in the file that it names")]
    Pem,
    /// A key of another kind, or a damaged one.
    #[error("the key is neither an RSA key nor an Ed25519 key, or it is damaged")]
    Kind,
    /// An RSA key that is too short or too long.
    #[error("an RSA key must have 2048 to 4096 bits")]
    Size,
    /// The signature itself failed.
    #[error("the signature could not be made")]
    Sign,
}

/// A private key.
pub(super) enum SigningKey {
    /// RFC 6376.
    Rsa(Box<RsaKeyPair>),
    /// RFC 8463.
    Ed25519(Box<Ed25519KeyPair>),
}

/// The path of a key file, unless it could be a key given in its place: a file name has an extension, which no base64
/// text has, and its folder exists.
fn shown(path: &Path) -> String {
    let is_path = path.extension().is_some() && path.parent().is_some_and(Path::is_dir);
    if is_path { path.display().to_string() } else { "that it names".to_owned() }
}

impl SigningKey {
    /// The key that a setting holds or names: PEM text (its line ends may be written `\n`), or the path of a file.
    pub(super) fn read(setting: &str) -> Result<Self, KeyError> {
        if setting.contains("-----BEGIN") {
            return Self::from_pem(setting.replace("\\n", "\n").as_bytes());
        }
        let path = Path::new(setting);
        let pem = std::fs::read(path).map_err(|error| KeyError::File(shown(path), error.kind()))?;
        Self::from_pem(&pem)
    }

    fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let rsa = |key: Result<RsaKeyPair, ring::error::KeyRejected>| match key {
            Ok(key) => Ok(Self::Rsa(Box::new(key))),
            Err(error) if ["TooSmall", "TooLarge"].contains(&error.to_string().as_str()) => {
                Err(KeyError::Size)
            }
            Err(_) => Err(KeyError::Kind),
        };
        match PrivateKeyDer::from_pem_slice(pem).map_err(|_| KeyError::Pem)? {
            PrivateKeyDer::Pkcs1(der) => rsa(RsaKeyPair::from_der(der.secret_pkcs1_der())),
            PrivateKeyDer::Pkcs8(der) => {
                let der = der.secret_pkcs8_der();
                match Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
                    Ok(key) => Ok(Self::Ed25519(Box::new(key))),
                    Err(_) => rsa(RsaKeyPair::from_pkcs8(der)),
                }
            }
            _ => Err(KeyError::Kind),
        }
    }

    /// The name in `a=`.
    pub(super) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Rsa(_) => Algorithm::RsaSha256,
            Self::Ed25519(_) => Algorithm::Ed25519Sha256,
        }
    }

    /// The signature of `data`: always the same for the same data.
    pub(super) fn sign(&self, data: &[u8]) -> Result<Vec<u8>, KeyError> {
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature)
                    .map_err(|_| KeyError::Sign)?;
                Ok(signature)
            }
            // RFC 8463, section 3: what is signed is the digest.
            Self::Ed25519(key) => Ok(key.sign(&Sha256::digest(data)).as_ref().to_vec()),
        }
    }

    /// The text of the TXT record that lets others verify.
    pub(super) fn record(&self) -> String {
        match self {
            Self::Rsa(key) => {
                let key = BASE64.encode(&public_key_info(key.public_key().as_ref()));
                format!("v=DKIM1; k=rsa; p={key}")
            }
            Self::Ed25519(key) => {
                format!("v=DKIM1; k=ed25519; p={}", BASE64.encode(key.public_key().as_ref()))
            }
        }
    }
}

/// A TXT record as the line of a zone file: long texts are several strings there.
pub(super) fn zone_line(name: &str, text: &str) -> String {
    let strings: Vec<String> = text
        .as_bytes()
        .chunks(MAX_STRING)
        .map(|string| format!("\"{}\"", String::from_utf8_lossy(string)))
        .collect();
    format!("{name}. IN TXT ( {} )", strings.join(" "))
}

/// An RSA public key as a `SubjectPublicKeyInfo` (RFC 5280, section 4.1), the form that DNS records have.
fn public_key_info(key: &[u8]) -> Vec<u8> {
    // No bit of the last byte is unused.
    let bits = [&[0][..], key].concat();
    tagged(0x30, &[RSA_ALGORITHM.to_vec(), tagged(0x03, &bits)].concat())
}

/// One DER value.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let mut out = vec![tag];
    if content.len() < 0x80 {
        out.push(content.len() as u8);
    } else {
        let digits: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
        out.push(0x80 | digits.len() as u8);
        out.extend(digits);
    }
    out.extend_from_slice(content);
    out
}
