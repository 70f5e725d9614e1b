//! The log of a tournament, which also keeps how far its players have been told of an entry.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, TournamentAction, TournamentName, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LogRow {
        pub id: i64,
        pub at: Millis,
        /// `None`: the server.
        pub userid: Option<String>,
        pub action: TournamentAction,
        pub subject: Option<String>,
        pub subject_id: Option<UserKey>,
        pub board: Option<i64>,
        pub words: String,
        /// Entry of the last player who was told; `None`: nobody is to be told any more.
        pub told_after: Option<i64>,
    }
}

#[derive(Clone, Debug)]
pub struct NewLogEntry {
    pub action: TournamentAction,
    /// `None`: the server.
    pub user: Option<UserKey>,
    pub subject: Option<UserKey>,
    pub board: Option<BoardKey>,
    pub words: String,
    pub told: Told,
}

/// Users whom the server tells of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Nobody,
    Director,
    /// All players, and the director.
    Players,
}

impl Told {
    /// Entry of the last player who counts as told.
    fn after(self) -> Option<i64> {
        match self {
            Self::Nobody => None,
            Self::Director => Some(i64::MAX),
            Self::Players => Some(0),
        }
    }
}

impl NewLogEntry {
    /// Something that the server did.
    pub fn of_server(action: TournamentAction) -> Self {
        Self { action, user: None, subject: None, board: None, words: String::new(), told: Told::Nobody }
    }
}

macro_rules! select_log {
    ($rest:literal) => {
        concat!(
            "SELECT l.id, l.at, (SELECT u.userid FROM users u WHERE u.id = l.user_id) AS userid, l.action, \
             (SELECT u.userid FROM users u WHERE u.id = l.subject_id) AS subject, l.subject_id, \
             (SELECT b.number FROM boards b WHERE b.id = l.board_id) AS board, l.words, l.told_after \
             FROM tournament_log l WHERE l.tournament_id = $1 ",
            $rest
        )
    };
}

impl ReadTx {
    /// From the latest to the oldest, those before the entry `before` alone.
    pub async fn tournament_log(
        &mut self,
        id: TournamentName,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<LogRow>> {
        let sql = select_log!("AND l.id < $2 ORDER BY l.id DESC LIMIT $3");
        self.fetch_all(sql, &[&id, &before.unwrap_or(i64::MAX), &limit]).await
    }

    /// The latest of players who came, went, or took another place, from the latest to the oldest.
    pub async fn ladder_changes(&mut self, id: TournamentName, limit: i64) -> Result<Vec<LogRow>> {
        let sql =
            select_log!("AND l.action IN ('enter', 'climb', 'out', 'expel') ORDER BY l.id DESC LIMIT $2");
        self.fetch_all(sql, &[&id, &limit]).await
    }

    /// The oldest entry of which players are still to be told.
    pub async fn entry_to_tell(&mut self, id: TournamentName) -> Result<Option<LogRow>> {
        let sql = select_log!("AND l.told_after IS NOT NULL ORDER BY l.id LIMIT 1");
        self.fetch_optional(sql, &[&id]).await
    }

    /// The last time at which such a thing happened.
    pub async fn last_action(
        &mut self,
        id: TournamentName,
        action: TournamentAction,
    ) -> Result<Option<Millis>> {
        let sql =
            "SELECT at FROM tournament_log WHERE tournament_id = $1 AND action = $2 ORDER BY id DESC LIMIT 1";
        self.fetch_optional(sql, &[&id, &action]).await
    }

    /// True if a user went, other than by the director's word, after a time.
    pub async fn went_since(&mut self, id: TournamentName, user: UserKey, since: Millis) -> Result<bool> {
        let sql = "SELECT 1 FROM tournament_log WHERE subject_id = $2 AND tournament_id = $1 AND action = 'out' \
                   AND at > $3 LIMIT 1";
        self.any(sql, &[&id, &user, &since]).await
    }

    pub async fn was_expelled(&mut self, id: TournamentName, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM tournament_log WHERE subject_id = $2 AND tournament_id = $1 AND action = 'expel' LIMIT 1";
        self.any(sql, &[&id, &user]).await
    }

    /// The director's last word on a user: that they may enter, or are out.
    pub async fn last_word_on(
        &mut self,
        id: TournamentName,
        user: UserKey,
    ) -> Result<Option<TournamentAction>> {
        let sql = "SELECT action FROM tournament_log WHERE subject_id = $2 AND tournament_id = $1 \
                   AND action IN ('admit', 'expel') ORDER BY id DESC LIMIT 1";
        self.fetch_optional(sql, &[&id, &user]).await
    }
}

impl WriteTx {
    pub async fn log_tournament(
        &mut self,
        id: TournamentName,
        entry: &NewLogEntry,
        at: Millis,
    ) -> Result<()> {
        let told_after = entry.told.after();
        let sql = "INSERT INTO tournament_log (tournament_id, at, user_id, action, subject_id, board_id, words, \
                   told_after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        self.exec(
            sql,
            &[&id, &at, &entry.user, &entry.action, &entry.subject, &entry.board, &entry.words, &told_after],
        )
        .await
    }

    /// `None`: all have been told.
    pub async fn set_told(&mut self, entry: i64, after: Option<i64>) -> Result<()> {
        self.exec("UPDATE tournament_log SET told_after = $2 WHERE id = $1", &[&entry, &after]).await
    }
}
