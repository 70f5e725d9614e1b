//! `announce`: a new tournament.

use knotpost_commands::GivenOption;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_game};
use crate::commands::authorize::authorize;
use crate::commands::tournaments::answer;
use crate::replies::Answer;
use crate::requests::Ready;
use crate::tournaments::{Announcement, announce};
use knotpost_model::{Millis, TournamentText};
use knotpost_storage::WriteTx;

/// Game, form, options of the game, terms.
pub(in crate::commands) type Wanted<'a> = (&'a str, &'a str, &'a [GivenOption], &'a [GivenOption]);

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    (game, form, options, terms): Wanted<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let untitled = format!("{} tournament", find_game(&app.games, game)?.meta().title);
    let text = TournamentText::of_body(&ready.body, &untitled)
        .map_err(|error| Refusal::new(Code::BadValue, error.to_string()))?;
    let announcement = Announcement { game, form, options, terms, text: &text };
    let view = announce(tx, app, &user, announcement, now).await?;
    let done =
        format!("You have announced {}, and direct it. You play in it only if you enter it.", view.line.name);
    answer(tx, app, &user, (&view, done), now).await
}
