//! Lookups of games and boards by name, with their refusals.

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Board, Code, Games, Refusal, ServiceError};
use knotpost_storage::{ReadTx, UserRow, UserState};

pub(crate) fn find_game(games: &Games, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    games.find(name).ok_or_else(|| unknown_game(games, format!("there is no game `{name}` here")).into())
}

pub(crate) fn find_offered_game(games: &Games, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    let title = find_game(games, name)?.meta().title;
    games.find_offered(name).ok_or_else(|| {
        let words =
            format!("no new boards of {title} begin here; those that have begun are played to their end");
        unknown_game(games, words).into()
    })
}

fn unknown_game(games: &Games, words: String) -> Refusal {
    let offered: Vec<&str> = games.offered().map(|game| game.meta().name).collect();
    Refusal::new(Code::UnknownGame, words).hint(format!("Games: {}", offered.join(", ")))
}

pub(crate) fn no_such_user(userid: &str) -> Refusal {
    Refusal::new(Code::NoSuchUser, format!("there is no user `{userid}`"))
}

/// A user in any state.
pub(crate) async fn find_user(tx: &mut ReadTx, userid: &str) -> Result<UserRow, ServiceError> {
    Ok(tx.find_user(userid).await?.ok_or_else(|| no_such_user(userid))?)
}

/// A user who is not deleted.
pub(crate) async fn find_present_user(tx: &mut ReadTx, userid: &str) -> Result<UserRow, ServiceError> {
    let user = tx.find_user(userid).await?.filter(|user| user.state != UserState::Deleted);
    Ok(user.ok_or_else(|| no_such_user(userid))?)
}

pub(crate) async fn find_board(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    number: u32,
) -> Result<Board, ServiceError> {
    Board::load(tx, &app.games, game, number)
        .await?
        .ok_or_else(|| no_such_board(&app.games, game, number).into())
}

pub(crate) fn no_such_board(games: &Games, game: &str, number: u32) -> Refusal {
    let title = games.find(game).map_or(game, |game| game.meta().title);
    Refusal::new(Code::NoSuchBoard, format!("there is no {title} board {number}"))
        .hint(format!("`{game} games` lists the boards that are being played."))
        .about_game(game)
}

/// The board after `at` moves; negative counts back from the end.
pub(crate) fn at_ply(games: &Games, board: Board, at: Option<i64>) -> Result<Board, ServiceError> {
    let Some(at) = at else { return Ok(board) };
    let made = board.entries.len() as i64;
    let ply = if at < 0 { made + at } else { at };
    if !(0..=made).contains(&ply) {
        let message =
            format!("{} {} has {made} moves; there is no position #{at}", board.title(), board.row.number);
        return Err(Refusal::new(Code::BadValue, message).about(board).into());
    }
    Ok(board.at(games, ply as usize)?)
}
