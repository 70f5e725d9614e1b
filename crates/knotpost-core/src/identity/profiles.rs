//! Public profiles.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_present_user};
use crate::identity::habits::{Habits, habits_of};
use crate::identity::presence::{Absence, absences};
use knotpost_model::rating::shown;
use knotpost_model::{Millis, Moment, UserKey, computer_player};
use knotpost_storage::{ListedUserRow, ReadTx, StoreError, UserRow};

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
    /// In their own words.
    pub about: Option<String>,
    #[serde(skip)]
    pub habits: Habits,
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
    Ok(profile_of(&mut tx, app, user, app.clock.now()).await?)
}

pub(crate) async fn profile_of(
    tx: &mut ReadTx,
    app: &App,
    user: UserRow,
    now: Millis,
) -> Result<Profile, StoreError> {
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
    let vacations = tx.vacations(user.id, now).await?.into_iter().filter(|row| row.from_at <= now);
    let away_until = vacations.map(|row| Moment::from(row.until_at)).max();
    let absences = absences(tx, app.clock.as_ref(), &app.config, &[user.id])
        .await?
        .remove(&user.id)
        .unwrap_or_default()
        .into_iter();
    let absences = absences.filter(|absence| !matches!(absence, Absence::Away(_)));
    let absences = absences.map(|absence| absence.about(&user.userid)).collect();
    let level = computer_player::level_of(&user.userid).filter(|_| user.is_computer_player());
    let is_bot = user.is_bot();
    let about = tx.about(user.id).await?;
    let habits = habits_of(tx, user.id).await?;
    let (userid, since) = (user.userid, user.created_at.into());
    Ok(Profile { userid, since, away_until, absences, level, is_bot, about, habits, ratings })
}

/// A player without their ratings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Manner {
    /// Their words about themselves.
    pub about: Option<String>,
    #[serde(flatten)]
    pub habits: Habits,
}

pub async fn view_manner(app: &App, user: UserKey) -> Result<Manner, StoreError> {
    let mut tx = app.store.read().await?;
    Ok(Manner { about: tx.about(user).await?, habits: habits_of(&mut tx, user).await? })
}

/// A player in a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedPlayer {
    pub userid: String,
    /// Date of the sign-up, in UTC.
    pub since: String,
    /// Boards in play.
    pub playing: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlayerPage {
    pub players: Vec<ListedPlayer>,
    /// The last name of this page, if there is another.
    pub next: Option<String>,
}

pub async fn view_players(app: &App, begin: &str, after: &str, limit: i64) -> Result<PlayerPage, StoreError> {
    list_players(&mut app.store.read().await?, begin, after, limit).await
}

/// People and programs, by name, whose name begins like this in any case.
pub(crate) async fn list_players(
    tx: &mut ReadTx,
    begin: &str,
    after: &str,
    limit: i64,
) -> Result<PlayerPage, StoreError> {
    let mut rows = tx.list_active_users(&begin.to_lowercase(), &after.to_lowercase(), limit + 1).await?;
    let has_more = rows.len() as i64 > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(0));
    let next = rows.last().filter(|_| has_more).map(|row| row.userid.clone());
    let listed = |row: ListedUserRow| {
        let since = row.created_at.to_rfc3339();
        let since = since.get(..10).unwrap_or(&since).to_owned();
        ListedPlayer { userid: row.userid, since, playing: row.playing }
    };
    Ok(PlayerPage { players: rows.into_iter().map(listed).collect(), next })
}
