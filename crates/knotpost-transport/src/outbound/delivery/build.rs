//! Builds messages from outbox rows: reads what several mails are built from in one transaction, then writes each.
//!
//! Knows neither leases nor transports: the same functions show an administrator a mail that waits.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use knotpost_rules::View;

use crate::outbound::compose::{board_envelope, plain_envelope};
use knotpost_core::app::App;
use knotpost_core::boards::view_again;
use knotpost_core::gallery::Look;
use knotpost_core::mailing::{
    BoardLetter, CONFIRMATION_KIND, Referred, STOPPED, Sources, letter_by_reference, referred_to,
};
use knotpost_core::replies::{BoardFacts, Drawn, Envelope, Letter, Reply, StoredDraft};
use knotpost_model::{BoardKey, BoardRef, Millis, OutboxKey, RemarkKey};
use knotpost_storage::{DO_NOT_MAIL, DeliveryStatus, OutboxRow, ReadTx, RemarkRow, SeatedBoard, StoreError};

/// A mail that was built.
#[derive(Clone, Debug)]
pub enum Built {
    /// The message.
    Message(Vec<u8>),
    /// There is nothing to send any more, for this reason.
    Dropped(&'static str),
}

/// What was read for a leased mail.
#[derive(Debug)]
pub(super) enum LoadedMail {
    /// The mail has ended, or another process has leased it.
    Unavailable,
    /// The mail is to be written.
    Ready {
        content: MailContent,
        /// Whether a newer mail about the board to the same address waits.
        has_newer: bool,
    },
}

impl LoadedMail {
    /// Whether the mail may be coalesced with a newer one that waits.
    pub(super) fn may_coalesce(&self) -> bool {
        matches!(self, Self::Ready { has_newer: true, .. })
    }
}

/// What a mail is written from.
#[derive(Debug)]
pub(super) enum MailContent {
    /// The message is stored.
    Stored,
    /// A reply in this envelope.
    Reply(Box<(Reply, Envelope)>),
    /// A letter with pictures.
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
    remarks: HashMap<RemarkKey, RemarkRow>,
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
            remarks: tx.remarks(&remarks).await?.into_iter().map(|remark| (remark.id, remark)).collect(),
        })
    }

    /// The rows of a board mail; `None`: the board does not exist any more.
    fn sources(&self, mail: OutboxKey, board: BoardKey, facts: &BoardFacts) -> Option<Sources> {
        let mut keys: Vec<RemarkKey> = facts.remarks().collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        let status = self.statuses.get(&mail);
        Some(Sources {
            board: self.boards.get(&board)?.clone(),
            remarks: keys.iter().filter_map(|key| self.remarks.get(key)).cloned().collect(),
            reader: status.and_then(|status| status.reader.clone()),
            address: status.and_then(|status| status.address),
        })
    }
}

/// Loads the mail of a row that was leased until then.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub(super) async fn load_mail(app: &App, row: &OutboxRow, until: Millis) -> Result<LoadedMail, StoreError> {
    let mut tx = app.store.read().await?;
    let known = LoadedRows::read(&mut tx, std::slice::from_ref(row), until).await?;
    load_from_rows(&mut tx, app, row, &known).await
}

/// Loads the mails of rows that were leased until then, in order, up to the first that fails. That one and those after
/// it are loaded one by one later, so that each failure is recorded with its own mail.
pub(super) async fn load_mails(app: &App, rows: &[OutboxRow], until: Millis) -> Vec<LoadedMail> {
    let mut loaded = Vec::with_capacity(rows.len());
    let all = async {
        let mut tx = app.store.read().await?;
        let known = LoadedRows::read(&mut tx, rows, until).await?;
        for row in rows {
            loaded.push(load_from_rows(&mut tx, app, row, &known).await?);
        }
        Ok::<_, StoreError>(())
    };
    // A panic over one mail must not end the others.
    if !matches!(AssertUnwindSafe(all).catch_unwind().await, Ok(Ok(()))) {
        tracing::debug!(loaded = loaded.len(), mails = rows.len(), "mails are loaded one by one");
    }
    loaded
}

async fn load_from_rows(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    known: &LoadedRows,
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
    let content = load_content(tx, app, row, known).await?;
    Ok(LoadedMail::Ready { content, has_newer: status.has_newer })
}

/// Builds the message of a row as it would be sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn build_message(mut tx: ReadTx, app: &App, row: &OutboxRow) -> Result<Built, StoreError> {
    let known = LoadedRows::read(&mut tx, std::slice::from_ref(row), Millis(0)).await?;
    let content = load_content(&mut tx, app, row, &known).await?;
    drop(tx);
    write_message(app, row, content).await
}

async fn load_content(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    known: &LoadedRows,
) -> Result<MailContent, StoreError> {
    let (board, ply, facts) = match RowContent::read(row)? {
        RowContent::Message => return Ok(MailContent::Stored),
        RowContent::Reference(facts) => return load_reference(tx, app, row, facts).await,
        RowContent::Board(board, ply, facts) => (board, ply, facts),
    };
    let letter = match known.sources(row.id, board, &facts) {
        Some(sources) => {
            letter_by_reference(tx, app, ply, &facts, sources, (&row.recipient, row.date)).await?
        }
        None => None,
    };
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(MailContent::Dropped("superseded"));
    };
    let name = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let envelope = board_envelope(&row.recipient, &row.message_id, row.date, name, reply_to);
    let envelope = Envelope { form: facts.style.form, unsubscribe, ..envelope };
    Ok(MailContent::Reply(Box::new((Reply::Board(Box::new(sheet)), envelope))))
}

/// The content of a mail that refers to something stored other than a board.
async fn load_reference(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    facts: &str,
) -> Result<MailContent, StoreError> {
    let now = app.clock.now();
    match referred_to(tx, app, facts, row.user_id, now).await? {
        None => Ok(MailContent::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, form }) => {
            let plain = plain_envelope(&row.recipient, &row.message_id, row.date);
            Ok(MailContent::Reply(Box::new((reply, Envelope { unsubscribe, form, ..plain }))))
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

/// Writes the message and draws its pictures.
///
/// # Errors
/// When the templates fail.
pub(super) async fn write_message(
    app: &App,
    row: &OutboxRow,
    content: MailContent,
) -> Result<Built, StoreError> {
    let (letter, views) = match content {
        MailContent::Stored => return Ok(Built::Message(row.rendered.clone().unwrap_or_default())),
        MailContent::Dropped(why) => return Ok(Built::Dropped(why)),
        MailContent::Letter(letter, views) => (*letter, views),
        MailContent::Reply(reply) => {
            let draft = app.composer.draft(&reply.0, &reply.1).map_err(StoreError::Corrupt)?;
            let pictures = draft.pictures.into_iter();
            (draft.letter, pictures.map(|picture| (picture.content_id, picture.view)).collect())
        }
    };
    let drawn = draw(app, views).await;
    app.composer.write(&letter, &drawn).map(Built::Message).map_err(StoreError::Corrupt)
}

async fn draw(app: &App, views: Vec<(String, Arc<View>)>) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(views.len());
    for (content_id, view) in views {
        if let Some(png) = app.gallery.draw(view, Look::MAIL).await {
            drawn.push(Drawn { content_id, png });
        }
    }
    drawn
}
