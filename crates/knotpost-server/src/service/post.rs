//! Putting mail into the outbox, inside the transaction that causes it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pass::{Pass, reply_address};
use super::{Board, Prepared, Reply};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{Address, BoardRef, Millis, RemarkKey, UserKey};
use crate::secret::to_hex;
use crate::store::{BoardMail, NewOutbox, StoreError, Tx};

/// What kind of board mail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// A challenge: the first board.
    New,
    /// After a move.
    Summary,
    /// Asked for.
    Show,
    /// As it would be.
    Preview,
    /// Somebody said something.
    Chat,
}

/// Something the reader of a board mail should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Somebody declined and the game began again without him.
    Restarted {
        /// Who declined.
        declined: String,
    },
    /// The boards' players' result does not count.
    Unrated,
    /// Somebody took over the other side.
    Swapped {
        /// Who.
        by: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restarted { declined } => {
                write!(f, "{declined} declined; the game begins again without {declined}.")
            }
            Self::Unrated => f.write_str("This board is unrated."),
            Self::Swapped { by } => write!(f, "{by} swapped: the players have changed sides."),
        }
    }
}

/// What a board mail shows beside the board itself. Stored with the mail: it never changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardFacts {
    /// What kind of mail it is.
    pub heading: Heading,
    /// What was said with it.
    pub remark: Option<RemarkKey>,
    /// Who watched the board then.
    pub subscribers: Vec<String>,
    /// What the readers should know.
    pub notes: Vec<Note>,
}

impl BoardFacts {
    /// Facts of a board that is only shown.
    pub fn plain(heading: Heading) -> Self {
        Self { heading, remark: None, subscribers: Vec::new(), notes: Vec::new() }
    }
}

/// Everything around the content of a mail.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// To whom.
    pub recipient: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
    /// The message it answers.
    pub in_reply_to: Option<String>,
    /// Whether it answers a mail, or was caused by something else.
    pub is_answer: bool,
    /// The board whose thread it belongs to.
    pub board: Option<BoardRef>,
    /// Where it is answered, when not at the server's plain address.
    pub reply_to: Option<String>,
}

/// Turns what the server says into a message. Lives outside: use cases know no MIME.
pub trait Composer: Send + Sync {
    /// The whole message.
    ///
    /// # Errors
    /// When a template or a header cannot be made.
    fn compose(&self, reply: &Reply, envelope: &Envelope) -> Result<Vec<u8>, String>;

    /// The name of the reply's kind, as stored with the mail.
    fn kind(&self, reply: &Reply) -> &'static str;

    /// Subject and text alone.
    ///
    /// # Errors
    /// When a template is wrong.
    fn text(&self, reply: &Reply) -> Result<(String, String), String>;
}

/// The addresses the server writes to for this user.
pub(super) async fn registered_addresses(
    tx: &mut Tx,
    app: &App,
    user: UserKey,
) -> Result<Vec<String>, StoreError> {
    let confirmed_only = app.config.confirms_addresses();
    let rows = tx.addresses(user).await?;
    Ok(rows
        .into_iter()
        .filter(|row| row.verified_at.is_some() || !confirmed_only)
        .map(|row| row.address)
        .collect())
}

fn new_message_id(app: &App) -> Result<String, StoreError> {
    let id: [u8; 16] = random_bytes(app.entropy.as_ref())?;
    Ok(app.own.message_id(&to_hex(&id)))
}

/// Queues a mail to one address; `in_reply_to` names the mail it answers.
///
/// # Errors
/// When the database fails or the mail cannot be written.
pub async fn post_to_address(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    in_reply_to: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    post_answerable(tx, app, reply, recipient, user, (in_reply_to, None), now).await
}

/// As [`post_to_address`], for a mail that is answered at an address of its own: `thread` holds the mail it answers
/// and that address.
async fn post_answerable(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<String>),
    now: Millis,
) -> Result<(), StoreError> {
    let (in_reply_to, reply_to) = thread;
    let envelope = Envelope {
        recipient: recipient.to_string(),
        message_id: new_message_id(app)?,
        date: now,
        in_reply_to: in_reply_to.map(ToOwned::to_owned),
        is_answer: in_reply_to.is_some(),
        board: None,
        reply_to,
    };
    let bytes = app.composer.compose(reply, &envelope).map_err(StoreError::Corrupt)?;
    let mail = NewOutbox {
        kind: app.composer.kind(reply),
        recipient: envelope.recipient,
        user,
        content: Err(bytes),
        message_id: envelope.message_id,
        date: now,
    };
    tx.insert_outbox(&mail).await
}

/// Answers the sender of a prepared command; who answered a board mail can answer this as well.
///
/// # Errors
/// As [`post_to_address`].
pub async fn post_answer(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    reply: &Reply,
    in_reply_to: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(sender) = &prepared.origin.sender else { return Ok(()) };
    let reply_to = match prepared.pass().filter(|_| !prepared.is_foreign()) {
        Some(pass) => answer_address(tx, app, pass, &sender.to_string(), now).await?,
        None => None,
    };
    post_answerable(tx, app, reply, sender, None, (in_reply_to, reply_to), now).await
}

/// Asks the player at his own address whether it was he who answered from another one.
///
/// # Errors
/// As [`post_to_address`].
pub async fn ask_for_confirmation(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(pass) = prepared.pass() else { return Ok(()) };
    let Ok(address) = pass.address.parse() else { return Ok(()) };
    let Some(board) = Board::load(tx, app, &pass.board.game, pass.board.number as u32).await? else {
        return Ok(());
    };
    let sender = prepared.origin.sender.as_ref().map(ToString::to_string).unwrap_or_default();
    let reply = Reply::ForeignAnswer {
        title: board.title().to_owned(),
        number: board.row.number as u32,
        userid: pass.user.userid.clone(),
        sender,
        line: prepared.echo.clone(),
    };
    let reply_to = reply_address(tx, app, &board, &pass.user, &pass.address, now).await?;
    post_answerable(tx, app, &reply, &address, Some(pass.user.id), (None, reply_to), now).await
}

async fn answer_address(
    tx: &mut Tx,
    app: &App,
    pass: &Pass,
    recipient: &str,
    now: Millis,
) -> Result<Option<String>, StoreError> {
    match Board::load(tx, app, &pass.board.game, pass.board.number as u32).await? {
        Some(board) => reply_address(tx, app, &board, &pass.user, recipient, now).await,
        None => Ok(None),
    }
}

/// Queues a mail to all registered addresses of a user.
pub(super) async fn post_to_user(
    tx: &mut Tx,
    app: &App,
    reply: &Reply,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    for address in registered_addresses(tx, app, user).await? {
        if let Ok(address) = address.parse() {
            post_to_address(tx, app, reply, &address, Some(user), None, now).await?;
        }
    }
    Ok(())
}

/// Queues the board, as it stands now, to each of its players and subscribers.
pub(super) async fn post_board(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<BoardFacts, StoreError> {
    let watchers = tx.subscribers(board.row.id).await?;
    let players: Vec<UserKey> = board.seats.iter().map(|row| row.user_id).collect();
    let watchers: Vec<_> =
        watchers.into_iter().filter(|(key, _)| !players.contains(&UserKey(*key))).collect();
    let facts = BoardFacts { subscribers: watchers.iter().map(|(_, name)| name.clone()).collect(), ..facts };
    let stored = serde_json::to_string(&facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let mut readers: Vec<UserKey> = Vec::new();
    for reader in players.into_iter().chain(watchers.iter().map(|(key, _)| UserKey(*key))) {
        if !readers.contains(&reader) {
            readers.push(reader);
        }
    }
    for reader in readers {
        for recipient in registered_addresses(tx, app, reader).await? {
            let mail = NewOutbox {
                kind: "board",
                recipient,
                user: Some(reader),
                content: Ok(BoardMail { board: board.row.id, ply: board.row.ply, facts: stored.clone() }),
                message_id: new_message_id(app)?,
                date: now,
            };
            tx.insert_outbox(&mail).await?;
        }
    }
    Ok(facts)
}
