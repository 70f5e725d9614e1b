//! Changes to boards by administrators. The players are told by mail, with the reason.

use knotpost_rules::Seat;
use serde::Serialize;

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing, find_board};
use crate::play::after_turn::finish_turn;
use crate::play::notifications::{notify_of_removal, notify_readers};
use crate::play::proposals::{last_own_move, take_back};
use crate::play::resignation::remove;
use crate::replies::{BoardFacts, Content, Facts, Heading, Note, Reply, Ruling as Ruled};
use knotpost_model::{BoardRef, BoardState, Millis, MoveKind, Period, SeatState};
use knotpost_storage::WriteTx;

#[derive(Debug, Serialize)]
struct Closed {
    title: String,
    number: u32,
    #[serde(skip)]
    why: String,
}

impl Content for Closed {
    const TEMPLATE: &'static str = "closed";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("why", self.why.clone())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardAction {
    /// Stops all moves and clocks.
    Pause,
    /// The time of the pause counts for nobody.
    Resume,
    /// Ends the game; these seats share first place.
    Adjudicate {
        winners: Vec<u8>,
    },
    /// Takes back the last move made by a player, not by the server.
    TakeBack,
    Remove,
}

impl BoardAction {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Pause => "board.pause",
            Self::Resume => "board.resume",
            Self::Adjudicate { .. } => "board.adjudicate",
            Self::TakeBack => "board.take_back",
            Self::Remove => "board.remove",
        }
    }

    pub(super) fn detail(&self) -> String {
        match self {
            Self::Adjudicate { winners } => {
                let seats: Vec<String> = winners.iter().map(ToString::to_string).collect();
                format!("winning seats {}", seats.join(","))
            }
            _ => String::new(),
        }
    }
}

pub(super) async fn rule(
    tx: &mut WriteTx,
    app: &App,
    name: &BoardRef,
    action: &BoardAction,
    why: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    let board = find_board(tx, app, &name.game, name.number).await?;
    if *action == BoardAction::Remove {
        return close(tx, app, board, why, now).await;
    }
    if board.row.state != BoardState::Active {
        return Err(Refusal::new(Code::GameOver, format!("{name} is over")).into());
    }
    let (board, ruling) = match action {
        BoardAction::Pause => (pause(tx, board, now).await?, Ruled::Paused),
        BoardAction::Resume => (resume(tx, board, now).await?, Ruled::Resumed),
        BoardAction::Adjudicate { winners } => {
            (adjudicate(tx, app, board, winners, now).await?, Ruled::Adjudicated)
        }
        BoardAction::TakeBack => {
            if last_own_move(&board).is_none() {
                let refusal = Refusal::new(Code::Conflict, "there is no move that could be taken back")
                    .hint("Resignations are final, and so is what was played before them.");
                return Err(refusal.into());
            }
            (take_back(tx, app, board, now).await?, Ruled::TakenBack)
        }
        BoardAction::Remove => return Ok(()),
    };
    let note = Note::Ruled { ruling, why: why.split_whitespace().collect::<Vec<_>>().join(" ") };
    let facts = BoardFacts { notes: vec![note], ..BoardFacts::plain(Heading::Summary) };
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(())
}

async fn pause(tx: &mut WriteTx, mut board: Board, now: Millis) -> Result<Board, ServiceError> {
    if board.row.paused_at.is_some() {
        return Err(Refusal::new(Code::Conflict, format!("{} is paused already", board.name())).into());
    }
    tx.set_paused(board.row.id, Some(now)).await?;
    board.row.paused_at = Some(now.0);
    board.row.due_at = None;
    board.load_pauses(tx).await?;
    Ok(board)
}

async fn resume(tx: &mut WriteTx, mut board: Board, now: Millis) -> Result<Board, ServiceError> {
    if board.row.paused_at.is_none() {
        return Err(Refusal::new(Code::Conflict, format!("{} is not paused", board.name())).into());
    }
    end_pause(tx, &mut board, now).await?;
    // Due at once: the clock then computes the real time.
    tx.set_due(board.row.id, Some(now), board.row.nagged_at.map(Millis)).await?;
    board.row.due_at = Some(now.0);
    Ok(board)
}

/// Excludes the time of the pause from all clocks.
async fn end_pause(tx: &mut WriteTx, board: &mut Board, now: Millis) -> Result<(), ServiceError> {
    let Some(since) = board.row.paused_at.take() else { return Ok(()) };
    let pause = Period::new(Millis(since), now);
    if pause.span().0 > 0 {
        tx.insert_board_pause(board.row.id, pause).await?;
    }
    tx.set_paused(board.row.id, None).await?;
    board.load_pauses(tx).await?;
    Ok(())
}

async fn adjudicate(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    winners: &[u8],
    now: Millis,
) -> Result<Board, ServiceError> {
    let winners = winning_seats(&board, winners)?;
    let Standing::ToMove(next) = board.standing() else {
        return Err(Refusal::new(Code::GameOver, format!("{} is over", board.name())).into());
    };
    end_pause(tx, &mut board, now).await?;
    tx.delete_proposal(board.row.id).await?;
    let stored = board.entries.len();
    board.decide(MoveKind::Adjudicated, &winners, next, now);
    finish_turn(tx, app, &mut board, stored, now).await?;
    Ok(board)
}

/// Checks the winners: at least one, no duplicates, all still playing.
fn winning_seats(board: &Board, winners: &[u8]) -> Result<Vec<Seat>, Refusal> {
    let mut seats: Vec<Seat> = Vec::new();
    for number in winners {
        let row = board.seat_row(i64::from(*number));
        let Some(row) = row.filter(|row| row.state == SeatState::Playing) else {
            let last = board.seats.len();
            let refusal = Refusal::new(Code::BadValue, format!("nobody plays in seat {number}"));
            return Err(refusal.hint(format!("Seats are 1 to {last}; who has resigned cannot win.")));
        };
        let seat = seat_at(row.seat);
        if !seats.contains(&seat) {
            seats.push(seat);
        }
    }
    if seats.is_empty() {
        return Err(Refusal::new(Code::BadValue, "name the seat that has won, or several for a tie"));
    }
    seats.sort_unstable_by_key(|seat| seat.number());
    Ok(seats)
}

/// Removes a board. Its part in the ratings stays.
async fn close(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    why: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    if board.row.state == BoardState::Over && board.row.rated {
        let refusal = Refusal::new(Code::GameOver, format!("{} is over and rated", board.name()))
            .hint("Its result is part of the ratings; only boards without a rated result can be removed.");
        return Err(refusal.into());
    }
    if board.row.paused_at.take().is_some() {
        tx.set_paused(board.row.id, None).await?;
    }
    tx.delete_proposal(board.row.id).await?;
    tx.delete_queue(board.row.id, None).await?;
    remove(tx, &mut board, now).await?;
    let reply = Reply::from(Closed {
        title: board.title().to_owned(),
        number: board.row.number as u32,
        why: why.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    notify_of_removal(tx, app, &board, &reply, now).await?;
    Ok(())
}
