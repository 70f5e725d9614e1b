//! `tournament`: one tournament with its tables.

use knotpost_commands::TournamentPart;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::tournaments::name_of;
use crate::replies::{Answer, Reply};
use crate::tournaments::{Shown, view};
use knotpost_storage::ReadTx;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    tournament: &str,
    part: Option<&TournamentPart>,
) -> Result<Answer, ServiceError> {
    let round = match part {
        Some(TournamentPart::Round(round)) => Some(*round),
        Some(TournamentPart::Group(_)) | None => None,
    };
    let view = view(tx, name_of(tournament)?, round).await?;
    let shown = Shown::of(app, &view, part, None);
    if let Some(TournamentPart::Group(group)) = part.filter(|_| !shown.has_groups()) {
        let message = format!("{} has no group `{group}`", view.line.name);
        return Err(Refusal::new(Code::BadValue, message)
            .hint(format!("`tournament {}` shows all there are.", view.line.name))
            .into());
    }
    Ok(Answer::to_sender(Reply::from(shown)))
}
