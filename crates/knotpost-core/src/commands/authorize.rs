//! Authorization inside the transaction: proofs made before it are checked again.

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, find_board, find_game};
use crate::identity::Login;
use crate::identity::authentication::logged_out;
use crate::identity::credentials::same_hash;
use crate::requests::Ready;
use knotpost_commands::Command;
use knotpost_model::UserKey;
use knotpost_storage::{MoverRow, ReadTx, UserRow, UserState};

/// Acting user. The password was verified before the transaction; this checks that it is still theirs.
pub(crate) async fn authorize(tx: &mut ReadTx, ready: &Ready) -> Result<UserRow, ServiceError> {
    let row = match proven_user(ready)? {
        Some((user, None)) => tx.user(user).await?,
        Some((user, Some(key))) => tx.user_with_token(user, key).await?,
        None => None,
    };
    if let Login::Known { session: Some(session), .. } = &ready.login
        && tx.session(session).await?.is_none()
    {
        return Err(logged_out().into());
    }
    Ok(admit(ready, row)?)
}

pub(crate) async fn authorize_on(
    tx: &mut ReadTx,
    ready: &Ready,
    board: Board,
) -> Result<(Board, UserRow), ServiceError> {
    match authorize(tx, ready).await {
        Ok(user) => Ok((board, user)),
        Err(ServiceError::Refused(refusal)) => Err(refusal.about(board).into()),
        Err(error) => Err(error),
    }
}

/// Board that the command names, and its sender.
pub(crate) async fn authorize_on_board(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
) -> Result<(Board, UserRow), ServiceError> {
    let game = find_game(&app.games, game)?.meta().name;
    let board = find_board(tx, app, game, number).await?;
    authorize_on(tx, ready, board).await
}

/// As [`authorize_on`], for a move; the same query reads whether the user confirms moves in this game.
pub(crate) async fn authorize_mover(
    tx: &mut ReadTx,
    ready: &Ready,
    board: Board,
) -> Result<(Board, MoverRow), ServiceError> {
    let row = match proven_user(ready) {
        Ok(Some((user, key))) => tx.mover(user, &board.row.game, key).await?.filter(|row| row.has_key),
        Ok(None) => None,
        Err(refusal) => return Err(refusal.about(board).into()),
    };
    let (user, confirm) = row.map_or((None, None), |row| (Some(row.user), row.confirm));
    match admit(ready, user) {
        Ok(user) => Ok((board, MoverRow { user, confirm, has_key: true })),
        Err(refusal) => Err(refusal.about(board).into()),
    }
}

/// User whose password was verified, with the API key if one was used.
fn proven_user(ready: &Ready) -> Result<Option<(UserKey, Option<i64>)>, Refusal> {
    match &ready.login {
        Login::Overloaded => {
            let mut refusal = Refusal::new(
                Code::Unavailable,
                "the server is too busy to check passwords; try again in a minute",
            );
            refusal.retry_after = Some(60);
            Err(refusal)
        }
        Login::TooMany(seconds) => {
            let message =
                format!("too many tries with this userid; try again in {} minutes", seconds.div_ceil(60));
            let mut refusal = Refusal::new(Code::RateLimited, message);
            refusal.retry_after = Some(*seconds);
            Err(refusal)
        }
        Login::Stale => Err(Refusal::new(
            Code::NotAllowed,
            "this needs your password, given within the last ten minutes",
        )
        .hint(
            "Being logged in is not enough to change addresses, which decide who gets your next password, to get all \
             that is held about you, or to make this the account of a program.",
        )
        .hint("Write the password itself into the command, or give it on the settings page.")),
        Login::Known { user, key, .. } => Ok(Some((*user, *key))),
        _ => Ok(None),
    }
}

/// The user may have been renamed since the lookup.
fn is_named(ready: &Ready, user: &UserRow) -> bool {
    let named = ready.command.as_ref().ok().and_then(Command::credentials);
    named.is_none_or(|who| who.userid.to_lowercase() == user.userid.to_lowercase())
}

/// Accepts the stored row only if the verified password and name are still theirs.
fn admit(ready: &Ready, row: Option<UserRow>) -> Result<UserRow, Refusal> {
    if let (Login::Known { hash, key, .. }, Some(row)) = (&ready.login, row)
        && row.state == UserState::Active
        && row.password_hash.as_deref().is_some_and(|stored| same_hash(stored, hash))
        && (key.is_some() || is_named(ready, &row))
    {
        return Ok(row);
    }
    if matches!(ready.login, Login::Known { key: Some(_), .. }) {
        return Err(Refusal::new(Code::BadCredentials, "this token is not good any more")
            .hint("Make another one on the settings page."));
    }
    Err(Refusal::new(Code::BadCredentials, "the userid or the password is wrong")
        .hint("Userids ignore case, passwords do not; the userid comes first, then the password.")
        .hint(
            "Forgotten? A mail with the Subject `password USERID` brings a way to choose another one to your \
             confirmed addresses.",
        ))
}
