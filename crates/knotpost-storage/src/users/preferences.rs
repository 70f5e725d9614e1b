//! Preferences other than the default, for all games or for one.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::UserKey;

pub const ALL_GAMES: &str = "";

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PreferenceRow {
        pub game: String,
        pub name: String,
        pub value: String,
    }
}

impl ReadTx {
    /// The preference for the game, or else for all games; `None`: default. With [`ALL_GAMES`] only the
    /// latter.
    pub async fn preference(&mut self, user: UserKey, game: &str, name: &str) -> Result<Option<String>> {
        // The empty name of all games sorts before every game.
        let sql = "SELECT value FROM preferences WHERE user_id = $1 AND name = $2 AND (game = '' OR game = $3) \
                   ORDER BY game DESC LIMIT 1";
        self.fetch_optional(sql, &[&user, &name, &game]).await
    }

    /// Those for all games first.
    pub async fn preferences(&mut self, user: UserKey) -> Result<Vec<PreferenceRow>> {
        let sql = "SELECT game, name, value FROM preferences WHERE user_id = $1 ORDER BY game, name";
        self.fetch_all(sql, &[&user]).await
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
    ) -> Result<()> {
        let Some(value) = value else {
            let sql = "DELETE FROM preferences WHERE user_id = $1 AND game = $2 AND name = $3";
            self.exec(sql, &[&user, &game, &name]).await?;
            return Ok(());
        };
        let sql = "INSERT INTO preferences (user_id, game, name, value) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, game, name) DO UPDATE SET value = $4";
        self.exec(sql, &[&user, &game, &name, &value]).await
    }
}
