//! The audit log, and a board with the eyes of any seat: looking changes nothing.

use std::sync::Arc;

use knotpost_rules::{Layout, View, Viewer};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Code, Games, Refusal, ServiceError, at_ply, no_such_board};
use crate::play::queries::show;
use crate::play::queue;
use crate::queries::{BoardFacts, BoardSummary, MoveLine, SeatSummary, list_moves};
use knotpost_model::{BoardRef, Millis, Moment};
use knotpost_storage::{AuditFilter, AuditRow, ReadTx, Store, StoreError};

#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// Actor or subject.
    pub userid: Option<String>,
    pub since: Option<Millis>,
    /// Only entries with lower ids (paging).
    pub before: Option<i64>,
    pub limit: usize,
}

/// Something that an administrator did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Its number.
    pub id: i64,
    /// Time of the action.
    pub at: Moment,
    /// `shell`, `web` or `api`.
    #[serde(rename = "door")]
    pub channel: String,
    /// The userid; of the shell, the user of the machine.
    #[serde(rename = "by")]
    pub actor: String,
    /// A stable word such as `board.pause`.
    #[serde(rename = "deed")]
    pub action: String,
    /// Object of the action: `ann`, `osbox 101`, `inbox 17`.
    pub subject: String,
    /// `done`, or the code of a refusal.
    pub outcome: String,
    /// A few words.
    pub detail: String,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        let AuditRow { id, at, channel, actor, action, subject, outcome, detail } = row;
        Self { id, at: at.into(), channel, actor, action, subject, outcome, detail }
    }
}

/// A page of the audit log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditLog {
    /// Actions, the latest first.
    #[serde(rename = "audit")]
    pub rows: Vec<AuditEntry>,
    /// Goes into the next request; `null`: that was all.
    pub cursor: Option<String>,
}

/// Moves that wait for their turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueuedMoves {
    /// The seat.
    pub seat: i64,
    /// The player in this seat.
    pub userid: String,
    /// The moves, as typed.
    pub moves: String,
}

/// A board as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InspectedBoard {
    #[serde(flatten)]
    pub facts: BoardFacts,
    /// Since when its clock is stopped.
    pub paused: Option<Moment>,
    /// Player to move, or the end of the game, as a sentence.
    pub status: String,
    /// The number of this move.
    pub ply: usize,
    /// The number of the last move there is.
    pub last_ply: i64,
    /// The position string.
    pub position: String,
    /// The board as text.
    pub text: String,
    /// Its seats in turn order.
    pub seats: Vec<SeatSummary>,
    /// Moves that wait for their turn.
    pub queued: Vec<QueuedMoves>,
    /// The moves so far.
    pub moves: Vec<MoveLine>,
    /// Time at which the clock checks it next.
    pub due: Option<Moment>,
    /// Time of the last reminder to the player to move.
    pub reminded: Option<Moment>,
    /// The users who are mailed about it without playing.
    pub watchers: Vec<String>,
    #[serde(skip)]
    pub title: &'static str,
    /// By seat.
    #[serde(skip)]
    pub sides: Vec<&'static str>,
    #[serde(skip)]
    pub notes: Vec<String>,
    #[serde(skip)]
    pub view: Arc<View>,
}

pub async fn view_audit(store: &Store, query: &AuditQuery) -> Result<AuditLog, StoreError> {
    let filter = AuditFilter {
        user: query.userid.as_ref().map(|userid| userid.to_lowercase()),
        since: query.since.map_or(i64::MIN, |since| since.0),
        before: query.before,
    };
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let rows = store.query().await?.list_audit(&filter, limit).await?;
    let cursor = rows.last().filter(|_| rows.len() >= query.limit).map(|row| row.id.to_string());
    Ok(AuditLog { rows: rows.into_iter().map(AuditEntry::from).collect(), cursor })
}

/// A board after `ply` moves, removed boards included; with `seat`, as that seat sees it.
pub async fn inspect_board(
    app: &App,
    name: &BoardRef,
    ply: Option<i64>,
    seat: Option<u8>,
) -> Result<InspectedBoard, ServiceError> {
    let mut tx = app.store.read().await?;
    let Some(row) = tx.find_board(&name.game, name.number).await? else {
        return Err(no_such_board(&app.games, &name.game, name.number).into());
    };
    let board = at_ply(&app.games, Board::from_row(&mut tx, &app.games, row).await?, ply)?;
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
            queued.push(QueuedMoves { seat: row.seat, userid: row.userid.clone(), moves });
        }
    }
    let view = board.view_for(viewer);
    Ok(InspectedBoard {
        status: sheet.verdict.to_string(),
        ply: board.entries.len(),
        position: board.position_text(),
        text: view.lay_out(Layout::Standard),
        queued,
        moves: list_moves(&board),
        watchers: sheet.subscribers,
        title: board.title(),
        sides: summary.seats.iter().map(|seat| board.side(seat.seat)).collect(),
        notes: sheet.notes,
        view,
        facts: summary.facts,
        paused: summary.paused,
        last_ply: summary.last_ply,
        seats: summary.seats,
        due: summary.due,
        reminded: summary.reminded,
    })
}

fn find_seat(board: &Board, seat: u8) -> Result<(), Refusal> {
    if board.seat_row(i64::from(seat)).is_some() {
        return Ok(());
    }
    let last = board.seats.len();
    Err(Refusal::new(Code::BadValue, format!("there is no seat {seat}; seats are 1 to {last}")))
}

pub(super) async fn check_seat(
    tx: &mut ReadTx,
    games: &Games,
    name: &BoardRef,
    seat: u8,
) -> Result<(), ServiceError> {
    let Some(row) = tx.find_board(&name.game, name.number).await? else {
        return Err(no_such_board(games, &name.game, name.number).into());
    };
    let board = Board::from_row(tx, games, row).await?;
    Ok(find_seat(&board, seat)?)
}
