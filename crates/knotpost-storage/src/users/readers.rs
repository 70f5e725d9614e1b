//! Everything that decides which users get a mail about a board, in one query, which every move runs.

use sqlx::FromRow;

use crate::connection::{Driver, StoreError, key_list, on};
use crate::rows::{ReaderAddress, ReaderFacts, ReaderWish, SeatedBoard};
use crate::transaction::ReadTx;
use knotpost_model::{BoardKey, UserKey};

/// Users whose facts as readers of boards of a game are wanted.
#[derive(Clone, Debug)]
pub(crate) struct ReadersQuery<'a> {
    pub(crate) users: Vec<UserKey>,
    /// The board whose watchers are wanted as well.
    pub(crate) board: Option<BoardKey>,
    pub(crate) game: &'a str,
}

impl<'a> ReadersQuery<'a> {
    /// The players of a board and its watchers.
    pub(crate) fn of_board(found: &'a SeatedBoard) -> Self {
        let users = found.seats.iter().map(|seat| seat.user_id).collect();
        Self { users, board: Some(found.board.id), game: &found.board.game }
    }
}

/// What a row of the query is about. Rows are read in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowKind {
    Watcher = 1,
    Address = 2,
    Wish = 3,
    Webhook = 4,
}

impl TryFrom<i64> for RowKind {
    type Error = String;

    fn try_from(kind: i64) -> Result<Self, String> {
        [Self::Watcher, Self::Address, Self::Wish, Self::Webhook]
            .into_iter()
            .find(|known| *known as i64 == kind)
            .ok_or_else(|| format!("a row of kind {kind} about readers"))
    }
}

/// A row of any kind. What the neutral columns hold is said by [`Row::decode`] and, in the same order, by the query.
#[derive(Debug, FromRow)]
struct Row {
    /// The place of the [`ReadersQuery`] among those of the statement.
    query: i64,
    #[sqlx(try_from = "i64")]
    kind: RowKind,
    id: i64,
    text_1: String,
    text_2: Option<String>,
    number_1: Option<i64>,
    number_2: Option<i64>,
    number_3: Option<i64>,
    rank: i64,
}

/// A row by its kind.
enum ReaderRow {
    Watcher { name_key: String, user: UserKey, name: String },
    Address(ReaderAddress),
    Wish(ReaderWish),
    Webhook(UserKey),
}

impl Row {
    fn decode(self) -> ReaderRow {
        let Self { kind, id, text_1, text_2, number_1, number_2, number_3, rank: _, query: _ } = self;
        match kind {
            RowKind::Watcher => {
                ReaderRow::Watcher { name_key: text_2.unwrap_or_default(), user: UserKey(id), name: text_1 }
            }
            RowKind::Address => ReaderRow::Address(ReaderAddress {
                user_id: UserKey(id),
                address: text_1,
                verified_at: number_1,
                stopped_at: number_2,
                stop_told_at: number_3,
            }),
            RowKind::Wish => ReaderRow::Wish(ReaderWish {
                user_id: UserKey(id),
                name: text_1,
                value: text_2.unwrap_or_default(),
            }),
            RowKind::Webhook => ReaderRow::Webhook(UserKey(id)),
        }
    }
}

/// Joined to the rows about them instead of gathered into lists of keys, which costs SQLite several times as much. A user
/// who watches twice over, or plays as well, is returned twice.
///
/// `$users` are rows of a query, a game and a user; `$boards` comes before what is joined to the boards of the queries,
/// `$query`, `$board` and `$game` being the columns or parameters with their places, keys and games; `$wanted` is the game
/// of a reader `r`.
macro_rules! reader_facts {
    (
        users: $users:literal,
        boards: $boards:literal,
        query: $query:literal,
        board: $board:literal,
        game: $game:literal,
        wanted: $wanted:literal $(,)?
    ) => {
        concat!(
            "WITH readers (query, game, id, userid, userid_key) AS (SELECT ",
            $users,
            " UNION ALL SELECT ",
            $query,
            ", ",
            $game,
            ", u.id, u.userid, u.userid_key FROM ",
            $boards,
            "subscribers s JOIN users u ON u.id = s.user_id WHERE s.board_id = ",
            $board,
            " AND u.state <> 'deleted' UNION ALL SELECT ",
            $query,
            ", ",
            $game,
            ", u.id, u.userid, u.userid_key FROM ",
            $boards,
            "user_games g JOIN users u ON u.id = g.user_id WHERE g.game = ",
            $game,
            " AND g.subscribes AND CAST(",
            $board,
            " AS BIGINT) IS NOT NULL AND u.state <> 'deleted') \
             SELECT query, CAST(1 AS BIGINT) AS kind, id, userid AS text_1, userid_key AS text_2, \
             CAST(NULL AS BIGINT) AS number_1, CAST(NULL AS BIGINT) AS number_2, \
             CAST(NULL AS BIGINT) AS number_3, CAST(0 AS BIGINT) AS rank FROM readers WHERE userid IS NOT NULL \
             UNION ALL SELECT r.query, 2, a.user_id, a.address, NULL, a.verified_at, \
             (SELECT f.stopped_at FROM failing_addresses f WHERE f.address_key = a.address_key), a.stop_told_at, a.id \
             FROM readers r JOIN addresses a ON a.user_id = r.id \
             UNION ALL SELECT r.query, 3, p.user_id, p.name, p.value, NULL, NULL, NULL, \
             CAST(CASE WHEN p.game = '' THEN 0 ELSE 1 END AS BIGINT) \
             FROM readers r JOIN preferences p ON p.user_id = r.id WHERE (p.game = '' OR p.game = ",
            $wanted,
            ") UNION ALL SELECT r.query, 4, w.user_id, '', NULL, NULL, NULL, NULL, CAST(0 AS BIGINT) \
             FROM readers r JOIN webhooks w ON w.user_id = r.id WHERE w.stopped_at IS NULL"
        )
    };
}

/// The users are a list in the first parameter, their game is the second; without a board.
const OF_USERS_ON_SQLITE: &str = reader_facts! {
    users: "CAST(0 AS BIGINT), $2, CAST(value AS BIGINT), CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM json_each($1)",
    boards: "",
    query: "CAST(0 AS BIGINT)",
    board: "NULL",
    game: "$2",
    wanted: "$2",
};
/// The board is the first parameter, its game the second. To look its seats up takes a third less than a list of users.
const OF_BOARD_ON_SQLITE: &str = reader_facts! {
    users: "CAST(0 AS BIGINT), $2, user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM seats WHERE board_id = $1",
    boards: "",
    query: "CAST(0 AS BIGINT)",
    board: "$1",
    game: "$2",
    wanted: "$2",
};
const ON_POSTGRES: &str = reader_facts! {
    users: "query, game, user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT) \
            FROM UNNEST($1, $2, $3) AS asked (query, game, user_id)",
    boards: "UNNEST($4, $5, $6) AS watched (query, game, board_id) CROSS JOIN ",
    query: "watched.query",
    board: "watched.board_id",
    game: "watched.game",
    wanted: "r.game",
};

impl ReadTx {
    /// The facts about these users as readers of boards of a game.
    pub async fn reader_facts(&mut self, users: &[UserKey], game: &str) -> Result<ReaderFacts, StoreError> {
        if self.is_postgres() {
            return self.facts_of(ReadersQuery { users: users.to_vec(), board: None, game }).await;
        }
        let rows = on!(self, c => sqlx::query_as::<_, Row>(OF_USERS_ON_SQLITE)
            .bind(key_list(users))
            .bind(game)
            .fetch_all(c)
            .await)?;
        Ok(collect_facts(rows))
    }

    /// The facts about the readers of a board: its `players`, who are all users with a seat, and its watchers.
    pub async fn board_reader_facts(
        &mut self,
        board: BoardKey,
        players: &[UserKey],
        game: &str,
    ) -> Result<ReaderFacts, StoreError> {
        if let Some(found) = self.prefetched().take_readers(board, players) {
            return Ok(found);
        }
        if self.is_postgres() {
            return self.facts_of(ReadersQuery { users: players.to_vec(), board: Some(board), game }).await;
        }
        let rows = on!(self, c => sqlx::query_as::<_, Row>(OF_BOARD_ON_SQLITE)
            .bind(board.0)
            .bind(game)
            .fetch_all(c)
            .await)?;
        Ok(collect_facts(rows))
    }

    async fn facts_of(&mut self, query: ReadersQuery<'_>) -> Result<ReaderFacts, StoreError> {
        Ok(self.facts_of_readers(&[query]).await?.pop().unwrap_or_default())
    }

    /// As [`ReadTx::board_reader_facts`] and [`ReadTx::reader_facts`], for several at once. PostgreSQL only.
    pub(crate) async fn facts_of_readers(
        &mut self,
        queries: &[ReadersQuery<'_>],
    ) -> Result<Vec<ReaderFacts>, StoreError> {
        let (mut users, mut boards) =
            ((Vec::new(), Vec::new(), Vec::new()), (Vec::new(), Vec::new(), Vec::new()));
        for (place, query) in (0_i64..).zip(queries) {
            users.extend(query.users.iter().map(|user| (place, query.game, user.0)));
            boards.extend(query.board.map(|board| (place, query.game, board.0)));
        }
        let mut found: Vec<Vec<Row>> = queries.iter().map(|_| Vec::new()).collect();
        let Driver::Postgres(connection) = self.driver().await? else { return Ok(Vec::new()) };
        let query = sqlx::query_as::<_, Row>(ON_POSTGRES).bind(users.0).bind(users.1).bind(users.2);
        for row in query.bind(boards.0).bind(boards.1).bind(boards.2).fetch_all(connection).await? {
            let place = usize::try_from(row.query).unwrap_or(usize::MAX);
            if let Some(rows) = found.get_mut(place) {
                rows.push(row);
            }
        }
        Ok(found.into_iter().map(collect_facts).collect())
    }
}

fn collect_facts(mut rows: Vec<Row>) -> ReaderFacts {
    let place = |row: &Row| (row.kind, row.rank, row.id);
    rows.sort_by_key(place);
    rows.dedup_by(|row, last| place(row) == place(last) && row.text_1 == last.text_1);
    let mut facts = ReaderFacts::default();
    let mut watchers = Vec::new();
    for row in rows {
        match row.decode() {
            ReaderRow::Watcher { name_key, user, name } => watchers.push((name_key, user, name)),
            ReaderRow::Address(address) => facts.addresses.push(address),
            ReaderRow::Wish(wish) => facts.wishes.push(wish),
            ReaderRow::Webhook(user) => facts.with_webhooks.push(user),
        }
    }
    watchers.sort_unstable();
    facts.watchers = watchers.into_iter().map(|(_, user, name)| (user, name)).collect();
    facts
}
