//! Invitations by link, used once.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct InvitationRow {
    pub id: i64,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    pub game: String,
    pub options: String,
    pub rated: bool,
    /// True if the inviter has the first seat.
    pub begins: bool,
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    #[sqlx(try_from = "i64")]
    pub expires_at: Millis,
}

/// Fields as in [`InvitationRow`].
#[derive(Clone, Debug)]
pub struct NewInvitation {
    pub user: UserKey,
    pub game: String,
    pub options: String,
    pub rated: bool,
    pub begins: bool,
    pub expires_at: Millis,
}

macro_rules! select_invitation {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_id, game, options, rated, begins, created_at, expires_at FROM invitations ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn invitation(&mut self, id: i64) -> Result<Option<InvitationRow>, StoreError> {
        let sql = select_invitation!("WHERE id = $1");
        Ok(on!(self, c => sqlx::query_as::<_, InvitationRow>(sql).bind(id).fetch_optional(c).await)?)
    }

    /// Valid at that time, oldest first.
    pub async fn invitations_of(
        &mut self,
        user: UserKey,
        now: Millis,
    ) -> Result<Vec<InvitationRow>, StoreError> {
        let sql = select_invitation!("WHERE user_id = $1 AND expires_at > $2 ORDER BY id");
        Ok(
            on!(self, c => sqlx::query_as::<_, InvitationRow>(sql).bind(user.0).bind(now.0).fetch_all(c).await)?,
        )
    }
}

impl WriteTx {
    pub async fn insert_invitation(&mut self, new: &NewInvitation, now: Millis) -> Result<(), StoreError> {
        let sql = "INSERT INTO invitations (user_id, game, options, rated, begins, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(new.user.0)
            .bind(&new.game)
            .bind(&new.options)
            .bind(new.rated)
            .bind(new.begins)
            .bind(now.0)
            .bind(new.expires_at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// `false`: gone. Of concurrent deletions one returns `true`.
    pub async fn drop_invitation(&mut self, user: UserKey, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM invitations WHERE id = $1 AND user_id = $2 RETURNING id";
        let id: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).fetch_optional(c).await)?;
        Ok(id.is_some())
    }

    /// Deletes a batch that expired before `before`; true if there may be more.
    pub async fn prune_invitations(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM invitations WHERE id IN \
                   (SELECT id FROM invitations WHERE expires_at < $1 ORDER BY expires_at LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}
