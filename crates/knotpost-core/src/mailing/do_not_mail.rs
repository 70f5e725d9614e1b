//! The list of those who get no mail, as administrators see and change it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::boards::{Code, Refusal, ServiceError};
use knotpost_model::{Millis, Moment, UnmailedTarget};
use knotpost_storage::{DoNotMailRow, Store, WriteTx};

/// Entries of a page of the list.
const PER_PAGE: usize = 500;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 300;

/// An address or domain that never gets mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Unmailed")]
pub struct DoNotMailEntry {
    /// An address, with all its tags, or a domain behind an `@`.
    pub target: String,
    /// Reason for the entry.
    pub reason: String,
    /// Since when.
    pub since: Moment,
}

/// A page of the do-not-mail list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DoNotMail {
    /// The entries, by target.
    pub entries: Vec<DoNotMailEntry>,
    /// Cursor of the next page, if there is one.
    pub cursor: Option<String>,
}

/// A page of the list, starting after the target `after`.
pub async fn view_unmailed(store: &Store, after: &str) -> Result<DoNotMail, ServiceError> {
    let rows = store.read().await?.list_blocked(after, PER_PAGE as i64).await?;
    let cursor = rows.last().filter(|_| rows.len() == PER_PAGE).map(|row| row.target.clone());
    let entry =
        |row: DoNotMailRow| DoNotMailEntry { target: row.target, reason: row.reason, since: row.at.into() };
    Ok(DoNotMail { entries: rows.into_iter().map(entry).collect(), cursor })
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

/// Parses an entry of the list.
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
