//! The verbs that show boards, players and games.

pub(super) mod all_games;
pub(super) mod all_show;
pub(super) mod export;
pub(super) mod games;
pub(super) mod history;
pub(super) mod list;
pub(super) mod show;
pub(super) mod show_as;
pub(super) mod standings;
pub(super) mod test_display;
