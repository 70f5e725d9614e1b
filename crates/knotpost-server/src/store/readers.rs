//! All that decides who gets a mail about a board, in one question: it is asked at every move.

use sqlx::FromRow;

use super::tx::Driver;
use super::{SeatedBoard, StoreError, Tx, on};
use crate::domain::{BoardKey, OutboxKey, UserKey};

/// A wish of somebody who plays on a board or watches it.
#[derive(Clone, Debug)]
pub struct ReaderWish {
    /// Whose.
    pub user_id: UserKey,
    /// What it is about.
    pub name: String,
    /// What is wanted.
    pub value: String,
}

/// An address of somebody who plays on a board or watches it.
#[derive(Clone, Debug)]
pub struct ReaderAddress {
    /// Whose.
    pub user_id: UserKey,
    /// The address as registered.
    pub address: String,
    /// When somebody proved to read it; `None`: nobody yet.
    pub verified_at: Option<i64>,
    /// Since when no mail goes there because it came back.
    pub stopped_at: Option<i64>,
    /// When he was told of that.
    pub stop_told_at: Option<i64>,
}

/// A mail about the board that waits and was never tried.
#[derive(Clone, Debug)]
pub struct WaitingMail {
    /// The row.
    pub id: OutboxKey,
    /// To whom.
    pub recipient: String,
    /// The user it is for.
    pub user_id: Option<UserKey>,
    /// After which move.
    pub ply: i64,
    /// What it shows beside the board, as JSON.
    pub facts: String,
    /// Whether it has waited like this since it was written: an administrator may have one tried once more.
    pub is_untouched: bool,
}

/// What is known of the readers of a board.
#[derive(Clone, Debug, Default)]
pub struct ReaderFacts {
    /// Who watches, by name.
    pub watchers: Vec<(UserKey, String)>,
    /// The addresses of all readers, each one's oldest first.
    pub addresses: Vec<ReaderAddress>,
    /// What all readers want of the game. Of two wishes about the same the later counts: those for the game itself
    /// come last.
    pub wishes: Vec<ReaderWish>,
    /// Whose programs are told what happens.
    pub with_webhooks: Vec<UserKey>,
    /// The mails about the watched board that nobody has begun to send, the oldest position first.
    pub waiting: Vec<WaitingMail>,
}

/// Users who are asked about as readers of boards of a game.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    /// Who.
    pub(super) users: Vec<UserKey>,
    /// With all who watch this board as well.
    pub(super) board: Option<BoardKey>,
    /// The game.
    pub(super) game: &'a str,
}

impl<'a> Asked<'a> {
    /// About the players of a board, and who watches it.
    pub(super) fn players_of(found: &'a SeatedBoard) -> Self {
        let users = found.seats.iter().map(|seat| seat.user_id).collect();
        Self { users, board: Some(found.board.id), game: &found.board.game }
    }
}

/// Any of the five; `what` says which, and each has its own use for the other columns. `asked` is the place of what was
/// asked among others.
#[derive(Debug, FromRow)]
struct Line {
    asked: i64,
    what: i64,
    key: i64,
    one: String,
    two: Option<String>,
    verified_at: Option<i64>,
    stopped_at: Option<i64>,
    stop_told_at: Option<i64>,
    place: i64,
}

/// Joined to what is asked of them instead of gathered into lists of keys, which costs SQLite several times as much. Who
/// watches twice over, or plays as well, comes up twice.
///
/// `$users` are rows of what is asked, a game and a user; `$boards` comes before what is joined to the boards of what is
/// `$asked`, `$board` and `$game` being the columns or parameters with their keys and games; `$wanted` is the game of a
/// reader `r`.
macro_rules! reader_facts {
    (
        users: $users:literal,
        boards: $boards:literal,
        asked: $asked:literal,
        board: $board:literal,
        game: $game:literal,
        wanted: $wanted:literal $(,)?
    ) => {
        concat!(
            "WITH readers (asked, game, id, userid, userid_key) AS (SELECT ",
            $users,
            " UNION ALL SELECT ",
            $asked,
            ", ",
            $game,
            ", u.id, u.userid, u.userid_key FROM ",
            $boards,
            "subscribers s JOIN users u ON u.id = s.user_id WHERE s.board_id = ",
            $board,
            " AND u.state <> 'deleted' UNION ALL SELECT ",
            $asked,
            ", ",
            $game,
            ", u.id, u.userid, u.userid_key FROM ",
            $boards,
            "user_games g JOIN users u ON u.id = g.user_id WHERE g.game = ",
            $game,
            " AND g.subscribes AND CAST(",
            $board,
            " AS BIGINT) IS NOT NULL AND u.state <> 'deleted') \
             SELECT asked, CAST(1 AS BIGINT) AS what, id AS key, userid AS one, userid_key AS two, \
             CAST(NULL AS BIGINT) AS verified_at, CAST(NULL AS BIGINT) AS stopped_at, \
             CAST(NULL AS BIGINT) AS stop_told_at, CAST(0 AS BIGINT) AS place FROM readers WHERE userid IS NOT NULL \
             UNION ALL SELECT r.asked, 2, a.user_id, a.address, NULL, a.verified_at, \
             (SELECT f.stopped_at FROM failing_addresses f WHERE f.address_key = a.address_key), a.stop_told_at, a.id \
             FROM readers r JOIN addresses a ON a.user_id = r.id \
             UNION ALL SELECT r.asked, 3, p.user_id, p.name, p.value, NULL, NULL, NULL, \
             CAST(CASE WHEN p.game = '' THEN 0 ELSE 1 END AS BIGINT) \
             FROM readers r JOIN preferences p ON p.user_id = r.id WHERE (p.game = '' OR p.game = ",
            $wanted,
            ") UNION ALL SELECT r.asked, 4, w.user_id, '', NULL, NULL, NULL, NULL, CAST(0 AS BIGINT) \
             FROM readers r JOIN webhooks w ON w.user_id = r.id WHERE w.stopped_at IS NULL \
             UNION ALL SELECT ",
            $asked,
            ", 5, o.id, o.recipient, o.facts, o.user_id, o.due_at - o.date, NULL, o.ply FROM ",
            $boards,
            "outbox o WHERE o.board_id = ",
            $board,
            " AND o.state = 'queued' AND o.attempts = 0"
        )
    };
}

/// The users are a list in the first parameter, their game is in the second; without a board.
const OF_USERS_ON_SQLITE: &str = reader_facts! {
    users: "CAST(0 AS BIGINT), $2, CAST(value AS BIGINT), CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM json_each($1)",
    boards: "",
    asked: "CAST(0 AS BIGINT)",
    board: "NULL",
    game: "$2",
    wanted: "$2",
};
/// The board is in the first parameter, its game in the second. To look who sits there takes a third less than a list of them.
const OF_BOARD_ON_SQLITE: &str = reader_facts! {
    users: "CAST(0 AS BIGINT), $2, user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT) FROM seats WHERE board_id = $1",
    boards: "",
    asked: "CAST(0 AS BIGINT)",
    board: "$1",
    game: "$2",
    wanted: "$2",
};
const ON_POSTGRES: &str = reader_facts! {
    users: "asked, game, user_id, CAST(NULL AS TEXT), CAST(NULL AS TEXT) \
            FROM UNNEST($1, $2, $3) AS asked (asked, game, user_id)",
    boards: "UNNEST($4, $5, $6) AS watched (asked, game, board_id) CROSS JOIN ",
    asked: "watched.asked",
    board: "watched.board_id",
    game: "watched.game",
    wanted: "r.game",
};

impl Tx {
    /// What is known of these users as readers of boards of a game.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reader_facts(&mut self, users: &[UserKey], game: &str) -> Result<ReaderFacts, StoreError> {
        if self.is_postgres() {
            return self.facts_of_asked(Asked { users: users.to_vec(), board: None, game }).await;
        }
        let lines = on!(self, c => sqlx::query_as::<_, Line>(OF_USERS_ON_SQLITE)
            .bind(key_list(users))
            .bind(game)
            .fetch_all(c)
            .await)?;
        Ok(sort_out(lines))
    }

    /// What is known of those who read a board: its `players`, who are all that sit there, and who watches it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn board_reader_facts(
        &mut self,
        board: BoardKey,
        players: &[UserKey],
        game: &str,
    ) -> Result<ReaderFacts, StoreError> {
        if let Some(found) = self.ahead.take_readers(board, players) {
            return Ok(found);
        }
        if self.is_postgres() {
            return self.facts_of_asked(Asked { users: players.to_vec(), board: Some(board), game }).await;
        }
        let lines = on!(self, c => sqlx::query_as::<_, Line>(OF_BOARD_ON_SQLITE)
            .bind(board.0)
            .bind(game)
            .fetch_all(c)
            .await)?;
        Ok(sort_out(lines))
    }

    async fn facts_of_asked(&mut self, asked: Asked<'_>) -> Result<ReaderFacts, StoreError> {
        Ok(self.facts_of_readers(&[asked]).await?.pop().unwrap_or_default())
    }

    /// As [`Tx::board_reader_facts`] and [`Tx::reader_facts`], for several at once. PostgreSQL only.
    pub(super) async fn facts_of_readers(
        &mut self,
        asked: &[Asked<'_>],
    ) -> Result<Vec<ReaderFacts>, StoreError> {
        let (mut users, mut boards) =
            ((Vec::new(), Vec::new(), Vec::new()), (Vec::new(), Vec::new(), Vec::new()));
        for (place, asked) in (0_i64..).zip(asked) {
            users.extend(asked.users.iter().map(|user| (place, asked.game, user.0)));
            boards.extend(asked.board.map(|board| (place, asked.game, board.0)));
        }
        let mut facts: Vec<Vec<Line>> = asked.iter().map(|_| Vec::new()).collect();
        let Driver::Postgres(connection) = self.driver().await? else { return Ok(Vec::new()) };
        let query = sqlx::query_as::<_, Line>(ON_POSTGRES).bind(users.0).bind(users.1).bind(users.2);
        for line in query.bind(boards.0).bind(boards.1).bind(boards.2).fetch_all(connection).await? {
            let place = usize::try_from(line.asked).unwrap_or(usize::MAX);
            if let Some(lines) = facts.get_mut(place) {
                lines.push(line);
            }
        }
        Ok(facts.into_iter().map(sort_out).collect())
    }
}

fn sort_out(mut lines: Vec<Line>) -> ReaderFacts {
    lines.sort_by_key(|line| (line.what, line.place, line.key));
    lines.dedup_by(|line, last| {
        (line.what, line.place, line.key) == (last.what, last.place, last.key) && line.one == last.one
    });
    let mut facts = ReaderFacts::default();
    let mut watchers = Vec::new();
    for line in lines {
        let Line { what, key, one, two, verified_at, stopped_at, stop_told_at, place, .. } = line;
        let user_id = UserKey(key);
        match what {
            1 => watchers.push((two.unwrap_or_default(), user_id, one)),
            2 => facts.addresses.push(ReaderAddress {
                user_id,
                address: one,
                verified_at,
                stopped_at,
                stop_told_at,
            }),
            4 => facts.with_webhooks.push(user_id),
            5 => facts.waiting.push(WaitingMail {
                id: OutboxKey(key),
                recipient: one,
                user_id: verified_at.map(UserKey),
                ply: place,
                facts: two.unwrap_or_default(),
                is_untouched: stopped_at.is_some_and(|later| later <= 0),
            }),
            _ => facts.wishes.push(ReaderWish { user_id, name: one, value: two.unwrap_or_default() }),
        }
    }
    watchers.sort_unstable();
    facts.watchers = watchers.into_iter().map(|(_, user, name)| (user, name)).collect();
    facts
}

/// Keys as both databases read a list of them.
pub(super) fn key_list<K: Copy + Into<i64>>(keys: &[K]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| (*key).into().to_string()).collect();
    format!("[{}]", keys.join(","))
}
