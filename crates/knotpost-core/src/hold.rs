//! The hold of a server that tells nobody anything: a copy that is looked at beside the server that goes on.

use knotpost_storage::{Store, StoreError, WriteTx};

/// Under which name a copy is marked in its database.
const FACT: &str = "hold";

/// The reason for which a server is on hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// `mail.hold` says so.
    Setting,
    /// The database was restored as a copy, or put on hold by an administrator.
    Database,
}

impl Hold {
    /// All that is held, for the log, `/readyz` and administrators.
    pub const WORDS: &str = "this server is on hold: no mail leaves, no webhook and no browser is told anything, and the \
                             clock and the computer players stand still";

    /// Advice to the operator.
    pub fn mend(self) -> &'static str {
        match self {
            Self::Setting => "set `mail.hold` to false and start the server again",
            Self::Database => {
                "nothing, while this is a copy; to let it go on as the server: `knotpost admin hold off`, and start it"
            }
        }
    }

    /// The hold of the server of this database, if it is on hold; `setting`: what the configuration says.
    ///
    /// # Errors
    /// The database fails.
    pub async fn of(store: &Store, setting: bool) -> Result<Option<Self>, StoreError> {
        if store.query().await?.server_metadata(FACT).await?.is_some() {
            return Ok(Some(Self::Database));
        }
        Ok(setting.then_some(Self::Setting))
    }
}

/// Marks a database as that of a copy.
///
/// # Errors
/// The database fails.
pub async fn mark_copy(store: &Store) -> Result<(), StoreError> {
    store.write(|tx| Box::pin(set(tx, true))).await
}

/// Holds a database, or lets it go, from the next start on.
pub(crate) async fn set(tx: &mut WriteTx, is_held: bool) -> Result<(), StoreError> {
    if is_held { tx.save_server_metadata(FACT, "on").await } else { tx.forget_server_metadata(FACT).await }
}
