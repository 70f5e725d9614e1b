//! The list of those who get no mail, as administrators see and change it.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use knotpost_model::{Millis, UnmailedTarget};
use knotpost_storage::{DoNotMailRow, WriteTx};

/// Entries of a page of the list.
pub const UNMAILED_PER_PAGE: usize = 500;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 300;

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoNotMailEntry {
    /// An address in lower case, or a domain behind an `@`.
    pub target: String,
    /// Why, in the words of the administrator who made the entry.
    pub reason: String,
    /// Since when.
    pub at: Millis,
}

/// A page of the list, starting after the target `after`.
pub async fn view_unmailed(app: &App, after: &str) -> Result<Vec<DoNotMailEntry>, ServiceError> {
    let rows = app.store.read().await?.list_blocked(after, UNMAILED_PER_PAGE as i64).await?;
    let entry = |row: DoNotMailRow| DoNotMailEntry { target: row.target, reason: row.reason, at: row.at };
    Ok(rows.into_iter().map(entry).collect())
}

pub(crate) async fn block(
    tx: &mut WriteTx,
    target: &str,
    reason: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    let target = read_unmailed(target)?;
    if let Some(flaw) = target.flaw() {
        return Err(refuse(target.as_str().trim_start_matches('@'), flaw).into());
    }
    let reason: String = reason.chars().take(LONGEST_REASON).collect();
    if tx.block(&target, &reason, now).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::BadValue, format!("{target} gets no mail already")).into())
}

pub(crate) async fn unblock(tx: &mut WriteTx, target: &str) -> Result<(), ServiceError> {
    let target = read_unmailed(target)?;
    if tx.unblock(&target).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::BadValue, format!("{target} is not on the list"))
        .hint("An address may get no mail because its domain is on the list: `@example.org`.")
        .into())
}

/// What an entry that is written like this stands for.
///
/// # Errors
/// When it is neither an address nor a domain.
pub fn read_unmailed(target: &str) -> Result<UnmailedTarget, ServiceError> {
    target.parse().map_err(|error| refuse(target.trim(), error).into())
}

fn refuse(target: &str, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(Code::BadValue, format!("`{target}` is neither an address nor a domain: {why}"))
        .hint("An address is written `ann@example.org`, all addresses of a domain `@example.org`.")
}
