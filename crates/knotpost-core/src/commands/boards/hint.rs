//! `hint`: a computer player's move, for the player to move on an unrated board.
//!
//! Computed before the transaction, which checks the permission again.

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing};
use crate::commands::authorize::authorize_on_board;
use crate::commands::prepare::check_rate;
use crate::config::Config;
use crate::play::moves::{check_plays, check_turn};
use crate::play::queries::show_with_offers;
use crate::replies::hint::Hint;
use crate::replies::{Answer, Reply};
use crate::requests::{Preparation, Ready};
use crate::thinking::{Question, Unanswered};
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, UserRow};

/// Seconds until a retry under load.
const AGAIN: u64 = 10;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (board, user) = authorize_on_board(tx, app, ready, game, number).await?;
    match check(&app.config, &board, &user)
        .and_then(|()| check_rate(ready))
        .and_then(|()| find(&board, ready))
    {
        Ok(hint) => {
            let (mut sheet, _) = show_with_offers(tx, &board, Some(&user.userid), now).await?;
            sheet.notes.extend(hint.notes(board.seats.iter().map(|seat| seat.userid.as_str())));
            sheet.hint = Some(Box::new(hint));
            Ok(Answer::to_sender(Reply::Board(Box::new(sheet))).about(board.name()))
        }
        Err(refusal) => Err(refusal.about(board).into()),
    }
}

/// Permission: the player to move, on an unrated board.
pub(in crate::commands) fn check(config: &Config, board: &Board, user: &UserRow) -> Result<(), Refusal> {
    check_players(config)?;
    check_plays(board, user)?;
    if board.row.rated {
        let (title, game) = (board.title(), &board.row.game);
        let message =
            format!("there are no hints on rated boards, and {title} board {} is one", board.row.number);
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint(format!("With hints, but without ratings: {game} challenge USERID USERID --unrated")));
    }
    check_turn(board, user, None)
}

pub(in crate::commands) fn check_players(config: &Config) -> Result<(), Refusal> {
    if config.bots.enabled {
        return Ok(());
    }
    Err(Refusal::new(Code::NotSupported, "computer players are switched off on this server"))
}

pub(crate) fn question(board: &Board) -> Question {
    Question { board: board.row.id, course: board.course() }
}

pub(in crate::commands) fn try_again(message: &str) -> Refusal {
    Refusal { retry_after: Some(AGAIN), ..Refusal::new(Code::Unavailable, message) }
}

fn find(board: &Board, ready: &Ready) -> Result<Hint, Refusal> {
    let thought = match &ready.preparation {
        Preparation::Hint { question: asked, thought } if *asked == question(board) => Some(thought),
        _ => None,
    };
    match (thought, board.standing()) {
        (Some(Ok(thought)), Standing::ToMove(seat)) => {
            Ok(Hint::of(thought, i64::from(seat.number()), board.entries.len()))
        }
        (Some(Err(Unanswered::Busy)), _) => {
            Err(try_again("many hints are being thought about; try again in a moment"))
        }
        (Some(Err(Unanswered::Unknown)), _) => {
            let message = format!("no computer player knows {} in this position", board.title());
            Err(Refusal::new(Code::NotSupported, message))
        }
        (None, _) | (_, Standing::Over(_)) => Err(try_again("the board has just changed; ask once more")),
    }
}
