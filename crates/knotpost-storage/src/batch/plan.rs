//! What a move will need, stated before its transaction begins.

use std::sync::Arc;

use crate::rows::{BoardRow, DirectMail, RequestKey};
use knotpost_model::UserKey;

/// What a move is certain to read and write. A plan that turns out wrong costs time, nothing else: the move queries
/// whatever was not prefetched.
#[derive(Clone, Debug)]
pub struct MovePlan {
    /// The game of the board.
    pub game: &'static str,
    /// The number of the board.
    pub number: u32,
    /// The player who moves.
    pub user: UserKey,
    /// The API key of the request.
    pub key: Option<i64>,
    /// Whether a remark comes with the move.
    pub has_remark: bool,
    /// The mail that the move came in, which is stored with it.
    pub mail: Option<Arc<DirectMail>>,
    /// The key under which the request is carried out once.
    pub request: Option<RequestKey>,
}

impl MovePlan {
    pub(crate) fn is_on(&self, board: &BoardRow) -> bool {
        board.game == self.game && board.number == i64::from(self.number)
    }
}

/// The first plan for each board: two moves on one board are not made at the same time.
pub(crate) fn first_of_each_board(plans: &[MovePlan]) -> Vec<&MovePlan> {
    let is_first = |index: usize, plan: &MovePlan| {
        !plans.iter().take(index).any(|other| (other.game, other.number) == (plan.game, plan.number))
    };
    plans.iter().enumerate().filter(|(index, plan)| is_first(*index, plan)).map(|(_, plan)| plan).collect()
}

/// The mails of the plans without repetitions: the same mail twice is stored and claimed one after the other.
pub(crate) fn first_of_each_mail(plans: &[MovePlan]) -> Vec<Arc<DirectMail>> {
    let mut mails: Vec<Arc<DirectMail>> = Vec::new();
    for mail in plans.iter().filter_map(|plan| plan.mail.as_ref()) {
        if mails.iter().all(|other| other.dedupe_key != mail.dedupe_key) {
            mails.push(Arc::clone(mail));
        }
    }
    mails
}

/// The requests of the plans without repetitions.
pub(crate) fn distinct_requests(plans: &[MovePlan]) -> Vec<&RequestKey> {
    let mut requests: Vec<&RequestKey> = plans.iter().filter_map(|plan| plan.request.as_ref()).collect();
    requests.sort_unstable_by_key(|request| &request.digest);
    requests.dedup_by_key(|request| &request.digest);
    requests
}
