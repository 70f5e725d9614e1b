//! The server: its state, its pending work, the audit log, and broadcasts.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{
    CurrentAdmin, Fields, LINES, carry_out, field, given, next_page, page, page_after, page_or, refused,
};
use crate::Web;
use crate::extract::PageQuery;
use crate::pages::join;
use knotpost_core::admin::{AdminAction, AuditQuery, LATE_MS, view_audit, view_jobs, view_overview};
use knotpost_core::boards::ServiceError;
use knotpost_model::Millis;

pub(super) async fn overview(State(web): State<Web>, Extension(visitor): CurrentAdmin) -> Response {
    let facts = view_overview(&web.app).await.map(|seen| {
        let own = context! {
            are_mixed => seen.servers.windows(2).any(|pair| matches!(pair, [one, two] if one.version != two.version)),
            late_minutes => LATE_MS / 60_000,
            megabytes => format!("{:.1}", seen.database_bytes as f64 / 1_048_576.0),
            database => if seen.is_shared { "PostgreSQL" } else { "SQLite" },
        };
        join([own, Value::from(Serde(&seen))])
    });
    page_or(&web, &visitor, "admin/overview.html", facts, "/admin")
}

pub(super) async fn jobs(State(web): State<Web>, Extension(visitor): CurrentAdmin) -> Response {
    let facts = view_jobs(&web.app.store, web.app.clock.as_ref())
        .await
        .map(|seen| join([context! { servers => Serde(&seen.servers) }, Value::from(Serde(&seen))]));
    page_or(&web, &visitor, "admin/jobs.html", facts, "/admin")
}

pub(super) async fn audit(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let query = AuditQuery {
        userid: given(&fields, "user"),
        since: given(&fields, "since").and_then(|since| Millis::read(&since)),
        before: field(&fields, "before").parse().ok(),
        limit: LINES,
    };
    let facts = view_audit(&web.app.store, &query).await.map(|found| {
        context! {
            rows => Serde(&found.rows), user => field(&fields, "user"), since => field(&fields, "since"),
            more => found.cursor.map(|id| next_page("/admin/audit", &fields, "before", &id)),
        }
    });
    page_or(&web, &visitor, "admin/audit.html", facts.map_err(ServiceError::from), "/admin")
}

pub(super) async fn ask_broadcast(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let facts = context! { text => "", done => !field(&fields, "done").is_empty() };
    page(&web, &visitor, "admin/broadcast.html", facts)
}

pub(super) async fn broadcast(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    Form(fields): Form<Fields>,
) -> Response {
    let text = field(&fields, "text").replace("\r\n", "\n");
    let action = Some(AdminAction::Broadcast { text });
    match carry_out(&web, &visitor, action, &fields, "/admin/broadcast").await {
        Ok(response) => response,
        Err(ServiceError::Refused(refusal)) => {
            let facts = context! { text => field(&fields, "text"), done => false };
            page_after(&web, &visitor, Some(&refusal), "admin/broadcast.html", facts)
        }
        Err(error) => refused(&web, &visitor, error, "/admin/broadcast"),
    }
}
