//! A board with its seats in one query, the start of nearly all work on boards.

use std::collections::HashMap;

use crate::connection::{Result, key_list, row};
use crate::rows::{BoardRow, SeatRow, SeatedBoard};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::BoardKey;

row! {
    /// A seat, with the columns of its board repeated.
    #[derive(Debug)]
    struct Line {
        board: BoardRow,
        seat: SeatRow,
    }
}

/// A seat a row, each with the board.
macro_rules! select_seated {
    ($which:literal) => {
        concat!(
            "SELECT b.id, b.game, b.number, b.options, b.rules_version, b.seed, b.state, b.rated, b.ply, b.position, \
             b.scores, b.winners, b.reason, b.started_at, b.last_move_at, b.ended_at, b.nag_ms, b.forfeit_ms, \
             b.total_ms, b.due_at, b.nagged_at, b.paused_at, b.pairing_id, \
             s.seat, s.user_id, u.userid, s.state AS seat_state, s.to_move, s.resign_pending, \
             (SELECT MAX(v.until_at) FROM vacations v WHERE v.user_id = s.user_id) AS away_until, \
             u.state = 'suspended' AS is_suspended, \
             EXISTS (SELECT 1 FROM queued_moves q WHERE q.board_id = s.board_id AND q.seat = s.seat) AS queued \
             FROM boards b JOIN seats s ON s.board_id = b.id JOIN users u ON u.id = s.user_id WHERE ",
            $which,
            " ORDER BY s.seat"
        )
    };
}

const SEVERAL_ON_SQLITE: &str = select_seated!("b.id IN (SELECT value FROM json_each($1))");
/// One board at a time: joined with all keys at once, PostgreSQL may reuse a plan that scans a table that was
/// small when planned.
const SEVERAL_ON_POSTGRES: &str = concat!(
    "SELECT found.* FROM UNNEST(CAST(TRANSLATE($1, '[]', '{}') AS BIGINT[])) AS asked (id) CROSS JOIN LATERAL (",
    select_seated!("b.id = asked.id"),
    ") AS found ORDER BY found.seat"
);

impl ReadTx {
    pub async fn find_seated_board(&mut self, game: &str, number: u32) -> Result<Option<SeatedBoard>> {
        let sql = select_seated!("b.game = $1 AND b.number = $2");
        let lines = self.fetch_all::<Line>(sql, &[&game, &number]).await?;
        Ok(gather(lines))
    }

    pub async fn seated_board(&mut self, key: BoardKey) -> Result<Option<SeatedBoard>> {
        let sql = select_seated!("b.id = $1");
        let lines = self.fetch_all::<Line>(sql, &[&key]).await?;
        Ok(gather(lines))
    }

    /// Existing boards, by key.
    pub async fn seated_boards(&mut self, keys: &[BoardKey]) -> Result<HashMap<BoardKey, SeatedBoard>> {
        let mut boards: HashMap<BoardKey, SeatedBoard> = HashMap::new();
        if keys.is_empty() {
            return Ok(boards);
        }
        let sql = if self.is_postgres() { SEVERAL_ON_POSTGRES } else { SEVERAL_ON_SQLITE };
        for Line { board, seat } in self.fetch_all::<Line>(sql, &[&key_list(keys)]).await? {
            let found = boards.entry(board.id).or_insert_with(|| SeatedBoard { board, seats: Vec::new() });
            found.seats.push(seat);
        }
        Ok(boards)
    }
}

fn gather(lines: Vec<Line>) -> Option<SeatedBoard> {
    let mut lines = lines.into_iter();
    let first = lines.next()?;
    let seats = std::iter::once(first.seat).chain(lines.map(|line| line.seat)).collect();
    Some(SeatedBoard { board: first.board, seats })
}
