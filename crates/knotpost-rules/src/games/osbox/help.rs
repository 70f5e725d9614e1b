//! The help page of Osbox.

use super::rules::META;
use crate::help::HelpPage;

/// The whole page.
pub(super) fn write() -> HelpPage {
    HelpPage::open(&META)
}
