//! All data held about a user, as one archive.

mod readme;
mod shown;
mod write;

pub use write::{Archive, ArchiveError, write_archive};

use crate::app::App;
use crate::boards::ServiceError;
use crate::identity::Limits;
use crate::links::TimedLink;
use crate::mailing::archive_links::ARCHIVE_MS;
use knotpost_model::{Rate, UserKey};
use knotpost_storage::UserState;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveLink {
    Good(UserKey, String),
    /// Too old, or the account is not in use.
    Expired,
    Unknown,
}

/// Reads a mailed token. The link alone opens nothing: the user must be logged in as well.
pub async fn view_archive_link(app: &App, token: &str) -> Result<ArchiveLink, ServiceError> {
    let Some((user, at)) = app.links.read_timed(TimedLink::Archive, token) else {
        return Ok(ArchiveLink::Unknown);
    };
    if app.clock.now().0 >= at.plus(ARCHIVE_MS).0 {
        return Ok(ArchiveLink::Expired);
    }
    let user = app.store.query().await?.user(user).await?;
    let user = user.filter(|user| user.state == UserState::Active);
    Ok(user.map_or(ArchiveLink::Expired, |user| ArchiveLink::Good(user.id, user.userid)))
}

pub fn count_archive(limits: &Limits, user: UserKey) -> Result<(), ServiceError> {
    let message = "too many archives were made for this userid; try again in an hour";
    Ok(limits.admit(Rate::Archive, &format!("user {}", user.0), message)?)
}
