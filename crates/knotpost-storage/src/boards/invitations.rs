//! Invitations: who gets the link of one plays with its maker, once.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct InvitationRow {
    /// Its number.
    pub id: i64,
    /// Who invites.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// The game's name.
    pub game: String,
    /// The game's options, canonical.
    pub options: String,
    /// Whether the result is to count.
    pub rated: bool,
    /// Whether who invites has the first seat.
    pub begins: bool,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// Until when it is good.
    #[sqlx(try_from = "i64")]
    pub expires_at: Millis,
}

/// An invitation to be stored; the fields are those of [`InvitationRow`].
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// See [`InvitationRow::user_id`].
    pub user: UserKey,
    /// See [`InvitationRow::game`].
    pub game: String,
    /// See [`InvitationRow::options`].
    pub options: String,
    /// See [`InvitationRow::rated`].
    pub rated: bool,
    /// See [`InvitationRow::begins`].
    pub begins: bool,
    /// See [`InvitationRow::expires_at`].
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
    /// The invitation of this number.
    pub async fn invitation(&mut self, id: i64) -> Result<Option<InvitationRow>, StoreError> {
        let sql = select_invitation!("WHERE id = $1");
        Ok(on!(self, c => sqlx::query_as::<_, InvitationRow>(sql).bind(id).fetch_optional(c).await)?)
    }

    /// A user's invitations that are good then, the oldest first.
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

    /// Deletes an invitation of a user; `false`: there is none any more. Of several who do so one is told `true`.
    pub async fn drop_invitation(&mut self, user: UserKey, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM invitations WHERE id = $1 AND user_id = $2 RETURNING id";
        let id: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).fetch_optional(c).await)?;
        Ok(id.is_some())
    }

    /// Deletes a batch of invitations that expired before `before`; returns whether there may be more.
    pub async fn prune_invitations(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM invitations WHERE id IN \
                   (SELECT id FROM invitations WHERE expires_at < $1 ORDER BY expires_at LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}
