use crate::connection::{Result, row};
use crate::rows::UserState;
use crate::tournaments::pairings::latest_pairings;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{
    LeaveReason, Millis, PlayerState, TournamentForm, TournamentName, TournamentState, UserKey,
};

row! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct PlayerRow {
        /// From 1, as they entered.
        pub entry: i64,
        pub user_id: UserKey,
        pub userid: String,
        /// True for a computer player of this server.
        pub is_bot: bool,
        pub user_state: UserState,
        /// Rating in the game, now.
        pub rating: Option<f64>,
        /// From 1, the highest rating first; `None` before the start.
        pub number: Option<i64>,
        pub pool: Option<String>,
        pub state: PlayerState,
        pub left_why: Option<LeaveReason>,
        /// False: their games count for nobody.
        pub counts: bool,
        /// True while open boards are still to be ended.
        pub leaving: bool,
    }
}

row! {
    /// Entry of a user in a tournament that is not over.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct EntryRow {
        pub id: TournamentName,
        pub form: TournamentForm,
        pub state: TournamentState,
        pub terms: String,
        pub game: String,
        pub title: String,
        pub round: i64,
        pub started_at: Option<Millis>,
        /// Of the round.
        pub deadline: Option<Millis>,
        /// Boards in it on which they play now.
        pub open_boards: i64,
    }
}

/// Players of tournaments under way who are this user, `$1`.
macro_rules! present {
    () => {
        "user_id = $1 AND state = 'in' AND tournament_id IN \
         (SELECT id FROM tournaments WHERE state IN ('open', 'running'))"
    };
}

macro_rules! select_players {
    ($rest:literal) => {
        concat!(
            "SELECT p.entry, p.user_id, u.userid, u.role = 'bot' AS is_bot, u.state AS user_state, \
             (SELECT r.rating FROM ratings r WHERE r.user_id = p.user_id AND r.game = t.game) AS rating, \
             p.number, p.pool, p.state, p.left_why, p.counts, p.leaving FROM tournament_players p \
             JOIN tournaments t ON t.id = p.tournament_id JOIN users u ON u.id = p.user_id \
             WHERE p.tournament_id = $1",
            $rest
        )
    };
}

impl ReadTx {
    /// In order of entry.
    pub async fn tournament_players(&mut self, id: TournamentName) -> Result<Vec<PlayerRow>> {
        self.fetch_all(select_players!(" ORDER BY p.entry"), &[&id]).await
    }

    /// Those who are on a ladder, and who play in its `latest_seats`, in order of their numbers: not every stay of whoever
    /// left and came back.
    pub async fn ladder_players(
        &mut self,
        id: TournamentName,
        (round, pool): (i64, &str),
        pairings: i64,
    ) -> Result<Vec<PlayerRow>> {
        let sql = concat!(
            select_players!(
                " AND (p.state = 'in' OR p.entry IN (SELECT s.entry FROM tournament_seats s WHERE s.pairing_id IN "
            ),
            latest_pairings!(),
            ")) ORDER BY p.number"
        );
        self.fetch_all(sql, &[&id, &round, &pool, &pairings]).await
    }

    /// State of a person in a tournament, of their last stay where they left and came back; `None`: they never entered, or
    /// withdrew before the start.
    pub async fn player_state(&mut self, id: TournamentName, user: UserKey) -> Result<Option<PlayerState>> {
        let sql = "SELECT state FROM tournament_players WHERE tournament_id = $1 AND user_id = $2 \
                   ORDER BY entry DESC LIMIT 1";
        self.fetch_optional(sql, &[&id, &user]).await
    }

    /// Tournaments under way in which the user is.
    pub async fn entries_of(&mut self, user: UserKey) -> Result<Vec<EntryRow>> {
        let sql = "SELECT t.id, t.form, t.state, t.terms, t.game, t.title, t.round, t.started_at, t.deadline, \
                   (SELECT COUNT(*) FROM tournament_seats s WHERE \
                   s.tournament_id = p.tournament_id AND s.entry = p.entry AND s.points IS NULL) AS open_boards \
                   FROM tournament_players p JOIN tournaments t ON t.id = p.tournament_id \
                   WHERE p.user_id = $1 AND p.state = 'in' AND t.state IN ('open', 'running') ORDER BY t.id";
        self.fetch_all(sql, &[&user]).await
    }

    /// True if a user is in a group, or plays or played there in a round, whichever of their stays it was.
    pub async fn plays_in(
        &mut self,
        id: TournamentName,
        user: UserKey,
        (round, pool): (i64, &str),
    ) -> Result<bool> {
        let sql = "SELECT 1 FROM tournament_players p WHERE p.user_id = $2 AND p.tournament_id = $1 \
                   AND ((p.state = 'in' AND p.pool = $4) OR EXISTS (SELECT 1 FROM tournament_seats s \
                   JOIN tournament_pairings g ON g.id = s.pairing_id WHERE s.tournament_id = $1 AND s.entry = p.entry \
                   AND g.round = $3 AND g.pool = $4)) LIMIT 1";
        self.any(sql, &[&id, &user, &round, &pool]).await
    }

    /// True if a player of this tournament shares an address with this user.
    pub async fn shares_address(
        &mut self,
        id: TournamentName,
        user: UserKey,
        confirmed_only: bool,
    ) -> Result<bool> {
        let sql = "SELECT 1 FROM addresses a JOIN addresses o ON o.address_key = a.address_key \
                   JOIN tournament_players p ON p.user_id = o.user_id WHERE a.user_id = $2 AND o.user_id <> $2 \
                   AND p.tournament_id = $1 AND p.state = 'in' AND (NOT $3 OR (a.verified_at IS NOT NULL \
                   AND o.verified_at IS NOT NULL)) LIMIT 1";
        self.any(sql, &[&id, &user, &confirmed_only]).await
    }

    /// The latest two times at which a user was taken out for losses on time, the latest first.
    pub async fn time_outs(&mut self, user: UserKey) -> Result<Vec<Millis>> {
        let sql = "SELECT left_at FROM tournament_players WHERE user_id = $1 AND left_why = 'time' \
                   ORDER BY left_at DESC LIMIT 2";
        self.fetch_all(sql, &[&user]).await
    }
}

impl WriteTx {
    /// Returns the entry.
    pub async fn insert_player(&mut self, id: TournamentName, user: UserKey, at: Millis) -> Result<i64> {
        let sql = "INSERT INTO tournament_players (tournament_id, entry, user_id, state, entered_at, counts, leaving) \
                   SELECT $1, COALESCE(MAX(entry), 0) + 1, $2, 'in', $3, TRUE, FALSE FROM tournament_players \
                   WHERE tournament_id = $1 RETURNING entry";
        self.fetch_one(sql, &[&id, &user, &at]).await
    }

    /// Takes an entry back, or lets a user enter again who did so, before the start.
    pub async fn set_entered(
        &mut self,
        id: TournamentName,
        user: UserKey,
        state: PlayerState,
        at: Millis,
    ) -> Result<()> {
        let sql = "UPDATE tournament_players SET state = $3, entered_at = $4 WHERE tournament_id = $1 AND user_id = $2";
        self.exec(sql, &[&id, &user, &state, &at]).await
    }

    /// Deletes the entries that were taken back.
    pub async fn drop_withdrawn(&mut self, id: TournamentName) -> Result<()> {
        let sql = "DELETE FROM tournament_players WHERE tournament_id = $1 AND state = 'withdrawn'";
        self.exec(sql, &[&id]).await
    }

    /// Deletes an entry before the start.
    pub async fn drop_player(&mut self, id: TournamentName, user: UserKey) -> Result<()> {
        let sql = "DELETE FROM tournament_players WHERE tournament_id = $1 AND user_id = $2";
        self.exec(sql, &[&id, &user]).await
    }

    /// Takes the computer players out that filled places of a season.
    pub async fn retire_fillers(&mut self, id: TournamentName, at: Millis) -> Result<()> {
        let sql = "UPDATE tournament_players SET state = 'withdrawn', left_at = $2 WHERE tournament_id = $1 \
                   AND state = 'in' AND user_id IN (SELECT id FROM users WHERE role = 'bot')";
        self.exec(sql, &[&id, &at]).await
    }

    pub async fn place_player(
        &mut self,
        id: TournamentName,
        entry: i64,
        number: i64,
        pool: &str,
    ) -> Result<()> {
        let sql =
            "UPDATE tournament_players SET number = $3, pool = $4 WHERE tournament_id = $1 AND entry = $2";
        self.exec(sql, &[&id, &entry, &number, &pool]).await
    }

    /// Takes a player out of a tournament that is played. Their open boards are ended by the server afterwards. With fewer
    /// than half of their games finished by play, their games count for nobody, except where not everybody meets
    /// everybody, or between two seasons: the table of the last one is final. False: they are not in.
    pub async fn withdraw_player(
        &mut self,
        id: TournamentName,
        user: UserKey,
        why: LeaveReason,
        at: Millis,
    ) -> Result<bool> {
        let sql = "UPDATE tournament_players SET state = 'withdrawn', left_at = $4, left_why = $3, leaving = TRUE, \
                   counts = (SELECT 2 * COUNT(CASE WHEN s.points IS NOT NULL AND s.played OR t.form IN ('swiss', 'ladder') \
                   OR t.deadline IS NULL THEN 1 END) >= COUNT(*) \
                   FROM tournament_seats s JOIN tournament_pairings g ON g.id = s.pairing_id \
                   JOIN tournaments t ON t.id = s.tournament_id AND t.round = g.round \
                   WHERE s.tournament_id = tournament_players.tournament_id AND s.entry = tournament_players.entry) \
                   WHERE tournament_id = $1 AND user_id = $2 AND state = 'in' RETURNING entry";
        self.any(sql, &[&id, &user, &why, &at]).await
    }

    /// Takes a user out of all tournaments: back from those that take entries, withdrawn from those that are played.
    pub async fn leave_tournaments(&mut self, user: UserKey, why: LeaveReason, at: Millis) -> Result<()> {
        let sql = concat!("SELECT tournament_id FROM tournament_players WHERE ", present!());
        for id in self.fetch_all::<TournamentName>(sql, &[&user]).await? {
            self.leave_tournament(id, user, why, at).await?;
        }
        Ok(())
    }

    /// Takes a user out of a tournament, as far as they are in.
    pub async fn leave_tournament(
        &mut self,
        id: TournamentName,
        user: UserKey,
        why: LeaveReason,
        at: Millis,
    ) -> Result<()> {
        let state = "SELECT state FROM tournaments WHERE id = $1";
        match self.fetch_optional(state, &[&id]).await? {
            Some(TournamentState::Open) => self.drop_player(id, user).await,
            Some(TournamentState::Running) => self.withdraw_player(id, user, why, at).await.map(drop),
            Some(TournamentState::Over | TournamentState::Cancelled) | None => Ok(()),
        }
    }

    /// Notes that the open boards of those who left have ended.
    pub async fn end_leaving(&mut self, id: TournamentName, entry: i64) -> Result<()> {
        let sql = "UPDATE tournament_players SET leaving = FALSE WHERE tournament_id = $1 AND entry = $2";
        self.exec(sql, &[&id, &entry]).await
    }
}
