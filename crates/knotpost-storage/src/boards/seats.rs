use crate::connection::Result;
use crate::rows::SeatRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, UserKey};

#[derive(Clone, Copy, Debug)]
pub struct NewSeat {
    pub seat: i64,
    pub user: UserKey,
    pub to_move: bool,
}

impl ReadTx {
    /// In turn order.
    pub async fn seats(&mut self, board: BoardKey) -> Result<Vec<SeatRow>> {
        let sql = "SELECT s.seat, s.user_id, u.userid, s.state AS seat_state, s.to_move, s.resign_pending, \
                   (SELECT MAX(v.until_at) FROM vacations v WHERE v.user_id = s.user_id) AS away_until, u.state = 'suspended' AS is_suspended, \
                   EXISTS (SELECT 1 FROM queued_moves q WHERE q.board_id = s.board_id AND q.seat = s.seat) AS queued \
                   FROM seats s JOIN users u ON u.id = s.user_id WHERE s.board_id = $1 ORDER BY s.seat";
        self.fetch_all(sql, &[&board]).await
    }

    /// Watchers of the board, or of all boards of its game, with their keys.
    pub async fn subscribers(&mut self, board: BoardKey) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT u.id, u.userid FROM users u WHERE u.id IN \
                   (SELECT user_id FROM subscribers WHERE board_id = $1 UNION SELECT g.user_id FROM boards b \
                   JOIN user_games g ON g.game = b.game AND g.subscribes WHERE b.id = $1) \
                   AND u.state <> 'deleted' ORDER BY u.userid_key";
        self.fetch_all(sql, &[&board]).await
    }

    /// Games in which the user plays on a board of that number that is not removed.
    pub async fn games_with_board(&mut self, number: u32, user: UserKey) -> Result<Vec<String>> {
        // From the few games to the one board of that number in each: SQLite keeps a CROSS JOIN's order.
        let sql = "SELECT DISTINCT n.game FROM board_numbers n CROSS JOIN boards b CROSS JOIN seats s \
                   WHERE b.game = n.game AND b.number = $1 AND b.state <> 'removed' \
                   AND s.board_id = b.id AND s.user_id = $2 ORDER BY n.game";
        self.fetch_all(sql, &[&number, &user]).await
    }
}

impl WriteTx {
    pub async fn insert_seat(&mut self, board: BoardKey, seat: NewSeat) -> Result<()> {
        let sql = "INSERT INTO seats (board_id, seat, user_id, state, to_move, resign_pending) \
                   VALUES ($1, $2, $3, 'playing', $4, $5)";
        self.exec(sql, &[&board, &seat.seat, &seat.user, &seat.to_move, &false]).await
    }

    pub async fn delete_seats(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM seats WHERE board_id = $1", &[&board]).await
    }

    pub async fn update_seat(&mut self, board: BoardKey, seat: &SeatRow) -> Result<()> {
        let sql = "UPDATE seats SET state = $3, to_move = $4, resign_pending = $5 WHERE board_id = $1 AND seat = $2";
        self.exec(sql, &[&board, &seat.seat, &seat.state, &seat.to_move, &seat.resign_pending]).await
    }

    pub async fn exchange_users(&mut self, board: BoardKey, one: &SeatRow, other: &SeatRow) -> Result<()> {
        self.pass_seat_on(board, one.seat, other.user_id).await?;
        self.pass_seat_on(board, other.seat, one.user_id).await
    }

    pub async fn pass_seat_on(&mut self, board: BoardKey, seat: i64, user: UserKey) -> Result<()> {
        let sql = "UPDATE seats SET user_id = $3 WHERE board_id = $1 AND seat = $2";
        self.exec(sql, &[&board, &seat, &user]).await
    }

    pub async fn subscribe(&mut self, board: BoardKey, user: UserKey) -> Result<()> {
        let sql = "INSERT INTO subscribers (board_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.exec(sql, &[&board, &user]).await
    }
}
