//! The pages as somebody with a browser meets them, asked through the router.

mod administering;
mod analysing;
mod archives;
mod auth_cache;
mod browser;
mod caching;
mod connecting;
mod describing;
mod exploring;
mod feeds;
mod following;
mod following_all;
mod hooks;
mod hostile;
mod inviting;
mod keys;
mod looked_at;
mod mailbox;
mod meeting;
mod noting;
mod passkeys;
mod playing;
mod previews;
mod program;
mod programs;
mod pushes;
mod puzzles;
mod queries;
mod repeating;
mod seeking;
mod sessions;
mod standing_in;
mod themes;
mod visiting;

pub(crate) use crate::stories::{tell, tell_on_databases};
