//! The mail with the link to the archive of all that is held about a user.

use serde::Serialize;

use crate::app::App;
use crate::replies::{Content, Reply};
use knotpost_model::Millis;
use knotpost_storage::UserRow;

/// Lifetime of the link.
pub(crate) const ARCHIVE_MS: i64 = 24 * 3_600_000;

#[derive(Debug, Serialize)]
struct ArchiveReady {
    /// User whose archive it is.
    userid: String,
    /// The page that makes it.
    link: String,
    /// Lifetime of the link.
    hours: i64,
}

impl Content for ArchiveReady {
    const TEMPLATE: &'static str = "archive";
}

/// The reply with the link of this moment.
pub(crate) fn archive_link(app: &App, user: &UserRow, now: Millis) -> Reply {
    Reply::from(ArchiveReady {
        userid: user.userid.clone(),
        link: app.links.archive(&app.config.server.public_url, user.id, now),
        hours: ARCHIVE_MS / 3_600_000,
    })
}
