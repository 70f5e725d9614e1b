//! From a row of the outbox to a message: what it says is asked of the database for several mails at once, and each
//! is written by itself.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use knotpost_rules::View;

use super::post::{board_envelope, plain_envelope};
use crate::app::App;
use crate::domain::{BoardKey, BoardRef, Millis, OutboxKey, RemarkKey};
use crate::gallery::Look;
use crate::service::{
    BoardFacts, BoardLetter, CONFIRMATION_KIND, Drawn, Envelope, Letter, Referred, Reply, STOPPED, Sources,
    StoredDraft, letter_by_reference, referred_to, view_again,
};
use crate::store::{DO_NOT_MAIL, OutboxRow, Prospect, RemarkRow, SeatedBoard, StoreError, Tx};

/// What a mail became before it is sent.
#[derive(Clone, Debug)]
pub enum Made {
    /// The message.
    Message(Vec<u8>),
    /// Nothing to send any more, and why.
    Dropped(&'static str),
}

/// A mail that was taken, before it is written.
#[derive(Debug)]
pub(super) enum Prepared {
    /// It has ended, or somebody else has it.
    Gone,
    /// It is to be written.
    Ready {
        content: Content,
        /// A newer mail about the board to the same address waits, and may take over.
        has_newer: bool,
    },
}

impl Prepared {
    /// Whether another mail may be sent instead of it.
    pub(super) fn gives_way(&self) -> bool {
        matches!(self, Self::Ready { has_newer: true, .. })
    }
}

/// All that a mail is written from.
#[derive(Debug)]
pub(super) enum Content {
    /// The message is stored.
    Stored,
    /// A reply in this envelope.
    Reply(Box<(Reply, Envelope)>),
    /// A letter with pictures.
    Letter(Box<Letter>, Vec<(String, Arc<View>)>),
    /// Nothing any more, and why.
    Dropped(&'static str),
}

/// What a row says by itself.
enum Says<'r> {
    Message,
    Reference(&'r str),
    Board(BoardKey, i64, Box<BoardFacts>),
}

impl<'r> Says<'r> {
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

/// What the database says of several mails.
struct Known {
    prospects: HashMap<OutboxKey, Prospect>,
    boards: HashMap<BoardKey, SeatedBoard>,
    remarks: HashMap<RemarkKey, RemarkRow>,
}

impl Known {
    async fn ask(tx: &mut Tx, rows: &[OutboxRow], until: Millis) -> Result<Self, StoreError> {
        let (mut boards, mut remarks) = (Vec::new(), Vec::new());
        for row in rows {
            // What cannot be read is told when its turn comes.
            if let Ok(Says::Board(board, _, facts)) = Says::read(row) {
                boards.push(board);
                remarks.extend(facts.remarks());
            }
        }
        boards.sort_unstable();
        boards.dedup();
        remarks.sort_unstable_by_key(|key| key.0);
        remarks.dedup();
        let prospects = tx.prospects(rows, until).await?;
        Ok(Self {
            prospects: prospects.into_iter().map(|prospect| (prospect.id, prospect)).collect(),
            boards: tx.seated_boards(&boards).await?,
            remarks: tx.remarks(&remarks).await?.into_iter().map(|remark| (remark.id, remark)).collect(),
        })
    }

    /// Of a board mail; `None`: the board is not there any more.
    fn sources(&self, mail: OutboxKey, board: BoardKey, facts: &BoardFacts) -> Option<Sources> {
        let mut keys: Vec<RemarkKey> = facts.remarks().collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        let prospect = self.prospects.get(&mail);
        Some(Sources {
            board: self.boards.get(&board)?.clone(),
            remarks: keys.iter().filter_map(|key| self.remarks.get(key)).cloned().collect(),
            reader: prospect.and_then(|prospect| prospect.reader.clone()),
            address: prospect.and_then(|prospect| prospect.address),
        })
    }
}

/// The mail of a row that was taken until then.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub(super) async fn prepare(app: &App, row: &OutboxRow, until: Millis) -> Result<Prepared, StoreError> {
    let mut tx = app.store.read().await?;
    let known = Known::ask(&mut tx, std::slice::from_ref(row), until).await?;
    prepare_one(&mut tx, app, row, &known).await
}

/// The mails of rows that were taken until then, as far as there is nothing wrong with one of them: that one, and those
/// behind it, are left to who prepares each by itself, and tells what it is.
pub(super) async fn prepare_all(app: &App, rows: &[OutboxRow], until: Millis) -> Vec<Prepared> {
    let mut prepared = Vec::with_capacity(rows.len());
    let all = async {
        let mut tx = app.store.read().await?;
        let known = Known::ask(&mut tx, rows, until).await?;
        for row in rows {
            prepared.push(prepare_one(&mut tx, app, row, &known).await?);
        }
        Ok::<_, StoreError>(())
    };
    // A mail that makes the program stumble must not take the others along.
    if !matches!(AssertUnwindSafe(all).catch_unwind().await, Ok(Ok(()))) {
        tracing::debug!(prepared = prepared.len(), mails = rows.len(), "mails are prepared one by one");
    }
    prepared
}

async fn prepare_one(tx: &mut Tx, app: &App, row: &OutboxRow, known: &Known) -> Result<Prepared, StoreError> {
    let Some(prospect) = known.prospects.get(&row.id).filter(|prospect| prospect.is_taken) else {
        return Ok(Prepared::Gone);
    };
    if prospect.is_blocked {
        return Ok(Prepared::Ready { content: Content::Dropped(DO_NOT_MAIL), has_newer: false });
    }
    if prospect.is_stopped && row.kind != CONFIRMATION_KIND {
        return Ok(Prepared::Ready { content: Content::Dropped(STOPPED), has_newer: false });
    }
    let content = content(tx, app, row, known).await?;
    Ok(Prepared::Ready { content, has_newer: prospect.has_newer })
}

/// The message of a row as it would be sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn make(mut tx: Tx, app: &App, row: &OutboxRow) -> Result<Made, StoreError> {
    let known = Known::ask(&mut tx, std::slice::from_ref(row), Millis(0)).await?;
    let content = content(&mut tx, app, row, &known).await?;
    drop(tx);
    write(app, row, content).await
}

async fn content(tx: &mut Tx, app: &App, row: &OutboxRow, known: &Known) -> Result<Content, StoreError> {
    let (board, ply, facts) = match Says::read(row)? {
        Says::Message => return Ok(Content::Stored),
        Says::Reference(facts) => return content_by_reference(tx, app, row, facts).await,
        Says::Board(board, ply, facts) => (board, ply, facts),
    };
    let letter = match known.sources(row.id, board, &facts) {
        Some(sources) => {
            letter_by_reference(tx, app, ply, &facts, sources, (&row.recipient, row.date)).await?
        }
        None => None,
    };
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(Content::Dropped("superseded"));
    };
    let name = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let envelope = board_envelope(&row.recipient, &row.message_id, row.date, name, reply_to);
    let envelope = Envelope { form: facts.style.form, unsubscribe, ..envelope };
    Ok(Content::Reply(Box::new((Reply::Board(Box::new(sheet)), envelope))))
}

/// Of a mail that names something stored which is no board.
async fn content_by_reference(
    tx: &mut Tx,
    app: &App,
    row: &OutboxRow,
    facts: &str,
) -> Result<Content, StoreError> {
    let now = app.clock.now();
    match referred_to(tx, app, facts, row.user_id, now).await? {
        None => Ok(Content::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, form }) => {
            let plain = plain_envelope(&row.recipient, &row.message_id, row.date);
            Ok(Content::Reply(Box::new((reply, Envelope { unsubscribe, form, ..plain }))))
        }
        Some(Referred::Letter(stored)) => {
            let StoredDraft { letter, pictures } = *stored;
            let mut views = Vec::with_capacity(pictures.len());
            for (content_id, basis) in pictures {
                // A picture that cannot be had any more must not keep the words back.
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
            Ok(Content::Letter(Box::new(letter), views))
        }
    }
}

/// The whole message, its pictures drawn.
///
/// # Errors
/// When the templates fail.
pub(super) async fn write(app: &App, row: &OutboxRow, content: Content) -> Result<Made, StoreError> {
    let (letter, views) = match content {
        Content::Stored => return Ok(Made::Message(row.rendered.clone().unwrap_or_default())),
        Content::Dropped(why) => return Ok(Made::Dropped(why)),
        Content::Letter(letter, views) => (*letter, views),
        Content::Reply(reply) => {
            let draft = app.composer.draft(&reply.0, &reply.1).map_err(StoreError::Corrupt)?;
            let pictures = draft.pictures.into_iter();
            (draft.letter, pictures.map(|picture| (picture.content_id, picture.view)).collect())
        }
    };
    let drawn = draw(app, views).await;
    app.composer.write(&letter, &drawn).map(Made::Message).map_err(StoreError::Corrupt)
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
