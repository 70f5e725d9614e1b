//! The texts of Atom feeds and calendars; HTTP and access are decided elsewhere.

mod atom;
mod calendar;
mod text;

pub(super) use atom::write_atom;
pub(super) use calendar::write_calendar;

use crate::session::url_encode;
use knotpost_core::queries::BoardSummary;

pub(super) struct Source<'a> {
    pub(super) server: &'a str,
    /// Without a slash at the end.
    pub(super) url: &'a str,
    /// Makes ids unique among servers.
    pub(super) domain: &'a str,
    pub(super) userid: &'a str,
}

impl Source<'_> {
    fn page_of(&self, board: &BoardSummary) -> String {
        format!("{}/boards/{}/{}", self.url, url_encode(&board.game), board.number)
    }
}
