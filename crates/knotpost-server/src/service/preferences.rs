//! `set`: what a user wants otherwise than the default, for all games or for one.

use knotpost_commands::Setting;
use serde::Serialize;

use super::Prepared;
use super::boards::find_game;
use super::digest::move_digest;
use super::execute::authorize;
use super::post::post_to_user;
use super::{Answer, Code, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{Millis, Zone};
use crate::store::{ALL_GAMES, PreferenceRow, Tx, UserRow};

/// A preference: its name, what holds without a wish, and whether a game can have its own.
/// What they do is told in `help preferences`.
struct Kind {
    name: &'static str,
    default: &'static str,
    per_game: bool,
}

const fn kind(name: &'static str, default: &'static str, per_game: bool) -> Kind {
    Kind { name, default, per_game }
}

/// All preferences, in the order in which they are shown.
const KINDS: [Kind; 9] = [
    kind("mail", "both", true),
    kind("board", "standard", true),
    kind("moves", "all", true),
    kind("digest", "7", false),
    kind("nags", "on", true),
    kind("broadcasts", "on", false),
    kind("messages", "on", false),
    kind("confirm", "off", true),
    kind("timezone", "UTC", true),
];

/// The value that takes a wish back.
const DEFAULT: &str = "default";

/// A preference as its owner sees it.
#[derive(Clone, Debug, Serialize)]
pub struct PreferenceLine {
    /// Its name.
    pub name: &'static str,
    /// What holds.
    pub value: String,
    /// Where that comes from: `default`, `all games`, or a game's title.
    pub from: String,
}

pub(super) async fn set(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: Option<&str>,
    values: &[Setting],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = game.map(|game| find_game(app, game).map(knotpost_rules::AnyGame::meta)).transpose()?;
    let user = authorize(tx, prepared).await?;
    let place = game.map_or(ALL_GAMES, |meta| meta.name);
    let mut wishes = Vec::new();
    for setting in values {
        wishes.push(check(setting, place)?);
    }
    for (name, value) in &wishes {
        tx.set_preference(user.id, place, name, value.as_deref()).await?;
    }
    if wishes.iter().any(|(name, _)| matches!(*name, "digest" | "timezone")) {
        move_digest(tx, user.id, now).await?;
    }
    let reply = show(tx, &user, game.map(|meta| (meta.name, meta.title)), &wishes).await?;
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}

/// A wish as it is stored: name and value, which is `None` to take it back.
fn check(setting: &Setting, game: &str) -> Result<(&'static str, Option<String>), ServiceError> {
    let Some(kind) = KINDS.iter().find(|kind| kind.name == setting.name) else {
        let message = format!("there is no preference `{}`", setting.name);
        return Err(Refusal::new(Code::BadOption, message).into());
    };
    if !kind.per_game && game != ALL_GAMES {
        let message = format!("`{}` cannot be set for one game alone", kind.name);
        return Err(Refusal::new(Code::BadOption, message)
            .hint(format!("Without a game: set USERID PASSWORD {}={}", kind.name, setting.value))
            .about_game(game)
            .into());
    }
    if setting.value.eq_ignore_ascii_case(DEFAULT) {
        return Ok((kind.name, None));
    }
    if kind.name != "timezone" {
        return Ok((kind.name, Some(setting.value.clone())));
    }
    match Zone::named(&setting.value) {
        Some(zone) => Ok((kind.name, Some(zone.name().to_owned()))),
        None => Err(Refusal::new(Code::BadValue, format!("there is no time zone `{}`", setting.value))
            .hint("Zones are named by place: Europe/Vienna, America/New_York, Asia/Tokyo, UTC")
            .into()),
    }
}

async fn show(
    tx: &mut Tx,
    user: &UserRow,
    game: Option<(&'static str, &'static str)>,
    wishes: &[(&'static str, Option<String>)],
) -> Result<Reply, ServiceError> {
    let stored = tx.preferences(user.id).await?;
    let kinds = KINDS.iter().filter(|kind| kind.per_game || game.is_none());
    let lines: Vec<PreferenceLine> = kinds.map(|kind| line(kind, &stored, game)).collect();
    let mut others: Vec<String> = stored.into_iter().map(|row| row.game).collect();
    others.retain(|other| other != ALL_GAMES && game.is_none());
    others.dedup();
    Ok(Reply::Preferences {
        userid: user.userid.clone(),
        title: game.map(|(_, title)| title.to_owned()),
        lines,
        changed: wishes.iter().map(|(name, _)| (*name).to_owned()).collect(),
        others,
    })
}

/// What holds in all games, by what is stored.
pub(super) fn lines_for_all_games(stored: &[PreferenceRow]) -> Vec<PreferenceLine> {
    KINDS.iter().map(|kind| line(kind, stored, None)).collect()
}

fn line(kind: &Kind, stored: &[PreferenceRow], game: Option<(&str, &'static str)>) -> PreferenceLine {
    let find = |place: &str| stored.iter().find(|row| row.game == place && row.name == kind.name);
    let own = game.and_then(|(name, title)| find(name).map(|row| (row.value.clone(), title.to_owned())));
    let (value, from) = own
        .or_else(|| find(ALL_GAMES).map(|row| (row.value.clone(), "all games".to_owned())))
        .unwrap_or_else(|| (kind.default.to_owned(), DEFAULT.to_owned()));
    PreferenceLine { name: kind.name, value, from }
}

#[cfg(test)]
mod tests {
    use super::super::digest::DEFAULT_HOUR;
    use super::*;

    #[test]
    fn the_hour_shown_as_default_is_the_one_that_counts() {
        let digest = KINDS.iter().find(|kind| kind.name == "digest").expect("a preference");
        assert_eq!(digest.default.parse(), Ok(DEFAULT_HOUR));
    }
}
