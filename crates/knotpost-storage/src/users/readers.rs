//! All facts that decide on mails about a board, in one query, which every move runs.

use crate::connection::{Result, StoreError, key_list, row};
use crate::rows::{ReaderAddress, ReaderFacts, ReaderWish};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{BoardKey, UserKey};

/// Kinds of rows of the query, which are read in this order.
const WATCHER: i64 = 1;
const ADDRESS: i64 = 2;
const WISH: i64 = 3;
const WEBHOOK: i64 = 4;

row! {
    /// Neutral columns, whose meaning per kind is in [`collect_facts`] and, in the same order, in the query.
    #[derive(Debug)]
    struct Fact {
        kind: i64,
        id: UserKey,
        text_1: String,
        text_2: Option<String>,
        number_1: Option<i64>,
        number_2: Option<i64>,
        number_3: Option<i64>,
        rank: i64,
    }
}

/// Readers are joined to the rows about them, since lists of keys cost SQLite several times as much. A user
/// who watches twice, or plays as well, is returned twice.
///
/// `$users` are the keys of users, `$board` is the key of the board or `NULL`; the game is the second parameter.
macro_rules! reader_facts {
    (users: $users:literal, board: $board:literal) => {
        concat!(
            "WITH readers (id, userid, userid_key) AS (SELECT ",
            $users,
            " UNION ALL SELECT u.id, u.userid, u.userid_key FROM subscribers s JOIN users u ON u.id = s.user_id \
             WHERE s.board_id = ",
            $board,
            " AND u.state <> 'deleted' UNION ALL SELECT u.id, u.userid, u.userid_key \
             FROM user_games g JOIN users u ON u.id = g.user_id WHERE g.game = $2 AND g.subscribes AND CAST(",
            $board,
            " AS BIGINT) IS NOT NULL AND u.state <> 'deleted') \
             SELECT CAST(1 AS BIGINT) AS kind, id, userid AS text_1, userid_key AS text_2, \
             CAST(NULL AS BIGINT) AS number_1, CAST(NULL AS BIGINT) AS number_2, \
             CAST(NULL AS BIGINT) AS number_3, CAST(0 AS BIGINT) AS rank FROM readers WHERE userid IS NOT NULL \
             UNION ALL SELECT 2, a.user_id, a.address, NULL, a.verified_at, \
             (SELECT f.stopped_at FROM failing_addresses f WHERE f.address_key = a.address_key), a.stop_told_at, a.id \
             FROM readers r JOIN addresses a ON a.user_id = r.id \
             UNION ALL SELECT 3, p.user_id, p.name, p.value, NULL, NULL, NULL, \
             CAST(CASE WHEN p.game = '' THEN 0 ELSE 1 END AS BIGINT) \
             FROM readers r JOIN preferences p ON p.user_id = r.id WHERE (p.game = '' OR p.game = $2) \
             UNION ALL SELECT 4, w.user_id, '', NULL, NULL, NULL, NULL, CAST(0 AS BIGINT) \
             FROM readers r JOIN webhooks w ON w.user_id = r.id WHERE w.stopped_at IS NULL"
        )
    };
}

/// The users are a list in the first parameter.
const OF_USERS_ON_SQLITE: &str = reader_facts! {
    users: "CAST(value AS BIGINT), CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM json_each($1)",
    board: "NULL"
};
const OF_USERS_ON_POSTGRES: &str = reader_facts! {
    users: "CAST(value AS BIGINT), CAST(NULL AS TEXT), CAST(NULL AS TEXT) \
            FROM json_array_elements_text(CAST($1 AS json))",
    board: "NULL"
};
/// The board is the first parameter.
const OF_BOARD: &str = reader_facts! {
    users: "user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM seats WHERE board_id = $1",
    board: "$1"
};

impl ReadTx {
    /// Facts about these users, without a board.
    pub async fn reader_facts(&mut self, users: &[UserKey], game: &str) -> Result<ReaderFacts> {
        let sql = if self.is_postgres() { OF_USERS_ON_POSTGRES } else { OF_USERS_ON_SQLITE };
        collect_facts(self.fetch_all(sql, &[&key_list(users), &game]).await?)
    }

    /// The facts about the readers of a board: its players and its watchers.
    pub async fn board_reader_facts(&mut self, board: BoardKey, game: &str) -> Result<ReaderFacts> {
        collect_facts(self.fetch_all(OF_BOARD, &[&board, &game]).await?)
    }
}

fn collect_facts(mut rows: Vec<Fact>) -> Result<ReaderFacts> {
    let place = |row: &Fact| (row.kind, row.rank, row.id);
    rows.sort_by_key(place);
    rows.dedup_by(|row, last| place(row) == place(last) && row.text_1 == last.text_1);
    let (mut facts, mut watchers) = (ReaderFacts::default(), Vec::new());
    for Fact { kind, id: user_id, text_1, text_2, number_1, number_2, number_3, .. } in rows {
        match kind {
            WATCHER => watchers.push((text_2, user_id, text_1)),
            ADDRESS => facts.addresses.push(ReaderAddress {
                user_id,
                address: text_1,
                verified_at: number_1,
                stopped_at: number_2,
                stop_told_at: number_3,
            }),
            WISH => {
                facts.wishes.push(ReaderWish { user_id, name: text_1, value: text_2.unwrap_or_default() });
            }
            WEBHOOK => facts.with_webhooks.push(user_id),
            _ => return Err(StoreError::Corrupt(format!("a row of kind {kind} about readers"))),
        }
    }
    watchers.sort_unstable();
    facts.watchers = watchers.into_iter().map(|(_, user, name)| (user, name)).collect();
    Ok(facts)
}
