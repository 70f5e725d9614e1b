//! What users want otherwise than the default, for all games or for one.

use sqlx::FromRow;

use super::dialect::among;
use super::{StoreError, Tx, on};
use crate::domain::UserKey;

/// The game name under which what holds for all games is stored.
pub const ALL_GAMES: &str = "";

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PreferenceRow {
    /// For this game; [`ALL_GAMES`] for all.
    pub game: String,
    /// What it is about.
    pub name: String,
    /// What is wanted.
    pub value: String,
}

impl Tx {
    /// What the user wants in this game: his wish for the game itself, otherwise that for all games;
    /// `None` when the default is fine. With [`ALL_GAMES`] only the latter counts.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn preference(
        &mut self,
        user: UserKey,
        game: &str,
        name: &str,
    ) -> Result<Option<String>, StoreError> {
        // The empty name of all games sorts before every game.
        let sql = "SELECT value FROM preferences WHERE user_id = $1 AND name = $2 AND (game = '' OR game = $3) \
                   ORDER BY game DESC LIMIT 1";
        Ok(
            on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(name).bind(game).fetch_optional(c).await)?,
        )
    }

    /// All wishes of a user, those for all games first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn preferences(&mut self, user: UserKey) -> Result<Vec<PreferenceRow>, StoreError> {
        let sql = "SELECT game, name, value FROM preferences WHERE user_id = $1 ORDER BY game, name";
        Ok(on!(self, c => sqlx::query_as::<_, PreferenceRow>(sql).bind(user.0).fetch_all(c).await)?)
    }

    /// Notes a wish; `None` takes it back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_preference(
        &mut self,
        user: UserKey,
        game: &str,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        let Some(value) = value else {
            let sql = "DELETE FROM preferences WHERE user_id = $1 AND game = $2 AND name = $3";
            on!(self, c => sqlx::query(sql).bind(user.0).bind(game).bind(name).execute(c).await.map(drop))?;
            return Ok(());
        };
        let sql = "INSERT INTO preferences (user_id, game, name, value) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, game, name) DO UPDATE SET value = $4";
        on!(self, c => sqlx::query(sql)
            .bind(user.0)
            .bind(game)
            .bind(name)
            .bind(value)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}

/// A wish of somebody who plays on a board or watches it.
#[derive(Clone, Debug, FromRow)]
pub struct ReaderWish {
    /// Whose.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// What it is about.
    pub name: String,
    /// What is wanted.
    pub value: String,
}

/// An address of somebody who plays on a board or watches it.
#[derive(Clone, Debug, FromRow)]
pub struct ReaderAddress {
    /// Whose.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// The address as registered.
    pub address: String,
    /// When somebody proved to read it; `None`: nobody yet.
    pub verified_at: Option<i64>,
    /// Since when no mail goes there because it came back.
    pub stopped_at: Option<i64>,
    /// When he was told of that.
    pub stop_told_at: Option<i64>,
    /// Whether programs of his are told what happens.
    pub has_webhooks: bool,
}

impl Tx {
    /// What these users want of a game. Of two wishes about the same the later counts: those for
    /// the game itself come last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reader_wishes(
        &mut self,
        users: &[UserKey],
        game: &str,
    ) -> Result<Vec<ReaderWish>, StoreError> {
        Ok(among!(
            self,
            "SELECT user_id, name, value FROM preferences WHERE (game = '' OR game = $2) AND user_id",
            " ORDER BY game",
            q => sqlx::query_as::<_, ReaderWish>(q.0).bind(key_list(users)).bind(game).fetch_all(q.1).await
        )?)
    }

    /// The addresses of these users, each one's oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reader_addresses(&mut self, users: &[UserKey]) -> Result<Vec<ReaderAddress>, StoreError> {
        Ok(among!(
            self,
            "SELECT user_id, address, verified_at, stop_told_at, (SELECT f.stopped_at FROM failing_addresses f \
             WHERE f.address_key = addresses.address_key) AS stopped_at, EXISTS (SELECT 1 FROM webhooks w \
             WHERE w.user_id = addresses.user_id AND w.stopped_at IS NULL) AS has_webhooks FROM addresses WHERE user_id",
            " ORDER BY id",
            q => sqlx::query_as::<_, ReaderAddress>(q.0).bind(key_list(users)).fetch_all(q.1).await
        )?)
    }
}

/// Keys as both databases read a list of them.
pub(super) fn key_list(users: &[UserKey]) -> String {
    let keys: Vec<String> = users.iter().map(|user| user.0.to_string()).collect();
    format!("[{}]", keys.join(","))
}
