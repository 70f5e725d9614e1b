//! `direct`: deeds of the director of a tournament.

use knotpost_commands::Deed;

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
    (tournament, deed): (&str, &Deed),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let view = direct(tx, app, &user, name_of(tournament)?, deed, &ready.body, now).await?;
    let done = done(deed, &view.line.name.to_string());
    answer(tx, app, &user, (&view, done), now).await
}

fn done(deed: &Deed, name: &str) -> String {
    match deed {
        Deed::Start => format!("{name} starts with those who have entered."),
        Deed::Cancel => format!("{name} is cancelled."),
        Deed::Extend(_) => format!("The deadline of the round of {name} is put off."),
        Deed::Admit(userid) => format!("{userid} may enter {name}."),
        Deed::Expel(userid) => format!("{userid} is out of {name}."),
        Deed::Award { board, seat: None } => format!("Board {board} is a tie."),
        Deed::Award { board, seat: Some(seat) } => format!("Board {board} is won by seat {seat}."),
        Deed::Say => format!("What you wrote goes to all players of {name}."),
        Deed::Hand(userid) => format!("{userid} directs {name} from now on."),
    }
}
