//! Seeks: users who look for opponents.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SeekRow {
    #[sqlx(try_from = "i64")]
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
    pub async fn seek(&mut self, game: &str, user: UserKey) -> Result<Option<SeekRow>, StoreError> {
        let sql = select_seek!("WHERE k.user_id = $1 AND k.game = $2");
        Ok(on!(self, c => sqlx::query_as::<_, SeekRow>(sql).bind(user.0).bind(game).fetch_optional(c).await)?)
    }

    /// Matching seeks of other users, longest waiting first.
    pub async fn equal_seeks(
        &mut self,
        game: &str,
        own: &SeekRow,
        limit: i64,
    ) -> Result<Vec<SeekRow>, StoreError> {
        let sql = select_seek!(
            "WHERE k.game = $1 AND k.user_id <> $2 AND k.options = $3 AND k.rated = $4 \
             AND k.nag_ms IS NOT DISTINCT FROM $5 AND k.forfeit_ms IS NOT DISTINCT FROM $6 \
             AND k.total_ms IS NOT DISTINCT FROM $7 ORDER BY k.place LIMIT $8"
        );
        Ok(on!(self, c => sqlx::query_as::<_, SeekRow>(sql)
            .bind(game)
            .bind(own.user_id.0)
            .bind(&own.options)
            .bind(own.rated)
            .bind(own.nag_ms)
            .bind(own.forfeit_ms)
            .bind(own.total_ms)
            .bind(limit)
            .fetch_all(c)
            .await)?)
    }

    /// All seeks of a game, longest waiting first.
    pub async fn list_seeks(&mut self, game: &str, limit: i64) -> Result<Vec<SeekRow>, StoreError> {
        let sql = select_seek!("WHERE k.game = $1 AND u.state = 'active' ORDER BY k.place LIMIT $2");
        Ok(on!(self, c => sqlx::query_as::<_, SeekRow>(sql).bind(game).bind(limit).fetch_all(c).await)?)
    }

    /// Users with a matching seek of somebody else, longest waiting first, with the game: at least one of the
    /// two was suspended until now.
    pub async fn unpaired_seekers(&mut self, limit: i64) -> Result<Vec<(String, i64)>, StoreError> {
        let sql = "SELECT k.game, k.user_id FROM seeks k WHERE EXISTS (SELECT 1 FROM seeks o \
                   WHERE o.game = k.game AND o.user_id <> k.user_id AND o.options = k.options AND o.rated = k.rated \
                   AND o.nag_ms IS NOT DISTINCT FROM k.nag_ms AND o.forfeit_ms IS NOT DISTINCT FROM k.forfeit_ms \
                   AND o.total_ms IS NOT DISTINCT FROM k.total_ms) ORDER BY k.game, k.place LIMIT $1";
        Ok(on!(self, c => sqlx::query_as::<_, (String, i64)>(sql).bind(limit).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Next place among a game's seeks. Concurrent transactions wait here, or run again: two matching seeks
    /// find each other, and only once.
    pub async fn take_seek_place(&mut self, game: &str) -> Result<i64, StoreError> {
        let sql = "INSERT INTO seek_orders (game, next) VALUES ($1, 2) \
                   ON CONFLICT (game) DO UPDATE SET next = seek_orders.next + 1 RETURNING next - 1";
        Ok(on!(self.writing(), c => sqlx::query_scalar(sql).bind(game).fetch_one(c).await)?)
    }

    pub async fn put_seek(
        &mut self,
        game: &str,
        place: i64,
        seek: &SeekRow,
        at: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO seeks (user_id, game, wanted, options, rated, nag_ms, forfeit_ms, total_ms, place, at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                   ON CONFLICT (user_id, game) DO UPDATE SET wanted = excluded.wanted, \
                   options = excluded.options, rated = excluded.rated, nag_ms = excluded.nag_ms, \
                   forfeit_ms = excluded.forfeit_ms, total_ms = excluded.total_ms, place = excluded.place, \
                   at = excluded.at";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(seek.user_id.0)
            .bind(game)
            .bind(seek.wanted)
            .bind(&seek.options)
            .bind(seek.rated)
            .bind(seek.nag_ms)
            .bind(seek.forfeit_ms)
            .bind(seek.total_ms)
            .bind(place)
            .bind(at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn delete_seek(&mut self, game: &str, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM seeks WHERE user_id = $1 AND game = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(game).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Counts a board that has begun; deletes a satisfied seek.
    pub async fn count_down_seek(&mut self, game: &str, user: UserKey) -> Result<(), StoreError> {
        let sql = "UPDATE seeks SET wanted = wanted - 1 WHERE user_id = $1 AND game = $2 RETURNING wanted";
        let wanted: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(user.0).bind(game).fetch_optional(c).await)?;
        if wanted.is_some_and(|wanted| wanted <= 0) { self.delete_seek(game, user).await } else { Ok(()) }
    }
}
