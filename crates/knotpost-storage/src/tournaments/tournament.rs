use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, TournamentForm, TournamentName, TournamentState, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TournamentRow {
        pub id: TournamentName,
        pub game: String,
        pub form: TournamentForm,
        /// Rules by which pairings are made.
        pub rules: String,
        pub title: String,
        pub description: String,
        /// `TournamentTerms` as JSON.
        pub terms: String,
        pub state: TournamentState,
        /// `None`: the server, which repeats another one.
        pub announcer_id: Option<UserKey>,
        /// `None`: administrators direct.
        pub director_id: Option<UserKey>,
        /// Userid of the director.
        pub director: Option<String>,
        pub created_at: Millis,
        /// `None`: when it is full.
        pub starts_at: Option<Millis>,
        /// Starts put off, as too few had entered.
        pub delays: i64,
        pub started_at: Option<Millis>,
        pub ended_at: Option<Millis>,
        /// From 1; 0 before the start.
        pub round: i64,
        /// Deadline of the round.
        pub deadline: Option<Millis>,
        /// True once the director has put the deadline off.
        pub extended: bool,
        /// Reminders of this deadline so far.
        pub reminders: i64,
        /// Time at which the server must look at it.
        pub due_at: Option<Millis>,
        /// Its repetition.
        pub next_id: Option<TournamentName>,
        /// Players who are in.
        pub entered: i64,
        /// Players who were in at the start.
        pub numbered: i64,
    }
}

#[derive(Clone, Debug)]
pub struct NewTournament {
    pub game: String,
    pub form: TournamentForm,
    pub rules: &'static str,
    pub title: String,
    pub description: String,
    pub terms: String,
    pub announcer: Option<UserKey>,
    pub director: Option<UserKey>,
    pub starts_at: Option<Millis>,
    pub at: Millis,
}

#[derive(Clone, Debug, Default)]
pub struct TournamentFilter {
    pub game: Option<String>,
    pub states: Vec<TournamentState>,
    /// Only those that this user has entered.
    pub user: Option<UserKey>,
    /// The one before, from the newest to the oldest.
    pub before: Option<TournamentName>,
}

macro_rules! select_tournament {
    ($rest:expr) => {
        concat!(
            "SELECT t.id, t.game, t.form, t.rules, t.title, t.description, t.terms, t.state, t.announcer_id, \
             t.director_id, (SELECT u.userid FROM users u WHERE u.id = t.director_id) AS director, t.created_at, \
             t.starts_at, t.delays, t.started_at, t.ended_at, t.round, t.deadline, t.extended, t.reminders, t.due_at, \
             t.next_id, (SELECT COUNT(*) FROM tournament_players p WHERE p.tournament_id = t.id AND p.state = 'in') \
             AS entered, (SELECT COUNT(*) FROM tournament_players p WHERE p.tournament_id = t.id \
             AND p.number IS NOT NULL) AS numbered FROM tournaments t WHERE ",
            $rest
        )
    };
}

/// The last number there can be.
const LAST: i64 = i64::MAX;

impl ReadTx {
    pub async fn tournament(&mut self, id: TournamentName) -> Result<Option<TournamentRow>> {
        self.fetch_optional(select_tournament!("t.id = $1"), &[&id]).await
    }

    /// The newest first, all that pass the filter.
    pub async fn list_tournaments(
        &mut self,
        filter: &TournamentFilter,
        limit: i64,
    ) -> Result<Vec<TournamentRow>> {
        let before = filter.before.map_or(LAST, |name| name.0);
        let states = TournamentState::join(&filter.states);
        let (game, user) = (&filter.game, filter.user);
        if user.is_some() {
            let sql = select_tournament!(
                "t.id IN (SELECT tournament_id FROM tournament_players WHERE user_id = $5) AND t.id < $1 \
                 AND ',' || $2 || ',' LIKE '%,' || t.state || ',%' AND ($3 IS NULL OR t.game = $3) \
                 ORDER BY t.id DESC LIMIT $4"
            );
            return self.fetch_all(sql, &[&before, &states, game, &limit, &user]).await;
        }
        let mut found = Vec::new();
        // Each state has a run of its own in the index.
        for state in &filter.states {
            let rows: Vec<TournamentRow> = match game {
                None => {
                    let sql = select_tournament!("t.state = $2 AND t.id < $1 ORDER BY t.id DESC LIMIT $3");
                    self.fetch_all(sql, &[&before, state, &limit]).await?
                }
                Some(game) => {
                    let sql = select_tournament!(
                        "t.game = $4 AND t.state = $2 AND t.id < $1 ORDER BY t.id DESC LIMIT $3"
                    );
                    self.fetch_all(sql, &[&before, state, &limit, game]).await?
                }
            };
            found.extend(rows);
        }
        found.sort_by_key(|row: &TournamentRow| std::cmp::Reverse(row.id));
        found.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(found)
    }

    /// Tournaments that take entries or are played, and that this user announced and directs.
    pub async fn count_directed(&mut self, user: UserKey) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM tournaments WHERE director_id = $1 AND state IN ('open', 'running') \
                   AND announcer_id IS NOT NULL";
        self.fetch_one(sql, &[&user]).await
    }

    pub async fn count_announced(&mut self, user: UserKey, since: Millis) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM tournaments WHERE announcer_id = $1 AND created_at > $2";
        self.fetch_one(sql, &[&user, &since]).await
    }
}

impl WriteTx {
    pub async fn insert_tournament(&mut self, new: &NewTournament) -> Result<TournamentName> {
        let sql = "INSERT INTO tournaments (game, form, rules, title, description, terms, state, announcer_id, \
                   director_id, created_at, starts_at, delays, round, extended, reminders, due_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, 0, 0, FALSE, 0, $10) RETURNING id";
        self.fetch_one(
            sql,
            &[
                &new.game,
                &new.form,
                &new.rules,
                &new.title,
                &new.description,
                &new.terms,
                &new.announcer,
                &new.director,
                &new.at,
                &new.starts_at,
            ],
        )
        .await
    }

    /// Stores everything that can change.
    pub async fn update_tournament(&mut self, row: &TournamentRow) -> Result<()> {
        let sql = "UPDATE tournaments SET state = $2, director_id = $3, starts_at = $4, delays = $5, started_at = $6, \
                   ended_at = $7, round = $8, deadline = $9, extended = $10, reminders = $11, due_at = $12, \
                   next_id = $13, rests_until = NULL WHERE id = $1";
        self.exec(
            sql,
            &[
                &row.id,
                &row.state,
                &row.director_id,
                &row.starts_at,
                &row.delays,
                &row.started_at,
                &row.ended_at,
                &row.round,
                &row.deadline,
                &row.extended,
                &row.reminders,
                &row.due_at,
                &row.next_id,
            ],
        )
        .await
    }

    /// Has the server look at it.
    pub async fn set_tournament_due(&mut self, id: TournamentName, due: Millis) -> Result<()> {
        self.exec("UPDATE tournaments SET due_at = $2 WHERE id = $1", &[&id, &due]).await
    }

    /// Leaves it alone until then, after a failure.
    pub async fn rest_tournament(&mut self, id: TournamentName, until: Millis) -> Result<()> {
        self.exec("UPDATE tournaments SET rests_until = $2 WHERE id = $1", &[&id, &until]).await
    }

    /// Leaves the tournaments that a user directs to administrators.
    pub async fn leave_directed(&mut self, user: UserKey) -> Result<()> {
        let sql = "UPDATE tournaments SET director_id = NULL WHERE director_id = $1 AND state IN ('open', 'running')";
        self.exec(sql, &[&user]).await
    }
}
