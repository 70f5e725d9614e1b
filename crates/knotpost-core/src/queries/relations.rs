//! Relations of a user to others, for that user alone.

use crate::app::App;
use crate::boards::{ServiceError, find_present_user};
use crate::queries::ListedBoard;
use knotpost_model::{Relation, UserKey};
use knotpost_storage::StoreError;

const MOST_BOARDS: i64 = 20;

/// Userids, in order.
#[derive(Debug, Default)]
pub struct Related {
    pub blocked: Vec<String>,
    pub followed: Vec<String>,
}

pub async fn view_related(app: &App, user: UserKey) -> Result<Related, StoreError> {
    let mut tx = app.store.read().await?;
    Ok(Related {
        blocked: tx.related(user, Relation::Block).await?,
        followed: tx.related(user, Relation::Follow).await?,
    })
}

pub async fn view_relation(app: &App, user: UserKey, other: &str) -> Result<Option<Relation>, ServiceError> {
    let mut tx = app.store.read().await?;
    let other = find_present_user(&mut tx, other).await?;
    Ok(tx.relation(user, other.id).await?)
}

/// Boards in play of those whom a user follows, the latest first.
pub async fn view_followed_boards(app: &App, user: UserKey) -> Result<Vec<ListedBoard>, StoreError> {
    let mut tx = app.store.read().await?;
    let keys = tx.followed_boards(user, MOST_BOARDS).await?;
    super::views::list_keys(&mut tx, app, &keys).await
}
