//! The server for administrators' programs: its state, its pending work, the audit log, and broadcasts.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CurrentAdmin, Done, MOST, carry_out, operation, read_cursor, read_limit, read_since};
use crate::Web;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{
    AdminAction, AuditLog, AuditQuery, Jobs, Overview, view_audit, view_jobs, view_overview,
};
use knotpost_core::boards::Code;

pub(in crate::api) const OVERVIEW: Operation = operation("show_overview", "How the server is doing")
    .gives::<Overview>("Servers, queues, games, duties.");

pub(in crate::api) async fn overview(State(web): State<Web>) -> Result<Json<Overview>, Problem> {
    Ok(Json(view_overview(&web.app).await?))
}

pub(in crate::api) const JOBS: Operation = operation("list_jobs", "What the server has to do by itself")
    .gives::<Jobs>("Deadlines, duties, broadcasts.");

pub(in crate::api) async fn jobs(State(web): State<Web>) -> Result<Json<Jobs>, Problem> {
    Ok(Json(view_jobs(&web.app.store, web.app.clock.as_ref()).await?))
}

/// The query of the audit log.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct LogQuery {
    /// Only what was done by or to this user.
    user: Option<String>,
    /// Only from this date (in UTC) or moment (RFC 3339) on.
    #[schemars(example = "2026-11-20")]
    since: Option<String>,
    /// The `cursor` of the page before.
    #[schemars(regex(pattern = r"^[0-9]{1,18}$"))]
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
}

pub(in crate::api) const AUDIT: Operation = operation("list_audit", "What administrators did")
    .asks::<LogQuery>()
    .gives::<AuditLog>("A page of the audit log.");

pub(in crate::api) async fn audit(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<LogQuery>,
) -> Result<Json<AuditLog>, Problem> {
    let (limit, since) = (read_limit(query.limit)?, read_since(query.since.as_deref())?);
    let before = read_cursor(query.cursor.as_deref())?;
    Ok(Json(view_audit(&web.app.store, &AuditQuery { userid: query.user, since, before, limit }).await?))
}

/// A broadcast to all users.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BroadcastText")]
pub(in crate::api) struct BroadcastRequest {
    /// The text mailed to all users.
    text: String,
}

pub(in crate::api) const BROADCAST: Operation = operation("broadcast", "Writes to everybody, once a day")
    .takes::<BroadcastRequest>()
    .gives::<Done>("It is on its way.")
    .refuses(&[Code::BadValue, Code::RateLimited]);

pub(in crate::api) async fn broadcast(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: BroadcastRequest = read_json(&body, r#"{"text":"…"}"#)?;
    carry_out(&web, &caller, AdminAction::Broadcast { text: request.text }).await
}
