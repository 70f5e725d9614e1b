//! Verbs of tournaments, and the answer that they share.

pub(super) mod announce;
pub(super) mod direct;
pub(super) mod enter;
pub(super) mod ladder_challenge;
pub(super) mod tournament;
#[expect(clippy::module_inception, reason = "a verb's file is named like the verb")]
pub(super) mod tournaments;
pub(super) mod withdraw;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::mailing::post::post_about_tournament;
use crate::replies::{Answer, Reply};
use crate::tournaments::{Shown, TournamentView};
use knotpost_model::{Millis, TournamentName};
use knotpost_storage::{StoreError, UserRow, WriteTx};

/// The tournament that a command names.
fn name_of(tournament: &str) -> Result<TournamentName, Refusal> {
    TournamentName::from_word(tournament).ok_or_else(|| {
        Refusal::new(Code::NoSuchTournament, format!("there is no tournament {tournament}"))
            .hint("`tournaments` lists those that take entries or are played.")
    })
}

/// Shows the tournament as it is now to a user who did something, below a sentence that says so.
async fn answer(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    (view, done): (&TournamentView, String),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let reply = Reply::from(Shown::of(app, view, None, Some(done)));
    post_about_tournament(tx, app, &reply, (view.line.name, user.id), now).await?;
    let object = serde_json::to_value(view).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(Answer { tournament: Some(object), ..Answer::to_registered(reply) })
}
