//! The verbs by which players act on boards.

pub(super) mod challenge;
pub(super) mod chat;
pub(super) mod confirm;
pub(super) mod moves;
pub(super) mod preview;
pub(super) mod queue;
pub(super) mod resign;
pub(super) mod submit;
