//! The boards that wait for a user, as an Atom feed and as a calendar. This module writes texts; it must not know HTTP or
//! who may read them.

mod atom;
mod calendar;
mod text;

pub(super) use atom::write_atom;
pub(super) use calendar::write_calendar;

use crate::session::url_encode;
use knotpost_core::queries::BoardSummary;

/// The server and the user of a feed.
pub(super) struct Source<'a> {
    /// The server's name.
    pub(super) server: &'a str,
    /// Where its pages are, without a slash at the end.
    pub(super) url: &'a str,
    /// Its domain, which makes ids unique among servers.
    pub(super) domain: &'a str,
    pub(super) userid: &'a str,
}

impl Source<'_> {
    fn page_of(&self, board: &BoardSummary) -> String {
        format!("{}/boards/{}/{}", self.url, url_encode(&board.game), board.number)
    }
}
