//! `resend`: mails the boards waiting for a player once more, to that player alone.

use serde_json::json;

use crate::app::App;
use crate::boards::{Board, Code, Games, Refusal, ServiceError, find_board, find_game};
use crate::commands::authorize::{authorize, authorize_on};
use crate::mailing::post::post_to_user;
use crate::play::waiting_boards::{self, MOST_MAILED, mail_board};
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ReadTx, UserRow, WriteTx};

/// The boards on which it is the user's turn, or the one they name.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: Option<&str>,
    number: Option<u32>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = game.map(|game| find_game(&app.games, game).map(knotpost_rules::AnyGame::meta)).transpose()?;
    let name = meta.map(|meta| meta.name);
    let (boards, user) = if let (Some(name), Some(number)) = (name, number) {
        find_own(tx, app, ready, name, number).await?
    } else {
        let user = authorize(tx, ready).await?;
        (find_waiting(tx, &app.games, name, &user).await?, user)
    };
    for board in &boards {
        mail_board(tx, app, board, user.id, now).await?;
    }
    let facts = json!({
        "userid": user.userid,
        "title": meta.map(|meta| meta.title),
        "boards": boards.len(),
    });
    let reply = Reply::said("resent", facts);
    post_to_user(tx, app, &reply, user.id, now).await?;
    let mut answer = Answer::to_registered(reply);
    answer.boards.extend(boards.iter().map(Board::name));
    Ok(answer)
}

async fn find_own(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
) -> Result<(Vec<Board>, UserRow), ServiceError> {
    let board = find_board(tx, app, game, number).await?;
    let (board, user) = authorize_on(tx, ready, board).await?;
    let plays = board.seats.iter().any(|seat| seat.user_id == user.id);
    if !plays && tx.subscribers(board.row.id).await?.iter().all(|(key, _)| UserKey(*key) != user.id) {
        let message =
            format!("`{}` neither plays on {} board {number} nor watches it", user.userid, board.title());
        let refusal = Refusal::new(Code::NotAPlayer, message)
            .hint(format!("`{game} show {number}` shows it to everybody."));
        return Err(refusal.about(board).into());
    }
    Ok((vec![board], user))
}

async fn find_waiting(
    tx: &mut ReadTx,
    games: &Games,
    game: Option<&str>,
    user: &UserRow,
) -> Result<Vec<Board>, ServiceError> {
    let Some(rows) = waiting_boards::find_waiting(tx, game, user.id).await? else {
        let message = format!("more than {MOST_MAILED} boards wait for you; that is too much mail");
        let mut refusal = Refusal::new(Code::TooMuchMail, message)
            .hint(format!("One of them: resend {} PASSWORD GAME BOARD", user.userid))
            .hint(format!("All of them in a table: all games {} next", user.userid));
        refusal.game = game.map(str::to_owned);
        return Err(refusal.into());
    };
    let boards: Result<Vec<_>, _> = Board::from_rows(tx, games, &rows).await?.into_iter().collect();
    Ok(boards?)
}
