//! What a passkey signs: a random number that the server has signed, so that it stores nothing for whoever asks. It is
//! for one purpose and one browser, and expires; that it was answered is stored.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use subtle::ConstantTimeEq as _;

use crate::app::App;
use knotpost_model::Millis;
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::Purpose;

/// For how long a challenge can be answered.
pub(crate) const GOOD_FOR_MS: i64 = 5 * 60_000;
const NONCE: usize = 16;
const TIME: usize = 8;

/// What a challenge is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// To add a passkey, in the session of this digest.
    Add,
    /// To log in, in the browser with this cookie.
    LogIn,
}

/// A challenge that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// What tells it from others.
    pub(crate) nonce: String,
    /// Until when it can be answered.
    pub(crate) expires_at: Millis,
}

fn sign(app: &App, aim: Aim, holder: &str, head: &[u8]) -> [u8; 32] {
    let aim: &[u8] = match aim {
        Aim::Add => b"add",
        Aim::LogIn => b"log in",
    };
    app.secret.digest(Purpose::Tokens, &[b"passkey challenge", aim, holder.as_bytes(), head])
}

/// A new challenge for whoever has `holder`.
pub(crate) fn issue(app: &App, aim: Aim, holder: &str, now: Millis) -> std::io::Result<String> {
    let nonce: [u8; NONCE] = random_bytes(app.entropy.as_ref())?;
    let head = [&nonce[..], &now.plus(GOOD_FOR_MS).0.to_be_bytes()].concat();
    let mac = sign(app, aim, holder, &head);
    Ok(BASE64URL_NOPAD.encode(&[&head[..], &mac].concat()))
}

/// The challenge, if it is one of ours for this purpose and holder that has not expired.
pub(crate) fn read(app: &App, aim: Aim, holder: &str, text: &str, now: Millis) -> Option<Challenge> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let (head, mac) = bytes.split_at_checked(NONCE + TIME)?;
    let (nonce, time) = head.split_first_chunk::<NONCE>()?;
    let expires_at = Millis(i64::from_be_bytes(time.try_into().ok()?));
    let is_ours: bool = sign(app, aim, holder, head)[..].ct_eq(mac).into();
    (is_ours && now < expires_at).then(|| Challenge { nonce: HEXLOWER.encode(nonce), expires_at })
}
