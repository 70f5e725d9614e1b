//! `direct`: actions of the director of a tournament.

use knotpost_commands::DirectorAction;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::commands::tournaments::{answer, name_of};
use crate::replies::Answer;
use crate::requests::Ready;
use crate::tournaments::direct;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    (tournament, action): (&str, &DirectorAction),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let view = direct(tx, app, &user, name_of(tournament)?, action, &ready.body, now).await?;
    let done = done(action, &view.line.name.to_string());
    answer(tx, app, &user, (&view, done), now).await
}

fn done(action: &DirectorAction, name: &str) -> String {
    match action {
        DirectorAction::Start => format!("{name} starts with those who have entered."),
        DirectorAction::Cancel => format!("{name} is cancelled."),
        DirectorAction::Extend(_) => format!("The deadline of the round of {name} is put off."),
        DirectorAction::Admit(userid) => format!("{userid} may enter {name}."),
        DirectorAction::Expel(userid) => format!("{userid} is out of {name}."),
        DirectorAction::Award { board, seat: None } => format!("Board {board} is a tie."),
        DirectorAction::Award { board, seat: Some(seat) } => format!("Board {board} is won by seat {seat}."),
        DirectorAction::Say => format!("What you wrote goes to all players of {name}."),
        DirectorAction::Hand(userid) => format!("{userid} directs {name} from now on."),
    }
}
