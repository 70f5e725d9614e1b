//! Relations of users to each other: blocks and follows.
//!
//! A block counts for every account that has confirmed an address of the blocked one, so that a second account does
//! not lift it.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, Relation, UserKey};

/// True if `$one` is the account `$user` or another one of the same person.
macro_rules! is_account_of {
    ($one:literal, $user:literal) => {
        concat!(
            "(",
            $one,
            " = ",
            $user,
            " OR ",
            $one,
            " IN (SELECT o.user_id FROM addresses a JOIN addresses o ON o.address_key = a.address_key \
             WHERE a.user_id = ",
            $user,
            " AND a.verified_at IS NOT NULL AND o.verified_at IS NOT NULL))"
        )
    };
}

impl ReadTx {
    pub async fn relation(&mut self, user: UserKey, other: UserKey) -> Result<Option<Relation>> {
        let sql = "SELECT kind FROM relations WHERE user_id = $1 AND other_id = $2";
        self.fetch_optional(sql, &[&user, &other]).await
    }

    /// Userids, in order.
    pub async fn related(&mut self, user: UserKey, kind: Relation) -> Result<Vec<String>> {
        let sql = "SELECT u.userid FROM relations r JOIN users u ON u.id = r.other_id \
                   WHERE r.user_id = $1 AND r.kind = $2 ORDER BY u.userid_key";
        self.fetch_all(sql, &[&user, &kind]).await
    }

    /// True if a user has blocked another, by this account or one of the same person.
    pub async fn shuns(&mut self, user: UserKey, other: UserKey) -> Result<bool> {
        let sql = concat!(
            "SELECT 1 FROM relations r WHERE r.user_id = $1 AND r.kind = 'block' AND ",
            is_account_of!("r.other_id", "$2"),
            " LIMIT 1"
        );
        self.any(sql, &[&user, &other]).await
    }

    /// True if a user and another player of a board do not hear each other.
    pub async fn is_shunned_on(&mut self, board: BoardKey, user: UserKey) -> Result<bool> {
        let sql = concat!(
            "SELECT 1 FROM seats s JOIN relations r ON r.user_id = s.user_id AND r.kind = 'block' \
             WHERE s.board_id = $1 AND s.user_id <> $2 AND ",
            is_account_of!("r.other_id", "$2"),
            " UNION ALL SELECT 1 FROM seats s JOIN relations r ON r.user_id = $2 AND r.kind = 'block' \
             WHERE s.board_id = $1 AND s.user_id <> $2 AND ",
            is_account_of!("r.other_id", "s.user_id"),
            " LIMIT 1"
        );
        self.any(sql, &[&board, &user]).await
    }

    /// Users outside of a board who have blocked this one.
    pub async fn watchers_who_shun(&mut self, board: BoardKey, user: UserKey) -> Result<Vec<UserKey>> {
        let sql = concat!(
            "SELECT r.user_id FROM relations r WHERE r.kind = 'block' AND ",
            is_account_of!("r.other_id", "$1"),
            " AND NOT EXISTS (SELECT 1 FROM seats s WHERE s.board_id = $2 AND s.user_id = r.user_id)"
        );
        self.fetch_all(sql, &[&user, &board]).await
    }

    /// Boards in play of those whom a user follows, the latest first.
    pub async fn followed_boards(&mut self, user: UserKey, limit: i64) -> Result<Vec<BoardKey>> {
        let sql = "SELECT p.board_id FROM relations r JOIN boards_in_play p ON p.user_id = r.other_id \
                   WHERE r.user_id = $1 AND r.kind = 'follow' GROUP BY p.board_id ORDER BY p.board_id DESC LIMIT $2";
        self.fetch_all(sql, &[&user, &limit]).await
    }

    pub async fn count_related(&mut self, user: UserKey) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM relations WHERE user_id = $1", &[&user]).await
    }
}

impl WriteTx {
    /// Takes the place of another relation to them.
    pub async fn set_relation(
        &mut self,
        user: UserKey,
        other: UserKey,
        kind: Relation,
        now: Millis,
    ) -> Result<()> {
        let sql = "INSERT INTO relations (user_id, other_id, kind, at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (user_id, other_id) DO UPDATE SET kind = excluded.kind, at = excluded.at \
                   WHERE relations.kind <> excluded.kind";
        self.exec(sql, &[&user, &other, &kind, &now]).await
    }

    pub async fn drop_relation(&mut self, user: UserKey, other: UserKey, kind: Relation) -> Result<()> {
        let sql = "DELETE FROM relations WHERE user_id = $1 AND other_id = $2 AND kind = $3";
        self.exec(sql, &[&user, &other, &kind]).await
    }
}
