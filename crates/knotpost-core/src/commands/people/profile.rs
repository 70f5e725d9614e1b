//! `profile`: what is known of a player, and two against each other.

use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_present_user};
use crate::identity::profiles::{Profile, profile_of};
use crate::play::meetings::{GameScore, list_meetings, scores};
use crate::replies::{Answer, Column, Content, Facts, Reply, Table};
use knotpost_model::{BoardState, Millis};
use knotpost_storage::ReadTx;

#[derive(Debug, Serialize)]
struct PlayerFacts {
    userid: String,
    level: Option<u8>,
    is_bot: bool,
    since: String,
    away_until: Option<String>,
    has_ratings: bool,
    other: Option<String>,
    has_met: bool,
    #[serde(skip)]
    profile: Profile,
    #[serde(skip)]
    scores: Vec<GameScore>,
}

impl Content for PlayerFacts {
    const TEMPLATE: &'static str = "profile";

    fn facts(&self) -> Facts {
        let habits = Some(self.profile.habits.told().join(" ")).filter(|told| !told.is_empty());
        Facts::of(self)
            .prose("about", self.profile.about.clone())
            .prose("habits", habits)
            .table("ratings", ratings_table(&self.profile))
            .table("scores", scores_table(&self.userid, self.other.as_deref(), &self.scores))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    userid: &str,
    other: Option<&str>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = find_present_user(tx, userid).await?;
    let other = match other {
        Some(name) => Some(find_present_user(tx, name).await?),
        None => None,
    };
    let mut scored = Vec::new();
    if let Some(other) = &other {
        if other.id == user.id {
            return Err(
                Refusal::new(Code::BadValue, "nobody plays against themselves: name two users").into()
            );
        }
        let mut rows = list_meetings(tx, user.id, other.id).await?;
        rows.retain(|row| row.state == BoardState::Over);
        scored = scores(&app.games, &rows);
    }
    let profile = profile_of(tx, app, user, now).await?;
    Ok(Answer::to_sender(Reply::from(PlayerFacts {
        userid: profile.userid.clone(),
        level: profile.level,
        is_bot: profile.is_bot,
        since: profile.since.to_readable(),
        away_until: profile.away_until.map(|until| until.to_readable()),
        has_ratings: !profile.ratings.is_empty(),
        other: other.map(|other| other.userid),
        has_met: !scored.is_empty(),
        profile,
        scores: scored,
    })))
}

fn ratings_table(profile: &Profile) -> Table {
    let mut columns = vec![Column::of_words("Game", 16)];
    let titles = ["Rating", "Start", "Highest", "Lowest", "Won", "Lost", "Tied"];
    columns.extend(titles.map(|title| Column::of_numbers(title, 4)));
    let rows = profile.ratings.iter().map(|game| {
        let curve = || game.curve.iter().copied();
        let ratings = [curve().next(), curve().reduce(f64::max), curve().reduce(f64::min)];
        let ratings = ratings.map(|rating| rating.map_or_else(String::new, |rating| format!("{rating:.0}")));
        let counts = [game.won, game.lost, game.tied].map(|count| count.to_string());
        [game.title.clone(), game.rating.to_string()].into_iter().chain(ratings).chain(counts).collect()
    });
    Table { columns, rows: rows.collect() }
}

fn scores_table(userid: &str, other: Option<&str>, scores: &[GameScore]) -> Table {
    let mut columns = vec![Column::of_words("Game", 16)];
    let winners = [format!("{userid} won"), format!("{} won", other.unwrap_or_default()), "Tied".to_owned()];
    columns.extend(winners.map(|title| Column::of_numbers(&title, 6)));
    let rows = scores.iter().map(|game| {
        let counts = [game.won, game.lost, game.tied].map(|count| count.to_string());
        [game.title.clone()].into_iter().chain(counts).collect()
    });
    Table { columns, rows: rows.collect() }
}
