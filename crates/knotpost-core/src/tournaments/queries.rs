//! Tournaments for pages and programs, each read in a transaction of its own.

use super::reading::{TournamentQuery, list, log, view};
use super::view::{TournamentLogLine, TournamentPage, TournamentView};
use crate::app::App;
use crate::boards::ServiceError;
use knotpost_model::TournamentName;

pub async fn view_tournaments(
    app: &App,
    query: &TournamentQuery,
    limit: usize,
) -> Result<TournamentPage, ServiceError> {
    list(&mut app.store.read().await?, app, query, limit).await
}

pub async fn view_tournament(app: &App, name: TournamentName) -> Result<TournamentView, ServiceError> {
    view(&mut app.store.read().await?, name, None).await
}

pub async fn view_log(app: &App, name: TournamentName) -> Result<Vec<TournamentLogLine>, ServiceError> {
    log(&mut app.store.read().await?, name).await
}
