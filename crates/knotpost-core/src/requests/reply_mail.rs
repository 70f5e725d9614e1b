//! The mail that answers the sender of a request.

use crate::app::App;
use crate::boards::Board;
use crate::mailing::post::compose;
use crate::mailing::reply_grant::{ReplyGrant, reply_address_at};
use crate::mailing::token::ReplyTo;
use crate::replies::Reply;
use crate::requests::Prepared;
use knotpost_model::Millis;
use knotpost_storage::{NewOutbox, ReadTx, StoreError, WriteTx};

/// The mail that answers the sender of a prepared command, not queued yet; `None`: there is no sender. Who answered a
/// board mail can answer this as well. With `most_bytes` it is text alone, cut where it would be larger.
///
/// # Errors
/// As [`post_to_address`].
pub async fn compose_answer(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    reply: &Reply,
    in_reply_to: Option<&str>,
    most_bytes: Option<usize>,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let Some(sender) = &prepared.origin.sender else { return Ok(None) };
    // Only who is shown the board as it is now can act on it.
    let reply_to = match prepared.grant().filter(|_| shows_board(reply)) {
        Some(grant) => answer_address(tx, app, grant, &sender.to_string(), now).await?,
        None => None,
    };
    let thread = (in_reply_to, reply_to);
    compose(tx, app, reply, sender, prepared.user(), thread, most_bytes, now).await.map(Some)
}

fn shows_board(reply: &Reply) -> bool {
    match reply {
        Reply::Board(_) => true,
        Reply::Error(error) => error.sheet.is_some(),
        _ => false,
    }
}

async fn answer_address(
    tx: &mut ReadTx,
    app: &App,
    grant: &ReplyGrant,
    recipient: &str,
    now: Millis,
) -> Result<Option<ReplyTo>, StoreError> {
    match Board::load(tx, app, &grant.board.game, grant.board.number as u32).await? {
        Some(board) => reply_address_at(tx, app, &board, &grant.user, recipient, None, now).await,
        None => Ok(None),
    }
}
