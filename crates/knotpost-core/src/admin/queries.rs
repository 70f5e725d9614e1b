//! The audit log, and a board with the eyes of any seat: looking changes nothing.

use std::sync::Arc;

use knotpost_rules::{View, Viewer};

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Code, Refusal, ServiceError, at_ply, no_such_board};
use crate::play::queries::show;
use crate::play::queue;
use crate::queries::BoardSummary;
use crate::replies::Sheet;
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{AuditFilter, AuditRow, ReadTx, StoreError};

#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// Actor or subject.
    pub userid: Option<String>,
    pub since: Option<Millis>,
    /// Only entries with lower ids (paging).
    pub before: Option<i64>,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: i64,
    pub at: Millis,
    /// `shell`, `web` or `api`.
    pub channel: String,
    /// Userid, or for the shell the operating system's user.
    pub actor: String,
    /// Stable word such as `board.pause`.
    pub action: String,
    /// Subject, e.g. `ann`, `osbox 101`, `inbox 17`.
    pub subject: String,
    /// `done`, or the code of a refusal.
    pub outcome: String,
    /// Never a secret.
    pub detail: String,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        let AuditRow { id, at, channel, actor, action, subject, outcome, detail } = row;
        Self { id, at, channel, actor, action, subject, outcome, detail }
    }
}

#[derive(Clone, Debug)]
pub struct AuditPage {
    pub rows: Vec<AuditEntry>,
    /// Value of [`AuditQuery::before`] for the next page; `None`: last page.
    pub next: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct QueuedLine {
    pub seat: i64,
    pub userid: String,
    pub moves: String,
}

pub struct Inspection {
    pub board: Board,
    /// Stored facts, with the seating of that ply.
    pub summary: BoardSummary,
    /// Public view: players, move list, times.
    pub sheet: Sheet,
    pub view: Arc<View>,
    pub queued: Vec<QueuedLine>,
}

pub async fn view_audit(app: &App, query: &AuditQuery) -> Result<AuditPage, StoreError> {
    let filter = AuditFilter {
        user: query.userid.as_ref().map(|userid| userid.to_lowercase()),
        since: query.since.map_or(i64::MIN, |since| since.0),
        before: query.before,
    };
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let rows = app.store.query().await?.list_audit(&filter, limit).await?;
    let next = rows.last().filter(|_| rows.len() >= query.limit).map(|row| row.id);
    Ok(AuditPage { rows: rows.into_iter().map(AuditEntry::from).collect(), next })
}

/// A board after `ply` moves, removed boards included; with `seat`, as that seat sees it.
pub async fn inspect_board(
    app: &App,
    name: &BoardRef,
    ply: Option<i64>,
    seat: Option<u8>,
) -> Result<Inspection, ServiceError> {
    let mut tx = app.store.read().await?;
    let Some(row) = tx.find_board(&name.game, name.number).await? else {
        return Err(no_such_board(app, &name.game, name.number).into());
    };
    let board = at_ply(app, Board::from_row(&mut tx, app, row).await?, ply)?;
    let summary = BoardSummary::of_board(&board);
    let viewer = match seat {
        None => Viewer::Spectator,
        Some(seat) => {
            find_seat(&board, seat)?;
            Viewer::Seat(seat_at(i64::from(seat)))
        }
    };
    let sheet = show(&mut tx, &board, app.clock.now()).await?;
    let mut queued = Vec::new();
    if seat.is_some() {
        for row in board.seats.iter().filter(|row| row.queued) {
            let moves = tx.queued_moves(board.row.id, row.seat).await?;
            let moves = moves.iter().map(queue::word).collect::<Vec<_>>().join(" ");
            queued.push(QueuedLine { seat: row.seat, userid: row.userid.clone(), moves });
        }
    }
    let view = board.view_for(viewer);
    Ok(Inspection { board, summary, sheet, view, queued })
}

fn find_seat(board: &Board, seat: u8) -> Result<(), Refusal> {
    if board.seats.iter().any(|row| row.seat == i64::from(seat)) {
        return Ok(());
    }
    let last = board.seats.len();
    Err(Refusal::new(Code::BadValue, format!("there is no seat {seat}; seats are 1 to {last}")))
}

pub(super) async fn check_seat(
    tx: &mut ReadTx,
    app: &App,
    name: &BoardRef,
    seat: u8,
) -> Result<(), ServiceError> {
    let Some(row) = tx.find_board(&name.game, name.number).await? else {
        return Err(no_such_board(app, &name.game, name.number).into());
    };
    let board = Board::from_row(tx, app, row).await?;
    Ok(find_seat(&board, seat)?)
}
