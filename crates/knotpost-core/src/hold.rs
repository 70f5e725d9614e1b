//! Hold: a server that sends nothing, such as a copy inspected beside the live server.

use knotpost_storage::{Store, StoreError, WriteTx};

/// Key of the mark in the database.
const FACT: &str = "hold";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Setting,
    /// Restored as a copy, or put on hold by an administrator.
    Database,
}

impl Hold {
    /// For the log, `/readyz` and administrators.
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

    /// Hold of this database or, with `setting`, of the configuration.
    pub async fn of(store: &Store, setting: bool) -> Result<Option<Self>, StoreError> {
        if store.query().await?.server_metadata(FACT).await?.is_some() {
            return Ok(Some(Self::Database));
        }
        Ok(setting.then_some(Self::Setting))
    }
}

pub async fn mark_copy(store: &Store) -> Result<(), StoreError> {
    store.write(async move |tx| set(tx, true).await).await
}

/// Takes effect at the next start.
pub(crate) async fn set(tx: &mut WriteTx, is_held: bool) -> Result<(), StoreError> {
    if is_held { tx.save_server_metadata(FACT, "on").await } else { tx.forget_server_metadata(FACT).await }
}
