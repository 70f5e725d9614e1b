use sqlx::AssertSqlSafe;

use crate::connection::{Argument, Result, among, key_list, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct StandingRow {
        pub user_id: UserKey,
        pub userid: String,
        pub rating: f64,
        pub won: i64,
        pub lost: i64,
        pub tied: i64,
        pub glicko: f64,
        pub deviation: f64,
        pub facts: PlayerFacts,
    }
}

impl StandingRow {
    /// Ties are ordered by signup.
    pub fn by_rank(&self, other: &Self) -> std::cmp::Ordering {
        other.rating.total_cmp(&self.rating).then(self.user_id.0.cmp(&other.user_id.0))
    }
}

row! {
    #[derive(Clone, Copy, Debug)]
    pub struct PlayerFacts {
        pub accepts: bool,
        pub board_limit: Option<i64>,
        /// Boards in play; several seats on one count once.
        pub playing: i64,
        pub wanted: i64,
        pub is_bot: bool,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct UnratedPlayer {
        pub user_id: UserKey,
        pub userid: String,
        pub facts: PlayerFacts,
    }
}

/// Columns of [`PlayerFacts`] for a user `u`, with their joins.
macro_rules! player_facts {
    ($game:literal, $from:literal, $($rest:expr),*) => {
        concat!(
            "u.state = 'active' AND COALESCE(g.accepts, TRUE) AS accepts, g.board_limit, \
             (SELECT COUNT(*) FROM boards_in_play b WHERE b.user_id = u.id AND b.game = ", $game, ") AS playing, \
             COALESCE(k.wanted, 0) AS wanted, u.role IN ('bot', 'program') AS is_bot FROM ",
            $from,
            " LEFT JOIN user_games g ON g.user_id = u.id AND g.game = ", $game,
            " LEFT JOIN seeks k ON k.user_id = u.id AND k.game = ", $game,
            $($rest),*
        )
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingsBlock {
    /// Active, with twenty rated games or more.
    Established,
    /// Active, with fewer.
    Provisional,
    Inactive,
}

/// End of the statement for a block. Compares `active` so that the order comes from an index; `$2` is the
/// time before which a last board is long ago. Deleted users are excluded. Activity is a scalar subquery: for
/// an `EXISTS` after an `OR` PostgreSQL collects all users who play any game.
macro_rules! block {
    (active, $games:literal) => {
        concat!(
            " WHERE r.game = $1 AND r.active = TRUE AND ",
            $games,
            " AND (r.ended_at >= $2 OR (SELECT p.board_id FROM boards_in_play p \
             WHERE p.user_id = r.user_id AND p.game = r.game LIMIT 1) IS NOT NULL) \
             AND u.state <> 'deleted'"
        )
    };
    (gone) => {
        " WHERE r.game = $1 AND r.active = FALSE \
         AND u.state <> 'deleted'"
    };
    (quiet) => {
        " WHERE r.game = $1 AND r.active = TRUE \
         AND r.ended_at < $2 AND NOT EXISTS (SELECT 1 FROM boards_in_play p \
         WHERE p.user_id = r.user_id AND p.game = r.game) \
         AND u.state <> 'deleted'"
    };
}

macro_rules! select_standing {
    ($($block:tt)*) => {
        concat!(
            "SELECT r.user_id, u.userid, r.rating, r.won, r.lost, r.tied, r.glicko, r.deviation, ",
            player_facts!(
                "r.game",
                "ratings r JOIN users u ON u.id = r.user_id",
                block!($($block)*),
                " ORDER BY r.rating DESC, r.user_id LIMIT "
            )
        )
    };
}

impl ReadTx {
    /// Best of a block; ties by signup. Inactive are players without a board now whose last one ended before
    /// `long_ago`.
    pub async fn standings(
        &mut self,
        game: &str,
        block: StandingsBlock,
        long_ago: Millis,
        limit: i64,
    ) -> Result<Vec<StandingRow>> {
        // Statements, with true for those that take `long_ago`.
        let questions: &[_] = match block {
            StandingsBlock::Established => &[(select_standing!(active, "r.games >= 20"), true)],
            StandingsBlock::Provisional => &[(select_standing!(active, "r.games < 20"), true)],
            // Two queries, so that each gets its order from an index.
            StandingsBlock::Inactive => &[(select_standing!(gone), false), (select_standing!(quiet), true)],
        };
        let mut rows = Vec::new();
        for (sql, asks_when) in questions {
            // A literal: PostgreSQL's plan depends on how few rows are wanted.
            let sql = AssertSqlSafe(format!("{sql}{limit}"));
            let arguments: [&dyn Argument; 2] = [&game, &long_ago];
            let used = if *asks_when { 2 } else { 1 };
            let found: Vec<StandingRow> = self.fetch_all(sql, &arguments[..used]).await?;
            rows.extend(found);
        }
        rows.sort_by(StandingRow::by_rank);
        rows.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(rows)
    }

    pub async fn unrated_among(&mut self, game: &str, users: &[UserKey]) -> Result<Vec<UnratedPlayer>> {
        let sql = among!(
            self,
            concat!(
                "SELECT u.id AS user_id, u.userid, ",
                player_facts!("$2", "users u", " WHERE NOT EXISTS "),
                "(SELECT 1 FROM ratings r WHERE r.user_id = u.id AND r.game = $2) AND u.id"
            ),
            ""
        );
        self.fetch_all(sql, &[&key_list(users), &game]).await
    }
}
