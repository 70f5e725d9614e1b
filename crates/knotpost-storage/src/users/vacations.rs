use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, TournamentName, UserKey};

row! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct VacationRow {
        pub user_id: UserKey,
        pub from_at: Millis,
        pub until_at: Millis,
    }
}

impl ReadTx {
    pub async fn vacations(&mut self, user: UserKey, since: Millis) -> Result<Vec<VacationRow>> {
        let sql = "SELECT user_id, from_at, until_at FROM vacations WHERE user_id = $1 AND until_at > $2 \
                   ORDER BY from_at";
        self.fetch_all(sql, &[&user, &since]).await
    }

    pub async fn vacations_on(&mut self, board: BoardKey, since: Millis) -> Result<Vec<VacationRow>> {
        let sql = "SELECT DISTINCT v.user_id, v.from_at, v.until_at FROM seats s \
                   JOIN vacations v ON v.user_id = s.user_id WHERE s.board_id = $1 AND v.until_at > $2";
        self.fetch_all(sql, &[&board, &since]).await
    }

    /// Those of the players of a tournament.
    pub async fn vacations_in(&mut self, id: TournamentName, since: Millis) -> Result<Vec<VacationRow>> {
        let sql = "SELECT v.user_id, v.from_at, v.until_at FROM tournament_players p \
                   JOIN vacations v ON v.user_id = p.user_id WHERE p.tournament_id = $1 AND v.until_at > $2";
        self.fetch_all(sql, &[&id, &since]).await
    }
}

impl WriteTx {
    /// Stores when a vacation ends; one that ends when it began is deleted.
    pub async fn set_vacation(&mut self, vacation: &VacationRow) -> Result<()> {
        let user = vacation.user_id.0;
        if vacation.until_at <= vacation.from_at {
            let sql = "DELETE FROM vacations WHERE user_id = $1 AND from_at = $2";
            self.exec(sql, &[&user, &vacation.from_at]).await?;
            return Ok(());
        }
        let sql = "INSERT INTO vacations (user_id, from_at, until_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id, from_at) DO UPDATE SET until_at = $3";
        self.exec(sql, &[&user, &vacation.from_at, &vacation.until_at]).await
    }
}
