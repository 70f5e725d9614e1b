//! `admin audit`: the log of administrators' actions.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::mail::read_since;
use crate::cli::output::{Form, complain};
use knotpost_core::admin::{AuditEntry, AuditQuery, view_audit};
use knotpost_core::app::App;
use knotpost_core::boards::ServiceError;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Audit {
    /// List actions, the newest first.
    List(List),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    /// Only what this user did, or what was done to them.
    #[arg(long)]
    user: Option<String>,
    /// Not older than this: `2026-11-20`, `2026-11-20T10:00Z`, or `30m`, `12h`, `7d` ago.
    #[arg(long)]
    since: Option<String>,
    /// Only with a lower number: where the last page ended.
    #[arg(long, value_name = "ID")]
    before: Option<i64>,
    /// Rows at most.
    #[arg(long, default_value_t = 100)]
    limit: usize,
    #[command(flatten)]
    form: Form,
}

pub(super) async fn run(app: &Arc<App>, action: Audit) -> Result<(), ServiceError> {
    let Audit::List(list) = action;
    let since = list.since.as_deref().map(|text| read_since(text, app.clock.now())).transpose()?;
    let query = AuditQuery { userid: list.user, since, before: list.before, limit: list.limit };
    let page = view_audit(&app.store, &query).await?;
    for row in &page.rows {
        list.form.say(&json!(row), line(row));
    }
    if let Some(next) = page.cursor {
        complain!("there may be more: --before {next}");
    }
    Ok(())
}

fn line(row: &AuditEntry) -> String {
    let who = format!("{} ({})", row.actor, row.channel);
    let line = format!(
        "{:<6} {} {who:<20} {:<18} {:<20} {:<14} {}",
        row.id,
        row.at.to_rfc3339(),
        row.action,
        row.subject,
        row.outcome,
        row.detail
    );
    line.trim_end().to_owned()
}
