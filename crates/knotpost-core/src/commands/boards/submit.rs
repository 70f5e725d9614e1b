//! `submit`: checks and stores a move, shown to the player alone until confirmed.

use knotpost_commands::Action;
use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{ServiceError, find_board, find_game};
use crate::commands::authorize::authorize_on;
use crate::play::moves::check_turn_on;
use crate::play::submission::store;
use crate::replies::Answer;
use crate::requests::Prepared;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    number_of_board: u32,
    (action, number): (&Action, Option<u32>),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    let board = find_board(tx, app, game, number_of_board).await?;
    let (board, user) = authorize_on(tx, prepared, board).await?;
    let word = action.as_str();
    let board = check_turn_on(board, &user, Turn::from_word(word), number)?;
    store(tx, app, board, &user, word, &prepared.body, now).await
}
