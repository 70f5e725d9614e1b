//! Boards that two users share.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{BoardKey, BoardState, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct SharedBoardRow {
        pub id: BoardKey,
        pub game: String,
        pub state: BoardState,
        pub ended_at: Option<i64>,
        pub first_won: bool,
        pub second_won: bool,
    }
}

/// Latest boards of each that the other plays on too. The limit applies to both, so the statement reads at
/// most twice its number of rows, and the user with fewer boards decides.
macro_rules! latest_with {
    ($one:literal, $other:literal) => {
        concat!(
            "SELECT own.board_id FROM (SELECT DISTINCT board_id FROM seats WHERE user_id = ",
            $one,
            " ORDER BY board_id DESC LIMIT $3) AS own \
             WHERE EXISTS (SELECT 1 FROM seats o WHERE o.user_id = ",
            $other,
            " AND o.board_id = own.board_id)"
        )
    };
}

macro_rules! has_won {
    ($user:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM seats w WHERE w.user_id = ",
            $user,
            " AND w.board_id = b.id AND ',' || b.winners || ',' LIKE '%,' || w.seat || ',%')"
        )
    };
}

impl ReadTx {
    /// Shared boards among the latest `limit` of each, latest first.
    pub async fn shared_boards(
        &mut self,
        first: UserKey,
        second: UserKey,
        limit: i64,
    ) -> Result<Vec<SharedBoardRow>> {
        let sql = concat!(
            "SELECT b.id, b.game, b.state, b.ended_at, ",
            has_won!("$1"),
            " AS first_won, ",
            has_won!("$2"),
            " AS second_won FROM (",
            latest_with!("$1", "$2"),
            " UNION ",
            latest_with!("$2", "$1"),
            ") AS shared JOIN boards b ON b.id = shared.board_id WHERE b.state <> 'removed' ORDER BY b.id DESC"
        );
        self.fetch_all(sql, &[&first, &second, &limit]).await
    }
}
