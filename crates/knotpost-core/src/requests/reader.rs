//! Reader of an answer, as far as known, so that its examples work unchanged.

use knotpost_commands::{Command, ExampleContext};

use crate::boards::{Board, Games, Refusal, Standing};
use crate::requests::Ready;
use knotpost_model::{BoardState, SeatState};
use knotpost_storage::{BoardFilter, BoardRow, ReadTx, StoreError, UserRow};

const MOST_BOARDS: i64 = 20;

/// Context for the reader of this command's answer. By mail, the only user with the sender's address, to
/// which alone the answer goes.
pub(crate) async fn reader_of(
    tx: &mut ReadTx,
    games: &Games,
    ready: &Ready,
    game: Option<&str>,
) -> Result<ExampleContext, StoreError> {
    let Some(user) = find_reader(tx, ready).await? else { return Ok(ExampleContext::default()) };
    let mut context = ExampleContext { userid: Some(user.userid.clone()), ..ExampleContext::default() };
    let Some(row) = find_board(tx, &user, game).await? else { return Ok(context) };
    // A board that does not replay must not break a help page.
    let Ok(board) = Board::from_row(tx, games, row).await else { return Ok(context) };
    context.game = Some(board.row.game.clone());
    context.board = Some(board.row.number as u32);
    context.opponent =
        board.seats.iter().find(|seat| seat.user_id != user.id).map(|seat| seat.userid.clone());
    if matches!(board.standing(), Standing::ToMove(_)) {
        context.legal_move = board.position.example_move();
    }
    Ok(context)
}

async fn find_reader(tx: &mut ReadTx, ready: &Ready) -> Result<Option<UserRow>, StoreError> {
    let who = ready.command.as_ref().ok().and_then(Command::credentials);
    if let Some(who) = who.filter(|_| ready.is_authenticated()) {
        return tx.find_user(&who.userid).await;
    }
    let Some(sender) = &ready.origin.sender else { return Ok(None) };
    let mut users = tx.users_at(&sender.key()).await?;
    Ok(if users.len() == 1 { users.pop() } else { None })
}

async fn find_board(
    tx: &mut ReadTx,
    user: &UserRow,
    game: Option<&str>,
) -> Result<Option<BoardRow>, StoreError> {
    let filter = BoardFilter {
        game: game.map(str::to_owned),
        user: Some(user.id),
        state: Some(BoardState::Active),
        ..BoardFilter::default()
    };
    let on_turn = BoardFilter { next: true, ..filter.clone() };
    if let Some(row) = tx.list_boards(&on_turn, 1).await?.pop() {
        return Ok(Some(row));
    }
    for row in tx.list_boards(&filter, MOST_BOARDS).await? {
        let seats = tx.seats(row.id).await?;
        if seats.iter().any(|seat| seat.user_id == user.id && seat.state == SeatState::Playing) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Error of a line, with syntax and example fit for its reader.
pub(crate) async fn refuse_line(
    tx: &mut ReadTx,
    games: &Games,
    ready: &Ready,
    error: &knotpost_commands::ParseError,
) -> Result<Refusal, StoreError> {
    let mut context = reader_of(tx, games, ready, error.game.as_deref()).await?;
    // The example uses game and board of the line; a move of another board would not fit.
    let same_game = error.game.is_none() || error.game == context.game;
    let same_board = error.board.is_none() || error.board == context.board;
    if !same_game || !same_board {
        context = ExampleContext { userid: context.userid, ..ExampleContext::default() };
    }
    let mut refusal = Refusal::of_line(error, &context);
    // Only an existing board tells which one was meant.
    if let (Some(game), Some(number)) = (&error.game, error.board)
        && let Some(board) = Board::load(tx, games, game, number).await?
    {
        refusal = refusal.about(board);
    }
    Ok(refusal)
}
