//! `enter`: take part in a tournament.

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::commands::tournaments::{answer, name_of};
use crate::replies::Answer;
use crate::requests::Ready;
use crate::tournaments::enter;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    tournament: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let view = enter(tx, &app.config, &user, name_of(tournament)?, now).await?;
    let done = format!("You have entered {}.", view.line.name);
    answer(tx, app, &user, (&view, done), now).await
}
