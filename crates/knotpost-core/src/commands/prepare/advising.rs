//! Commands that need a computer player to think, which takes long and is done outside any transaction.

use knotpost_commands::Command;

use crate::app::App;
use crate::boards::Board;
use crate::commands::boards::hint;
use crate::identity::Login;
use crate::identity::authentication::Patience;
use crate::requests::{Advice, Prepared};
use knotpost_storage::StoreError;

/// Has a computer player think about the board of a command that asks for it, when its sender may ask; `false`: it must
/// think, and there is no patience for that. Whoever may not ask is refused in the transaction.
pub(super) async fn take_advice(
    app: &App,
    prepared: &mut Prepared,
    patience: Patience,
) -> Result<bool, StoreError> {
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
    if app.game(game).is_none() || hint::check(&board, &user).is_err() {
        return Ok(true);
    }
    if patience == Patience::OnlyRemembered {
        return Ok(false);
    }
    let question = hint::question(&board);
    let seen = (board.game.meta().name, board.position.clone_box());
    let answer = app.thinking.ask(user.id, question, seen).await;
    prepared.advice = Some(Advice { question, answer });
    Ok(true)
}
