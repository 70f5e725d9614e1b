//! Reply addresses: whoever answers a board mail needs neither userid nor password.
//!
//! The token in the address says which board its reader saw, and when; it is signed over that, over the address it
//! was sent to and over the user's password hash, so that a new password ends it. A mail program that drops the
//! address still names the mail it answers, which says the same.

use data_encoding::{BASE32_NOPAD, Encoding};
use std::sync::LazyLock;
use subtle::ConstantTimeEq;

use super::Board;
use crate::app::App;
use crate::domain::{BoardKey, Millis, UserKey};
use crate::secret::Purpose;
use crate::store::{BoardRow, StoreError, Tx, UserRow, UserState};

/// Bytes of a signature: 96 bits, so that token, mark and name fit into the 64 octets of a local part.
const SIGNATURE: usize = 12;
/// A reply address is good for so many days.
const GOOD_FOR_DAYS: i64 = 90;
const DAY_MS: i64 = 86_400_000;
/// The longest local part (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;

/// Lower-case base32 without padding: mail programs change the case of addresses.
static ALPHABET: LazyLock<Encoding> = LazyLock::new(|| {
    let mut letters = BASE32_NOPAD.specification();
    letters.symbols = letters.symbols.to_ascii_lowercase();
    // The specification is the standard one in other letters, which always makes an encoding.
    letters.encoding().unwrap_or(BASE32_NOPAD)
});

/// What a mail says about its sender's right to act without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The token of a reply address.
    Token(String),
    /// The Message-IDs it answers that may be ours, the nearest first.
    Parents(Vec<String>),
}

/// What the reader of a board mail had before him.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    /// The number of the last move.
    ply: i64,
    /// Tells boards of the same ply apart: after an undo or a restart. `None`: known by its ply alone.
    stamp: Option<u16>,
}

/// A right to act without a password, verified.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// For whom.
    pub(super) user: UserRow,
    /// On which board.
    pub(super) board: BoardRow,
    /// What he saw.
    pub(super) sight: Sight,
    /// The address that the mail went to.
    pub(super) address: String,
}

/// What became of a claim.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It holds.
    Good(Box<Pass>),
    /// It was never ours, has run out, or was revoked.
    Bad,
    /// The mails it names are not known as board mails.
    Unknown,
}

/// The signed part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Payload {
    board: i64,
    ply: i64,
    address: i64,
    stamp: u16,
    expires: u16,
}

impl Payload {
    fn write(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16);
        for number in [self.board, self.ply, self.address] {
            write_number(&mut bytes, number);
        }
        bytes.extend(self.stamp.to_be_bytes());
        bytes.extend(self.expires.to_be_bytes());
        bytes
    }

    fn read(mut bytes: &[u8]) -> Option<Self> {
        let board = read_number(&mut bytes)?;
        let ply = read_number(&mut bytes)?;
        let address = read_number(&mut bytes)?;
        let [a, b, c, d] = *bytes else { return None };
        let (stamp, expires) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        Some(Self { board, ply, address, stamp, expires })
    }
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
fn write_number(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest > 0x7f {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number: u64 = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return i64::try_from(number).ok();
        }
    }
    None
}

/// The reply address for one reader of a board mail; `None` when he does not play there, or when the server's own
/// name is so long that no token fits behind it.
///
/// # Errors
/// When the database fails.
pub(super) async fn reply_address(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    user: &UserRow,
    recipient: &str,
    date: Millis,
) -> Result<Option<String>, StoreError> {
    if board.seat_of(user.id).is_none() {
        return Ok(None);
    }
    let key = recipient.to_lowercase();
    let Some(address) = tx.address_id(user.id, &key).await? else { return Ok(None) };
    let payload = Payload {
        board: board.row.id.0,
        ply: board.entries.len() as i64,
        address,
        stamp: stamp(app, board),
        expires: u16::try_from(date.0 / DAY_MS + GOOD_FOR_DAYS).unwrap_or(u16::MAX),
    };
    let mut bytes = payload.write();
    bytes.extend(sign(app, &bytes, &key, user));
    let reply = app.own.reply(&ALPHABET.encode(&bytes));
    let fits = reply.rsplit_once('@').is_some_and(|(local, _)| local.len() <= LONGEST_LOCAL);
    Ok(fits.then_some(reply))
}

fn sign(app: &App, payload: &[u8], address_key: &str, user: &UserRow) -> Vec<u8> {
    let hash = user.password_hash.as_deref().unwrap_or_default();
    let parts: [&[u8]; 4] = [b"reply", payload, address_key.as_bytes(), hash.as_bytes()];
    app.secret.digest(Purpose::Tokens, &parts).iter().take(SIGNATURE).copied().collect()
}

/// What tells this board from any other that this row had after as many moves.
fn stamp(app: &App, board: &Board) -> u16 {
    let last = board.entries.last().map_or(0, |entry| entry.row.at.0);
    let parts: [&[u8]; 3] = [b"stamp", &board.row.started_at.0.to_be_bytes(), &last.to_be_bytes()];
    let digest = app.secret.digest(Purpose::Tokens, &parts);
    u16::from_be_bytes(digest.first_chunk::<2>().copied().unwrap_or_default())
}

impl Sight {
    /// Whether the board still is what the reader of the mail saw.
    pub(super) fn is_present(self, app: &App, board: &Board) -> bool {
        self.ply == board.entries.len() as i64 && self.stamp.is_none_or(|seen| seen == stamp(app, board))
    }
}

/// Judges a claim.
///
/// # Errors
/// When the database fails.
pub(super) async fn judge(tx: &mut Tx, app: &App, claim: &Claim, now: Millis) -> Result<Verdict, StoreError> {
    match claim {
        Claim::Token(token) => {
            let pass = read_token(tx, app, token, now).await?;
            Ok(pass.map_or(Verdict::Bad, |pass| Verdict::Good(Box::new(pass))))
        }
        Claim::Parents(ids) => read_parents(tx, app, ids, now).await,
    }
}

async fn read_token(tx: &mut Tx, app: &App, token: &str, now: Millis) -> Result<Option<Pass>, StoreError> {
    let Ok(bytes) = ALPHABET.decode(token.to_ascii_lowercase().as_bytes()) else { return Ok(None) };
    let Some(split) = bytes.len().checked_sub(SIGNATURE) else { return Ok(None) };
    let (signed, signature) = bytes.split_at(split);
    let Some(payload) = Payload::read(signed) else { return Ok(None) };
    let Some((user, address)) = tx.address_by_id(payload.address).await? else { return Ok(None) };
    let Some(user) = tx.user(user).await? else { return Ok(None) };
    let right = sign(app, signed, &address.to_lowercase(), &user);
    let genuine: bool = right.as_slice().ct_eq(signature).into();
    if !genuine || now.0 / DAY_MS > i64::from(payload.expires) {
        return Ok(None);
    }
    let sight = Sight { ply: payload.ply, stamp: Some(payload.stamp) };
    pass(tx, app, user, BoardKey(payload.board), sight, address).await
}

/// The mails of ours that a mail answers. Their ids are random, kept by us, and sent to their reader alone.
async fn read_parents(tx: &mut Tx, app: &App, ids: &[String], now: Millis) -> Result<Verdict, StoreError> {
    for id in ids {
        let Some(origin) = tx.outbox_origin(id).await? else { continue };
        let (Some(user), Some(board), Some(ply)) = (origin.user_id, origin.board_id, origin.ply) else {
            continue;
        };
        let Some(user) = tx.user(UserKey(user)).await? else { continue };
        let revoked = user.password_changed_at.is_some_and(|at| at > origin.date.0);
        if revoked || now.since(origin.date).0 > GOOD_FOR_DAYS * DAY_MS {
            return Ok(Verdict::Bad);
        }
        let held = tx.address_id(user.id, &origin.recipient.to_lowercase()).await?;
        if held.is_none() {
            return Ok(Verdict::Bad);
        }
        let sight = Sight { ply, stamp: None };
        let pass = pass(tx, app, user, BoardKey(board), sight, origin.recipient).await?;
        return Ok(pass.map_or(Verdict::Bad, |pass| Verdict::Good(Box::new(pass))));
    }
    Ok(Verdict::Unknown)
}

async fn pass(
    tx: &mut Tx,
    app: &App,
    user: UserRow,
    board: BoardKey,
    sight: Sight,
    address: String,
) -> Result<Option<Pass>, StoreError> {
    let board = tx.board(board).await?.filter(|board| app.game(&board.game).is_some());
    let active = user.state == UserState::Active && user.password_hash.is_some();
    Ok(board.filter(|_| active).map(|board| Pass { user, board, sight, address }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(board in 0..i64::MAX, ply in 0..100_000_i64, address in 0..i64::MAX, stamp: u16, expires: u16) {
            let payload = Payload { board, ply, address, stamp, expires };
            prop_assert_eq!(Payload::read(&payload.write()), Some(payload));
        }

        #[test]
        fn nothing_that_is_sent_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = Payload::read(&bytes);
        }
    }

    #[test]
    fn tokens_of_a_large_server_fit_into_a_local_part() {
        let payload = Payload { board: 100_000_000, ply: 10_000, address: 1_000_000, stamp: 1, expires: 1 };
        let length = ALPHABET.encode(&[payload.write(), vec![0; SIGNATURE]].concat()).len();
        assert!("pbmserv+r.".len() + length <= LONGEST_LOCAL, "{length}");
    }

    #[test]
    fn tokens_survive_a_change_of_case() {
        let token = ALPHABET.encode(b"some bytes");
        assert_eq!(token, token.to_ascii_lowercase());
        assert_eq!(
            ALPHABET.decode(token.to_ascii_uppercase().to_ascii_lowercase().as_bytes()).ok(),
            Some(b"some bytes".to_vec())
        );
    }
}
