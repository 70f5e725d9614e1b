//! Who answers a board mail needs neither userid nor password: what a reply address entitles to.
//!
//! A mail program that drops the address still names the mail it answers, which says the same: the ids of our mails
//! are random, and sent to their reader alone.

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::boards::Board;
use crate::mailing::token;
use crate::mailing::token::{About, Payload, ReplyTo, Subject, Unproven, day};
use knotpost_model::{Address, BoardKey, Millis, UserKey};
use knotpost_platform::secret::Purpose;
use knotpost_storage::{BoardRow, ReadTx, StoreError, UserRow, UserState};

/// For how many days a reply address is good.
const GOOD_FOR_DAYS: i64 = 90;
const DAY_MS: i64 = 86_400_000;

/// What a mail says about its sender's right to act without a password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The tokens of the reply addresses it went to.
    pub tokens: Vec<String>,
    /// The Message-IDs it answers that may be ours, the nearest first.
    pub parents: Vec<String>,
}

impl Claim {
    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.parents.is_empty()
    }

    /// Returns true if it says of itself that it does what a link does, or answers the question whether an address is
    /// read.
    pub fn may_end_something(&self) -> bool {
        let tokens = self.tokens.iter().filter_map(|word| Unproven::read(word));
        tokens
            .into_iter()
            .any(|token| matches!(token.payload.subject, Subject::Link { .. } | Subject::Address))
    }

    /// Whether it says of itself that it answers what somebody said.
    pub(crate) fn answers_words(&self) -> bool {
        self.tokens.iter().filter_map(|word| Unproven::read(word)).any(|token| {
            matches!(
                token.payload.subject,
                Subject::Message { .. } | Subject::Board { about: About::Talk, .. }
            )
        })
    }
}

/// What the reader of a board mail saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// The number of the last move.
    ply: i64,
    proof: Proof,
}

/// Tells boards of the same ply apart: after an undo, or when the game began again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Proof {
    /// The digest of the board's state then.
    #[serde(rename = "stamp")]
    Digest(u16),
    /// The moment at which it looked like that.
    Date(i64),
}

/// A right to act without a password, verified.
#[derive(Clone, Debug)]
pub(crate) struct ReplyGrant {
    /// For whom.
    pub(crate) user: UserRow,
    pub(crate) board: BoardRow,
    /// What they saw.
    pub(crate) sight: Sight,
    /// What the mail was about.
    pub(crate) about: About,
    /// The address that the mail went to.
    pub(crate) address: String,
    /// The row that holds the answer which this grant confirms.
    pub(crate) held: Option<i64>,
}

/// What became of a claim.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It holds, and its sender writes from an address of the player's.
    Good(Box<ReplyGrant>),
    /// It holds, but its sender writes from an address that is not the player's.
    Foreign(Box<ReplyGrant>),
    /// It confirms an answer that is held.
    Held(Box<ReplyGrant>),
    /// It was never ours, has run out, or was revoked.
    Bad,
    /// The mails it names are not known as board mails.
    Unknown,
}

/// The reply address for one reader of a board mail, at the address of that row; `None` when they do not play there, or
/// when no token fits behind the server's name. `submitted` is the move that the mail shows and that is not made yet.
pub(crate) fn reply_address(
    app: &App,
    board: &Board,
    user: &UserRow,
    (address, recipient): (i64, &str),
    (about, submitted): (About, Option<&str>),
    date: Millis,
) -> Option<ReplyTo> {
    let seat = board.seat_of(user.id)?.seat;
    let ply = board.entries.len() as i64;
    let state_digest = state_digest(app, board, submitted);
    let subject = Subject::Board { board: board.row.id.0, seat, ply, state_digest, about };
    let payload = Payload { subject, address, expires: day(date, GOOD_FOR_DAYS) };
    token::reply_address(app, payload, recipient, user)
}

/// As [`reply_address`], whatever address it goes to; `None` as well when the user has not proven to read there.
pub(crate) async fn reply_address_at(
    tx: &mut ReadTx,
    app: &App,
    board: &Board,
    user: &UserRow,
    recipient: &str,
    submitted: Option<&str>,
    date: Millis,
) -> Result<Option<ReplyTo>, StoreError> {
    if board.seat_of(user.id).is_none() {
        return Ok(None);
    }
    let address = tx.proven_address(user.id, &recipient.to_lowercase()).await?;
    Ok(address.and_then(|address| {
        reply_address(app, board, user, (address, recipient), (About::Play, submitted), date)
    }))
}

/// The reply address with which the reader of a message answers its author; `None` when the reader has not proven to
/// read at this address.
pub(crate) async fn message_address_at(
    tx: &mut ReadTx,
    app: &App,
    (author, reader): (UserKey, &UserRow),
    recipient: &str,
    date: Millis,
) -> Result<Option<ReplyTo>, StoreError> {
    let address = tx.proven_address(reader.id, &recipient.to_lowercase()).await?;
    Ok(address.and_then(|address| {
        let subject = Subject::Message { author: author.0 };
        let payload = Payload { subject, address, expires: day(date, GOOD_FOR_DAYS) };
        token::reply_address(app, payload, recipient, reader)
    }))
}

/// The author of the message that a claim answers, and its reader; `None`: it answers none. Who writes from an address
/// that is not the reader's answers nothing.
pub(crate) async fn read_message_claim(
    tx: &mut ReadTx,
    app: &App,
    claim: &Claim,
    sender: Option<&Address>,
    now: Millis,
) -> Result<Option<(UserRow, UserRow)>, StoreError> {
    let Some(sender) = sender else { return Ok(None) };
    for word in &claim.tokens {
        let Some(token) = Unproven::read(word) else { continue };
        let Subject::Message { author } = token.payload.subject else { continue };
        let Some((reader, _)) = read_genuine(tx, app, &token, now).await? else { continue };
        let writes = tx.proven_address(reader.id, &sender.key()).await?.is_some();
        let active = reader.state == UserState::Active && reader.password_hash.is_some();
        if let Some(author) = tx.user(UserKey(author)).await?.filter(|_| writes && active) {
            return Ok(Some((author, reader)));
        }
    }
    Ok(None)
}

/// What tells this board from any other that this row had after as many moves.
fn state_digest(app: &App, board: &Board, submitted: Option<&str>) -> u16 {
    let last = board.entries.last().map_or(0, |entry| entry.row.at.0);
    let parts: [&[u8]; 4] = [
        b"stamp",
        &board.row.started_at.0.to_be_bytes(),
        &last.to_be_bytes(),
        submitted.unwrap_or_default().as_bytes(),
    ];
    let digest = app.secret.digest(Purpose::Tokens, &parts);
    u16::from_be_bytes(digest.first_chunk::<2>().copied().unwrap_or_default())
}

impl Sight {
    /// Whether the board still is what the reader of the mail saw; `submitted` is the move that waits for their
    /// confirmation.
    pub(crate) fn is_present(self, app: &App, board: &Board, submitted: Option<&str>) -> bool {
        let same = match self.proof {
            Proof::Digest(seen) => {
                seen == state_digest(app, board, None)
                    || submitted.is_some_and(|_| seen == state_digest(app, board, submitted))
            }
            Proof::Date(seen) => {
                board.row.started_at.0 <= seen
                    && board.entries.last().is_none_or(|last| last.row.at.0 <= seen)
            }
        };
        same && self.ply == board.entries.len() as i64
    }
}

/// Judges a claim made by `sender`: of several reply addresses the one of their own counts.
pub(crate) async fn judge(
    tx: &mut ReadTx,
    app: &App,
    claim: &Claim,
    sender: Option<&Address>,
    now: Millis,
) -> Result<Verdict, StoreError> {
    let mut foreign = None;
    for word in &claim.tokens {
        match read_token(tx, app, word, now).await? {
            Some(grant) if grant.held.is_some() => return Ok(Verdict::Held(Box::new(grant))),
            Some(grant) if is_theirs(tx, &grant, sender).await? => return Ok(Verdict::Good(Box::new(grant))),
            Some(grant) => foreign = foreign.or(Some(grant)),
            None => {}
        }
    }
    let mut known = !claim.tokens.is_empty();
    if foreign.is_none() {
        for id in &claim.parents {
            let Some(found) = read_parent(tx, app, id, now).await? else { continue };
            known = true;
            match found {
                Some(grant) if is_theirs(tx, &grant, sender).await? => {
                    return Ok(Verdict::Good(Box::new(grant)));
                }
                Some(grant) => foreign = Some(grant),
                None => {}
            }
            // A mail further up the thread shows an older board.
            break;
        }
    }
    Ok(match foreign {
        Some(grant) => Verdict::Foreign(Box::new(grant)),
        None if known => Verdict::Bad,
        None => Verdict::Unknown,
    })
}

async fn is_theirs(
    tx: &mut ReadTx,
    grant: &ReplyGrant,
    sender: Option<&Address>,
) -> Result<bool, StoreError> {
    match sender {
        Some(sender) => Ok(tx.proven_address(grant.user.id, &sender.key()).await?.is_some()),
        None => Ok(false),
    }
}

async fn read_token(
    tx: &mut ReadTx,
    app: &App,
    word: &str,
    now: Millis,
) -> Result<Option<ReplyGrant>, StoreError> {
    let Some(token) = Unproven::read(word) else { return Ok(None) };
    let Some((user, address)) = read_genuine(tx, app, &token, now).await? else { return Ok(None) };
    match token.payload.subject {
        Subject::Address | Subject::Message { .. } | Subject::Link { .. } => Ok(None),
        Subject::Board { board, ply, state_digest, about, .. } => {
            let sight = Sight { ply, proof: Proof::Digest(state_digest) };
            let grant = grant_for(tx, app, user, BoardKey(board), sight, address).await?;
            Ok(grant.map(|grant| ReplyGrant { about, ..grant }))
        }
        Subject::Held { id, mark } => {
            let row = tx.held_answer(id).await?;
            let Some(row) = row.filter(|row| row.user_id == user.id.0 && held_mark(&row.words) == mark)
            else {
                return Ok(None);
            };
            let sight =
                serde_json::from_str(&row.sight).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            let grant = grant_for(tx, app, user, BoardKey(row.board_id), sight, address).await?;
            Ok(grant.filter(|_| now < row.until_at).map(|grant| ReplyGrant { held: Some(id), ..grant }))
        }
    }
}

/// The user of a token that is ours and good, and the address it went to.
async fn read_genuine(
    tx: &mut ReadTx,
    app: &App,
    token: &Unproven,
    now: Millis,
) -> Result<Option<(UserRow, String)>, StoreError> {
    let Some((user, address)) = tx.address_by_id(token.payload.address).await? else { return Ok(None) };
    let Some(user) = tx.user(user).await? else { return Ok(None) };
    if !token.is_genuine(app, &address, &user) || token.has_expired(now) {
        return Ok(None);
    }
    // What was sent to an address before it was proven entitles to nothing but to prove it.
    let is_proven = tx.proven_address(user.id, &address.to_lowercase()).await?.is_some();
    Ok(is_proven.then_some((user, address)))
}

/// The board mail of ours with this id: `None` when there is none, `Some(None)` when it entitles to nothing any more.
async fn read_parent(
    tx: &mut ReadTx,
    app: &App,
    id: &str,
    now: Millis,
) -> Result<Option<Option<ReplyGrant>>, StoreError> {
    let Some(origin) = tx.outbox_origin(id).await? else { return Ok(None) };
    let (Some(user), Some(board), Some(ply)) = (origin.user_id, origin.board_id, origin.ply) else {
        return Ok(None);
    };
    let Some(user) = tx.user(UserKey(user)).await? else { return Ok(None) };
    if tx.seats(BoardKey(board)).await?.iter().all(|seat| seat.user_id != user.id) {
        // Whoever only watches has no say.
        return Ok(None);
    }
    let revoked = user.password_changed_at.is_some_and(|at| at > origin.date.0);
    if revoked || now.since(origin.date).0 > GOOD_FOR_DAYS * DAY_MS {
        return Ok(Some(None));
    }
    if tx.proven_address(user.id, &origin.recipient.to_lowercase()).await?.is_none() {
        return Ok(Some(None));
    }
    let sight = Sight { ply, proof: Proof::Date(origin.date.0) };
    grant_for(tx, app, user, BoardKey(board), sight, origin.recipient).await.map(Some)
}

/// What tells the words held in one row from others that are held there later: their end, which is a checksum under a
/// secret key.
pub(crate) fn held_mark(words: &[u8]) -> u32 {
    words.last_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

async fn grant_for(
    tx: &mut ReadTx,
    app: &App,
    user: UserRow,
    board: BoardKey,
    sight: Sight,
    address: String,
) -> Result<Option<ReplyGrant>, StoreError> {
    let board = tx.board(board).await?.filter(|board| app.game(&board.game).is_some());
    let active = user.state == UserState::Active && user.password_hash.is_some();
    let about = About::Play;
    Ok(board.filter(|_| active).map(|board| ReplyGrant { user, board, sight, about, address, held: None }))
}
