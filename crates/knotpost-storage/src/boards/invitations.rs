//! Invitations by link, used once.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct InvitationRow {
        pub id: i64,
        pub user_id: UserKey,
        pub game: String,
        pub options: String,
        pub rated: bool,
        /// True if the inviter has the first seat.
        pub begins: bool,
        pub created_at: Millis,
        pub expires_at: Millis,
    }
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
    pub async fn invitation(&mut self, id: i64) -> Result<Option<InvitationRow>> {
        let sql = select_invitation!("WHERE id = $1");
        self.fetch_optional(sql, &[&id]).await
    }

    /// Valid at that time, oldest first.
    pub async fn invitations_of(&mut self, user: UserKey, now: Millis) -> Result<Vec<InvitationRow>> {
        let sql = select_invitation!("WHERE user_id = $1 AND expires_at > $2 ORDER BY id");
        self.fetch_all(sql, &[&user, &now]).await
    }
}

impl WriteTx {
    pub async fn insert_invitation(&mut self, new: &NewInvitation, now: Millis) -> Result<()> {
        let sql = "INSERT INTO invitations (user_id, game, options, rated, begins, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
        self.exec(sql, &[&new.user, &new.game, &new.options, &new.rated, &new.begins, &now, &new.expires_at])
            .await
    }

    /// `false`: gone. Of concurrent deletions one returns `true`.
    pub async fn drop_invitation(&mut self, user: UserKey, id: i64) -> Result<bool> {
        self.any("DELETE FROM invitations WHERE id = $1 AND user_id = $2 RETURNING id", &[&id, &user]).await
    }

    /// Deletes a batch that expired before `before`; true if there may be more.
    pub async fn prune_invitations(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM invitations WHERE id IN \
                   (SELECT id FROM invitations WHERE expires_at < $1 ORDER BY expires_at LIMIT 1000)";
        self.prune(sql, before).await
    }
}
