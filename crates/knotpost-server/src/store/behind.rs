//! What moves write, held back until something else is asked or the transaction ends, and then written by one
//! statement, however many moves there are: on the way to PostgreSQL a statement costs more than what it writes.

use std::mem;

use sqlx::PgConnection;

use super::outbox::{insert_mails, waits};
use super::renewals::check_all_renewed;
use super::tx::Driver;
use super::{MoveRow, NewOutbox, Renewal, SavedResponse, StoreError, Turn, Tx};
use crate::domain::{BoardKey, Millis, OutboxKey, RemarkKey, RemarkKind, UserKey};

/// Rows that are to be written.
#[derive(Debug, Default)]
pub(super) struct Behind {
    moves: Vec<(BoardKey, MoveRow)>,
    boards: Vec<Advanced>,
    remarks: Vec<(RemarkKey, NewRemark)>,
    renewals: Vec<Renewed>,
    mails: Vec<NewOutbox>,
    responses: Vec<Answered>,
}

/// Where a board stands after a move, while the game goes on.
#[derive(Debug)]
struct Advanced {
    id: BoardKey,
    ply: i64,
    position: String,
    scores: String,
    last_move_at: Option<i64>,
    due_at: Option<i64>,
    nagged_at: Option<i64>,
    history: Option<i64>,
    next: i64,
}

/// Something said, to be stored.
#[derive(Clone, Debug)]
pub(super) struct NewRemark {
    /// About which board.
    pub(super) board: BoardKey,
    /// With this move, or after it; 0: with the challenge.
    pub(super) ply: i64,
    /// By whom; `None`: whoever sent the challenge.
    pub(super) user: Option<UserKey>,
    /// How.
    pub(super) kind: RemarkKind,
    /// The words.
    pub(super) text: String,
    /// When.
    pub(super) at: Millis,
}

/// What a mail that waits shows from now on.
#[derive(Debug)]
struct Renewed {
    mail: OutboxKey,
    facts: String,
    ply: i64,
    date: i64,
}

/// An answer to a request that is carried out once.
#[derive(Debug)]
struct Answered {
    key_digest: String,
    response: SavedResponse,
    at: Millis,
}

/// All but new mails. What is empty costs little; a way to the database and back costs more.
const WRITE: &str = concat!(
    "WITH \
     made AS (INSERT INTO moves (board_id, number, seat, kind, text, auto, at) \
     SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7)), \
     next AS (UPDATE seats SET to_move = (seats.seat = turn.next) FROM UNNEST($8, $16) AS turn (board_id, next) \
     WHERE seats.board_id = turn.board_id AND seats.to_move <> (seats.seat = turn.next)), \
     advanced AS (UPDATE boards SET ply = turn.ply, position = turn.position, scores = turn.scores, \
     last_move_at = turn.last_move_at, due_at = turn.due_at, nagged_at = turn.nagged_at, history = turn.history \
     FROM UNNEST($8, $9, $10, $11, $12, $13, $14, $15) \
     AS turn (board_id, ply, position, scores, last_move_at, due_at, nagged_at, history) \
     WHERE boards.id = turn.board_id), \
     said AS (INSERT INTO remarks (id, board_id, ply, user_id, kind, text, at) \
     SELECT * FROM UNNEST($17, $18, $19, $20, $21, $22, $23)), \
     answered AS (INSERT INTO idempotency (key_digest, request_digest, status, content_type, body, at) \
     SELECT * FROM UNNEST($28, $29, $30, $31, $32, $33) AS given (key_digest) ORDER BY given.key_digest \
     ON CONFLICT (key_digest) DO UPDATE SET request_digest = excluded.request_digest, status = excluded.status, \
     content_type = excluded.content_type, body = excluded.body, at = excluded.at), \
     renewed AS (UPDATE outbox SET ply = renewal.ply, date = renewal.date, facts = renewal.facts \
     FROM UNNEST($24, $25, $26, $27) AS renewal (id, ply, date, facts) \
     WHERE outbox.id = renewal.id AND outbox.attempts = 0 AND ",
    waits!(),
    " RETURNING outbox.id) SELECT COUNT(*) FROM renewed"
);

impl Behind {
    pub(super) fn is_empty(&self) -> bool {
        self.mails.is_empty() && self.is_mail_only()
    }

    fn is_mail_only(&self) -> bool {
        let Self { boards, remarks, renewals, responses, .. } = self;
        boards.is_empty() && remarks.is_empty() && renewals.is_empty() && responses.is_empty()
    }
}

impl Tx {
    /// Moves of a game that goes on, and the seat that is next.
    pub(super) async fn hold_turn(&mut self, turn: Turn<'_>) -> Result<(), StoreError> {
        let board = turn.board;
        // A statement changes a row once.
        if self.behind.boards.iter().any(|other| other.id == board.id) {
            self.write_behind().await?;
        }
        self.holding().await?.ahead.forget_board(board.id);
        self.behind.moves.extend(turn.moves.iter().map(|entry| (board.id, (*entry).clone())));
        self.behind.boards.push(Advanced {
            id: board.id,
            ply: board.ply,
            position: board.position.clone(),
            scores: board.scores.clone(),
            last_move_at: board.last_move_at,
            due_at: board.due_at,
            nagged_at: board.nagged_at,
            history: board.history,
            next: turn.next_seat(),
        });
        Ok(())
    }

    /// Something said, under a key that is nobody else's.
    pub(super) async fn hold_remark(&mut self, key: RemarkKey, remark: NewRemark) -> Result<(), StoreError> {
        self.holding().await?.behind.remarks.push((key, remark));
        Ok(())
    }

    /// Mails that wait and are renewed.
    pub(super) async fn hold_renewals(
        &mut self,
        renewals: &[Renewal],
        (board, ply): (BoardKey, i64),
        date: Millis,
    ) -> Result<(), StoreError> {
        let is_held = |renewal: &Renewal| self.behind.renewals.iter().any(|other| other.mail == renewal.mail);
        if renewals.iter().any(is_held) {
            self.write_behind().await?;
        }
        self.holding().await?.ahead.forget_readers(board);
        let renewed = renewals.iter().cloned();
        let renewed = renewed.map(|Renewal { mail, facts }| Renewed { mail, facts, ply, date: date.0 });
        self.behind.renewals.extend(renewed);
        Ok(())
    }

    /// New mails.
    pub(super) async fn hold_mails(&mut self, mails: &[NewOutbox]) -> Result<(), StoreError> {
        let held = self.holding().await?;
        for mail in mails {
            match mail.board() {
                Some(board) => held.ahead.forget_readers(board),
                None => held.ahead.forget(),
            }
        }
        held.behind.mails.extend_from_slice(mails);
        Ok(())
    }

    /// An answer to a request, in place of any under the same key.
    pub(super) async fn hold_response(
        &mut self,
        key_digest: &str,
        response: &SavedResponse,
        at: Millis,
    ) -> Result<(), StoreError> {
        // A statement changes a row once.
        if self.behind.responses.iter().any(|other| other.key_digest == key_digest) {
            self.write_behind().await?;
        }
        let answered = Answered { key_digest: key_digest.to_owned(), response: response.clone(), at };
        self.holding().await?.behind.responses.push(answered);
        Ok(())
    }

    /// Writes what is held back.
    ///
    /// # Errors
    /// When the database fails, or refuses one of the rows: which one cannot be told.
    pub(super) async fn write_behind(&mut self) -> Result<(), StoreError> {
        let behind = mem::take(&mut self.behind);
        let Driver::Postgres(connection) = self.connection.driver() else { return Ok(()) };
        if !behind.is_mail_only() {
            let renewed = behind.write(connection).await?;
            check_all_renewed(renewed.unsigned_abs(), behind.renewals.len())?;
        }
        insert_mails(connection, &behind.mails).await
    }
}

/// A value of each row.
pub(super) fn column<'r, R, T>(rows: &'r [R], value: impl FnMut(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

impl Behind {
    /// Writes all but new mails, and says how many of those that wait were renewed.
    async fn write(&self, connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
        let Self { moves, boards, remarks, renewals, responses, mails: _ } = self;
        sqlx::query_scalar(WRITE)
            .bind(column(moves, |(board, _)| board.0))
            .bind(column(moves, |(_, row)| row.number))
            .bind(column(moves, |(_, row)| row.seat))
            .bind(column(moves, |(_, row)| row.kind.as_str()))
            .bind(column(moves, |(_, row)| row.text.as_str()))
            .bind(column(moves, |(_, row)| row.auto))
            .bind(column(moves, |(_, row)| row.at.0))
            .bind(column(boards, |board| board.id.0))
            .bind(column(boards, |board| board.ply))
            .bind(column(boards, |board| board.position.as_str()))
            .bind(column(boards, |board| board.scores.as_str()))
            .bind(column(boards, |board| board.last_move_at))
            .bind(column(boards, |board| board.due_at))
            .bind(column(boards, |board| board.nagged_at))
            .bind(column(boards, |board| board.history))
            .bind(column(boards, |board| board.next))
            .bind(column(remarks, |(key, _)| key.0))
            .bind(column(remarks, |(_, row)| row.board.0))
            .bind(column(remarks, |(_, row)| row.ply))
            .bind(column(remarks, |(_, row)| row.user.map(|user| user.0)))
            .bind(column(remarks, |(_, row)| row.kind.as_str()))
            .bind(column(remarks, |(_, row)| row.text.as_str()))
            .bind(column(remarks, |(_, row)| row.at.0))
            .bind(column(renewals, |row| row.mail.0))
            .bind(column(renewals, |row| row.ply))
            .bind(column(renewals, |row| row.date))
            .bind(column(renewals, |row| row.facts.as_str()))
            .bind(column(responses, |row| row.key_digest.as_str()))
            .bind(column(responses, |row| row.response.request_digest.as_str()))
            .bind(column(responses, |row| row.response.status))
            .bind(column(responses, |row| row.response.content_type.as_str()))
            .bind(column(responses, |row| row.response.body.as_str()))
            .bind(column(responses, |row| row.at.0))
            .fetch_one(connection)
            .await
    }
}
