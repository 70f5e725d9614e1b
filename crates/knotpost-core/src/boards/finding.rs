//! Lookups of games and boards by name, with their refusals.

use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use knotpost_storage::ReadTx;

pub(crate) fn find_game(app: &App, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    app.game(name).ok_or_else(|| unknown_game(app, format!("there is no game `{name}` here")).into())
}

pub(crate) fn find_offered_game(app: &App, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    let title = find_game(app, name)?.meta().title;
    app.offered_game(name).ok_or_else(|| {
        let words =
            format!("no new boards of {title} begin here; those that have begun are played to their end");
        unknown_game(app, words).into()
    })
}

fn unknown_game(app: &App, words: String) -> Refusal {
    let offered: Vec<&str> = app.offered_games().map(|game| game.meta().name).collect();
    Refusal::new(Code::UnknownGame, words).hint(format!("Games: {}", offered.join(", ")))
}

pub(crate) async fn find_board(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    number: u32,
) -> Result<Board, ServiceError> {
    Board::load(tx, app, game, number).await?.ok_or_else(|| no_such_board(app, game, number).into())
}

pub(crate) fn no_such_board(app: &App, game: &str, number: u32) -> Refusal {
    let title = app.game(game).map_or(game, |game| game.meta().title);
    Refusal::new(Code::NoSuchBoard, format!("there is no {title} board {number}"))
        .hint(format!("`{game} games` lists the boards that are being played."))
        .about_game(game)
}

/// The board after `at` moves; negative counts back from the end.
pub(crate) fn at_ply(app: &App, board: Board, at: Option<i64>) -> Result<Board, ServiceError> {
    let Some(at) = at else { return Ok(board) };
    let made = board.entries.len() as i64;
    let ply = if at < 0 { made + at } else { at };
    if !(0..=made).contains(&ply) {
        let message =
            format!("{} {} has {made} moves; there is no position #{at}", board.title(), board.row.number);
        return Err(Refusal::new(Code::BadValue, message).about(board).into());
    }
    Ok(board.at(app, ply as usize)?)
}
