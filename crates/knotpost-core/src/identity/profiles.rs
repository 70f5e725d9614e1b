//! Public profiles.

use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_present_user};
use crate::identity::presence::{Absence, absences};
use knotpost_model::rating::shown;
use knotpost_model::{Moment, computer_player};

const LONGEST_CURVE: i64 = 200;

#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    pub userid: String,
    pub since: Moment,
    pub away_until: Option<Moment>,
    pub absences: Vec<String>,
    /// `None`: not a computer player of this server.
    pub level: Option<u8>,
    pub is_bot: bool,
    pub ratings: Vec<GameRating>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GameRating {
    pub game: String,
    pub title: String,
    pub rating: i64,
    pub won: u32,
    pub lost: u32,
    pub tied: u32,
    /// The rating before the first and after each of the latest rated boards, in order.
    pub curve: Vec<f64>,
}

pub async fn view_profile(app: &App, userid: &str) -> Result<Profile, ServiceError> {
    let mut tx = app.store.read().await?;
    let user = find_present_user(&mut tx, userid).await?;
    let mut ratings = Vec::new();
    for game in app.games.registry.iter() {
        let meta = game.meta();
        let Some(row) = tx.rating(meta.name, user.id).await? else { continue };
        let changes = tx.rating_curve(meta.name, user.id, LONGEST_CURVE).await?;
        let start = changes.first().map(|(before, _)| *before);
        ratings.push(GameRating {
            game: meta.name.to_owned(),
            title: meta.title.to_owned(),
            rating: shown(row.rating),
            won: row.won,
            lost: row.lost,
            tied: row.tied,
            curve: start.into_iter().chain(changes.iter().map(|(_, after)| *after)).collect(),
        });
    }
    let now = app.clock.now();
    let vacations = tx.vacations(user.id, now).await?.into_iter().filter(|row| row.from_at <= now);
    let away_until = vacations.map(|row| Moment::from(row.until_at)).max();
    let absences = absences(&mut tx, app.clock.as_ref(), &app.config, &[user.id])
        .await?
        .remove(&user.id)
        .unwrap_or_default()
        .into_iter();
    let absences = absences.filter(|absence| !matches!(absence, Absence::Away(_)));
    let absences = absences.map(|absence| absence.about(&user.userid)).collect();
    let level = computer_player::level_of(&user.userid).filter(|_| user.is_computer_player());
    let is_bot = user.is_bot();
    let (userid, since) = (user.userid, user.created_at.into());
    Ok(Profile { userid, since, away_until, absences, level, is_bot, ratings })
}
