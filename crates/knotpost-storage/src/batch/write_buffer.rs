//! Rows that moves write, held back until a query needs them or the transaction ends, and then written by one statement,
//! however many moves there are: the round trip to PostgreSQL costs more than what a statement writes.

use std::mem;
use std::sync::LazyLock;

use super::Batch;
use super::new_mails::insert_new_mails;
use crate::connection::{ArrayStatement, ColumnSet, Driver, Guarded, StoreError, WriteDriver};
use crate::rows::{DirectMail, MoveRow, NewOutbox, SavedResponse, StoredMail, Turn};
use knotpost_model::{BoardKey, Millis, RemarkKey, RemarkKind, UserKey};

/// Rows that wait to be written.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    moves: Vec<(BoardKey, MoveRow)>,
    boards: Vec<AdvancedBoard>,
    remarks: Vec<RemarkRow>,
    mails: Vec<NewOutbox>,
    responses: Vec<ResponseRow>,
}

/// Where a board stands after a move, while the game goes on.
#[derive(Debug)]
struct AdvancedBoard {
    id: BoardKey,
    ply: i64,
    position: String,
    scores: String,
    last_move_at: Option<i64>,
    due_at: Option<i64>,
    nagged_at: Option<i64>,
    history: Option<i64>,
    next_seat: i64,
}

#[derive(Debug)]
struct RemarkRow {
    key: RemarkKey,
    board: BoardKey,
    ply: i64,
    user: Option<UserKey>,
    kind: RemarkKind,
    text: String,
    at: Millis,
}

/// The response to a request that is carried out once.
#[derive(Debug)]
struct ResponseRow {
    key_digest: String,
    response: SavedResponse,
    at: Millis,
}

/// Rows of one kind that a table offers to [`WriteTx::buffer`](crate::WriteTx::buffer).
pub(crate) trait BufferedWrite {
    /// What the caller learns of rows that are not written yet.
    type Outcome;

    /// Whether the buffer has a change of one of these rows already.
    fn changes_buffered_row(&self, buffer: &WriteBuffer) -> bool;

    /// Puts the rows into the buffer and drops the prefetched rows that they make stale; `None`: they cannot wait.
    fn put(self, batch: &mut Batch) -> Option<Self::Outcome>;
}

impl BufferedWrite for Turn<'_> {
    type Outcome = ();

    fn changes_buffered_row(&self, buffer: &WriteBuffer) -> bool {
        buffer.boards.iter().any(|other| other.id == self.board.id)
    }

    fn put(self, batch: &mut Batch) -> Option<()> {
        let board = self.board;
        batch.prefetched.drop_board(board.id);
        batch.buffer.moves.extend(self.moves.iter().map(|entry| (board.id, (*entry).clone())));
        batch.buffer.boards.push(AdvancedBoard {
            id: board.id,
            ply: board.ply,
            position: board.position.clone(),
            scores: board.scores.clone(),
            last_move_at: board.last_move_at,
            due_at: board.due_at,
            nagged_at: board.nagged_at,
            history: board.history,
            next_seat: self.next_seat(),
        });
        Some(())
    }
}

/// A remark to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRemark<'a> {
    pub(crate) board: BoardKey,
    /// Made with this move, or after it; 0: with the challenge.
    pub(crate) ply: i64,
    /// Its author; `None`: the sender of the challenge.
    pub(crate) user: Option<UserKey>,
    /// How it was made.
    pub(crate) kind: RemarkKind,
    /// The words.
    pub(crate) text: &'a str,
    /// When it was made.
    pub(crate) at: Millis,
}

/// It can wait when a key was reserved for it.
impl BufferedWrite for NewRemark<'_> {
    type Outcome = RemarkKey;

    fn changes_buffered_row(&self, _: &WriteBuffer) -> bool {
        false
    }

    fn put(self, batch: &mut Batch) -> Option<RemarkKey> {
        let key = batch.prefetched.take_remark_key()?;
        let Self { board, ply, user, kind, text, at } = self;
        batch.buffer.remarks.push(RemarkRow { key, board, ply, user, kind, text: text.to_owned(), at });
        Some(key)
    }
}

/// Mails to be queued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewMails<'a>(pub(crate) &'a [NewOutbox]);

impl BufferedWrite for NewMails<'_> {
    type Outcome = ();

    fn changes_buffered_row(&self, _: &WriteBuffer) -> bool {
        false
    }

    fn put(self, batch: &mut Batch) -> Option<()> {
        for mail in self.0 {
            match mail.board() {
                Some(board) => batch.prefetched.drop_readers(board),
                None => batch.prefetched.invalidate(),
            }
        }
        batch.buffer.mails.extend_from_slice(self.0);
        Some(())
    }
}

/// The response to a request, in place of any under the same key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewResponse<'a> {
    /// Keyed digest of the request's Idempotency-Key.
    pub(crate) key_digest: &'a str,
    pub(crate) response: &'a SavedResponse,
    /// When it was sent.
    pub(crate) at: Millis,
}

impl BufferedWrite for NewResponse<'_> {
    type Outcome = ();

    fn changes_buffered_row(&self, buffer: &WriteBuffer) -> bool {
        buffer.responses.iter().any(|other| other.key_digest == self.key_digest)
    }

    fn put(self, batch: &mut Batch) -> Option<()> {
        let Self { key_digest, response, at } = self;
        batch.buffer.responses.push(ResponseRow {
            key_digest: key_digest.to_owned(),
            response: response.clone(),
            at,
        });
        Some(())
    }
}

/// It was stored when the batch began, and only counts as written by its own move.
impl BufferedWrite for &DirectMail {
    type Outcome = StoredMail;

    fn changes_buffered_row(&self, _: &WriteBuffer) -> bool {
        false
    }

    fn put(self, batch: &mut Batch) -> Option<StoredMail> {
        batch.prefetched.take_mail(&self.dedupe_key)
    }
}

/// Writes everything but new mails. Empty arrays cost little; another statement
/// would cost more.
static WRITE_ALL: LazyLock<ArrayStatement<WriteBuffer>> = LazyLock::new(|| {
    ArrayStatement::new(|parameters| {
        let moves = ColumnSet::of(|buffer: &WriteBuffer| &buffer.moves)
            .value("board_id", |(board, _)| board.0)
            .value("number", |(_, row)| row.number)
            .value("seat", |(_, row)| row.seat)
            .text("kind", |(_, row)| row.kind.as_str())
            .text("text", |(_, row)| &row.text)
            .value("auto", |(_, row)| row.auto)
            .value("at", |(_, row)| row.at.0);
        let boards = ColumnSet::of(|buffer: &WriteBuffer| &buffer.boards)
            .value("board_id", |board| board.id.0)
            .value("ply", |board| board.ply)
            .text("position", |board| &board.position)
            .text("scores", |board| &board.scores)
            .value("last_move_at", |board| board.last_move_at)
            .value("due_at", |board| board.due_at)
            .value("nagged_at", |board| board.nagged_at)
            .value("history", |board| board.history)
            .value("next_seat", |board| board.next_seat);
        let remarks = ColumnSet::of(|buffer: &WriteBuffer| &buffer.remarks)
            .value("id", |remark| remark.key.0)
            .value("board_id", |remark| remark.board.0)
            .value("ply", |remark| remark.ply)
            .value("user_id", |remark| remark.user.map(|user| user.0))
            .text("kind", |remark| remark.kind.as_str())
            .text("text", |remark| &remark.text)
            .value("at", |remark| remark.at.0);
        let responses = ColumnSet::of(|buffer: &WriteBuffer| &buffer.responses)
            .text("key_digest", |row| &row.key_digest)
            .text("request_digest", |row| &row.response.request_digest)
            .value("status", |row| row.response.status)
            .text("content_type", |row| &row.response.content_type)
            .text("body", |row| &row.response.body)
            .value("at", |row| row.at.0);
        let (moves, boards, remarks) =
            (parameters.add(moves), parameters.add(boards), parameters.add(remarks));
        let responses = parameters.add(responses);
        let (position, seats) = (boards.without(&["next_seat"]), boards.only(&["board_id", "next_seat"]));
        [
            format!("WITH made AS (INSERT INTO moves ({}) SELECT * FROM {})", moves.names(), moves.unnest()),
            format!(
                "next AS (UPDATE seats SET to_move = (seats.seat = turn.next_seat) FROM {} \
                 WHERE seats.board_id = turn.board_id AND seats.to_move <> (seats.seat = turn.next_seat))",
                seats.rows("turn"),
            ),
            format!(
                "advanced AS (UPDATE boards SET {} FROM {} WHERE boards.id = turn.board_id)",
                position.without(&["board_id"]).assignments("turn"),
                position.rows("turn"),
            ),
            format!("said AS (INSERT INTO remarks ({}) SELECT * FROM {})", remarks.names(), remarks.unnest()),
            format!(
                "answered AS (INSERT INTO idempotency ({}) SELECT * FROM {} ORDER BY given.key_digest \
                 ON CONFLICT (key_digest) DO UPDATE SET {}) SELECT 1",
                responses.names(),
                responses.rows("given"),
                responses.without(&["key_digest"]).assignments("excluded"),
            ),
        ]
        .join(", ")
    })
});

impl WriteBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.mails.is_empty() && self.has_only_mails()
    }

    fn has_only_mails(&self) -> bool {
        // A move comes with its board.
        let Self { boards, remarks, responses, moves: _, mails: _ } = self;
        boards.is_empty() && remarks.is_empty() && responses.is_empty()
    }

    /// Writes the rows and empties the buffer.
    ///
    /// # Errors
    /// When the database fails, or refuses one of the rows: which one is unknown.
    pub(crate) async fn flush(&mut self, driver: WriteDriver<'_>) -> Result<(), StoreError> {
        let rows = mem::take(self);
        // On SQLite the buffer is always empty.
        let Driver::Postgres(mut connection) = driver else { return Ok(()) };
        if !rows.has_only_mails() {
            rows.write(connection.again()).await?;
        }
        insert_new_mails(connection, &rows.mails).await
    }

    async fn write(&self, connection: Guarded<'_>) -> Result<(), sqlx::Error> {
        let statement = &*WRITE_ALL;
        sqlx::query_with(statement.sql(), statement.arguments(self)?).execute(connection).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlx::Arguments as _;

    use super::{WRITE_ALL, WriteBuffer};

    #[test]
    fn the_statement_has_a_parameter_for_every_column() {
        let arguments = WRITE_ALL.arguments(&WriteBuffer::default()).unwrap();
        let (count, sql) = (arguments.len(), WRITE_ALL.sql());
        assert!((1..=count).all(|number| sql.contains(&format!("${number}"))), "{sql}");
        assert!(!sql.contains(&format!("${}", count + 1)), "{sql}");
        assert!(sql.contains("UPDATE boards SET ply = turn.ply, position = turn.position, "), "{sql}");
        assert!(sql.contains("AS turn (board_id, next_seat)"), "{sql}");
    }
}
