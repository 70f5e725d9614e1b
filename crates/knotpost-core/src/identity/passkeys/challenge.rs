//! Challenges for passkeys: random and signed by the server, so that issuing stores nothing. Each has one
//! purpose and one browser, and expires; its use is stored.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use subtle::ConstantTimeEq as _;

use crate::app::App;
use knotpost_model::Millis;
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::Purpose;

pub(crate) const GOOD_FOR_MS: i64 = 5 * 60_000;
const NONCE: usize = 16;
const TIME: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// Bound to the digest of the session.
    Add,
    /// Bound to a cookie.
    LogIn,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) nonce: String,
    pub(crate) expires_at: Millis,
}

fn sign(app: &App, aim: Aim, holder: &str, head: &[u8]) -> [u8; 32] {
    let aim: &[u8] = match aim {
        Aim::Add => b"add",
        Aim::LogIn => b"log in",
    };
    app.secret.digest(Purpose::Tokens, &[b"passkey challenge", aim, holder.as_bytes(), head])
}

/// Issues a challenge bound to `holder`.
pub(crate) fn issue(app: &App, aim: Aim, holder: &str, now: Millis) -> std::io::Result<String> {
    let nonce: [u8; NONCE] = random_bytes(app.entropy.as_ref())?;
    let head = [&nonce[..], &now.plus(GOOD_FOR_MS).0.to_be_bytes()].concat();
    let mac = sign(app, aim, holder, &head);
    Ok(BASE64URL_NOPAD.encode(&[&head[..], &mac].concat()))
}

/// Verifies signature, purpose, holder and expiry.
pub(crate) fn read(app: &App, aim: Aim, holder: &str, text: &str, now: Millis) -> Option<Challenge> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let (head, mac) = bytes.split_at_checked(NONCE + TIME)?;
    let (nonce, time) = head.split_first_chunk::<NONCE>()?;
    let expires_at = Millis(i64::from_be_bytes(time.try_into().ok()?));
    let is_ours: bool = sign(app, aim, holder, head)[..].ct_eq(mac).into();
    (is_ours && now < expires_at).then(|| Challenge { nonce: HEXLOWER.encode(nonce), expires_at })
}
