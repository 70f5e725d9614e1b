use crate::connection::Result;
use crate::rows::{BoardFilter, BoardRow, NewBoard};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, BoardState, UserKey};

macro_rules! select_board {
    ($rest:expr) => {
        concat!(
            "SELECT id, game, number, options, rules_version, seed, state, rated, ply, position, scores, \
             winners, reason, started_at, last_move_at, ended_at, nag_ms, forfeit_ms, total_ms, \
             due_at, nagged_at, paused_at, pairing_id FROM boards ",
            $rest
        )
    };
}
pub(crate) use select_board;

/// Latest boards of a user searched for finished ones: no index has them by their end, and a computer player
/// may have a million.
const LATEST_OF_USER: i64 = 5000;

/// Boards of a user, with keys selected by `$candidates`, in order of creation. `$1` is the board before,
/// `$2` the game, `$3` the state, `$4` the limit, `$5` the user, `$6` tells boards of tournaments from others.
macro_rules! boards_of_user {
    ($candidates:literal) => {
        select_board!(concat!(
            "WHERE id IN (",
            $candidates,
            ") AND ($2 IS NULL OR game = $2) AND ($3 IS NULL OR state = $3) \
             AND ($3 IS NOT NULL OR state <> 'removed') AND ($6 IS NULL OR (pairing_id IS NOT NULL) = $6) \
             ORDER BY id LIMIT $4"
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
             AND ($3 IS NOT NULL OR b.state <> 'removed') AND ($6 IS NULL OR (b.pairing_id IS NOT NULL) = $6) \
             ORDER BY s.board_id LIMIT $4"
        )
    }
}

impl ReadTx {
    /// Reads the next board after this row with all moves, as a check that it is readable; `None`: there is
    /// none.
    pub(crate) async fn read_board_after(&mut self, board: i64) -> Result<Option<i64>> {
        let sql = "SELECT id FROM boards WHERE id > $1 ORDER BY id LIMIT 1";
        let next: Option<i64> = self.fetch_optional(sql, &[&board]).await?;
        let Some(board) = next else { return Ok(None) };
        for sql in ["SELECT * FROM boards WHERE id = $1", "SELECT * FROM moves WHERE board_id = $1"] {
            self.fetch_all::<()>(sql, &[&board]).await?;
        }
        Ok(next)
    }

    /// In any state.
    pub async fn find_board(&mut self, game: &str, number: u32) -> Result<Option<BoardRow>> {
        let sql = select_board!("WHERE game = $1 AND number = $2");
        self.fetch_optional(sql, &[&game, &number]).await
    }

    pub async fn board(&mut self, key: BoardKey) -> Result<Option<BoardRow>> {
        let sql = select_board!("WHERE id = $1");
        self.fetch_optional(sql, &[&key]).await
    }

    /// In the order of their rows, removed ones too.
    pub async fn boards_after(&mut self, after: BoardKey, limit: i64) -> Result<Vec<BoardRow>> {
        let sql = select_board!("WHERE id > $1 ORDER BY id LIMIT $2");
        self.fetch_all(sql, &[&after, &limit]).await
    }

    pub async fn list_boards(&mut self, filter: &BoardFilter, limit: i64) -> Result<Vec<BoardRow>> {
        let after = filter.after.unwrap_or(BoardKey(0));
        if let Some(tournament) = filter.tournament {
            let sql = select_board!(
                "WHERE id > $1 AND pairing_id IS NOT NULL \
                 AND id IN (SELECT board_id FROM tournament_seats WHERE tournament_id = $2) \
                 AND ($3 IS NULL OR game = $3) AND ($4 IS NULL OR state = $4) \
                 AND ($4 IS NOT NULL OR state <> 'removed') AND ($5 IS NULL OR id IN (SELECT s.board_id \
                 FROM seats s WHERE s.user_id = $5 AND s.to_move >= $6)) ORDER BY id LIMIT $7"
            );
            let (game, state, user) = (&filter.game, &filter.state, &filter.user);
            return self
                .fetch_all(sql, &[&after, &tournament, game, state, user, &filter.next, &limit])
                .await;
        }
        if let (None, Some(game), Some(true)) = (filter.user, &filter.game, filter.in_tournament) {
            // The computed `game` keeps the planner from reading all boards of that game.
            let sql = select_board!(
                "WHERE id > $1 AND game || '' = $2 AND pairing_id IS NOT NULL AND state <> 'removed' AND id IN \
                 (SELECT s.board_id FROM tournaments t JOIN tournament_seats s ON s.tournament_id = t.id \
                 WHERE t.game = $2) ORDER BY id LIMIT $3"
            );
            return self.fetch_all(sql, &[&after, game, &limit]).await;
        }
        // One statement per combination, so that each uses an index. Inside a game the order of numbers is
        // the order of rows.
        match (filter.user, &filter.game, filter.state) {
            (Some(user), game, state) => {
                let sql = boards_of_user(filter);
                self.fetch_all(sql, &[&after, game, &state, &limit, &user, &filter.in_tournament]).await
            }
            (None, None, None) => {
                let sql = select_board!("WHERE id > $1 AND state <> 'removed' ORDER BY id LIMIT $2");
                self.fetch_all(sql, &[&after, &limit]).await
            }
            (None, None, Some(state)) => {
                let sql = select_board!("WHERE state = $3 AND id > $1 ORDER BY id LIMIT $2");
                self.fetch_all(sql, &[&after, &limit, &state]).await
            }
            (None, Some(game), None) => {
                let sql = select_board!(
                    "WHERE game = $3 AND number > COALESCE((SELECT number FROM boards WHERE id = $1), 0) \
                     AND state <> 'removed' ORDER BY number LIMIT $2"
                );
                self.fetch_all(sql, &[&after, &limit, game]).await
            }
            (None, Some(game), Some(state)) => {
                let sql = select_board!(
                    "WHERE game = $3 AND state = $4 AND number > COALESCE((SELECT number FROM boards WHERE id = $1), 0) \
                     ORDER BY number LIMIT $2"
                );
                self.fetch_all(sql, &[&after, &limit, game, &state]).await
            }
        }
    }

    /// Finished boards of a game, latest end first; of one user, only among their latest 5000 boards.
    pub async fn list_finished(
        &mut self,
        game: &str,
        user: Option<UserKey>,
        limit: i64,
    ) -> Result<Vec<BoardRow>> {
        match user {
            None => {
                let sql = select_board!(
                    "WHERE game = $1 AND state = 'over' AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT $2"
                );
                self.fetch_all(sql, &[&game, &limit]).await
            }
            Some(user) => {
                // The computed `game` keeps the planner from scanning all finished boards of that game.
                let sql = select_board!(
                    "WHERE id IN (SELECT own.board_id FROM (SELECT DISTINCT board_id FROM seats WHERE user_id = $2 \
                     ORDER BY board_id DESC LIMIT $4) AS own) AND game || '' = $1 AND state = 'over' \
                     ORDER BY ended_at DESC, id DESC LIMIT $3"
                );
                self.fetch_all(sql, &[&game, &user, &limit, &LATEST_OF_USER]).await
            }
        }
    }

    pub async fn count_boards(&mut self, game: &str) -> Result<(i64, i64)> {
        // PostgreSQL sums BIGINT to NUMERIC.
        let sql = "SELECT CAST(COALESCE(SUM(active), 0) AS BIGINT), CAST(COALESCE(SUM(finished), 0) AS BIGINT) \
                   FROM board_counts WHERE game = $1";
        self.fetch_one(sql, &[&game]).await
    }

    /// Removed ones included. Scans the table.
    pub async fn count_all_boards(&mut self) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM boards", &[]).await
    }
}

impl WriteTx {
    /// Next free number in a game, from 101; numbers are never reused.
    pub async fn take_board_number(&mut self, game: &str) -> Result<i64> {
        let sql = "INSERT INTO board_numbers (game, next) VALUES ($1, 102) \
                   ON CONFLICT (game) DO UPDATE SET next = board_numbers.next + 1 RETURNING next - 1";
        self.fetch_one(sql, &[&game]).await
    }

    /// The board is due for the clock at once, unless a time is set.
    pub async fn insert_board(&mut self, number: i64, board: &NewBoard) -> Result<BoardKey> {
        let sql = "INSERT INTO boards (game, number, options, rules_version, seed, state, rated, ply, position, \
                   scores, started_at, nag_ms, forfeit_ms, total_ms, due_at, pairing_id) \
                   VALUES ($1, $2, $3, $4, $5, 'active', $6, 0, $7, $8, $9, $10, $11, $12, $9, $13) RETURNING id";
        self.fetch_one(
            sql,
            &[
                &board.game,
                &number,
                &board.options,
                &board.rules_version,
                &board.seed,
                &board.rated,
                &board.position,
                &board.scores,
                &board.at,
                &board.nag_ms,
                &board.forfeit_ms,
                &board.total_ms,
                &board.pairing,
            ],
        )
        .await
    }

    pub async fn update_board(&mut self, board: &BoardRow) -> Result<()> {
        let sql = "UPDATE boards SET seed = $2, state = $3, ply = $4, position = $5, scores = $6, winners = $7, \
                   reason = $8, started_at = $9, last_move_at = $10, ended_at = $11, rated = $12, due_at = $13, nagged_at = $14 \
                   WHERE id = $1";
        self.exec(
            sql,
            &[
                &board.id,
                &board.seed,
                &board.state,
                &board.ply,
                &board.position,
                &board.scores,
                &board.winners,
                &board.reason,
                &board.started_at,
                &board.last_move_at,
                &board.ended_at,
                &board.rated,
                &board.due_at,
                &board.nagged_at,
            ],
        )
        .await
    }
}
