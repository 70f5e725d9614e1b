//! Ladders: who stands where, and who plays whom. The challenger has seat 2 on the first board of a pairing.
//!
//! `tournament_players.number` orders a ladder, the least on top; who has left keeps a number, so that there are gaps.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, PlayerState, TournamentName, UserKey};

row! {
    /// A seat of a pairing on a ladder.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LadderSeat {
        pub id: TournamentName,
        pub game: i64,
        pub seat: i64,
        pub entry: i64,
        pub user_id: UserKey,
        /// In halves; `None`: undecided.
        pub points: Option<i64>,
        pub number: i64,
        pub state: PlayerState,
    }
}

row! {
    /// A challenge that is being played.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OpenChallenge {
        /// Entry of the challenger.
        pub challenger: i64,
        /// Entry of the challenged.
        pub challenged: i64,
        /// A board that is not over.
        pub board: i64,
    }
}

row! {
    /// The time that a player spent on a ladder.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StayRow {
        pub entry: i64,
        pub user_id: UserKey,
        pub entered_at: Millis,
        /// `None`: they are still there.
        pub left_at: Option<Millis>,
    }
}

row! {
    /// A challenger took the place of the challenged.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ClimbRow {
        pub at: Millis,
        pub challenger: UserKey,
        pub challenged: UserKey,
    }
}

row! {
    /// Games of a player that are over.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TallyRow {
        pub entry: i64,
        pub won: i64,
        pub lost: i64,
        pub tied: i64,
    }
}

impl ReadTx {
    /// Seats of the pairing of a board by game and seat; none if it is not played on a ladder.
    pub async fn ladder_seats(&mut self, board: BoardKey) -> Result<Vec<LadderSeat>> {
        let sql = "SELECT t.id, s.game, s.seat, s.entry, p.user_id, s.points, p.number, p.state FROM boards b \
                   JOIN tournament_seats s ON s.pairing_id = b.pairing_id JOIN tournaments t ON t.id = s.tournament_id \
                   JOIN tournament_players p ON p.tournament_id = s.tournament_id AND p.entry = s.entry \
                   WHERE b.id = $1 AND t.form = 'ladder' ORDER BY s.game, s.seat";
        self.fetch_all(sql, &[&board]).await
    }

    pub async fn open_challenges(&mut self, id: TournamentName) -> Result<Vec<OpenChallenge>> {
        let sql = "SELECT c.entry AS challenger, d.entry AS challenged, MIN(b.number) AS board FROM tournament_seats o \
                   JOIN tournament_seats c ON c.pairing_id = o.pairing_id AND c.game = 1 AND c.seat = 2 \
                   JOIN tournament_seats d ON d.pairing_id = o.pairing_id AND d.game = 1 AND d.seat = 1 \
                   JOIN boards b ON b.id = o.board_id \
                   WHERE o.tournament_id = $1 AND o.points IS NULL GROUP BY o.pairing_id, c.entry, d.entry";
        self.fetch_all(sql, &[&id]).await
    }

    /// Numbers of the boards on which a challenger and a challenged play, by their entries.
    pub async fn open_challenge(
        &mut self,
        id: TournamentName,
        (challenger, challenged): (i64, i64),
    ) -> Result<Vec<i64>> {
        let sql = "SELECT b.number FROM tournament_seats o \
                   JOIN tournament_seats d ON d.pairing_id = o.pairing_id AND d.game = o.game AND d.seat <> o.seat \
                   JOIN boards b ON b.id = o.board_id \
                   WHERE o.tournament_id = $1 AND o.entry = $2 AND o.points IS NULL AND d.entry = $3 ORDER BY o.game";
        self.fetch_all(sql, &[&id, &challenger, &challenged]).await
    }

    /// The last end of a board between this user and each other one, as far as it is after `since`.
    pub async fn last_meetings(
        &mut self,
        id: TournamentName,
        user: UserKey,
        since: Millis,
    ) -> Result<Vec<(UserKey, Millis)>> {
        let sql = "SELECT q.user_id, MAX(b.ended_at) FROM tournament_players p \
                   JOIN tournament_seats s ON s.tournament_id = p.tournament_id AND s.entry = p.entry \
                   JOIN tournament_seats r ON r.pairing_id = s.pairing_id AND r.game = s.game AND r.seat <> s.seat \
                   JOIN tournament_players q ON q.tournament_id = r.tournament_id AND q.entry = r.entry \
                   JOIN boards b ON b.id = s.board_id \
                   WHERE p.tournament_id = $1 AND p.user_id = $2 AND b.ended_at > $3 GROUP BY q.user_id";
        self.fetch_all(sql, &[&id, &user, &since]).await
    }

    /// Players who are away, with the end of their time off.
    pub async fn players_away(&mut self, id: TournamentName, now: Millis) -> Result<Vec<(UserKey, Millis)>> {
        let sql = "SELECT p.user_id, MAX(v.until_at) FROM tournament_players p \
                   JOIN vacations v ON v.user_id = p.user_id \
                   WHERE p.tournament_id = $1 AND p.state = 'in' AND v.until_at > $2 GROUP BY p.user_id";
        self.fetch_all(sql, &[&id, &now]).await
    }

    /// The place of a number: the count of those on a ladder who have it or a smaller one.
    pub async fn ladder_place(&mut self, id: TournamentName, number: i64) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM tournament_players WHERE tournament_id = $1 AND state = 'in' AND number <= $2";
        self.fetch_one(sql, &[&id, &number]).await
    }

    /// Those that had begun by a time, in order of entry.
    pub async fn ladder_stays(&mut self, id: TournamentName, until: Millis) -> Result<Vec<StayRow>> {
        let sql = "SELECT entry, user_id, entered_at, left_at FROM tournament_players \
                   WHERE tournament_id = $1 AND entered_at <= $2 ORDER BY entry";
        self.fetch_all(sql, &[&id, &until]).await
    }

    /// The oldest first.
    pub async fn ladder_climbs(&mut self, id: TournamentName, until: Millis) -> Result<Vec<ClimbRow>> {
        let sql = "SELECT at, user_id AS challenger, subject_id AS challenged FROM tournament_log \
                   WHERE tournament_id = $1 AND action = 'climb' AND at <= $2 ORDER BY at, id";
        self.fetch_all(sql, &[&id, &until]).await
    }

    pub async fn ladder_tallies(&mut self, id: TournamentName) -> Result<Vec<TallyRow>> {
        let sql = "SELECT s.entry, COUNT(CASE WHEN s.points = 2 THEN 1 END) AS won, \
                   COUNT(CASE WHEN s.points = 0 THEN 1 END) AS lost, COUNT(CASE WHEN s.points = 1 THEN 1 END) AS tied \
                   FROM tournament_seats s \
                   WHERE s.tournament_id = $1 AND s.points IS NOT NULL GROUP BY s.entry";
        self.fetch_all(sql, &[&id]).await
    }
}

impl WriteTx {
    /// Puts a player at the bottom.
    pub async fn put_last(&mut self, id: TournamentName, entry: i64, pool: &str) -> Result<()> {
        let sql = "UPDATE tournament_players SET pool = $3, number = (SELECT COALESCE(MAX(o.number), 0) + 1 \
                   FROM tournament_players o WHERE o.tournament_id = $1) WHERE tournament_id = $1 AND entry = $2";
        self.exec(sql, &[&id, &entry, &pool]).await
    }

    /// Moves a player up from one number to another; those between go down one.
    pub async fn climb(&mut self, id: TournamentName, entry: i64, from: i64, to: i64) -> Result<()> {
        let sql = "UPDATE tournament_players SET number = number + 1 \
                   WHERE tournament_id = $1 AND number >= $2 AND number < $3";
        self.exec(sql, &[&id, &to, &from]).await?;
        let sql = "UPDATE tournament_players SET number = $3 WHERE tournament_id = $1 AND entry = $2";
        self.exec(sql, &[&id, &entry, &to]).await
    }

    /// The number of the next pairing of a round and group.
    pub async fn next_pairing_number(&mut self, id: TournamentName, round: i64, pool: &str) -> Result<i64> {
        let sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM tournament_pairings \
                   WHERE tournament_id = $1 AND round = $2 AND pool = $3";
        self.fetch_one(sql, &[&id, &round, &pool]).await
    }
}
