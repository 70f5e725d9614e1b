//! The pages as somebody with a browser meets them, asked through the router.

mod administering;
mod browser;
mod describing;
mod following;
mod hooks;
mod keys;
mod looked_at;
mod mailbox;
mod playing;
mod seeking;
mod sessions;

pub(crate) use crate::stories::tell;
