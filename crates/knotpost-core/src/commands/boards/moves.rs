use knotpost_commands::Action;
use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, find_board, find_game, forgive_move, repeated};
use crate::commands::authorize::authorize_mover;
use crate::commands::boards::{resign, submit};
use crate::commands::policy::{Policy, Spends};
use crate::commands::prepare::{check_rate, check_readers};
use crate::commands::repetition::answer_already_played;
use crate::play::moves::{Turning, check_answer, check_turn_on, make};
use crate::play::proposals;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::{Channel, Millis, Rate};
use knotpost_storage::{MoverRow, ReadTx, WriteTx};

/// Counted per board number, as each proposal is mailed to all its players. Not by game, which a command may
/// leave out.
pub(in crate::commands) fn policy_of_proposal(board: u32) -> Policy {
    Policy::spends(Spends::ShareOfUserAt(Rate::Proposal, board.to_string()))
}

/// Checks in a fixed order, so that the answer names the first fault.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    turning: Turning<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = match turning.game {
        Some(game) => find_game(&app.games, game)?.meta().name,
        None => guess_game(tx, app, turning).await?,
    };
    if matches!(turning.action, Action::Resign) {
        return resign::run(tx, app, ready, game, turning.board, now).await;
    }
    let board = find_board(tx, app, game, turning.board).await?;
    let (board, MoverRow { user, confirm, .. }) = authorize_mover(tx, ready, board).await?;
    let forgiven = forgive(ready, &board, turning.action);
    let turning = Turning { action: forgiven.as_ref().unwrap_or(turning.action), ..turning };
    if let (Channel::Http, Some(turn)) = (ready.origin.channel, as_turn(turning.action))
        && repeated::is_repeated(&app.games, &board, &user, turn, turning.number)?
    {
        let reply = answer_already_played(ready, Some(&board), Some(&user.userid), now);
        return Ok(Answer::to_sender(reply).about(board.name()));
    }
    // Refusing an offer already gone is harmless.
    let board = match turning.action {
        Action::Reject => board,
        _ => check_answer(tx, ready, board, &user).await?,
    };
    let Some(turn) = as_turn(turning.action) else {
        let checked = match turning.action {
            Action::Propose | Action::Undo | Action::Substitute => {
                let players = board.seats.iter().map(|seat| (seat.user_id, seat.userid.as_str()));
                check_readers(&app.limits, ready, players)
            }
            _ => check_rate(ready).map(|()| Vec::new()),
        };
        let mailed = match checked {
            Ok(mailed) => mailed,
            Err(refusal) => return Err(refusal.about(board).into()),
        };
        let answer = proposals::act(tx, app, ready, board, &user, turning, now).await?;
        return Ok(Answer { mailed, ..answer });
    };
    let board = check_turn_on(board, &user, turn, turning.number)?;
    if submit::is_to_confirm(confirm.as_deref()) {
        return submit::store(tx, app, board, &user, turning.action.as_str(), &ready.body, now).await;
    }
    make(tx, app, board, &user, turn, &ready.body, now).await
}

/// Corrects a mailed move that is none as written. Programs that send commands are held to the notation.
fn forgive(ready: &Ready, board: &Board, action: &Action) -> Option<Action> {
    match (ready.origin.channel, action) {
        (Channel::Mail, Action::Move(text)) => {
            forgive_move(text, &|word| board.position.is_legal_syntax(word)).map(Action::Move)
        }
        _ => None,
    }
}

fn as_turn(action: &Action) -> Option<Turn<'_>> {
    match action {
        Action::Move(text) => Some(Turn::Move(text)),
        Action::Pass => Some(Turn::Pass),
        Action::Swap => Some(Turn::Swap),
        Action::Propose
        | Action::Undo
        | Action::Substitute
        | Action::Accept
        | Action::Reject
        | Action::Resign => None,
    }
}

async fn guess_game(tx: &mut ReadTx, app: &App, turning: Turning<'_>) -> Result<&'static str, ServiceError> {
    let user = tx.find_user(turning.userid).await?;
    let games = match &user {
        Some(user) => tx.games_with_board(turning.board, user.id).await?,
        None => Vec::new(),
    };
    match games.as_slice() {
        [game] => Ok(find_game(&app.games, game)?.meta().name),
        [] => Err(Refusal::new(Code::NoSuchBoard, format!("you play on no board {}", turning.board))
            .hint("Write the game first: GAME move BOARD USERID PASSWORD MOVE")
            .into()),
        several => {
            let candidates: Vec<String> =
                several.iter().map(|game| format!("{game} {}", turning.board)).collect();
            Err(Refusal::new(Code::NoSuchBoard, format!("you play on several boards {}", turning.board))
                .hint(format!("Write the game first; you may mean: {}", candidates.join(", ")))
                .into())
        }
    }
}
