//! Looking over all games, and looking as a player: nothing here changes anything.

use knotpost_commands::{BoardAt, Selector};
use knotpost_rules::AnyGame;

use super::boards::{find_game, no_such_board};
use super::execute::{authorize, authorize_on};
use super::post::{BoardFacts, Heading};
use super::proposals::note_of_proposal;
use super::queries::{
    MOST_LINES, MOST_SHEETS, at_ply, boards_answer, check_amount, find_users, line, select_boards, show,
};
use super::sheet::{Listing, Spoken};
use super::{Answer, Board, BoardTable, Prepared, Reply, ServiceError, Sheet, queue};
use crate::app::App;
use crate::domain::Millis;
use crate::store::{StoreError, Tx, UserRow};

/// `showas`: boards as this player sees them, with the moves he has queued.
pub(super) async fn show_as(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    wanted: &[BoardAt],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    check_amount(Some(game), wanted.len())?;
    let mut boards = Vec::new();
    for at in wanted {
        let Some(board) = Board::load(tx, app, game, at.number).await? else {
            return Err(no_such_board(app, game, at.number).into());
        };
        boards.push(at_ply(app, board, at.at)?);
    }
    let user = if boards.len() == 1 {
        let (board, user) = authorize_on(tx, prepared, boards.remove(0)).await?;
        boards.push(board);
        user
    } else {
        authorize(tx, prepared).await?
    };
    if wanted.is_empty() {
        let users = [user.clone()];
        let selector = selector.or(Some(Selector::Active));
        let mut rows = select_boards(tx, game, &users, selector, MOST_SHEETS as i64 + 1).await?;
        check_amount(Some(game), rows.len())?;
        rows.sort_by_key(|row| row.number);
        for row in rows {
            boards.push(Board::from_row(tx, app, row).await?);
        }
    }
    let mut sheets = Vec::new();
    for board in &boards {
        sheets.push(show_to(tx, board, &user, now).await?);
    }
    Ok(boards_answer(sheets))
}

/// The board with its whole move list as this user sees it.
async fn show_to(tx: &mut Tx, board: &Board, user: &UserRow, now: Millis) -> Result<Sheet, StoreError> {
    let subscribers = tx.subscribers(board.row.id).await?.into_iter().map(|(_, name)| name).collect();
    let notes = note_of_proposal(tx, board).await?.into_iter().collect();
    let facts = BoardFacts { subscribers, notes, ..BoardFacts::plain(Heading::Show) };
    let spoken = tx.comment(board.row.id, board.entries.len() as i64).await?.map(Spoken::from);
    let mut sheet = Sheet::of(board, &facts, Some(&user.userid), Listing::Whole, now).with_spoken(spoken);
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

/// `all show`: the boards of users in every game.
pub(super) async fn all_show(
    tx: &mut Tx,
    app: &App,
    users: &[String],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let users = find_users(tx, None, users).await?;
    let selector = selector.or(Some(Selector::Active));
    let mut rows = Vec::new();
    for game in app.games() {
        let left = MOST_SHEETS as i64 + 1 - rows.len() as i64;
        let mut found = select_boards(tx, game.meta().name, &users, selector, left.max(1)).await?;
        found.sort_by_key(|row| row.number);
        rows.extend(found);
        check_amount(None, rows.len())?;
    }
    let mut sheets = Vec::new();
    for row in rows {
        let board = Board::from_row(tx, app, row).await?;
        sheets.push(show(tx, &board, now).await?);
    }
    Ok(boards_answer(sheets))
}

/// `all games`: a table a game that these users play.
pub(super) async fn all_games(
    tx: &mut Tx,
    app: &App,
    users: &[String],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let users = find_users(tx, None, users).await?;
    tables_of(tx, app.games(), &users, selector).await
}

/// A table a game of the boards of these users, of everybody where there are none; so many lines in all as one answer
/// holds.
pub(super) async fn tables_of(
    tx: &mut Tx,
    games: impl Iterator<Item = &'static dyn AnyGame>,
    users: &[UserRow],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let (mut tables, mut left, mut more) = (Vec::new(), MOST_LINES, false);
    for game in games {
        let meta = game.meta();
        let mut rows = select_boards(tx, meta.name, users, selector, left + 1).await?;
        more |= rows.len() as i64 > left;
        rows.sort_by_key(|row| row.number);
        rows.truncate(usize::try_from(left).unwrap_or(0));
        left -= rows.len() as i64;
        let (mut boards, mut most_players) = (Vec::new(), 2);
        for row in rows {
            let seats = tx.seats(row.id).await?;
            most_players = most_players.max(seats.len());
            boards.push(line(&row, &seats));
        }
        if !boards.is_empty() {
            let sides = meta.seat_names(most_players).iter().map(|side| (*side).to_owned()).collect();
            tables.push(BoardTable { title: meta.title.to_owned(), sides, boards });
        }
    }
    Ok(Answer::to_sender(Reply::AllBoards { tables, more }))
}
