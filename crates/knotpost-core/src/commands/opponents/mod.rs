//! The verbs by which players look for opponents.

pub(super) mod limit;
pub(super) mod seek;
pub(super) mod seeker;
pub(super) mod willingness;
