use sqlx::AssertSqlSafe;

use crate::connection::{Argument, Result, row, values};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, TournamentName};

/// A pairing to be stored, whose boards begin later.
#[derive(Clone, Debug)]
pub struct NewPairing {
    pub pool: String,
    /// In the group and round, from 1.
    pub number: i64,
    pub seats: Vec<NewTournamentSeat>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewTournamentSeat {
    /// Board of the pairing, from 1.
    pub game: i64,
    pub seat: i64,
    /// Entry of the player.
    pub entry: i64,
    /// In halves, of one who has no opponent.
    pub points: Option<i64>,
}

row! {
    /// A seat of a pairing.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PairedSeat {
        pub pairing_id: i64,
        pub round: i64,
        pub pool: String,
        pub number: i64,
        pub deadline: Option<Millis>,
        pub opened: bool,
        pub game: i64,
        pub seat: i64,
        pub entry: i64,
        /// Number of the board, once it has begun.
        pub board: Option<i64>,
        /// In halves; `None`: undecided.
        pub points: Option<i64>,
        /// False: decided before the loser had moved.
        pub played: bool,
    }
}

row! {
    /// A seat of a pairing whose boards have not begun.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WaitingSeat {
        pub pairing_id: i64,
        pub round: i64,
        pub pool: String,
        pub game: i64,
        pub seat: i64,
        pub entry: i64,
    }
}

/// Keys of the pairings of the tournament `$1` that are played, and of the latest `$4` others of the group `$3` in the
/// round `$2`.
macro_rules! latest_pairings {
    () => {
        "(SELECT o.pairing_id FROM tournament_seats o WHERE o.tournament_id = $1 AND o.points IS NULL \
         UNION SELECT l.id FROM tournament_pairings l WHERE l.tournament_id = $1 AND l.round = $2 AND l.pool = $3 \
         AND l.number > (SELECT MAX(n.number) - $4 FROM tournament_pairings n WHERE n.tournament_id = $1 \
         AND n.round = $2 AND n.pool = $3))"
    };
}

pub(super) use latest_pairings;

/// Most rows that one statement inserts.
const MOST_ROWS: usize = 100;

impl ReadTx {
    /// The seats of a tournament from a round on, by round, group and pairing, boards and seats in order.
    pub async fn paired_seats(&mut self, id: TournamentName, since: i64) -> Result<Vec<PairedSeat>> {
        let sql = "SELECT s.pairing_id, g.round, g.pool, g.number, g.deadline, g.opened, s.game, s.seat, s.entry, \
                   b.number AS board, s.points, s.played FROM tournament_pairings g \
                   JOIN tournament_seats s ON s.pairing_id = g.id LEFT JOIN boards b ON b.id = s.board_id \
                   WHERE g.tournament_id = $1 AND g.round >= $2 \
                   ORDER BY g.round, g.pool, g.number, s.game, s.seat";
        self.fetch_all(sql, &[&id, &since]).await
    }

    /// The same of the pairings that are played, and of the latest others of a group in a round.
    pub async fn latest_seats(
        &mut self,
        id: TournamentName,
        (round, pool): (i64, &str),
        pairings: i64,
    ) -> Result<Vec<PairedSeat>> {
        let sql = concat!(
            "SELECT s.pairing_id, g.round, g.pool, g.number, g.deadline, g.opened, s.game, s.seat, s.entry, \
             b.number AS board, s.points, s.played FROM tournament_pairings g \
             JOIN tournament_seats s ON s.pairing_id = g.id LEFT JOIN boards b ON b.id = s.board_id WHERE g.id IN ",
            latest_pairings!(),
            " ORDER BY g.round, g.pool, g.number, s.game, s.seat"
        );
        self.fetch_all(sql, &[&id, &round, &pool, &pairings]).await
    }

    /// Seats of the first pairings whose boards have not begun, at most `pairings` of them.
    pub async fn waiting_seats(&mut self, id: TournamentName, pairings: i64) -> Result<Vec<WaitingSeat>> {
        let sql = "SELECT s.pairing_id, g.round, g.pool, s.game, s.seat, s.entry FROM tournament_pairings g \
                   JOIN tournament_seats s ON s.pairing_id = g.id WHERE g.id IN (SELECT id FROM tournament_pairings \
                   WHERE tournament_id = $1 AND NOT opened ORDER BY id LIMIT $2) ORDER BY g.id, s.game, s.seat";
        self.fetch_all(sql, &[&id, &pairings]).await
    }
}

impl WriteTx {
    /// Stores the pairings of a round. Each is unique: a round is stored once.
    pub async fn insert_pairings(
        &mut self,
        id: TournamentName,
        round: i64,
        deadline: Option<Millis>,
        pairings: &[NewPairing],
    ) -> Result<()> {
        let mut seats: Vec<(i64, NewTournamentSeat)> = Vec::new();
        for chunk in pairings.chunks(MOST_ROWS) {
            let rows = values(chunk.len(), 6, self.is_postgres());
            let sql = format!(
                "INSERT INTO tournament_pairings (tournament_id, round, pool, number, deadline, opened) \
                 VALUES {rows} RETURNING id, pool, number"
            );
            let arguments: Vec<&dyn Argument> = chunk
                .iter()
                .flat_map(|pairing| -> [&dyn Argument; 6] {
                    [&id, &round, &pairing.pool, &pairing.number, &deadline, &false]
                })
                .collect();
            let stored: Vec<(i64, String, i64)> = self.fetch_all(AssertSqlSafe(sql), &arguments).await?;
            for (key, pool, number) in stored {
                let of = chunk.iter().find(|pairing| pairing.pool == pool && pairing.number == number);
                seats.extend(of.into_iter().flat_map(|pairing| &pairing.seats).map(|seat| (key, *seat)));
            }
        }
        for chunk in seats.chunks(MOST_ROWS) {
            let rows = values(chunk.len(), 8, self.is_postgres());
            let sql = format!(
                "INSERT INTO tournament_seats (pairing_id, game, seat, tournament_id, entry, points, played, on_time) \
                 VALUES {rows}"
            );
            let arguments: Vec<&dyn Argument> = chunk
                .iter()
                .flat_map(|(pairing, seat)| -> [&dyn Argument; 8] {
                    [pairing, &seat.game, &seat.seat, &id, &seat.entry, &seat.points, &false, &false]
                })
                .collect();
            self.exec(AssertSqlSafe(sql), &arguments).await?;
        }
        Ok(())
    }

    /// Marks a pairing as begun; false if it was already.
    pub async fn open_pairing(&mut self, pairing: i64) -> Result<bool> {
        let sql = "UPDATE tournament_pairings SET opened = TRUE WHERE id = $1 AND NOT opened RETURNING id";
        self.any(sql, &[&pairing]).await
    }

    pub async fn set_round_deadline(
        &mut self,
        id: TournamentName,
        round: i64,
        deadline: Millis,
    ) -> Result<()> {
        let sql = "UPDATE tournament_pairings SET deadline = $3 WHERE tournament_id = $1 AND round = $2";
        self.exec(sql, &[&id, &round, &deadline]).await
    }
}
