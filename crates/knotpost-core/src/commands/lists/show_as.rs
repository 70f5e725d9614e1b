//! `showas`: boards as one player sees them, with their queued moves.

use knotpost_commands::{BoardAt, Selector};

use crate::app::App;
use crate::boards::{Board, ServiceError, at_ply, find_game, no_such_board};
use crate::commands::authorize::{authorize, authorize_on};
use crate::play::queries::{
    MOST_SHEETS, boards_answer, check_amount, describe_none, select_boards, show_with_offers,
};
use crate::play::queue;
use crate::replies::{Answer, Sheet};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError, UserRow};

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
    wanted: &[BoardAt],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(&app.games, game)?.meta();
    let game = meta.name;
    check_amount(Some(game), wanted.len())?;
    let (mut boards, mut missing) = (Vec::new(), Vec::new());
    for at in wanted {
        let Some(board) = Board::load(tx, &app.games, game, at.number).await? else {
            missing.push(format!("There is no {} board {}.", meta.title, at.number));
            continue;
        };
        boards.push(at_ply(&app.games, board, at.at)?);
    }
    if let (Some(first), true) = (wanted.first(), boards.is_empty()) {
        return Err(no_such_board(&app.games, game, first.number).into());
    }
    let user = if boards.len() == 1 {
        let (board, user) = authorize_on(tx, ready, boards.remove(0)).await?;
        boards.push(board);
        user
    } else {
        authorize(tx, ready).await?
    };
    if wanted.is_empty() {
        let users = [user.clone()];
        let selector = selector.or(Some(Selector::Active));
        let mut rows = select_boards(tx, game, &users, selector, MOST_SHEETS as i64 + 1).await?;
        check_amount(Some(game), rows.len())?;
        rows.sort_by_key(|row| row.number);
        if rows.is_empty() {
            missing.push(describe_none(Some((game, meta.title)), &users, selector));
        }
        for board in Board::from_rows(tx, &app.games, &rows).await? {
            boards.push(board?);
        }
    }
    let mut sheets = Vec::new();
    for board in &boards {
        sheets.push(show_to(tx, board, &user, now).await?);
    }
    Ok(boards_answer(sheets, missing))
}

async fn show_to(tx: &mut ReadTx, board: &Board, user: &UserRow, now: Millis) -> Result<Sheet, StoreError> {
    let (mut sheet, _) = show_with_offers(tx, board, Some(&user.userid), now).await?;
    if board.entries.len() as i64 == board.row.ply {
        for seat in board.seats.iter().filter(|seat| seat.user_id == user.id) {
            let queued = tx.queued_moves(board.row.id, seat.seat).await?;
            if !queued.is_empty() {
                let words: Vec<String> = queued.iter().map(queue::word).collect();
                sheet.notes.push(format!("Your queued moves: {}", words.join(" ")));
            }
        }
    }
    Ok(sheet)
}
