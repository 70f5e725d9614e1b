use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct VacationRow {
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    #[sqlx(try_from = "i64")]
    pub from_at: Millis,
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
}

impl ReadTx {
    pub async fn vacations(&mut self, user: UserKey, since: Millis) -> Result<Vec<VacationRow>, StoreError> {
        let sql = "SELECT user_id, from_at, until_at FROM vacations WHERE user_id = $1 AND until_at > $2 \
                   ORDER BY from_at";
        Ok(
            on!(self, c => sqlx::query_as::<_, VacationRow>(sql).bind(user.0).bind(since.0).fetch_all(c).await)?,
        )
    }

    pub async fn vacations_on(
        &mut self,
        board: BoardKey,
        since: Millis,
    ) -> Result<Vec<VacationRow>, StoreError> {
        let sql = "SELECT DISTINCT v.user_id, v.from_at, v.until_at FROM seats s \
                   JOIN vacations v ON v.user_id = s.user_id WHERE s.board_id = $1 AND v.until_at > $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, VacationRow>(sql).bind(board.0).bind(since.0).fetch_all(c).await)?,
        )
    }
}

impl WriteTx {
    /// Stores when a vacation ends; one that ends when it began is deleted.
    pub async fn set_vacation(&mut self, vacation: &VacationRow) -> Result<(), StoreError> {
        let user = vacation.user_id.0;
        if vacation.until_at <= vacation.from_at {
            let sql = "DELETE FROM vacations WHERE user_id = $1 AND from_at = $2";
            on!(self.writing(), c => sqlx::query(sql).bind(user).bind(vacation.from_at.0).execute(c).await.map(drop))?;
            return Ok(());
        }
        let sql = "INSERT INTO vacations (user_id, from_at, until_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id, from_at) DO UPDATE SET until_at = $3";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(user)
            .bind(vacation.from_at.0)
            .bind(vacation.until_at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}
