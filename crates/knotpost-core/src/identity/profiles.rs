//! What everybody may know of a user.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::presence::{Absence, absences};
use knotpost_model::rating::shown;
use knotpost_model::{Millis, computer_player};
use knotpost_storage::UserState;

/// How many of a user's rated boards make the curve.
const LONGEST_CURVE: i64 = 200;

/// A user as everybody sees them.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The name, as signed up.
    pub userid: String,
    /// When they signed up.
    pub since: Millis,
    pub away_until: Option<Millis>,
    /// A sentence for each reason for which they may not answer otherwise.
    pub absences: Vec<String>,
    /// The level of a computer player of this server; `None`: it is a person.
    pub level: Option<u8>,
    /// Whether a program plays for the account.
    pub is_bot: bool,
    pub ratings: Vec<GameRating>,
}

/// How a user stands in a game.
#[derive(Clone, Debug)]
pub struct GameRating {
    /// The game's name.
    pub game: String,
    pub title: String,
    /// In whole points.
    pub rating: i64,
    /// Won games.
    pub won: u32,
    /// Lost games.
    pub lost: u32,
    /// Tied games.
    pub tied: u32,
    /// The rating before the first and after each of the latest rated boards, in order.
    pub curve: Vec<f64>,
}

/// What everybody may know of this user.
///
/// # Errors
/// When there is no such user, or they have left; when the database fails.
pub async fn view_profile(app: &App, userid: &str) -> Result<Profile, ServiceError> {
    let mut tx = app.store.read().await?;
    let user = tx.find_user(userid).await?.filter(|user| user.state != UserState::Deleted);
    let Some(user) = user else {
        return Err(Refusal::new(Code::NoSuchUser, format!("there is no user `{userid}`")).into());
    };
    let mut ratings = Vec::new();
    for game in app.registry.iter() {
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
    let away_until = vacations.map(|row| row.until_at).max_by_key(|until| until.0);
    let absences = absences(&mut tx, app, &[user.id]).await?.remove(&user.id).unwrap_or_default().into_iter();
    let absences = absences.filter(|absence| !matches!(absence, Absence::Away(_)));
    let absences = absences.map(|absence| absence.about(&user.userid)).collect();
    let level = computer_player::level_of(&user.userid).filter(|_| user.is_computer_player());
    let is_bot = user.is_bot();
    Ok(Profile { level, is_bot, userid: user.userid, since: user.created_at, away_until, absences, ratings })
}
