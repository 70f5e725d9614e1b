//! `rematch`: a new board after a finished one, with its options and limits and exchanged seats.

use crate::app::App;
use crate::boards::board::seed_of;
use crate::boards::{Board, Code, Refusal, ServiceError, find_board, find_offered_game};
use crate::commands::authorize::authorize_on;
use crate::commands::boards::challenge::find_players;
use crate::commands::prepare::check_readers;
use crate::config::Config;
use crate::identity::presence::{Absence, absences};
use crate::play::boards::answer_with_board;
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::opponents::type_terms;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::{BoardState, Millis, UserKey};
use knotpost_platform::clock::Clock;
use knotpost_storage::{ReadTx, StoreError, UserRow, WriteTx};

/// Seats move up by one, the first becomes last. A second rematch of a board waits until the first is over.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game_name: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_offered_game(&app.games, game_name)?;
    let board = find_board(tx, app, game.meta().name, number).await?;
    let (board, user) = authorize_on(tx, ready, board).await?;
    if let Err(refusal) = check_over(&board, &user) {
        return Err(refusal.about(board).into());
    }
    if let Some(other) = tx.rematch_in_play(board.row.id).await? {
        let message = format!("the rematch of {} board {number} is board {other}", board.title());
        let hint = format!("`{} show {other}` shows it.", game.meta().name);
        return Err(Refusal::new(Code::Conflict, message).hint(hint).about(board).into());
    }
    let mut names: Vec<String> = board.seats.iter().map(|seat| seat.userid.clone()).collect();
    names.rotate_left(1);
    let users = find_players(tx, &app.config, ready, game, &names).await?;
    let mailed = check_readers(&app.limits, ready, users.iter().map(|user| (user.id, user.userid.as_str())))
        .map_err(|refusal| refusal.about_game(game_name))?;
    let terms = Terms {
        rated: board.row.rated,
        nag_ms: board.row.nag_ms,
        forfeit_ms: board.row.forfeit_ms,
        total_ms: board.row.total_ms,
    };
    if let Some(refusal) =
        find_away(tx, app.clock.as_ref(), &app.config, &board, (&user, &users), terms).await?
    {
        return Err(refusal.about_game(game_name).into());
    }
    let (row, options) = (&board.row, board.options());
    let seed = seed_of(&row.seed).filter(|_| options.repeats_deal());
    let cause = Cause::Rematch {
        of: row.id,
        number: row.number,
        by: user.id,
        userid: user.userid.clone(),
        seed: seed.map(|seed| seed.0),
    };
    let opening = Opening { terms, cause, comment: &ready.body };
    let (next, facts) = start(tx, app, game, options, &users, opening, now).await?;
    Ok(Answer { mailed, ..answer_with_board(tx, app, &next, facts, now).await? })
}

/// Warns before a board would begin with an opponent on vacation, and tells how to begin it anyway.
async fn find_away(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    config: &Config,
    board: &Board,
    (asker, users): (&UserRow, &[UserRow]),
    terms: Terms,
) -> Result<Option<Refusal>, StoreError> {
    let others = || users.iter().filter(|user| user.id != asker.id);
    let keys: Vec<UserKey> = others().map(|user| user.id).collect();
    let absences = absences(tx, clock, config, &keys).await?;
    let is_away = |absence: &&Absence| matches!(absence, Absence::Away(_));
    let away = others().filter_map(|user| {
        let absence = absences.get(&user.id)?.iter().find(is_away)?;
        Some(absence.about(&user.userid).trim_end_matches('.').to_owned())
    });
    let away: Vec<String> = away.collect();
    if away.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = users.iter().map(|user| user.userid.as_str()).collect();
    let options = type_terms(&board.options().to_string(), terms);
    let line = format!("{} challenge {} {options}", board.row.game, names.join(" "));
    let refusal = Refusal::new(Code::Conflict, format!("no board was begun: {}", away.join(", ")))
        .hint(format!("To begin it all the same: {}", line.trim_end()));
    Ok(Some(refusal))
}

fn check_over(board: &Board, user: &UserRow) -> Result<(), Refusal> {
    let title = board.title();
    let number = board.row.number;
    if board.seat_of(user.id).is_none() {
        let message = format!("{} did not play on {title} board {number}", user.userid);
        return Err(Refusal::new(Code::NotAPlayer, message)
            .hint(format!("To challenge somebody: {} challenge {} USERID", board.row.game, user.userid)));
    }
    if board.row.state != BoardState::Over {
        let message = format!("{title} board {number} is not over yet");
        return Err(Refusal::new(Code::Conflict, message).hint("A rematch is for finished boards."));
    }
    Ok(())
}
