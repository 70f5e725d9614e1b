//! Who reads an answer, as far as that is known, so that its examples work for them unchanged.

use knotpost_commands::{Command, ExampleContext};

use crate::app::App;
use crate::boards::{Board, Refusal, Standing};
use crate::requests::Prepared;
use knotpost_model::{BoardState, SeatState};
use knotpost_storage::{BoardFilter, BoardRow, ReadTx, StoreError, UserRow};

/// Boards looked through for one to name.
const MOST_BOARDS: i64 = 20;

/// What is known about whoever reads the answer to this command. By mail it is the one user with the address it
/// came from; the answer goes to that address and nowhere else.
pub(crate) async fn reader_of(
    tx: &mut ReadTx,
    app: &App,
    prepared: &Prepared,
    game: Option<&str>,
) -> Result<ExampleContext, StoreError> {
    let Some(user) = find_reader(tx, prepared).await? else { return Ok(ExampleContext::default()) };
    let mut context = ExampleContext { userid: Some(user.userid.clone()), ..ExampleContext::default() };
    let Some(row) = find_board(tx, &user, game).await? else { return Ok(context) };
    // A board that does not replay must not keep anybody from their help page.
    let Ok(board) = Board::from_row(tx, app, row).await else { return Ok(context) };
    context.game = Some(board.row.game.clone());
    context.board = Some(board.row.number as u32);
    context.opponent =
        board.seats.iter().find(|seat| seat.user_id != user.id).map(|seat| seat.userid.clone());
    if matches!(board.standing(), Standing::ToMove(_)) {
        context.legal_move = board.position.example_move();
    }
    Ok(context)
}

async fn find_reader(tx: &mut ReadTx, prepared: &Prepared) -> Result<Option<UserRow>, StoreError> {
    let who = prepared.command.as_ref().ok().and_then(Command::credentials);
    if let Some(who) = who.filter(|_| prepared.is_authenticated()) {
        return tx.find_user(&who.userid).await;
    }
    let Some(sender) = &prepared.origin.sender else { return Ok(None) };
    let mut users = tx.users_at(&sender.key()).await?;
    Ok(if users.len() == 1 { users.pop() } else { None })
}

/// One of their boards, preferably one on which it is their turn.
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

/// What is wrong with a line, with a syntax and an example that fit its reader.
pub(crate) async fn refuse_line(
    tx: &mut ReadTx,
    app: &App,
    prepared: &Prepared,
    error: &knotpost_commands::ParseError,
) -> Result<Refusal, StoreError> {
    let mut context = reader_of(tx, app, prepared, error.game.as_deref()).await?;
    // Game and board of the line go into the example; a move of another board would be none there.
    let same_game = error.game.is_none() || error.game == context.game;
    let same_board = error.board.is_none() || error.board == context.board;
    if !same_game || !same_board {
        context = ExampleContext { userid: context.userid, ..ExampleContext::default() };
    }
    let mut refusal = Refusal::of_line(error, &context);
    // Only a board that there is says which one was meant.
    if let (Some(game), Some(number)) = (&error.game, error.board)
        && let Some(board) = Board::load(tx, app, game, number).await?
    {
        refusal = refusal.about(board);
    }
    Ok(refusal)
}
