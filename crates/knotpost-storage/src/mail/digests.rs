//! Boards waiting for a user's daily mail.

use crate::connection::{Result, claim, row};
use crate::rows::RemarkRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

row! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DigestBoard {
        pub board_id: BoardKey,
        pub since: Millis,
    }
}

impl ReadTx {
    pub async fn digest_due(&mut self, user: UserKey) -> Result<Option<i64>> {
        self.fetch_optional("SELECT due_at FROM digests WHERE user_id = $1", &[&user]).await
    }

    /// Due time of the earliest digest.
    pub async fn next_digest_due(&mut self) -> Result<Option<i64>> {
        self.fetch_one("SELECT MIN(due_at) FROM digests", &[]).await
    }

    /// Remarks on a board from a time on, in order.
    pub async fn remarks_since(&mut self, board: BoardKey, since: Millis) -> Result<Vec<RemarkRow>> {
        let sql = "SELECT r.id, r.ply, u.userid, r.kind, r.text FROM remarks r LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 AND r.at >= $2 ORDER BY r.id";
        self.fetch_all(sql, &[&board, &since]).await
    }
}

impl WriteTx {
    /// Further changes before the mail add nothing.
    pub async fn add_to_digest(&mut self, user: UserKey, board: BoardKey, now: Millis) -> Result<()> {
        let sql =
            "INSERT INTO digest_boards (user_id, board_id, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.exec(sql, &[&user, &board, &now]).await
    }

    /// Sets when the user's next digest is due.
    pub async fn set_digest_due(&mut self, user: UserKey, due: Millis) -> Result<()> {
        let sql = "INSERT INTO digests (user_id, due_at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET due_at = $2";
        self.exec(sql, &[&user, &due]).await
    }

    /// Deletes the digest due longest and returns its user and boards.
    pub async fn take_digest(&mut self, now: Millis) -> Result<Option<(UserKey, Vec<DigestBoard>)>> {
        let sql = claim!(
            self,
            "DELETE FROM digests WHERE user_id = (SELECT user_id FROM digests WHERE due_at <= $1 \
             ORDER BY due_at, user_id LIMIT 1",
            ") RETURNING user_id"
        );
        let Some(user) = self.fetch_optional::<UserKey>(sql, &[&now]).await? else { return Ok(None) };
        let sql = "DELETE FROM digest_boards WHERE user_id = $1 RETURNING board_id, since";
        let mut boards: Vec<DigestBoard> = self.fetch_all(sql, &[&user]).await?;
        boards.sort_by_key(|board| (board.since, board.board_id));
        Ok(Some((user, boards)))
    }

    pub async fn end_digest(&mut self, user: UserKey) -> Result<()> {
        for sql in ["DELETE FROM digest_boards WHERE user_id = $1", "DELETE FROM digests WHERE user_id = $1"]
        {
            self.exec(sql, &[&user]).await?;
        }
        Ok(())
    }

    /// Makes digests due whose boards wait without a time.
    pub async fn mend_digests(&mut self, now: Millis) -> Result<u64> {
        let sql = "INSERT INTO digests (user_id, due_at) SELECT DISTINCT user_id, CAST($1 AS BIGINT) FROM digest_boards b \
                   WHERE NOT EXISTS (SELECT 1 FROM digests d WHERE d.user_id = b.user_id) \
                   ON CONFLICT (user_id) DO NOTHING";
        self.exec_count(sql, &[&now]).await
    }
}
