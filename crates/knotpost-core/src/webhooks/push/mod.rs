//! Browser pushes: the webhook format whose host is a push service.
//!
//! `encryption` is RFC 8291, `vapid` RFC 8292; the browser's keys are sealed in the column of other webhooks'
//! secrets.

mod encryption;
mod vapid;

use crate::boards::Games;
use crate::config::Config;
use data_encoding::BASE64URL_NOPAD;
use knotpost_platform::secret::KeyRing;
use p256::SecretKey;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::message::{Parcel, Told};
use crate::app::App;
use encryption::{AUTH, POINT, Receiver, SALT};
use knotpost_model::{HookUrl, Millis, UserKey};
use knotpost_platform::clock::{Entropy, random_bytes};
use knotpost_storage::{ReadTx, StoreError};

/// Time for which a push service stores a message for an offline browser.
const TTL_SECONDS: u32 = 3 * 24 * 60 * 60;
/// Characters of a `Topic` (RFC 8030, section 5.4).
const TOPIC: usize = 32;

#[derive(Clone)]
pub(crate) struct BrowserKeys([u8; POINT + AUTH]);

impl BrowserKeys {
    /// Decodes `p256dh` and `auth`: base64url, padded or not.
    pub(crate) fn read(p256dh: &str, auth: &str) -> Option<Self> {
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes()).ok();
        Self::from_bytes(&[bytes(p256dh)?, bytes(auth)?].concat())
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let keys = Self(bytes.try_into().ok()?);
        keys.receiver().map(|_| keys)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn receiver(&self) -> Option<Receiver> {
        let (point, auth) = self.0.split_first_chunk::<POINT>()?;
        Receiver::new(*point, auth.try_into().ok()?)
    }
}

/// Public key to which browsers bind their subscriptions.
pub fn view_push_key(secret: &KeyRing) -> Option<String> {
    vapid::own_key(secret).map(|key| vapid::show_public(&key))
}

pub(super) async fn is_current(tx: &mut ReadTx, told: &Told, user: UserKey) -> Result<bool, StoreError> {
    if told.is_test() || told.is_about_tournament() {
        return Ok(true);
    }
    let Some(found) = tx.find_seated_board(&told.data.game, told.data.number).await? else {
        return Ok(false);
    };
    let board = &found.board;
    let is_on = board.paused_at.is_none() && board.ended_at.is_none() && board.ply == told.data.ply;
    // No need to tell a user who plays all seats.
    let is_alone = found.seats.iter().all(|seat| seat.user_id == user);
    let is_theirs = found.seats.iter().any(|seat| seat.to_move && seat.user_id == user);
    Ok(is_on && is_theirs && !is_alone)
}

/// Request to a push service; `None`: the keys are invalid.
pub(super) fn pack(app: &App, (url, keys): (&HookUrl, &[u8]), told: &Told, now: Millis) -> Option<Parcel> {
    let own = vapid::own_key(&app.secret)?;
    let receiver = BrowserKeys::from_bytes(keys)?.receiver()?;
    let entropy = app.entropy.as_ref();
    let salt: [u8; SALT] = random_bytes(entropy).ok()?;
    let notice = notice(&app.config, &app.games, told);
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

fn notice(config: &Config, games: &Games, told: &Told) -> serde_json::Value {
    if told.is_test() {
        let text = "This browser will tell you when it is your turn.";
        return json!({ "title": config.server.name, "body": text, "path": "/", "tag": "test" });
    }
    let (game, number) = (&told.data.game, told.data.number);
    let board = format!("{game}-{number}");
    json!({ "title": "Your turn", "body": told.board(games), "path": format!("/boards/{game}/{number}"), "tag": board })
}

/// Lets a push service drop older messages about the same board, without revealing it.
fn topic(told: &Told) -> Option<String> {
    let digest = Sha256::digest(format!("{} {} {}", told.data.game, told.data.number, told.data.user));
    BASE64URL_NOPAD.encode(&digest).get(..TOPIC).map(str::to_owned)
}

fn fresh_key(entropy: &dyn Entropy) -> Option<SecretKey> {
    // Nearly all random bytes are a valid key.
    (0..8).find_map(|_| SecretKey::from_slice(&random_bytes::<32>(entropy).ok()?).ok())
}
