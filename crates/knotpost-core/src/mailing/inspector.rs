//! Mail as an administrator looks at it: which came and went, what became of it and why; tried again, or ended.

pub(crate) mod inspected;
pub(crate) mod mail_text;
pub(crate) mod mailbox;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_user};
use crate::mailing::bounces::STOPPED;
use crate::mailing::inspector::inspected::{Inbox, Outbox, OutgoingMail, ReceivedMail, WholeReceivedMail};
use crate::mailing::inspector::mail_text::{Author, described, masked_text};
use knotpost_model::{InboxKey, Millis, OutboxKey};
pub use knotpost_storage::MailQueue;
use knotpost_storage::{MailFilter, OutboxRow, ReadTx, Store, StoreError, Window, WriteTx};

/// Row numbers that one look into the database goes through.
const WINDOW: i64 = 20_000;
/// Error on an outgoing mail that an administrator ended.
const DROPPED: &str = "dropped by administrator";
/// Outcome of a received mail that an administrator ended.
const DROPPED_REASON: &str = "dropped_by_administrator";
/// Times run with row numbers, but for clocks that differ by so much.
const DISORDER_MS: i64 = 86_400_000;

/// Filter of a list of mails.
#[derive(Clone, Debug, Default)]
pub struct MailQuery {
    pub state: Option<String>,
    /// With this outcome.
    pub reason: Option<String>,
    /// Not older than this.
    pub since: Option<Millis>,
    /// From or to an address of this user.
    pub userid: Option<String>,
    pub address: Option<String>,
    /// With a lower number than this.
    pub before: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// Action of an administrator on a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailChange {
    /// Once more, now.
    Retry,
    /// No more.
    Drop,
}

/// Received mails.
pub async fn view_inbox(store: &Store, query: &MailQuery) -> Result<Inbox, ServiceError> {
    let mut tx = store.read().await?;
    let mut look = Look::begin(&mut tx, MailQueue::Inbox, query).await?;
    let mut mails: Vec<ReceivedMail> = Vec::new();
    while let Some((window, most)) = look.window(&mut tx, mails.len()).await? {
        mails.extend(tx.list_inbox(&look.filter, window, most).await?.into_iter().map(ReceivedMail::from));
    }
    let cursor = mails.last().filter(|_| mails.len() >= query.limit).map(|mail| mail.id.to_string());
    Ok(Inbox { mails, cursor })
}

/// Outgoing mails.
pub async fn view_outbox(store: &Store, query: &MailQuery) -> Result<Outbox, ServiceError> {
    let mut tx = store.read().await?;
    let mut look = Look::begin(&mut tx, MailQueue::Outbox, query).await?;
    let mut mails: Vec<OutgoingMail> = Vec::new();
    while let Some((window, most)) = look.window(&mut tx, mails.len()).await? {
        mails.extend(tx.list_outbox(&look.filter, window, most).await?.into_iter().map(OutgoingMail::from));
    }
    let cursor = mails.last().filter(|_| mails.len() >= query.limit).map(|mail| mail.id.to_string());
    Ok(Outbox { mails, cursor })
}

/// One received mail, and the message itself when it is kept.
pub async fn view_received(app: &App, id: i64) -> Result<WholeReceivedMail, ServiceError> {
    let mut tx = app.store.read().await?;
    let Some(entry) = tx.inbox_entry(InboxKey(id)).await? else {
        return Err(no_such_mail(MailQueue::Inbox, id));
    };
    let sealed = tx.inbox_raw(InboxKey(id)).await?;
    let message = sealed.and_then(|sealed| app.secret.unseal(&sealed));
    let parts = message.as_deref().map(described);
    let message_text =
        message.as_deref().map(|message| masked_text(&app.vocabulary, message, Author::Somebody));
    Ok(WholeReceivedMail { mail: entry.into(), parts, message_text, message })
}

/// One outgoing mail.
pub async fn view_outgoing(store: &Store, id: i64) -> Result<OutgoingMail, ServiceError> {
    Ok(view_outgoing_content(store, id).await?.0)
}

/// One outgoing mail, with the row that its message is built from.
pub async fn view_outgoing_content(
    store: &Store,
    id: i64,
) -> Result<(OutgoingMail, OutboxRow), ServiceError> {
    let found = store.read().await?.outbox_entry(OutboxKey(id)).await?;
    let (entry, row) = found.ok_or_else(|| no_such_mail(MailQueue::Outbox, id))?;
    Ok((entry.into(), row))
}

/// Tries a mail again or ends it. Its state is looked at in the transaction that changes it, so that a running
/// server is never crossed; that server finds the mail by itself.
pub(crate) async fn change_mail(
    tx: &mut WriteTx,
    queue: MailQueue,
    id: i64,
    change: MailChange,
    now: Millis,
) -> Result<(), ServiceError> {
    let done = match (change, queue) {
        (MailChange::Retry, _) => tx.retry_mail(queue, id, [STOPPED, DROPPED], now).await?,
        (MailChange::Drop, MailQueue::Inbox) => tx.drop_mail(queue, id, DROPPED_REASON, now).await?,
        (MailChange::Drop, MailQueue::Outbox) => tx.drop_mail(queue, id, DROPPED, now).await?,
    };
    if done {
        return Ok(());
    }
    let Some(state) = tx.mail_state(queue, id).await? else { return Err(no_such_mail(queue, id)) };
    let why = state.reason.map_or(String::new(), |reason| format!(" ({reason})"));
    let is_waiting = ["new", "queued"].contains(&state.state.as_str());
    let message = match change {
        // One that waits can be dropped; this one waits for the answer of whom it was given to.
        MailChange::Drop if is_waiting => format!("mail {id} is in progress at this moment"),
        MailChange::Drop | MailChange::Retry => format!("mail {id} is {}{why}", state.state),
    };
    let hint = match (change, queue) {
        (MailChange::Retry, MailQueue::Inbox) => "Only mails that failed and are kept can be tried again.",
        (MailChange::Retry, MailQueue::Outbox) => {
            "Only mails that failed, or were dropped by you or for a stopped address, can be tried again."
        }
        (MailChange::Drop, _) => {
            "Only mails that wait or failed can be dropped; of one in progress, look in a minute what became of it."
        }
    };
    Err(Refusal::new(Code::Conflict, message).hint(hint).into())
}

/// The windows of a look, from the newest mail down.
struct Look {
    queue: MailQueue,
    filter: MailFilter,
    /// Most mails of the page.
    limit: usize,
    rest: Option<Window>,
}

impl Look {
    async fn begin(tx: &mut ReadTx, queue: MailQueue, query: &MailQuery) -> Result<Self, ServiceError> {
        let filter = filter(tx, query).await?;
        let all = tx.mail_numbers(queue).await?;
        let rest = all.map(|all| Window { high: query.before.unwrap_or(all.high).min(all.high), ..all });
        Ok(Self { queue, filter, limit: query.limit, rest })
    }

    /// The next window, and the number of mails of it that are wanted after those found; `None` at the end, or where all
    /// mails are older than those asked for.
    async fn window(&mut self, tx: &mut ReadTx, found: usize) -> Result<Option<(Window, i64)>, StoreError> {
        let wanted = i64::try_from(self.limit.saturating_sub(found)).unwrap_or(i64::MAX);
        let rest = self.rest.take().filter(|rest| wanted > 0 && rest.low < rest.high);
        let Some(rest) = rest else { return Ok(None) };
        let low = rest.high.saturating_sub(WINDOW).max(rest.low);
        let oldest = tx.mail_time(self.queue, low).await?;
        if oldest.is_none_or(|oldest| oldest >= self.filter.since.saturating_sub(DISORDER_MS)) {
            self.rest = Some(Window { low: rest.low, high: low });
        }
        Ok(Some((Window { low, high: rest.high }, wanted)))
    }
}

async fn filter(tx: &mut ReadTx, query: &MailQuery) -> Result<MailFilter, ServiceError> {
    let mut addresses: Vec<String> = query.address.iter().map(|address| address.to_lowercase()).collect();
    if let Some(userid) = &query.userid {
        let user = find_user(tx, userid).await?;
        addresses.extend(tx.addresses(user.id).await?.into_iter().map(|row| row.address.to_lowercase()));
        if addresses.is_empty() {
            let message = format!("{userid} has no mail address");
            return Err(Refusal::new(Code::BadValue, message).into());
        }
    }
    Ok(MailFilter {
        state: query.state.clone().unwrap_or_default(),
        reason: query.reason.clone().unwrap_or_default(),
        since: query.since.map_or(0, |since| since.0),
        addresses,
    })
}

fn no_such_mail(queue: MailQueue, id: i64) -> ServiceError {
    let place = match queue {
        MailQueue::Inbox => "inbox",
        MailQueue::Outbox => "outbox",
    };
    Refusal::new(Code::BadValue, format!("there is no mail {id} in the {place}"))
        .hint("Mails are forgotten after the days of `[retention]`.")
        .into()
}
