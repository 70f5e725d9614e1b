//! What a mail of the outbox is written from: boards, seats, remarks and letters, read for several mails in one
//! transaction.
//!
//! Knows neither transports nor how a mail is written: the same function shows an administrator a mail that waits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use knotpost_rules::View;

use crate::app::App;
use crate::boards::view_again;
use crate::mailing::board_letters::{BoardLetter, ShownPosition, Sources, letter_by_reference};
use crate::mailing::bounces::{CONFIRMATION_KIND, STOPPED};
use crate::mailing::outbox::{Lease, LeasedMail};
use crate::mailing::references::{Referred, referred_to};
use crate::replies::{Addressee, BoardFacts, Envelope, Letter, MailForm, Refusing, Reply, StoredDraft};
use knotpost_model::{BoardKey, BoardRef, Millis, OutboxKey, RemarkKey};
use knotpost_storage::{
    DO_NOT_MAIL, DeliveryStatus, MoveRow, OutboxRow, ReadTx, RemarkRow, SeatedBoard, StoreError,
};

/// What was read for a leased mail.
#[derive(Debug)]
pub enum LoadedMail {
    /// The mail has ended, or another process has leased it.
    Unavailable,
    /// The mail is to be written.
    Ready {
        /// What it is written from.
        content: MailContent,
        /// Whether a newer mail about the board to the same address waits.
        has_newer: bool,
    },
}

impl LoadedMail {
    /// Whether the mail may be coalesced with a newer one that waits.
    pub fn may_coalesce(&self) -> bool {
        matches!(self, Self::Ready { has_newer: true, .. })
    }
}

/// What a mail is written from.
#[derive(Debug)]
pub enum MailContent {
    /// The message is stored.
    Stored,
    Reply(Box<(Reply, Envelope)>),
    /// A letter with pictures, each by its content id.
    Letter(Box<Letter>, Vec<(String, Arc<View>)>),
    /// There is nothing to send any more, for this reason.
    Dropped(&'static str),
}

/// The content of a row, before anything it refers to is read.
enum RowContent<'r> {
    Message,
    Reference(&'r str),
    Board(BoardKey, i64, Box<BoardFacts>),
}

impl<'r> RowContent<'r> {
    fn read(row: &'r OutboxRow) -> Result<Self, StoreError> {
        if row.rendered.is_some() {
            return Ok(Self::Message);
        }
        match (row.board_id, row.ply, &row.facts) {
            (None, _, Some(facts)) => Ok(Self::Reference(facts)),
            (Some(board), Some(ply), Some(facts)) => {
                let facts =
                    serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
                Ok(Self::Board(BoardKey(board), ply, facts))
            }
            _ => Err(StoreError::Corrupt("an outgoing mail has neither text nor facts".to_owned())),
        }
    }
}

/// The rows that several mails are built from.
struct LoadedRows {
    statuses: HashMap<OutboxKey, DeliveryStatus>,
    boards: HashMap<BoardKey, SeatedBoard>,
    moves: HashMap<BoardKey, Vec<MoveRow>>,
    remarks: HashMap<RemarkKey, RemarkRow>,
    /// The positions that mails show, each made when the first of them is loaded.
    shown: HashMap<(BoardKey, i64), ShownPosition>,
}

impl LoadedRows {
    async fn read(tx: &mut ReadTx, rows: &[OutboxRow], until: Millis) -> Result<Self, StoreError> {
        let (mut boards, mut remarks) = (Vec::new(), Vec::new());
        for row in rows {
            // A row that cannot be decoded fails when its own mail is loaded.
            if let Ok(RowContent::Board(board, _, facts)) = RowContent::read(row) {
                boards.push(board);
                remarks.extend(facts.remarks());
            }
        }
        boards.sort_unstable();
        boards.dedup();
        remarks.sort_unstable_by_key(|key| key.0);
        remarks.dedup();
        let statuses = tx.delivery_statuses(rows, until).await?;
        Ok(Self {
            statuses: statuses.into_iter().map(|status| (status.id, status)).collect(),
            boards: tx.seated_boards(&boards).await?,
            moves: tx.moves_of(&boards).await?,
            remarks: tx.remarks(&remarks).await?.into_iter().map(|remark| (remark.id, remark)).collect(),
            shown: HashMap::new(),
        })
    }

    /// The position that a board mail shows; `None`: the board does not exist any more, or was taken back behind it.
    async fn position(
        &mut self,
        tx: &mut ReadTx,
        app: &App,
        (board, ply): (BoardKey, i64),
    ) -> Result<Option<&mut ShownPosition>, StoreError> {
        match self.shown.entry((board, ply)) {
            Entry::Occupied(shown) => Ok(Some(shown.into_mut())),
            Entry::Vacant(place) => {
                let Some(found) = self.boards.get(&board).cloned() else { return Ok(None) };
                let moves = self.moves.get(&board).cloned().unwrap_or_default();
                let shown = ShownPosition::load(tx, app, ply, (found, moves)).await?;
                Ok(shown.map(|shown| place.insert(shown)))
            }
        }
    }

    /// The rows of a board mail.
    fn sources(&self, mail: OutboxKey, facts: &BoardFacts) -> Sources {
        let mut keys: Vec<RemarkKey> = facts.remarks().collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        let status = self.statuses.get(&mail);
        Sources {
            remarks: keys.iter().filter_map(|key| self.remarks.get(key)).cloned().collect(),
            reader: status.and_then(|status| status.reader.clone()),
            address: status.and_then(|status| status.address),
        }
    }
}

/// Loads a leased mail.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn load_mail(app: &App, mail: &LeasedMail) -> Result<LoadedMail, StoreError> {
    let row = &mail.row;
    let mut tx = app.store.read().await?;
    let mut known = LoadedRows::read(&mut tx, std::slice::from_ref(row), mail.until).await?;
    load_from_rows(&mut tx, app, row, &mut known).await
}

/// Loads the mails of a lease in order, up to the first that fails. That one and those after it are loaded one by one
/// later, so that each failure is recorded with its own mail.
pub async fn load_mails(app: &App, lease: &Lease) -> Vec<LoadedMail> {
    let Lease { rows, until } = lease;
    let mut loaded = Vec::with_capacity(rows.len());
    let all = async {
        let mut tx = app.store.read().await?;
        let mut known = LoadedRows::read(&mut tx, rows, *until).await?;
        for row in rows {
            loaded.push(load_from_rows(&mut tx, app, row, &mut known).await?);
        }
        Ok::<_, StoreError>(())
    };
    // A panic over one mail must not end the others.
    if !matches!(AssertUnwindSafe(all).catch_unwind().await, Ok(Ok(()))) {
        tracing::debug!(loaded = loaded.len(), mails = rows.len(), "mails are loaded one by one");
    }
    loaded
}

/// Loads the content of a mail that is not leased, as it would be sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn load_unleased(app: &App, row: &OutboxRow) -> Result<MailContent, StoreError> {
    let mut tx = app.store.read().await?;
    let mut known = LoadedRows::read(&mut tx, std::slice::from_ref(row), Millis(0)).await?;
    load_content(&mut tx, app, row, &mut known).await
}

async fn load_from_rows(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    known: &mut LoadedRows,
) -> Result<LoadedMail, StoreError> {
    let Some(status) = known.statuses.get(&row.id).filter(|status| status.is_leased) else {
        return Ok(LoadedMail::Unavailable);
    };
    if status.is_blocked {
        return Ok(LoadedMail::Ready { content: MailContent::Dropped(DO_NOT_MAIL), has_newer: false });
    }
    if status.is_stopped && row.kind != CONFIRMATION_KIND {
        return Ok(LoadedMail::Ready { content: MailContent::Dropped(STOPPED), has_newer: false });
    }
    let has_newer = status.has_newer;
    let content = load_content(tx, app, row, known).await?;
    Ok(LoadedMail::Ready { content, has_newer })
}

async fn load_content(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    known: &mut LoadedRows,
) -> Result<MailContent, StoreError> {
    let (board, ply, facts) = match RowContent::read(row)? {
        RowContent::Message => return Ok(MailContent::Stored),
        RowContent::Reference(facts) => return load_reference(tx, app, row, known, facts).await,
        RowContent::Board(board, ply, facts) => (board, ply, facts),
    };
    let sources = known.sources(row.id, &facts);
    let letter = match known.position(tx, app, (board, ply)).await? {
        Some(shown) => {
            letter_by_reference(tx, app, &facts, shown, sources, (&row.recipient, row.date)).await?
        }
        None => None,
    };
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(MailContent::Dropped("superseded"));
    };
    let board = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let form = facts.style.form;
    let envelope = Envelope { board: Some(board), reply_to, ..envelope_of(row, known, unsubscribe, form) };
    Ok(MailContent::Reply(Box::new((Reply::Board(Box::new(sheet)), envelope))))
}

/// The content of a mail that refers to something stored other than a board.
async fn load_reference(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    known: &LoadedRows,
    facts: &str,
) -> Result<MailContent, StoreError> {
    let now = app.clock.now();
    match referred_to(tx, app, facts, (row.user_id, &row.recipient), now).await? {
        None => Ok(MailContent::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, reply_to, form }) => {
            let envelope = Envelope { reply_to, ..envelope_of(row, known, unsubscribe, form) };
            Ok(MailContent::Reply(Box::new((reply, envelope))))
        }
        Some(Referred::Letter(stored)) => {
            let StoredDraft { letter, pictures } = *stored;
            let mut views = Vec::with_capacity(pictures.len());
            for (content_id, basis) in pictures {
                // A picture that cannot be drawn any more must not hold the text back.
                match view_again(tx, app, &basis, now).await {
                    Ok(view) => views.extend(view.map(|view| (content_id, view))),
                    Err(error) if error.is_transient() => return Err(error),
                    Err(error) => tracing::error!(
                        outbox = row.id.0,
                        error = error.with_causes(),
                        "a picture is left out of a mail"
                    ),
                }
            }
            Ok(MailContent::Letter(Box::new(letter), views))
        }
    }
}

/// The envelope of a mail that belongs to no thread and is sent from what is stored.
fn envelope_of(
    row: &OutboxRow,
    known: &LoadedRows,
    unsubscribe: Option<Refusing>,
    form: MailForm,
) -> Envelope {
    let addressee = known.statuses.get(&row.id).and_then(|status| {
        let reader = status.reader.as_ref().filter(|_| status.address.is_some())?;
        Some(Addressee { userid: reader.userid.clone(), is_shared: status.is_shared })
    });
    Envelope {
        recipient: row.recipient.clone(),
        addressee,
        message_id: row.message_id.clone(),
        date: row.date,
        in_reply_to: None,
        is_answer: false,
        board: None,
        unsubscribe,
        form,
        notices: Vec::new(),
        reply_to: None,
    }
}
