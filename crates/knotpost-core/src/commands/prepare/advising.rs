//! Commands that need a computer player's search, done outside any transaction.

use knotpost_commands::{Command, ErrorCode, ParseError};
use knotpost_rules::Position;

use crate::app::App;
use crate::boards::{Board, Standing};
use crate::commands::boards::{analyse, hint};
use crate::identity::Login;
use crate::identity::authentication::SlowWork;
use crate::requests::{Advice, Prepared};
use crate::thinking::AskedFor;
use knotpost_storage::StoreError;

const MOST_POSITIONS: usize = 300;

/// Runs the search for a command if its sender may ask; `false`: slow work is refused. Missing permission is
/// reported in the transaction.
pub(super) async fn take_advice(
    app: &App,
    prepared: &mut Prepared,
    slow_work: SlowWork,
) -> Result<bool, StoreError> {
    if let Ok(Command::Analyse { game, board }) = &prepared.command {
        let (game, board) = (game.clone(), *board);
        return analyse(app, prepared, (&game, board), slow_work).await;
    }
    let (Ok(Command::Hint { game, board, who: _ }), Login::Known { user, .. }, None) =
        (&prepared.command, &prepared.login, &prepared.limited)
    else {
        return Ok(true);
    };
    let mut tx = app.store.read().await?;
    let (Some(board), Some(user)) = (Board::load(&mut tx, app, game, *board).await?, tx.user(*user).await?)
    else {
        return Ok(true);
    };
    drop(tx);
    if app.game(game).is_none() || hint::check(app, &board, &user).is_err() {
        return Ok(true);
    }
    if slow_work == SlowWork::Refused {
        return Ok(false);
    }
    let question = hint::question(&board);
    let seen = (board.game.meta().name, board.position.clone_box());
    let answer = app.thinking.ask(user.id, question, seen).await;
    prepared.advice = Some(Advice { question, answer });
    Ok(true)
}

async fn analyse(
    app: &App,
    prepared: &mut Prepared,
    (game, number): (&str, u32),
    slow_work: SlowWork,
) -> Result<bool, StoreError> {
    if prepared.limited.is_some() || app.game(game).is_none() {
        return Ok(true);
    }
    let mut tx = app.store.read().await?;
    let Some(board) = Board::load(&mut tx, app, game, number).await? else { return Ok(true) };
    drop(tx);
    if analyse::check(app, &board).is_err() {
        return Ok(true);
    }
    let question = hint::question(&board);
    if let Some(known) = app.thinking.recall_analysis(question) {
        prepared.analysis = Some((question, Ok(known)));
        return Ok(true);
    }
    if slow_work == SlowWork::Refused {
        return Ok(false);
    }
    let positions = positions_of(app, &board).await?;
    let whose = match prepared.login {
        Login::Known { user, .. } => AskedFor::User(user),
        _ => AskedFor::Guest(prepared.host().copied()),
    };
    let thoughts = app.thinking.analyse(whose, question, board.game.meta().name, positions).await;
    // The share of all together is charged for work really done.
    if let (Ok(_), Some(asker)) = (&thoughts, &prepared.asker) {
        app.limits.made(asker);
    }
    prepared.analysis = Some((question, thoughts));
    Ok(true)
}

/// The position before each move; of a long game, the last ones. Each is replayed from the start, so that
/// other tasks run in between.
async fn positions_of(app: &App, board: &Board) -> Result<Vec<Option<Box<dyn Position>>>, StoreError> {
    let moves = board.entries.len();
    let mut positions = Vec::with_capacity(moves);
    for ply in 0..moves {
        if ply + MOST_POSITIONS < moves {
            positions.push(None);
            continue;
        }
        let board = board.at(app, ply)?;
        let is_open = matches!(board.standing(), Standing::ToMove(_));
        positions.push(is_open.then(|| board.position.clone_box()));
        tokio::task::yield_now().await;
    }
    Ok(positions)
}

/// Seconds of search for all lines of one mail; one analysis takes all of it.
pub(super) const MOST_SECONDS: u32 = 20;

pub(super) fn seconds_of(command: &Result<Command, ParseError>) -> u32 {
    match command {
        Ok(Command::Hint { .. }) => 1,
        Ok(Command::Analyse { .. }) => MOST_SECONDS,
        _ => 0,
    }
}

pub(super) fn too_much_thinking() -> ParseError {
    let message = "one mail asks for one analysis or twenty hints; send the others in another mail";
    ParseError::new(ErrorCode::TooMuchMail, message)
}
