//! Views for pages and feeds.

pub(crate) mod against;
pub(crate) mod analysis;
pub(crate) mod games;
pub(crate) mod health;
pub(crate) mod own_boards;
pub(crate) mod own_settings;
pub(crate) mod program_events;
pub(crate) mod relations;
pub(crate) mod retention;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod talk;
pub(crate) mod views;
pub(crate) mod waiting;

pub use crate::play::meetings::GameScore;
pub use against::{HeadToHead, view_head_to_head};
pub use analysis::view_analysis;
pub use games::GameView;
pub use health::{
    QueueLengths, Readiness, RecentPeers, Stock, Traces, database_connections, has_people,
    is_database_working, view_queue_lengths, view_readiness, view_stock, view_traces,
};
pub use own_boards::{OwnBoards, follow_own_state, view_own_state};
pub use own_settings::{OwnSettings, view_own_settings, view_zone};
pub use program_events::{ProgramEvent, ProgramFeed, ProgramLook, ProgramNews};
pub use relations::{Related, view_followed_boards, view_related, view_relation};
pub use retention::retention_lines;
pub use summary::{
    BoardFacts, BoardSummary, MoveLine, SeatSummary, SeatedPlayer, TournamentPlace, last_move, list_moves,
};
pub use table::{QueuedAnswer, Surroundings};
pub use talk::{BoardVersion, TalkLine, view_board_version};
pub use views::{
    BoardLook, BoardPage, BoardPageView, BoardQuery, BoardSources, BoardView, ListedBoard, ProposalView,
    look_at_board, replay_views, view_board, view_board_page, view_boards, view_games, view_own_boards,
    view_playable_board,
};
pub use waiting::{MOST_WAITING, RoundEnd, Waiting, view_deadlines, view_rounds, view_turns};
