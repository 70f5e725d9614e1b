//! Taking no more mails of a kind by the link that stands in each of them, without a password.

use std::sync::Arc;

use crate::app::App;
use crate::domain::UserKey;
use crate::store::{ALL_GAMES, StoreError, UserState};

/// Mails that can be refused by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Mails to everybody.
    Broadcasts,
}

impl Kind {
    /// The word in the link.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broadcasts => "broadcasts",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        (word == Self::Broadcasts.as_str()).then_some(Self::Broadcasts)
    }
}

/// Whose mails of which kind a link stops; `None`: it is none of ours, or its user has left.
///
/// # Errors
/// When the database fails.
pub async fn view_unsubscribe(app: &App, token: &str) -> Result<Option<(String, Kind)>, StoreError> {
    let Some((user, kind)) = read(app, token) else { return Ok(None) };
    let user = app.store.read().await?.user(user).await?;
    Ok(user.filter(|user| user.state != UserState::Deleted).map(|user| (user.userid, kind)))
}

/// Stops them. As [`view_unsubscribe`].
///
/// # Errors
/// When the database fails.
pub async fn unsubscribe(app: &Arc<App>, token: &str) -> Result<Option<(String, Kind)>, StoreError> {
    let (Some((user, kind)), Some(seen)) = (read(app, token), view_unsubscribe(app, token).await?) else {
        return Ok(None);
    };
    app.store
        .write(move |tx| {
            Box::pin(async move {
                match kind {
                    Kind::Broadcasts => tx.set_preference(user, ALL_GAMES, "broadcasts", Some("off")).await,
                }
            })
        })
        .await?;
    Ok(Some(seen))
}

fn read(app: &App, token: &str) -> Option<(UserKey, Kind)> {
    let (user, word) = app.links.read_unsubscribe(token)?;
    Some((user, Kind::from_word(&word)?))
}
