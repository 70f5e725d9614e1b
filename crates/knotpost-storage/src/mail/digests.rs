//! Boards and news waiting for a user's daily mail.

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

/// The content of a user's daily mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenDigest {
    pub user: UserKey,
    /// From the one that changed first.
    pub boards: Vec<DigestBoard>,
    /// Texts of mails, the oldest first.
    pub news: Vec<String>,
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

    /// Keeps the text of a mail for the digest.
    pub async fn add_news_to_digest(&mut self, user: UserKey, text: &str, now: Millis) -> Result<()> {
        let sql = "INSERT INTO digest_news (user_id, text, at) VALUES ($1, $2, $3)";
        self.exec(sql, &[&user, &text, &now]).await
    }

    /// Sets when the user's next digest is due.
    pub async fn set_digest_due(&mut self, user: UserKey, due: Millis) -> Result<()> {
        let sql = "INSERT INTO digests (user_id, due_at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET due_at = $2";
        self.exec(sql, &[&user, &due]).await
    }

    /// Deletes the digest due longest and returns it.
    pub async fn take_digest(&mut self, now: Millis) -> Result<Option<TakenDigest>> {
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
        let sql = "DELETE FROM digest_news WHERE user_id = $1 RETURNING id, text";
        let mut news: Vec<(i64, String)> = self.fetch_all(sql, &[&user]).await?;
        news.sort_unstable();
        Ok(Some(TakenDigest { user, boards, news: news.into_iter().map(|(_, text)| text).collect() }))
    }

    pub async fn end_digest(&mut self, user: UserKey) -> Result<()> {
        for sql in [
            "DELETE FROM digest_boards WHERE user_id = $1",
            "DELETE FROM digest_news WHERE user_id = $1",
            "DELETE FROM digests WHERE user_id = $1",
        ] {
            self.exec(sql, &[&user]).await?;
        }
        Ok(())
    }

    /// Makes digests due whose boards or news wait without a time.
    pub async fn mend_digests(&mut self, now: Millis) -> Result<u64> {
        let sql = "INSERT INTO digests (user_id, due_at) SELECT b.user_id, CAST($1 AS BIGINT) FROM \
                   (SELECT user_id FROM digest_boards UNION SELECT user_id FROM digest_news) b \
                   WHERE NOT EXISTS (SELECT 1 FROM digests d WHERE d.user_id = b.user_id) \
                   ON CONFLICT (user_id) DO NOTHING";
        self.exec_count(sql, &[&now]).await
    }
}
