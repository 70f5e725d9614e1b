//! `ladder challenge`: a game with somebody above on a ladder.

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::commands::tournaments::{answer, name_of};
use crate::replies::Answer;
use crate::requests::Ready;
use crate::tournaments::{Challenged, challenge};
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    (tournament, opponent): (&str, Option<&str>),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let begun = challenge(tx, app, &user, (name_of(tournament)?, opponent), now).await?;
    let done = done(&begun);
    answer(tx, app, &user, (&begun.view, done), now).await
}

fn done(begun: &Challenged) -> String {
    let numbers: Vec<String> = begun.boards.iter().map(|board| board.number.to_string()).collect();
    let boards = match numbers.as_slice() {
        [one] => format!("board {one} has begun"),
        several => format!("boards {} have begun", several.join(" and ")),
    };
    format!("You have challenged {}: {boards}.", begun.opponent)
}
