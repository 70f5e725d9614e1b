//! Browsers that are told when it is their user's turn: the form of webhook whose host is a push service.
//!
//! `encryption` is RFC 8291, `vapid` RFC 8292; what a browser gave of itself is kept, sealed, where other webhooks have
//! their secret.

mod encryption;
mod vapid;

use data_encoding::BASE64URL_NOPAD;
use p256::SecretKey;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::message::{Parcel, Told};
use crate::app::App;
use encryption::{AUTH, POINT, Receiver, SALT};
use knotpost_model::{HookUrl, Millis, UserKey};
use knotpost_platform::clock::{Entropy, random_bytes};
use knotpost_storage::{ReadTx, StoreError};

/// How long a push service keeps a message for a browser that is switched off, in seconds: three days.
const TTL_SECONDS: u32 = 3 * 24 * 60 * 60;
/// Characters of a `Topic` (RFC 8030, section 5.4).
const TOPIC: usize = 32;

/// What a browser gave of itself.
#[derive(Clone)]
pub(crate) struct BrowserKeys([u8; POINT + AUTH]);

impl BrowserKeys {
    /// The keys as a browser writes them: `p256dh` and `auth`, in the alphabet of addresses, padded or not.
    pub(crate) fn read(p256dh: &str, auth: &str) -> Option<Self> {
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes()).ok();
        Self::from_bytes(&[bytes(p256dh)?, bytes(auth)?].concat())
    }

    /// The keys as rows hold them, once they are unsealed.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let keys = Self(bytes.try_into().ok()?);
        keys.receiver().map(|_| keys)
    }

    /// What is to be sealed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn receiver(&self) -> Option<Receiver> {
        let (point, auth) = self.0.split_first_chunk::<POINT>()?;
        Receiver::new(*point, auth.try_into().ok()?)
    }
}

/// The server's public key, to which browsers bind what they give.
pub fn view_push_key(app: &App) -> Option<String> {
    vapid::own_key(&app.secret).map(|key| vapid::show_public(&key))
}

/// Whether it still is the turn of which a browser is to be told.
pub(super) async fn is_current(tx: &mut ReadTx, told: &Told, user: UserKey) -> Result<bool, StoreError> {
    if told.is_test() {
        return Ok(true);
    }
    let Some(found) = tx.find_seated_board(&told.data.game, told.data.number).await? else {
        return Ok(false);
    };
    let board = &found.board;
    let is_on = board.paused_at.is_none() && board.ended_at.is_none() && board.ply == told.data.ply;
    // Who plays alone knows.
    let is_alone = found.seats.iter().all(|seat| seat.user_id == user);
    let is_theirs = found.seats.iter().any(|seat| seat.to_move && seat.user_id == user);
    Ok(is_on && is_theirs && !is_alone)
}

/// The fields and the body of a request to a push service; `None`: the keys are none.
pub(super) fn pack(app: &App, (url, keys): (&HookUrl, &[u8]), told: &Told, now: Millis) -> Option<Parcel> {
    let own = vapid::own_key(&app.secret)?;
    let receiver = BrowserKeys::from_bytes(keys)?.receiver()?;
    let entropy = app.entropy.as_ref();
    let salt: [u8; SALT] = random_bytes(entropy).ok()?;
    let notice = notice(app, told);
    let body = receiver.encrypt(notice.to_string().as_bytes(), &fresh_key(entropy)?, salt)?;
    let contact = app.config.push_subject();
    let mut headers = vec![
        ("authorization", vapid::authorize(&own, url, &contact, now)),
        ("content-type", "application/octet-stream".to_owned()),
        ("content-encoding", "aes128gcm".to_owned()),
        ("ttl", TTL_SECONDS.to_string()),
    ];
    if let Some(topic) = topic(told) {
        headers.push(("topic", topic));
    }
    Some(Parcel { headers, body })
}

/// What the browser is told: the board, and that it is its user's turn.
fn notice(app: &App, told: &Told) -> serde_json::Value {
    if told.is_test() {
        let text = "This browser will tell you when it is your turn.";
        return json!({ "title": app.config.server.name, "body": text, "path": "/", "tag": "test" });
    }
    let (game, number) = (&told.data.game, told.data.number);
    let board = format!("{game}-{number}");
    json!({ "title": "Your turn", "body": told.board(app), "path": format!("/boards/{game}/{number}"), "tag": board })
}

/// By it a service that could not reach the browser keeps the newest message about a board alone; which board it is
/// cannot be read from it.
fn topic(told: &Told) -> Option<String> {
    let digest = Sha256::digest(format!("{} {} {}", told.data.game, told.data.number, told.data.user));
    BASE64URL_NOPAD.encode(&digest).get(..TOPIC).map(str::to_owned)
}

/// A key that is used once.
fn fresh_key(entropy: &dyn Entropy) -> Option<SecretKey> {
    // Nearly all random bytes are a key of the curve.
    (0..8).find_map(|_| SecretKey::from_slice(&random_bytes::<32>(entropy).ok()?).ok())
}
