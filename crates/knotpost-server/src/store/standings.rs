//! Tables of ratings.

use sqlx::FromRow;

use super::{StoreError, Tx, on};
use crate::domain::{Millis, UserKey};

/// A line of the standings.
#[derive(Clone, Debug, FromRow)]
pub struct StandingRow {
    /// Who.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// His name.
    pub userid: String,
    /// His rating.
    pub rating: f64,
    /// Won games.
    pub won: i64,
    /// Lost games.
    pub lost: i64,
    /// Tied games.
    pub tied: i64,
    /// The Glicko-2 estimate.
    pub glicko: f64,
    /// Its deviation.
    pub deviation: f64,
}

/// Which players a block of the standings holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingsBlock {
    /// Active ones with twenty rated games or more.
    Established,
    /// Active ones with fewer.
    Provisional,
    /// Those who do not play any more.
    Inactive,
}

/// The end of the statement for a block, comparing `active` so that the order comes from the index; `$2`: a last board that ended before is long ago. Who has left is
/// not listed.
macro_rules! block {
    (active, $games:literal) => {
        concat!(
            " FROM ratings r JOIN users u ON u.id = r.user_id WHERE r.game = $1 AND r.active = TRUE AND ",
            $games,
            " AND (r.ended_at >= $2 OR EXISTS (SELECT 1 FROM seats s JOIN boards b ON b.id = s.board_id \
             WHERE s.user_id = r.user_id AND b.game || '' = r.game AND b.state = 'active')) \
             AND u.state <> 'deleted'"
        )
    };
    (inactive) => {
        " FROM ratings r JOIN users u ON u.id = r.user_id WHERE r.game = $1 AND u.state <> 'deleted' \
         AND (NOT r.active OR (r.ended_at < $2 AND NOT EXISTS (SELECT 1 FROM seats s JOIN boards b \
         ON b.id = s.board_id WHERE s.user_id = r.user_id AND b.game || '' = r.game AND b.state = 'active')))"
    };
}

macro_rules! select_standing {
    ($($block:tt)*) => {
        concat!(
            "SELECT r.user_id, u.userid, r.rating, r.won, r.lost, r.tied, r.glicko, r.deviation",
            block!($($block)*),
            " ORDER BY r.rating DESC, u.userid_key LIMIT $3"
        )
    };
}

impl Tx {
    /// The best of a block, at most `limit`. Whose last board ended before `long_ago` and who plays none now
    /// is inactive.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn standings(
        &mut self,
        game: &str,
        block: StandingsBlock,
        long_ago: Millis,
        limit: i64,
    ) -> Result<Vec<StandingRow>, StoreError> {
        let sql = match block {
            StandingsBlock::Established => select_standing!(active, "r.games >= 20"),
            StandingsBlock::Provisional => select_standing!(active, "r.games < 20"),
            StandingsBlock::Inactive => select_standing!(inactive),
        };
        Ok(on!(self, c => sqlx::query_as::<_, StandingRow>(sql)
            .bind(game)
            .bind(long_ago.0)
            .bind(limit)
            .fetch_all(c)
            .await)?)
    }

    /// How many players a block holds.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_standings(
        &mut self,
        game: &str,
        block: StandingsBlock,
        long_ago: Millis,
    ) -> Result<i64, StoreError> {
        let sql = match block {
            StandingsBlock::Established => concat!("SELECT COUNT(*)", block!(active, "r.games >= 20")),
            StandingsBlock::Provisional => concat!("SELECT COUNT(*)", block!(active, "r.games < 20")),
            StandingsBlock::Inactive => concat!("SELECT COUNT(*)", block!(inactive)),
        };
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(game).bind(long_ago.0).fetch_one(c).await)?)
    }
}
