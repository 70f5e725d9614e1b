//! Habits of users as boards show them: results, time to answer, losses on time; and their words about themselves.
//!
//! Boards against computer players alone, or against oneself, say nothing about it.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, SeatState, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct ResultRow {
        pub game: String,
        pub number: i64,
        /// State of the user's seat.
        pub state: SeatState,
        pub seat: i64,
        /// Seats, with commas between them.
        pub winners: Option<String>,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct ListedUserRow {
        pub id: UserKey,
        pub userid: String,
        pub created_at: Millis,
        /// Boards in play.
        pub playing: i64,
    }
}

/// The latest boards of a user, with a seat of theirs.
const LATEST: i64 = 200;

macro_rules! latest_boards {
    ($limit:literal) => {
        concat!(
            "(SELECT board_id, MIN(seat) AS seat FROM seats WHERE user_id = $1 GROUP BY board_id \
             ORDER BY board_id DESC LIMIT ",
            $limit,
            ") AS own"
        )
    };
}

macro_rules! has_other_person {
    () => {
        "EXISTS (SELECT 1 FROM seats o JOIN users u ON u.id = o.user_id WHERE o.board_id = own.board_id \
         AND o.user_id <> $1 AND u.role <> 'bot')"
    };
}

impl ReadTx {
    /// Finished boards among the latest of a user, the last to end first.
    pub async fn latest_results(&mut self, user: UserKey, limit: i64) -> Result<Vec<ResultRow>> {
        let sql = concat!(
            "SELECT b.game, b.number, s.state, own.seat, b.winners FROM ",
            latest_boards!("$3"),
            " JOIN boards b ON b.id = own.board_id \
             JOIN seats s ON s.board_id = own.board_id AND s.seat = own.seat \
             WHERE b.state = 'over' AND ",
            has_other_person!(),
            " ORDER BY b.ended_at DESC, b.id DESC LIMIT $2"
        );
        self.fetch_all(sql, &[&user, &limit, &LATEST]).await
    }

    /// Milliseconds from the move of another to that of the user, on their latest boards.
    pub async fn answer_times(&mut self, user: UserKey, boards: i64, limit: i64) -> Result<Vec<i64>> {
        let sql = concat!(
            "SELECT m.at - p.at FROM ",
            latest_boards!("$2"),
            " JOIN moves m ON m.board_id = own.board_id AND m.seat = own.seat AND m.kind = 'move' AND NOT m.auto \
             JOIN moves p ON p.board_id = m.board_id AND p.number = m.number - 1 AND p.seat <> m.seat \
             WHERE ",
            has_other_person!(),
            " ORDER BY m.at DESC LIMIT $3"
        );
        self.fetch_all(sql, &[&user, &boards, &limit]).await
    }

    pub async fn about(&mut self, user: UserKey) -> Result<Option<String>> {
        self.fetch_optional("SELECT about FROM profiles WHERE user_id = $1", &[&user]).await
    }

    /// Users who can play and whose name begins with these letters, in lower case, after `after` (exclusive), by name.
    pub async fn list_active_users(
        &mut self,
        begin: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<ListedUserRow>> {
        let sql = "SELECT u.id, u.userid, u.created_at, \
                   (SELECT COUNT(*) FROM boards_in_play p WHERE p.user_id = u.id) AS playing FROM users u \
                   WHERE u.userid_key >= $1 AND u.userid_key > $2 AND SUBSTR(u.userid_key, 1, $3) = $1 \
                   AND u.state = 'active' AND u.role <> 'bot' ORDER BY u.userid_key LIMIT $4";
        let length = i32::try_from(begin.chars().count()).unwrap_or(i32::MAX);
        self.fetch_all(sql, &[&begin, &after, &length, &limit]).await
    }
}

impl WriteTx {
    /// An empty text deletes it.
    pub async fn set_about(&mut self, user: UserKey, about: &str, now: Millis) -> Result<()> {
        if about.is_empty() {
            return self.exec("DELETE FROM profiles WHERE user_id = $1", &[&user]).await;
        }
        let sql = "INSERT INTO profiles (user_id, about, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id) DO UPDATE SET about = excluded.about, at = excluded.at";
        self.exec(sql, &[&user, &about, &now]).await
    }
}
