//! The mail with the link to the archive of all that is held about a user.

use serde_json::json;

use crate::links::{Links, TimedLink};
use crate::replies::Reply;
use knotpost_model::Millis;
use knotpost_storage::UserRow;

/// Lifetime of the link.
pub(crate) const ARCHIVE_MS: i64 = 24 * 3_600_000;

/// The reply with the link of this moment.
pub(crate) fn archive_link(links: &Links, user: &UserRow, now: Millis) -> Reply {
    let link = links.timed(TimedLink::Archive, user.id, now);
    Reply::said("archive", json!({ "userid": user.userid, "link": link, "hours": ARCHIVE_MS / 3_600_000 }))
}
