//! Domain types: ids, addresses, boards, times. Pure values, independent of storage and transports.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod address;
mod board;
mod bounce;
mod bounce_words;
pub mod computer_player;
mod hook_url;
mod ids;
mod moment;
mod network;
mod own_addresses;
mod periods;
mod rates;
pub mod rating;
mod reach;
mod time;
mod tournament;
mod tournament_log;
mod unmailed;
mod verdicts;
mod words;
mod zone;

pub use address::{Address, AddressError};
pub use board::{BoardRef, BoardState, MoveKind, ProposalKind, Relation, RemarkKind, SeatState};
pub use bounce::{BounceKind, Failure, Trouble, find_reply_code, find_status};
pub use hook_url::{HookUrl, HookUrlError};
pub use ids::{BoardKey, InboxKey, OutboxKey, RemarkKey, UserKey};
pub use knotpost_commands::{Comment, clean_line, clean_text, is_unwanted, limit_comment};
pub use moment::Moment;
pub use network::{Host, Networks, networks_of};
pub use own_addresses::{OwnAddresses, Recipient};
pub use periods::{Pauses, Period, most_within};
pub use rates::{Channel, Rate, Share, ShareOf};
pub use rating::{Pool, Rating, Score};
pub use reach::{Reach, is_public};
pub use time::{Millis, Span};
pub use tournament::{
    FormError, PlayerState, TermsError, TournamentForm, TournamentName, TournamentStart, TournamentState,
    TournamentTerms, TournamentText,
};
pub use tournament_log::{LeaveReason, TournamentAction};
pub use unmailed::{UnmailedTarget, without_tag};
pub use verdicts::{DkimVerdict, DmarcPolicy, DmarcVerdict, Source, SpfVerdict, Verdict, Verdicts};
pub use zone::Zone;
