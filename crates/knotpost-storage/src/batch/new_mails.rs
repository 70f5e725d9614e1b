//! The statement that queues mails, for the outbox and for the write buffer.

use sqlx::{Database, Encode, QueryBuilder, Type};

use crate::connection::{Guarded, StoreError};
use crate::rows::{NewOutbox, OutboxContent};
use knotpost_model::UnmailedTarget;

/// Whether a mail found by its key waits, written so that no index serves it: PostgreSQL keeps a plan made while few
/// mails waited, and would read all that wait instead of the one row.
macro_rules! waits {
    () => {
        "COALESCE(outbox.state, '') = 'queued'"
    };
}
pub(crate) use waits;

/// Inserts mails; one whose recipient is on the do-not-mail list is dropped from the start. The values of the mails
/// follow, each with the targets on that list that cover its recipient.
const NEW_MAILS: &str = "INSERT INTO outbox (kind, recipient, user_id, board_id, ply, facts, rendered, message_id, date, attempts, due_at, \
     state, error, done_at) SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9, 0, \
     column9, CASE WHEN is_blocked THEN 'dropped' ELSE 'queued' END, CASE WHEN is_blocked THEN 'do_not_mail' END, \
     CASE WHEN is_blocked THEN column9 END FROM (SELECT v.*, EXISTS (SELECT 1 FROM do_not_mail d WHERE d.target IN \
     (v.column10, v.column11, v.column12)) AS is_blocked FROM (";

/// How many mails one statement queues at most.
pub(crate) const MAX_NEW_MAILS: usize = 16;

/// Appends the statement that queues these mails, at most [`MAX_NEW_MAILS`].
pub(crate) fn new_mails_query<D: Database>(mut query: QueryBuilder<D>, mails: &[NewOutbox]) -> QueryBuilder<D>
where
    i64: Encode<'static, D> + Type<D>,
    Option<i64>: Encode<'static, D>,
    String: Encode<'static, D> + Type<D>,
    Option<String>: Encode<'static, D>,
    Option<Vec<u8>>: Encode<'static, D>,
    Vec<u8>: Type<D>,
{
    query.push(NEW_MAILS);
    query.push_values(mails, |mut row, mail| {
        let (board, facts, rendered) = match &mail.content {
            OutboxContent::Board(board) => (Some(board), Some(&board.facts), None),
            OutboxContent::Message(bytes) => (None, None, Some(bytes)),
            OutboxContent::Reference(facts) => (None, Some(facts), None),
        };
        row.push_bind(mail.kind.to_owned())
            .push_bind(mail.recipient.clone())
            .push_bind(mail.user.map(|user| user.0))
            .push_bind(board.map(|board| board.board.0))
            .push_bind(board.map(|board| board.ply))
            .push_bind(facts.cloned())
            .push_bind(rendered.cloned())
            .push_bind(mail.message_id.clone())
            .push_bind(mail.date.0);
        for target in UnmailedTarget::covering(&mail.recipient.to_lowercase()) {
            row.push_bind(target);
        }
    });
    query.push(") AS v) AS mail");
    query
}

/// Stores mails on PostgreSQL.
pub(crate) async fn insert_new_mails(
    mut connection: Guarded<'_>,
    mails: &[NewOutbox],
) -> Result<(), StoreError> {
    for some in mails.chunks(MAX_NEW_MAILS) {
        new_mails_query(QueryBuilder::new(""), some).build().execute(connection.again()).await?;
    }
    Ok(())
}
