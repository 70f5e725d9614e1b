//! Seeks: users who look for opponents.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SeekRow {
        pub user_id: UserKey,
        pub userid: String,
        pub wanted: i64,
        pub options: String,
        pub rated: bool,
        /// Reminder after this long; `None`: the server's default.
        pub nag_ms: Option<i64>,
        /// Loss after this long; `None`: the server's default.
        pub forfeit_ms: Option<i64>,
        /// Time for all moves of one player; `None`: unlimited.
        pub total_ms: Option<i64>,
    }
}

macro_rules! select_seek {
    ($rest:literal) => {
        concat!(
            "SELECT k.user_id, u.userid, k.wanted, k.options, k.rated, k.nag_ms, k.forfeit_ms, k.total_ms \
             FROM seeks k JOIN users u ON u.id = k.user_id ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn seek(&mut self, game: &str, user: UserKey) -> Result<Option<SeekRow>> {
        let sql = select_seek!("WHERE k.user_id = $1 AND k.game = $2");
        self.fetch_optional(sql, &[&user, &game]).await
    }

    /// Matching seeks of other users, longest waiting first.
    pub async fn equal_seeks(&mut self, game: &str, own: &SeekRow, limit: i64) -> Result<Vec<SeekRow>> {
        let sql = select_seek!(
            "WHERE k.game = $1 AND k.user_id <> $2 AND k.options = $3 AND k.rated = $4 \
             AND k.nag_ms IS NOT DISTINCT FROM $5 AND k.forfeit_ms IS NOT DISTINCT FROM $6 \
             AND k.total_ms IS NOT DISTINCT FROM $7 ORDER BY k.place LIMIT $8"
        );
        self.fetch_all(
            sql,
            &[
                &game,
                &own.user_id,
                &own.options,
                &own.rated,
                &own.nag_ms,
                &own.forfeit_ms,
                &own.total_ms,
                &limit,
            ],
        )
        .await
    }

    /// All seeks of a game, longest waiting first.
    pub async fn list_seeks(&mut self, game: &str, limit: i64) -> Result<Vec<SeekRow>> {
        let sql = select_seek!("WHERE k.game = $1 AND u.state = 'active' ORDER BY k.place LIMIT $2");
        self.fetch_all(sql, &[&game, &limit]).await
    }

    /// Users with a matching seek of somebody else, longest waiting first, with the game: at least one of the
    /// two was suspended until now.
    pub async fn unpaired_seekers(&mut self, limit: i64) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT k.game, k.user_id FROM seeks k WHERE EXISTS (SELECT 1 FROM seeks o \
                   WHERE o.game = k.game AND o.user_id <> k.user_id AND o.options = k.options AND o.rated = k.rated \
                   AND o.nag_ms IS NOT DISTINCT FROM k.nag_ms AND o.forfeit_ms IS NOT DISTINCT FROM k.forfeit_ms \
                   AND o.total_ms IS NOT DISTINCT FROM k.total_ms) ORDER BY k.game, k.place LIMIT $1";
        self.fetch_all(sql, &[&limit]).await
    }
}

impl WriteTx {
    /// Next place among a game's seeks. Concurrent transactions wait here, or run again: two matching seeks
    /// find each other, and only once.
    pub async fn take_seek_place(&mut self, game: &str) -> Result<i64> {
        let sql = "INSERT INTO seek_orders (game, next) VALUES ($1, 2) \
                   ON CONFLICT (game) DO UPDATE SET next = seek_orders.next + 1 RETURNING next - 1";
        self.fetch_one(sql, &[&game]).await
    }

    pub async fn put_seek(&mut self, game: &str, place: i64, seek: &SeekRow, at: Millis) -> Result<()> {
        let sql = "INSERT INTO seeks (user_id, game, wanted, options, rated, nag_ms, forfeit_ms, total_ms, place, at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                   ON CONFLICT (user_id, game) DO UPDATE SET wanted = excluded.wanted, \
                   options = excluded.options, rated = excluded.rated, nag_ms = excluded.nag_ms, \
                   forfeit_ms = excluded.forfeit_ms, total_ms = excluded.total_ms, place = excluded.place, \
                   at = excluded.at";
        self.exec(
            sql,
            &[
                &seek.user_id,
                &game,
                &seek.wanted,
                &seek.options,
                &seek.rated,
                &seek.nag_ms,
                &seek.forfeit_ms,
                &seek.total_ms,
                &place,
                &at,
            ],
        )
        .await
    }

    pub async fn delete_seek(&mut self, game: &str, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM seeks WHERE user_id = $1 AND game = $2", &[&user, &game]).await
    }

    /// Counts a board that has begun; deletes a satisfied seek.
    pub async fn count_down_seek(&mut self, game: &str, user: UserKey) -> Result<()> {
        let sql = "UPDATE seeks SET wanted = wanted - 1 WHERE user_id = $1 AND game = $2 RETURNING wanted";
        let wanted: Option<i64> = self.fetch_optional(sql, &[&user, &game]).await?;
        if wanted.is_some_and(|wanted| wanted <= 0) { self.delete_seek(game, user).await } else { Ok(()) }
    }
}
