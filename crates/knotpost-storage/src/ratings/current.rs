//! Ratings, their changes, and the order in which boards are rated.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, Pool, Rating, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct RatingRow {
        pub user_id: UserKey,
        pub rating: f64,
        pub value_sum: f64,
        pub games: u32,
        pub won: u32,
        pub lost: u32,
        pub tied: u32,
        pub glicko: f64,
        pub deviation: f64,
        pub volatility: f64,
        pub active: bool,
        pub ended_at: Millis,
    }
}

impl RatingRow {
    pub fn of(user: UserKey, rating: Rating, active: bool, ended_at: Millis) -> Self {
        let Rating { rating, value_sum, games, won, lost, tied, glicko, deviation, volatility } = rating;
        Self {
            user_id: user,
            rating,
            value_sum,
            games,
            won,
            lost,
            tied,
            glicko,
            deviation,
            volatility,
            active,
            ended_at,
        }
    }

    pub fn rating(&self) -> Rating {
        Rating {
            rating: self.rating,
            value_sum: self.value_sum,
            games: self.games,
            won: self.won,
            lost: self.lost,
            tied: self.tied,
            glicko: self.glicko,
            deviation: self.deviation,
            volatility: self.volatility,
        }
    }
}

row! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct RatingChange {
        pub board: BoardKey as "board_id",
        pub user: UserKey as "user_id",
        pub place: i64,
        pub before: f64,
        pub after: f64,
        pub active: bool,
        pub at: Millis,
    }
}

macro_rules! select_rating {
    ($rest:literal) => {
        concat!(
            "SELECT user_id, rating, value_sum, games, won, lost, tied, glicko, deviation, volatility, active, \
             ended_at FROM ratings ",
            $rest
        )
    };
}
pub(crate) use select_rating;

impl ReadTx {
    /// `None`: no rated game yet.
    pub async fn rating(&mut self, game: &str, user: UserKey) -> Result<Option<RatingRow>> {
        let sql = select_rating!("WHERE user_id = $1 AND game = $2");
        self.fetch_optional(sql, &[&user, &game]).await
    }

    pub async fn rated_games(&mut self, user: UserKey) -> Result<Vec<String>> {
        self.fetch_all("SELECT game FROM ratings WHERE user_id = $1 ORDER BY game", &[&user]).await
    }

    /// Established active players without a board now, whose last one ended before `limit`, by row.
    pub async fn lapsed_players(&mut self, game: &str, limit: Millis) -> Result<Vec<RatingRow>> {
        let sql = select_rating!(
            "WHERE game = $1 AND active AND ended_at < $2 AND games >= 20 AND NOT EXISTS \
             (SELECT 1 FROM boards_in_play p WHERE p.user_id = ratings.user_id AND p.game = ratings.game) \
             ORDER BY user_id"
        );
        self.fetch_all(sql, &[&game, &limit]).await
    }

    pub async fn rating_changes(&mut self, board: BoardKey) -> Result<Vec<(String, f64, f64)>> {
        let sql = "SELECT u.userid, c.before, c.after FROM rating_changes c JOIN users u ON u.id = c.user_id \
                   WHERE c.board_id = $1 \
                   ORDER BY (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = $1 AND s.user_id = c.user_id)";
        self.fetch_all(sql, &[&board]).await
    }
}

impl WriteTx {
    /// Next place in a game's order of ratings, from 1, with the pool so far. Concurrent transactions wait,
    /// or run again.
    pub async fn take_rating_place(&mut self, game: &str) -> Result<(i64, Pool)> {
        let sql = "INSERT INTO rating_orders (game, next, players, sum) VALUES ($1, 2, 0, 0) \
                   ON CONFLICT (game) DO UPDATE SET next = rating_orders.next + 1 RETURNING next - 1, players, sum";
        let (place, players, sum) = self.fetch_one::<(i64, i64, i64)>(sql, &[&game]).await?;
        Ok((place, Pool { players, sum }))
    }

    pub async fn set_rating_pool(&mut self, game: &str, pool: Pool) -> Result<()> {
        let sql = "UPDATE rating_orders SET players = $2, sum = $3 WHERE game = $1";
        self.exec(sql, &[&game, &pool.players, &pool.sum]).await
    }

    pub async fn put_rating(&mut self, game: &str, row: &RatingRow) -> Result<()> {
        let sql = "INSERT INTO ratings (user_id, game, rating, value_sum, games, won, lost, tied, glicko, \
                   deviation, volatility, active, ended_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
                   ON CONFLICT (user_id, game) DO UPDATE SET rating = excluded.rating, \
                   value_sum = excluded.value_sum, games = excluded.games, won = excluded.won, \
                   lost = excluded.lost, tied = excluded.tied, glicko = excluded.glicko, \
                   deviation = excluded.deviation, volatility = excluded.volatility, active = excluded.active, \
                   ended_at = excluded.ended_at";
        self.exec(
            sql,
            &[
                &row.user_id,
                &game,
                &row.rating,
                &row.value_sum,
                &row.games,
                &row.won,
                &row.lost,
                &row.tied,
                &row.glicko,
                &row.deviation,
                &row.volatility,
                &row.active,
                &row.ended_at,
            ],
        )
        .await
    }

    pub async fn note_unrated_end(&mut self, game: &str, user: UserKey, at: Millis) -> Result<()> {
        let sql = "UPDATE ratings SET ended_at = $3 WHERE user_id = $1 AND game = $2 AND ended_at < $3";
        self.exec(sql, &[&user, &game, &at]).await
    }

    pub async fn change_activity(
        &mut self,
        game: &str,
        place: i64,
        user: UserKey,
        active: bool,
        at: Millis,
    ) -> Result<()> {
        let sql = "UPDATE ratings SET active = $3 WHERE user_id = $1 AND game = $2";
        self.exec(sql, &[&user, &game, &active]).await?;
        let sql =
            "INSERT INTO rating_activity (game, place, user_id, active, at) VALUES ($1, $2, $3, $4, $5)";
        self.exec(sql, &[&game, &place, &user, &active, &at]).await
    }

    pub async fn insert_rating_change(&mut self, game: &str, change: &RatingChange) -> Result<()> {
        let sql = "INSERT INTO rating_changes (board_id, user_id, game, place, before, after, active, at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        self.exec(
            sql,
            &[
                &change.board,
                &change.user,
                &game,
                &change.place,
                &change.before,
                &change.after,
                &change.active,
                &change.at,
            ],
        )
        .await
    }
}
