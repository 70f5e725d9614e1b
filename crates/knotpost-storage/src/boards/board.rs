use crate::connection::{StoreError, on};
use crate::rows::{BoardFilter, BoardRow, NewBoard};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, BoardState, UserKey};

macro_rules! select_board {
    ($rest:expr) => {
        concat!(
            "SELECT id, game, number, options, rules_version, seed, state, rated, ply, position, scores, \
             winners, reason, started_at, last_move_at, ended_at, nag_ms, forfeit_ms, total_ms, \
             due_at, nagged_at, paused_at FROM boards ",
            $rest
        )
    };
}
pub(crate) use select_board;

/// Latest boards of a user searched for finished ones: no index has them by their end, and a computer player
/// may have a million.
const LATEST_OF_USER: i64 = 5000;

/// Boards of a user, with keys selected by `$candidates`, in order of creation. `$1` is the board before,
/// `$2` the game, `$3` the state, `$4` the limit, `$5` the user.
macro_rules! boards_of_user {
    ($candidates:literal) => {
        select_board!(concat!(
            "WHERE id IN (",
            $candidates,
            ") AND ($2 IS NULL OR game = $2) AND ($3 IS NULL OR state = $3) \
             AND ($3 IS NOT NULL OR state <> 'removed') ORDER BY id LIMIT $4"
        ))
    };
}

/// Chooses the statement that reads the fewest rows: none depends on the number of all boards of a user.
fn boards_of_user(filter: &BoardFilter) -> &'static str {
    if filter.next {
        // The index holds only the boards on which it is their turn.
        boards_of_user!("SELECT board_id FROM seats WHERE user_id = $5 AND board_id > $1 AND to_move")
    } else if filter.state == Some(BoardState::Active) {
        boards_of_user!("SELECT board_id FROM boards_in_play WHERE user_id = $5 AND board_id > $1")
    } else {
        // Reads seats in order until enough boards pass the filter. PostgreSQL may read the boards in order
        // as well, and does not infer the start by itself.
        boards_of_user!(
            "SELECT DISTINCT s.board_id FROM seats s CROSS JOIN boards b WHERE b.id = s.board_id AND s.user_id = $5 \
             AND s.board_id > $1 AND b.id > $1 AND ($2 IS NULL OR b.game = $2) AND ($3 IS NULL OR b.state = $3) \
             AND ($3 IS NOT NULL OR b.state <> 'removed') ORDER BY s.board_id LIMIT $4"
        )
    }
}

impl ReadTx {
    /// Reads the next board after this row with all moves, as a check that it is readable; `None`: there is
    /// none.
    pub(crate) async fn read_board_after(&mut self, board: i64) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT id FROM boards WHERE id > $1 ORDER BY id LIMIT 1";
        let next: Option<i64> = on!(self, c => sqlx::query_scalar(sql).bind(board).fetch_optional(c).await)?;
        let Some(board) = next else { return Ok(None) };
        let sql = "SELECT * FROM boards WHERE id = $1";
        on!(self, c => sqlx::query(sql).bind(board).fetch_all(c).await.map(drop))?;
        let sql = "SELECT * FROM moves WHERE board_id = $1";
        on!(self, c => sqlx::query(sql).bind(board).fetch_all(c).await.map(drop))?;
        Ok(next)
    }

    /// In any state.
    pub async fn find_board(&mut self, game: &str, number: u32) -> Result<Option<BoardRow>, StoreError> {
        let sql = select_board!("WHERE game = $1 AND number = $2");
        Ok(
            on!(self, c => sqlx::query_as::<_, BoardRow>(sql).bind(game).bind(i64::from(number)).fetch_optional(c).await)?,
        )
    }

    pub async fn board(&mut self, key: BoardKey) -> Result<Option<BoardRow>, StoreError> {
        let sql = select_board!("WHERE id = $1");
        Ok(on!(self, c => sqlx::query_as::<_, BoardRow>(sql).bind(key.0).fetch_optional(c).await)?)
    }

    /// In the order of their rows, removed ones too.
    pub async fn boards_after(&mut self, after: BoardKey, limit: i64) -> Result<Vec<BoardRow>, StoreError> {
        let sql = select_board!("WHERE id > $1 ORDER BY id LIMIT $2");
        Ok(on!(self, c => sqlx::query_as::<_, BoardRow>(sql).bind(after.0).bind(limit).fetch_all(c).await)?)
    }

    pub async fn list_boards(
        &mut self,
        filter: &BoardFilter,
        limit: i64,
    ) -> Result<Vec<BoardRow>, StoreError> {
        let after = filter.after.map_or(0, |key| key.0);
        let (game, state) = (filter.game.as_deref(), filter.state.map(BoardState::as_str));
        // One statement per combination, so that each uses an index. Inside a game the order of numbers is
        // the order of rows.
        let rows = match (filter.user, game, state) {
            (Some(user), ..) => {
                let sql = boards_of_user(filter);
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql)
                    .bind(after).bind(game).bind(state).bind(limit).bind(user.0).fetch_all(c).await)?
            }
            (None, None, None) => {
                let sql = select_board!("WHERE id > $1 AND state <> 'removed' ORDER BY id LIMIT $2");
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql).bind(after).bind(limit).fetch_all(c).await)?
            }
            (None, None, Some(state)) => {
                let sql = select_board!("WHERE state = $3 AND id > $1 ORDER BY id LIMIT $2");
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql)
                    .bind(after).bind(limit).bind(state).fetch_all(c).await)?
            }
            (None, Some(game), None) => {
                let sql = select_board!(
                    "WHERE game = $3 AND number > COALESCE((SELECT number FROM boards WHERE id = $1), 0) \
                     AND state <> 'removed' ORDER BY number LIMIT $2"
                );
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql)
                    .bind(after).bind(limit).bind(game).fetch_all(c).await)?
            }
            (None, Some(game), Some(state)) => {
                let sql = select_board!(
                    "WHERE game = $3 AND state = $4 AND number > COALESCE((SELECT number FROM boards WHERE id = $1), 0) \
                     ORDER BY number LIMIT $2"
                );
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql)
                    .bind(after).bind(limit).bind(game).bind(state).fetch_all(c).await)?
            }
        };
        Ok(rows)
    }

    /// Finished boards of a game, latest end first; of one user, only among their latest 5000 boards.
    pub async fn list_finished(
        &mut self,
        game: &str,
        user: Option<UserKey>,
        limit: i64,
    ) -> Result<Vec<BoardRow>, StoreError> {
        let rows = match user {
            None => {
                let sql = select_board!(
                    "WHERE game = $1 AND state = 'over' AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT $2"
                );
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql).bind(game).bind(limit).fetch_all(c).await)?
            }
            Some(user) => {
                // The computed `game` keeps the planner from scanning all finished boards of that game.
                let sql = select_board!(
                    "WHERE id IN (SELECT own.board_id FROM (SELECT DISTINCT board_id FROM seats WHERE user_id = $2 \
                     ORDER BY board_id DESC LIMIT $4) AS own) AND game || '' = $1 AND state = 'over' \
                     ORDER BY ended_at DESC, id DESC LIMIT $3"
                );
                on!(self, c => sqlx::query_as::<_, BoardRow>(sql)
                    .bind(game).bind(user.0).bind(limit).bind(LATEST_OF_USER).fetch_all(c).await)?
            }
        };
        Ok(rows)
    }

    pub async fn count_boards(&mut self, game: &str) -> Result<(i64, i64), StoreError> {
        // PostgreSQL sums BIGINT to NUMERIC.
        let sql = "SELECT CAST(COALESCE(SUM(active), 0) AS BIGINT), CAST(COALESCE(SUM(finished), 0) AS BIGINT) \
                   FROM board_counts WHERE game = $1";
        Ok(on!(self, c => sqlx::query_as::<_, (i64, i64)>(sql).bind(game).fetch_one(c).await)?)
    }

    /// Removed ones included. Scans the table.
    pub async fn count_all_boards(&mut self) -> Result<i64, StoreError> {
        Ok(on!(self, c => sqlx::query_scalar("SELECT COUNT(*) FROM boards").fetch_one(c).await)?)
    }
}

impl WriteTx {
    /// Next free number in a game, from 101; numbers are never reused.
    pub async fn take_board_number(&mut self, game: &str) -> Result<i64, StoreError> {
        let sql = "INSERT INTO board_numbers (game, next) VALUES ($1, 102) \
                   ON CONFLICT (game) DO UPDATE SET next = board_numbers.next + 1 RETURNING next - 1";
        Ok(on!(self.writing(), c => sqlx::query_scalar(sql).bind(game).fetch_one(c).await)?)
    }

    /// The board is due for the clock at once, unless a time is set.
    pub async fn insert_board(&mut self, number: i64, board: &NewBoard) -> Result<BoardKey, StoreError> {
        let sql = "INSERT INTO boards (game, number, options, rules_version, seed, state, rated, ply, position, \
                   scores, started_at, nag_ms, forfeit_ms, total_ms, due_at) \
                   VALUES ($1, $2, $3, $4, $5, 'active', $6, 0, $7, $8, $9, $10, $11, $12, $9) RETURNING id";
        let key: i64 = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(&board.game)
            .bind(number)
            .bind(&board.options)
            .bind(i64::from(board.rules_version))
            .bind(board.seed.as_slice())
            .bind(board.rated)
            .bind(&board.position)
            .bind(&board.scores)
            .bind(board.at.0)
            .bind(board.nag_ms)
            .bind(board.forfeit_ms)
            .bind(board.total_ms)
            .fetch_one(c)
            .await)?;
        Ok(BoardKey(key))
    }

    pub async fn update_board(&mut self, board: &BoardRow) -> Result<(), StoreError> {
        let sql = "UPDATE boards SET seed = $2, state = $3, ply = $4, position = $5, scores = $6, winners = $7, \
                   reason = $8, started_at = $9, last_move_at = $10, ended_at = $11, rated = $12, due_at = $13, nagged_at = $14 \
                   WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.id.0)
            .bind(&board.seed)
            .bind(board.state.as_str())
            .bind(board.ply)
            .bind(&board.position)
            .bind(&board.scores)
            .bind(&board.winners)
            .bind(&board.reason)
            .bind(board.started_at.0)
            .bind(board.last_move_at)
            .bind(board.ended_at)
            .bind(board.rated)
            .bind(board.due_at)
            .bind(board.nagged_at)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}
