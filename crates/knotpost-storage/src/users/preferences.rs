//! Preferences other than the default, for all games or for one.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::UserKey;

pub const ALL_GAMES: &str = "";

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PreferenceRow {
    pub game: String,
    pub name: String,
    pub value: String,
}

impl ReadTx {
    /// The preference for the game, or else for all games; `None`: default. With [`ALL_GAMES`] only the
    /// latter.
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

    /// Those for all games first.
    pub async fn preferences(&mut self, user: UserKey) -> Result<Vec<PreferenceRow>, StoreError> {
        let sql = "SELECT game, name, value FROM preferences WHERE user_id = $1 ORDER BY game, name";
        Ok(on!(self, c => sqlx::query_as::<_, PreferenceRow>(sql).bind(user.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// `None` deletes it.
    pub async fn set_preference(
        &mut self,
        user: UserKey,
        game: &str,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        let Some(value) = value else {
            let sql = "DELETE FROM preferences WHERE user_id = $1 AND game = $2 AND name = $3";
            on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(game).bind(name).execute(c).await.map(drop))?;
            return Ok(());
        };
        let sql = "INSERT INTO preferences (user_id, game, name, value) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, game, name) DO UPDATE SET value = $4";
        on!(self.writing(), c => sqlx::query(sql)
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
