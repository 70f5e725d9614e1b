//! Tournaments for pages and programs, each read in a transaction of its own.

use knotpost_storage::Store;
use knotpost_tournaments::write_trf;

use super::ladder::{Rival, rivals};
use super::reading::{TournamentQuery, find_tournament, list, log, read_terms, view, view_at};
use super::swiss::report;
use super::view::{TournamentLog, TournamentPage, TournamentView};
use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use knotpost_model::{Millis, TournamentForm, TournamentName, UserKey};

pub async fn view_tournaments(
    app: &App,
    query: &TournamentQuery,
    limit: usize,
) -> Result<TournamentPage, ServiceError> {
    list(&mut app.store.read().await?, app, query, limit).await
}

/// `at`: a ladder with the places of that time.
pub async fn view_tournament(
    store: &Store,
    name: TournamentName,
    at: Option<Millis>,
) -> Result<TournamentView, ServiceError> {
    let mut tx = store.read().await?;
    match at {
        None => view(&mut tx, name, None).await,
        Some(at) => view_at(&mut tx, name, at).await,
    }
}

/// Those whom a user could challenge on a ladder; `None`: they are not on it, or it is no ladder.
pub async fn view_rivals(
    app: &App,
    name: TournamentName,
    user: UserKey,
) -> Result<Option<Vec<Rival>>, ServiceError> {
    rivals(&mut app.store.read().await?, &app.config, &app.games, name, user, app.clock.now()).await
}

/// A page of the log; `before` is the cursor of the page before.
pub async fn view_log(
    store: &Store,
    name: TournamentName,
    before: Option<i64>,
) -> Result<TournamentLog, ServiceError> {
    log(&mut store.read().await?, name, before).await
}

/// A Swiss tournament as a report file of FIDE (TRF), with the rounds that are over.
pub async fn report_tournament(store: &Store, name: TournamentName) -> Result<String, ServiceError> {
    let mut tx = store.read().await?;
    let row = find_tournament(&mut tx, name).await?;
    if row.form != TournamentForm::Swiss || row.round == 0 {
        let message =
            format!("{name} is no Swiss tournament that has begun, and report files have those alone");
        return Err(Refusal::new(Code::Conflict, message).hint("`export.csv` has the table of any.").into());
    }
    let players = tx.tournament_players(name).await?;
    let seats = tx.paired_seats(name, 1).await?;
    Ok(write_trf(&report(&row, &read_terms(&row)?, &players, &seats)))
}
