//! Preferences: definitions, and effective values of a user.

use serde::Serialize;
use std::sync::Arc;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::mailing::puzzles::PUZZLE;
use knotpost_commands::Setting;
use knotpost_model::UserKey;
use knotpost_storage::{ALL_GAMES, PreferenceRow, ReadTx, Store, StoreError, UserRow};

/// Name, default, and whether it can be set per game. Effects are described in `help preferences`.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    default: &'static str,
    pub(crate) per_game: bool,
}

const fn kind(name: &'static str, default: &'static str, per_game: bool) -> Kind {
    Kind { name, default, per_game }
}

pub(crate) const KINDS: [Kind; 15] = [
    kind("mail", "both", true),
    kind("board", "standard", true),
    kind("subject", "turn", true),
    kind("moves", "all", true),
    kind("digest", "7", false),
    kind("nags", "on", true),
    kind("broadcasts", "on", false),
    kind(PUZZLE, "off", true),
    kind("messages", "on", false),
    kind("confirm", "off", true),
    kind("timezone", "UTC", true),
    kind("computer", "on", true),
    kind(KEYS, "on", false),
    kind(FAVOURITE, "off", true),
    kind(BOT, "off", false),
];

/// Marks a game that the start page and the list of games show first.
const FAVOURITE: &str = "favourite";

/// Set to `off` by those whose words to a computer must not be taken for keys (WCAG 2.1.4).
pub(crate) const KEYS: &str = "keys";

/// Marks an account played by a program: shown as a preference, stored as the account's role.
pub(crate) const BOT: &str = "bot";

pub(crate) const DEFAULT: &str = "default";

#[derive(Clone, Debug, Serialize)]
pub struct PreferenceLine {
    pub name: &'static str,
    pub value: String,
    /// `default`, `all games`, or a game's title.
    pub from: String,
}

/// Stored preferences, with the one derived from the role.
pub(crate) async fn stored_of(tx: &mut ReadTx, user: &UserRow) -> Result<Vec<PreferenceRow>, StoreError> {
    let mut stored = tx.preferences(user.id).await?;
    if user.is_bot() {
        let (game, name, value) = (ALL_GAMES.to_owned(), BOT.to_owned(), "on".to_owned());
        stored.push(PreferenceRow { game, name, value });
    }
    Ok(stored)
}

/// The names of the user's favourite games.
pub async fn view_favourites(store: &Store, user: UserKey) -> Result<Vec<String>, StoreError> {
    let stored = store.query().await?.preferences(user).await?;
    let games = stored.into_iter().filter(|row| row.name == FAVOURITE && row.value == "on");
    Ok(games.map(|row| row.game).collect())
}

/// Marks a game as a favourite, or takes the mark away. Tells nobody, as a note does not.
pub async fn set_favourite(
    app: &Arc<App>,
    proven: ProvenUser,
    game: &str,
    is_favourite: bool,
) -> Result<(), ServiceError> {
    let game = find_game(&app.games, game)?.meta().name;
    let value = is_favourite.then_some("on");
    app.write(async move |tx, _| {
        check_proven(tx, &proven).await?;
        Ok(tx.set_preference(proven.user, game, FAVOURITE, value).await?)
    })
    .await
}

/// The setting that marks a favourite, or takes the mark away.
pub(crate) fn favourite(is_favourite: bool) -> Setting {
    let value = if is_favourite { "on" } else { DEFAULT };
    Setting { name: FAVOURITE, value: value.to_owned() }
}

pub(crate) fn lines_for_all_games(stored: &[PreferenceRow]) -> Vec<PreferenceLine> {
    KINDS.iter().map(|kind| line(kind, stored, None)).collect()
}

pub(crate) fn line(
    kind: &Kind,
    stored: &[PreferenceRow],
    game: Option<(&str, &'static str)>,
) -> PreferenceLine {
    let find = |place: &str| stored.iter().find(|row| row.game == place && row.name == kind.name);
    let own = game.and_then(|(name, title)| find(name).map(|row| (row.value.clone(), title.to_owned())));
    let (value, from) = own
        .or_else(|| find(ALL_GAMES).map(|row| (row.value.clone(), "all games".to_owned())))
        .unwrap_or_else(|| (kind.default.to_owned(), DEFAULT.to_owned()));
    PreferenceLine { name: kind.name, value, from }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailing::digest::DEFAULT_HOUR;

    #[test]
    fn the_hour_shown_as_default_is_the_one_that_counts() {
        let digest = KINDS.iter().find(|kind| kind.name == "digest").expect("a preference");
        assert_eq!(digest.default.parse(), Ok(DEFAULT_HOUR));
    }
}
