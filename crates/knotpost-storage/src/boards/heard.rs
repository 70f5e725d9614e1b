//! Counts of recent chat, by readers of a board.

use knotpost_model::{BoardKey, Millis};

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements};

impl ReadTx {
    /// Players and watchers of a board, each with the number of chats by others since `since`, on boards they
    /// play or on this one, and the number of these by outsiders.
    pub async fn heard_chats(&mut self, board: BoardKey, since: Millis) -> Result<Vec<(i64, i64, i64)>> {
        let sql = "WITH readers (user_id) AS (SELECT user_id FROM seats WHERE board_id = $1 \
                   UNION SELECT user_id FROM subscribers WHERE board_id = $1), \
                   heard (user_id, board_id) AS (SELECT user_id, CAST($1 AS BIGINT) FROM readers \
                   UNION SELECT p.user_id, p.board_id FROM readers r JOIN boards_in_play p ON p.user_id = r.user_id) \
                   SELECT h.user_id, COUNT(*), SUM(CASE WHEN EXISTS (SELECT 1 FROM seats s \
                   WHERE s.board_id = m.board_id AND s.user_id = m.user_id) THEN 0 ELSE 1 END) \
                   FROM heard h JOIN remarks m ON m.board_id = h.board_id \
                   WHERE m.kind = 'chat' AND m.at > $2 AND m.user_id <> h.user_id GROUP BY h.user_id";
        self.fetch_all(sql, &[&board, &since]).await
    }
}
