//! Replies: proof that the reader of a mail acts on what it showed, without a password.
//!
//! A reply names a row of the outbox, by its signed address or by its Message-ID; what it is about is read there. A
//! Message-ID alone, where a mail program dropped the address, proves less: it counts with proof of the sender.

use knotpost_platform::secret::KeyRing;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::boards::{Board, Games};
use crate::config::REPLY_DAYS;
use crate::mailing::reply_address::{MailRef, Purpose, Token, fits};
use crate::replies::{BoardFacts, Heading};
use knotpost_model::{Address, BoardKey, Millis, TournamentName, UserKey};
use knotpost_storage::{BoardRow, HeldAnswerRow, OutboxOrigin, ReadTx, StoreError, UserRow, UserState};

const DAY_MS: i64 = 86_400_000;

/// Claim of a mail that its sender may act without a password, unverified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Tokens of the reply addresses it went to, in lower case.
    pub tokens: Vec<String>,
    /// Message-IDs it answers that may be ours, the nearest first.
    pub parents: Vec<String>,
}

impl Claim {
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.parents.is_empty()
    }

    /// True if it went to an address that ends mails, or to one that asks whether it is read.
    pub fn may_end_something(&self) -> bool {
        self.tokens.iter().any(|word| Token::read(word).is_some_and(|token| token.purpose == Purpose::End))
    }
}

/// Topic of a mail, and so the effect of its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The board: a reply acts on it.
    Play,
    /// The words of somebody: a reply says something back.
    Talk,
}

/// Subject of a reply to a mail; stored with the mail, or read from what a board mail shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// A board after so many moves, with the move of its reader that waits for `confirm`. An answer to somebody who named no
    /// user is for the one player at their address.
    Board { reader: i64, board: i64, ply: i64, submitted: Option<String> },
    /// A message of this user.
    Message { author: i64 },
    /// A tournament.
    Tournament { tournament: TournamentName },
    /// A held answer, and what tells it from one that had its number before.
    Held { id: i64, mark: u32 },
    /// The question if an address is read, and when it was asked first.
    Address { asked: Millis },
    /// A change of addresses or credentials that its reader may take back.
    Change { change: i64 },
}

impl Subject {
    /// The subject as it is stored with its mail; `None` if no reply address fits behind the server's name.
    pub(crate) fn answerable(self, app: &App) -> Option<Self> {
        fits(app).then_some(self)
    }

    /// Purpose of the address for its replies. The question if an address is read is answered with `stop` by
    /// whoever is bothered.
    pub(crate) fn purpose(&self) -> Purpose {
        match self {
            Self::Address { .. } => Purpose::End,
            _ => Purpose::Reply,
        }
    }

    pub(crate) fn to_json(&self) -> Result<String, StoreError> {
        serde_json::to_string(self).map_err(|error| StoreError::Corrupt(error.to_string()))
    }
}

/// The board as the reader of a mail saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sight {
    /// Number of the last move.
    ply: i64,
    /// Time at which it looked like that; after an undo or a new beginning it looks so later.
    at: Millis,
    /// The move shown that waits for `confirm`.
    pub(crate) submitted: Option<String>,
}

impl Sight {
    /// True if no move was made or taken back since.
    pub(crate) fn is_present(&self, board: &Board) -> bool {
        self.ply == board.entries.len() as i64
            && board.row.started_at <= self.at
            && board.entries.last().is_none_or(|last| last.row.at <= self.at)
    }
}

/// A right to act without a password, verified.
#[derive(Clone, Debug)]
pub(crate) struct ReplyGrant {
    pub(crate) user: UserRow,
    pub(crate) board: BoardRow,
    pub(crate) sight: Sight,
    pub(crate) about: About,
    /// The address that the mail went to.
    pub(crate) address: String,
    /// The held answer that it confirms.
    pub(crate) held: Option<i64>,
}

/// A mail of ours that somebody answers, with its reader.
#[derive(Clone, Debug)]
pub(crate) struct AnsweredMail {
    pub(crate) row: OutboxOrigin,
    pub(crate) reader: UserRow,
    /// `None`: nothing but ending mails of its kind.
    pub(crate) subject: Option<Subject>,
    pub(crate) about: About,
    /// Purpose of its address; `None`: the address was dropped, and the mail is named by its Message-ID.
    pub(crate) purpose: Option<Purpose>,
}

impl AnsweredMail {
    async fn of(
        tx: &mut ReadTx,
        row: OutboxOrigin,
        purpose: Option<Purpose>,
    ) -> Result<Option<Self>, StoreError> {
        let mut about = About::Play;
        let subject = match (row.user_id.zip(row.board_id), row.ply, &row.on_reply) {
            (Some((reader, board)), Some(ply), _) => {
                if board_facts(&row)?.is_some_and(|facts| facts.heading == Heading::Chat) {
                    about = About::Talk;
                }
                Some(Subject::Board { reader, board, ply, submitted: None })
            }
            (_, _, Some(json)) => {
                Some(serde_json::from_str(json).map_err(|error| StoreError::Corrupt(error.to_string()))?)
            }
            _ => None,
        };
        let reader = match subject {
            Some(Subject::Board { reader, .. }) => Some(reader),
            _ => row.user_id,
        };
        let Some(reader) = reader else { return Ok(None) };
        let Some(reader) = tx.user(UserKey(reader)).await? else { return Ok(None) };
        Ok(Some(Self { row, reader, subject, about, purpose }))
    }

    /// True if the mail can be answered by its Message-ID alone: it is of a game, and its reader plays there.
    async fn is_known_by_id(&self, tx: &mut ReadTx) -> Result<bool, StoreError> {
        match self.subject {
            Some(Subject::Board { board, .. }) => {
                let seats = tx.seats(BoardKey(board)).await?;
                Ok(seats.iter().any(|seat| seat.user_id == self.reader.id))
            }
            Some(Subject::Message { .. } | Subject::Tournament { .. } | Subject::Held { .. }) => Ok(true),
            Some(Subject::Address { .. } | Subject::Change { .. }) | None => Ok(false),
        }
    }

    /// True if its reader has chosen another password since, which ends what was mailed before.
    pub(crate) fn is_revoked(&self) -> bool {
        self.reader.password_changed_at.is_some_and(|at| at >= self.row.date.0)
    }

    /// True if its reader may act on it now: they can log in, and have proven to read where it went.
    async fn is_good(&self, tx: &mut ReadTx, now: Millis) -> Result<bool, StoreError> {
        let is_late = now.since(self.row.date).0 > i64::from(REPLY_DAYS) * DAY_MS;
        let is_active = self.reader.state == UserState::Active && self.reader.password_hash.is_some();
        Ok(!is_late && !self.is_revoked() && is_active && self.is_read_at(tx, &self.row.recipient).await?)
    }

    /// True if its reader has proven this address.
    async fn is_read_at(&self, tx: &mut ReadTx, address: &str) -> Result<bool, StoreError> {
        Ok(tx.proven_address(self.reader.id, &address.to_lowercase()).await?.is_some())
    }

    async fn is_from_reader(&self, tx: &mut ReadTx, sender: Option<&Address>) -> Result<bool, StoreError> {
        match sender {
            Some(sender) => self.is_read_at(tx, &sender.key()).await,
            None => Ok(false),
        }
    }
}

/// The mails that a claim names: those of its reply addresses, or else the nearest one that it names by Message-ID. One
/// further up the thread shows an older board.
pub(crate) async fn find_answered(
    tx: &mut ReadTx,
    secret: &KeyRing,
    claim: &Claim,
) -> Result<Vec<AnsweredMail>, StoreError> {
    let mut found = Vec::new();
    for word in &claim.tokens {
        let Some(token) = Token::read(word) else { continue };
        let Some(row) = tx.outbox_origin(token.number).await? else { continue };
        if token.is_of(secret, MailRef::from(&row)) {
            found.extend(AnsweredMail::of(tx, row, Some(token.purpose)).await?);
        }
    }
    let parents = if found.is_empty() { claim.parents.as_slice() } else { &[] };
    for id in parents {
        let Some(row) = tx.outbox_origin_by_id(id).await? else { continue };
        let Some(mail) = AnsweredMail::of(tx, row, None).await? else { continue };
        if mail.is_known_by_id(tx).await? {
            found.push(mail);
            break;
        }
    }
    Ok(found)
}

/// True if one of these mails told what somebody said.
pub(crate) fn answers_words(mails: &[AnsweredMail]) -> bool {
    mails
        .iter()
        .filter(|mail| mail.purpose != Some(Purpose::End))
        .any(|mail| mail.about == About::Talk || matches!(mail.subject, Some(Subject::Message { .. })))
}

/// Result of checking a claim.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It holds, and its sender writes from an address of the player's.
    Good(Box<ReplyGrant>),
    /// It names the mail by its Message-ID from an address of the player's, and nothing proves that they wrote.
    Unvouched(Box<ReplyGrant>),
    /// It holds, but its sender writes from an address that is not the player's.
    Foreign(Box<ReplyGrant>),
    /// It confirms an answer that is held.
    Held(Box<ReplyGrant>),
    /// It was never ours, has run out, or was revoked.
    Bad,
    /// The mails it names are about no board.
    Unknown,
}

/// Judges a claim made by `sender`, for whom their domain vouches if `aligned`: of several reply addresses the one of their
/// own counts.
pub(crate) async fn judge(
    tx: &mut ReadTx,
    app: &App,
    (claim, mails): (&Claim, &[AnsweredMail]),
    (sender, aligned): (Option<&Address>, bool),
    now: Millis,
) -> Result<Verdict, StoreError> {
    let mut foreign = None;
    let mut is_known = !claim.tokens.is_empty();
    for mail in mails {
        let by_address = mail.purpose.is_some();
        is_known |= matches!(mail.subject, Some(Subject::Board { .. }));
        let Some(grant) = read_grant(tx, &app.games, mail, now).await? else { continue };
        let is_theirs = mail.is_from_reader(tx, sender).await?;
        let grant = Box::new(grant);
        if grant.held.is_some() {
            // The question went to the player: its address is proof enough.
            if by_address || is_theirs && aligned {
                return Ok(Verdict::Held(grant));
            }
        } else if is_theirs {
            return Ok(if by_address || aligned { Verdict::Good(grant) } else { Verdict::Unvouched(grant) });
        } else {
            foreign = foreign.or(Some(grant));
        }
    }
    Ok(match foreign {
        Some(grant) => Verdict::Foreign(grant),
        None if is_known => Verdict::Bad,
        None => Verdict::Unknown,
    })
}

async fn read_grant(
    tx: &mut ReadTx,
    games: &Games,
    mail: &AnsweredMail,
    now: Millis,
) -> Result<Option<ReplyGrant>, StoreError> {
    if mail.purpose == Some(Purpose::End) || !mail.is_good(tx, now).await? {
        return Ok(None);
    }
    let (board, sight, held) = match &mail.subject {
        Some(Subject::Board { board, ply, submitted, .. }) => {
            let sight = Sight { ply: *ply, at: mail.row.date, submitted: submitted.clone() };
            (*board, sight, None)
        }
        Some(Subject::Held { id, mark }) => {
            let row = tx.held_answer(*id).await?;
            let is_meant =
                |row: &HeldAnswerRow| row.user_id == mail.reader.id.0 && held_mark(&row.words) == *mark;
            let Some(row) = row.filter(|row| is_meant(row) && now < row.until_at) else { return Ok(None) };
            let sight =
                serde_json::from_str(&row.sight).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            (row.board_id, sight, Some(*id))
        }
        _ => return Ok(None),
    };
    let board = tx.board(BoardKey(board)).await?.filter(|board| games.find(&board.game).is_some());
    let (user, about, address) = (mail.reader.clone(), mail.about, mail.row.recipient.clone());
    Ok(board.map(|board| ReplyGrant { user, board, sight, about, address, held }))
}

/// Tells the words held in one row from others that are held there later: their end, a checksum under a secret key.
pub(crate) fn held_mark(words: &[u8]) -> u32 {
    words.last_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// Author and reader of the message that a claim answers; `None`: it answers none. Who writes from an address that is not
/// the reader's answers nothing.
pub(crate) async fn find_message(
    tx: &mut ReadTx,
    mails: &[AnsweredMail],
    (sender, aligned): (Option<&Address>, bool),
    now: Millis,
) -> Result<Option<(UserRow, UserRow)>, StoreError> {
    for mail in mails {
        let Some(Subject::Message { author }) = mail.subject else { continue };
        let is_proven = mail.purpose == Some(Purpose::Reply) || mail.purpose.is_none() && aligned;
        if is_proven
            && mail.is_good(tx, now).await?
            && mail.is_from_reader(tx, sender).await?
            && let Some(author) = tx.user(UserKey(author)).await?
        {
            return Ok(Some((author, mail.reader.clone())));
        }
    }
    Ok(None)
}

/// Tournament and reader of the mail about it that a claim answers, as for [`find_message`].
pub(crate) async fn find_tournament(
    tx: &mut ReadTx,
    mails: &[AnsweredMail],
    (sender, aligned): (Option<&Address>, bool),
    now: Millis,
) -> Result<Option<(TournamentName, UserRow)>, StoreError> {
    for mail in mails {
        let Some(Subject::Tournament { tournament }) = mail.subject else { continue };
        let is_proven = mail.purpose == Some(Purpose::Reply) || mail.purpose.is_none() && aligned;
        if is_proven && mail.is_good(tx, now).await? && mail.is_from_reader(tx, sender).await? {
            return Ok(Some((tournament, mail.reader.clone())));
        }
    }
    Ok(None)
}

/// Subject of a reply to a mail about a tournament; `None` if its reader has not proven to read at `recipient`.
pub(crate) async fn tournament_subject(
    tx: &mut ReadTx,
    app: &App,
    (tournament, reader): (TournamentName, UserKey),
    recipient: &str,
) -> Result<Option<Subject>, StoreError> {
    let is_proven = tx.proven_address(reader, &recipient.to_lowercase()).await?.is_some();
    Ok(is_proven.then_some(Subject::Tournament { tournament }).and_then(|subject| subject.answerable(app)))
}

/// Subject of a reply to a mail about this board, as it is now; `None` if its reader does not play there or
/// has not proven to read at `recipient`. `submitted` is the move that the mail shows and that is not made
/// yet.
pub(crate) async fn board_subject(
    tx: &mut ReadTx,
    app: &App,
    board: &Board,
    user: &UserRow,
    recipient: &str,
    submitted: Option<&str>,
) -> Result<Option<Subject>, StoreError> {
    let is_proven = tx.proven_address(user.id, &recipient.to_lowercase()).await?.is_some();
    if board.seat_of(user.id).is_none() || !is_proven {
        return Ok(None);
    }
    let subject = Subject::Board {
        reader: user.id.0,
        board: board.row.id.0,
        ply: board.entries.len() as i64,
        submitted: submitted.map(ToOwned::to_owned),
    };
    Ok(subject.answerable(app))
}

/// Subject of a reply to a message of `author`; `None` if its reader has not proven to read at `recipient`.
pub(crate) async fn message_subject(
    tx: &mut ReadTx,
    app: &App,
    (author, reader): (UserKey, &UserRow),
    recipient: &str,
) -> Result<Option<Subject>, StoreError> {
    let is_proven = tx.proven_address(reader.id, &recipient.to_lowercase()).await?.is_some();
    Ok(is_proven.then_some(Subject::Message { author: author.0 }).and_then(|subject| subject.answerable(app)))
}

/// The facts of a board mail; `None`: it is another mail.
pub(crate) fn board_facts(row: &OutboxOrigin) -> Result<Option<BoardFacts>, StoreError> {
    let facts = row.facts.as_deref().map(serde_json::from_str).transpose();
    facts.map_err(|error| StoreError::Corrupt(error.to_string()))
}
