//! Practice that is kept: the moves of a practice page become an unrated board against the same computer player.

use std::sync::Arc;

use knotpost_rules::{Seed, Turn};

use crate::app::App;
use crate::boards::board::parse_options;
use crate::boards::{Code, Refusal, ServiceError, Standing, find_offered_game};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::play::after_turn::finish_turn;
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::moves::exchange_users;
use crate::play::opponents::{Readiness, SEATS, readiness};
use knotpost_model::computer_player::userid_of;
use knotpost_model::{BoardRef, Rate};
use knotpost_storage::{StoreError, WriteTx};

#[derive(Clone, Debug)]
pub struct Practice {
    pub game: String,
    pub level: u8,
    pub seed: Seed,
    /// Canonical moves of both sides, without forced passes.
    pub moves: Vec<String>,
}

/// Begins the board with the user in the first seat. Nobody is mailed: the user sees it at once.
///
/// # Errors
///
/// Refused if the game is over, a move is not legal, or the computer player is switched off.
pub async fn keep_practice(
    app: &Arc<App>,
    proven: ProvenUser,
    practice: Practice,
) -> Result<BoardRef, ServiceError> {
    let key = format!("practice {}", proven.user.0);
    app.limits.admit(Rate::Challenge, &key, "that were many games; try again later")?;
    let board = app.write(async move |tx, app| keep(tx, app, &proven, &practice).await).await?;
    app.signals.outbox.notify_one();
    Ok(board)
}

async fn keep(
    tx: &mut WriteTx,
    app: &App,
    proven: &ProvenUser,
    practice: &Practice,
) -> Result<BoardRef, ServiceError> {
    let now = app.clock.now();
    let user = check_proven(tx, proven).await?;
    let game = find_offered_game(&app.games, &practice.game)?;
    let Some(bot) = tx.find_user(&userid_of(practice.level)).await? else {
        return Err(Refusal::new(Code::BadValue, "there is no computer player of this level").into());
    };
    if readiness(tx, &app.config, game.meta().name, &bot, &[user.id]).await? != Readiness::Ready {
        return Err(Refusal::new(Code::InvalidChallenge, "computer players are switched off here").into());
    }
    let options = parse_options(game, game.meta().trial, SEATS).map_err(StoreError::Corrupt)?;
    let terms = Terms { rated: false, nag_ms: None, forfeit_ms: None, total_ms: None };
    let cause = Cause::Practice { seed: practice.seed.0 };
    let opening = Opening { terms, cause, comment: "" };
    let (mut board, _) = start(tx, app, game, &options, &[user, bot], opening, now).await?;
    let stored = board.entries.len();
    for word in &practice.moves {
        let turn = Turn::from_word(word);
        if board.play(turn, false, now).is_err() {
            let message = format!("the move {word} is not legal here; nothing was kept");
            return Err(Refusal::new(Code::IllegalMove, message).into());
        }
        if matches!(turn, Turn::Swap) {
            exchange_users(tx, &mut board).await?;
        }
        while let Some(forced) = board.position.forced() {
            board.play(forced, true, now).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        }
    }
    if matches!(board.standing(), Standing::Over(_)) {
        return Err(Refusal::new(Code::GameOver, "this game is over; there is nothing left to play").into());
    }
    if board.entries.len() > stored {
        finish_turn(tx, app, &mut board, stored, now).await?;
    }
    Ok(board.name())
}
