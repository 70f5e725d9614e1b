//! What waits for a user, for programs that read feeds and calendars: as Atom and as iCalendar. Made of texts alone;
//! knows neither HTTP nor who may read them.

mod atom;
mod calendar;
mod words;

pub(super) use atom::write_atom;
pub(super) use calendar::write_calendar;

use crate::web::visitor::url_encode;

/// Where a feed comes from and whose it is.
pub(super) struct Source<'a> {
    /// The server's name.
    pub(super) server: &'a str,
    /// Where its pages are, without a slash at the end.
    pub(super) url: &'a str,
    /// Its domain, which tells its boards from those of others.
    pub(super) domain: &'a str,
    /// The user.
    pub(super) userid: &'a str,
}

impl Source<'_> {
    /// The page of a board.
    fn page_of(&self, board: &crate::service::Board) -> String {
        format!("{}/boards/{}/{}", self.url, url_encode(&board.row.game), board.row.number)
    }
}
