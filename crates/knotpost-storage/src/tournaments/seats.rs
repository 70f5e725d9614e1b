//! Boards of tournaments: where they belong, and their points.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, TournamentForm, TournamentName, UserKey};

row! {
    /// Place of a board in its tournament.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BoardPlace {
        pub id: TournamentName,
        pub form: TournamentForm,
        pub title: String,
        pub round: i64,
        pub pool: String,
    }
}

/// Result of a board for one of its players.
#[derive(Clone, Copy, Debug)]
pub struct SeatResult {
    pub user: UserKey,
    /// In halves: 2 is a win.
    pub points: i64,
    /// False: decided before the loser had moved.
    pub played: bool,
    pub on_time: bool,
}

/// Seats without a result on the board `$1` of its pairing, in an `UPDATE`.
macro_rules! seats_of_board {
    () => {
        "pairing_id = (SELECT pairing_id FROM boards WHERE id = $1) AND board_id = $1 AND points IS NULL"
    };
}

impl ReadTx {
    pub async fn place_of_pairing(&mut self, pairing: i64) -> Result<Option<BoardPlace>> {
        let sql = "SELECT t.id, t.form, t.title, g.round, g.pool FROM tournament_pairings g \
                   JOIN tournaments t ON t.id = g.tournament_id WHERE g.id = $1";
        self.fetch_optional(sql, &[&pairing]).await
    }

    /// True if a board of the tournament has no result, begun or not.
    pub async fn has_open_seats(&mut self, id: TournamentName) -> Result<bool> {
        let sql = "SELECT 1 FROM tournament_seats WHERE tournament_id = $1 AND points IS NULL LIMIT 1";
        self.any(sql, &[&id]).await
    }

    /// Boards that have begun and have no result, those of one player alone where `entry` is given.
    pub async fn open_boards(
        &mut self,
        id: TournamentName,
        entry: Option<i64>,
        limit: i64,
    ) -> Result<Vec<BoardKey>> {
        let sql = "SELECT DISTINCT board_id FROM tournament_seats WHERE tournament_id = $1 AND points IS NULL \
                   AND board_id IS NOT NULL AND ($2 IS NULL OR entry = $2) ORDER BY board_id LIMIT $3";
        self.fetch_all(sql, &[&id, &entry, &limit]).await
    }

    /// The tournament of a pairing with its form, and how often a user who is in has lost on time there; in a league, in the
    /// season of the pairing.
    pub async fn losses_on_time(
        &mut self,
        pairing: i64,
        user: UserKey,
    ) -> Result<Option<(TournamentName, TournamentForm, i64)>> {
        let sql = "SELECT p.tournament_id, t.form, (SELECT COUNT(*) FROM tournament_seats s \
                   JOIN tournament_pairings o ON o.id = s.pairing_id WHERE s.tournament_id = p.tournament_id \
                   AND s.entry = p.entry AND s.on_time AND (t.form <> 'league' OR o.round = g.round)) FROM tournament_pairings g \
                   JOIN tournament_players p ON p.tournament_id = g.tournament_id \
                   JOIN tournaments t ON t.id = g.tournament_id \
                   WHERE g.id = $1 AND p.user_id = $2 AND p.state = 'in'";
        self.fetch_optional(sql, &[&pairing, &user]).await
    }
}

impl WriteTx {
    /// Notes on which board a game of a pairing is played.
    pub async fn seat_board(&mut self, pairing: i64, game: i64, board: BoardKey) -> Result<()> {
        let sql = "UPDATE tournament_seats SET board_id = $3 WHERE pairing_id = $1 AND game = $2";
        self.exec(sql, &[&pairing, &game, &board]).await
    }

    /// Sets the points of one player on a board, once.
    pub async fn set_points(&mut self, board: BoardKey, result: SeatResult) -> Result<()> {
        let sql = concat!(
            "UPDATE tournament_seats SET points = $3, played = $4, on_time = $5 WHERE ",
            seats_of_board!(),
            " AND entry IN (SELECT p.entry FROM tournament_players p WHERE p.user_id = $2 \
             AND p.tournament_id = tournament_seats.tournament_id)"
        );
        self.exec(sql, &[&board, &result.user, &result.points, &result.played, &result.on_time]).await
    }

    /// Makes a board without a result a tie; `None` if it has one.
    pub async fn tie_board(&mut self, board: BoardKey) -> Result<Option<TournamentName>> {
        let sql = concat!(
            "UPDATE tournament_seats SET points = 1 WHERE ",
            seats_of_board!(),
            " RETURNING tournament_id"
        );
        let seats: Vec<TournamentName> = self.fetch_all(sql, &[&board]).await?;
        Ok(seats.first().copied())
    }

    /// Sets the points of a game that is never begun.
    pub async fn set_points_unplayed(
        &mut self,
        pairing: i64,
        game: i64,
        entry: i64,
        points: i64,
    ) -> Result<()> {
        let sql = "UPDATE tournament_seats SET points = $4 WHERE pairing_id = $1 AND game = $2 AND entry = $3 \
                   AND points IS NULL";
        self.exec(sql, &[&pairing, &game, &entry, &points]).await
    }

    /// Makes a board that ended unrated.
    pub async fn set_unrated(&mut self, board: BoardKey) -> Result<()> {
        self.exec("UPDATE boards SET rated = FALSE WHERE id = $1", &[&board]).await
    }

    /// Makes boards that are being played ordinary ones: their tournament was cancelled.
    pub async fn release_boards(&mut self, id: TournamentName, now: Millis) -> Result<()> {
        let sql = "UPDATE boards SET pairing_id = NULL, due_at = $2 WHERE state = 'active' AND id IN \
                   (SELECT board_id FROM tournament_seats WHERE tournament_id = $1 AND points IS NULL)";
        self.exec(sql, &[&id, &now]).await
    }
}
