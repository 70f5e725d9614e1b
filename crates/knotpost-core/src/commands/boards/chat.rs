//! `chat`: words for the players and subscribers of a board.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, Standing, find_board, find_game};
use crate::commands::authorize::authorize_on;
use crate::commands::policy::{Policy, Spends};
use crate::commands::prepare::check_rate;
use crate::play::boards::answer_with_board;
use crate::replies::{Answer, BoardFacts, Heading};
use crate::requests::Prepared;
use knotpost_model::{Millis, Rate, RemarkKind};
use knotpost_storage::WriteTx;

/// How often a user speaks is counted board by board.
pub(in crate::commands) fn policy(game: &str, board: u32) -> Policy {
    Policy::spends(Spends::ShareOfUserAt(Rate::Chat, format!("{} {board}", game.to_lowercase())))
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    let board = find_board(tx, app, game, number).await?;
    let (board, user) = authorize_on(tx, prepared, board).await?;
    if matches!(board.standing(), Standing::Over(_))
        && board.seat_of(user.id).is_none()
        && !tx.subscribers(board.row.id).await?.iter().any(|(key, _)| *key == user.id.0)
    {
        let words = "this board is over: only its players and who subscribed to it speak here now";
        return Err(Refusal::new(Code::NotAllowed, words).about(board).into());
    }
    if prepared.body.trim().is_empty() {
        let refusal = Refusal::new(Code::WrongArguments, "there is no text to pass on")
            .hint("Write what you want to say into the body, below the command.");
        return Err(refusal.about(board).into());
    }
    if let Err(refusal) = check_rate(prepared) {
        return Err(refusal.about(board).into());
    }
    let remark = tx
        .insert_remark(board.row.id, board.row.ply, Some(user.id), RemarkKind::Chat, &prepared.body, now)
        .await?;
    let facts = BoardFacts { remark: Some(remark), ..BoardFacts::plain(Heading::Chat) };
    answer_with_board(tx, app, &board, facts, now).await
}
