//! Accounts played by a program of their owner. Irrevocable, so that opponents know it, before and
//! afterwards.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use knotpost_storage::{PROGRAM, UserRow, WriteTx};

/// Marks an account as a program's; idempotent.
pub(crate) async fn set(
    tx: &mut WriteTx,
    app: &App,
    user: &mut UserRow,
    wanted: bool,
) -> Result<(), ServiceError> {
    let refuse = |message: &str, hint: &str| Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
    if wanted == user.is_bot() {
        return Ok(());
    }
    if !wanted {
        let hint =
            "Those who played against it are to know that later too. Whoever runs this server can change it.";
        return refuse("the account of a program stays one", hint);
    }
    if user.role == "admin" {
        let hint = "Sign up another userid for your program.";
        return refuse("a program does not play for an administrator", hint);
    }
    if tx.plays_rated_boards(user.id).await? {
        let hint = "Finish them first, or sign up another userid for your program.";
        return refuse("rated boards are being played in this account", hint);
    }
    for game in app.registry.iter() {
        tx.delete_seek(game.meta().name, user.id).await?;
    }
    tx.set_user_role(user.id, PROGRAM).await?;
    PROGRAM.clone_into(&mut user.role);
    Ok(())
}
