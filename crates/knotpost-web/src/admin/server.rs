//! The server: its state, its pending work, the audit log, and broadcasts.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{CurrentAdmin, Fields, LINES, carry_out, field, given, next_page, page, refused};
use crate::Web;
use crate::extract::PageQuery;
use knotpost_core::admin::{
    AdminAction, AuditEntry, AuditQuery, DutyLine, QueueFacts, view_audit, view_jobs, view_overview,
};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_model::Millis;

pub(super) async fn overview(State(web): State<Web>, Extension(visitor): CurrentAdmin) -> Response {
    match view_overview(&web.app).await {
        Ok(seen) => {
            let facts = context! {
                version => seen.version, now => seen.now.to_readable(),
                inbox => queue_facts(&seen.inbox, seen.now), outbox => queue_facts(&seen.outbox, seen.now),
                megabytes => format!("{:.1}", seen.database_bytes as f64 / 1_048_576.0),
                database => if seen.is_shared { "PostgreSQL" } else { "SQLite" },
                games => Serde(&seen.games),
                duties => duties(&seen.duties, seen.now),
            };
            page(&web, &visitor, "admin/overview.html", facts)
        }
        Err(error) => web.pages.failure(error),
    }
}

fn queue_facts(queue: &QueueFacts, now: Millis) -> Value {
    context! {
        waiting => queue.waiting,
        oldest => queue.oldest_due.map(Millis::to_readable),
        is_late => queue.oldest_due.is_some_and(|due| now.since(due).0 > 60_000),
        last => queue.last.map(Millis::to_readable),
    }
}

fn duties(duties: &[DutyLine], now: Millis) -> Vec<Value> {
    let facts = |duty: &DutyLine| {
        // A few characters are enough to distinguish processes.
        let holder: String = duty.holder.chars().take(8).collect();
        context! {
            name => duty.name.clone(), holder, alive => duty.alive_at.to_readable(), is_held => now < duty.until_at,
        }
    };
    duties.iter().map(facts).collect()
}

pub(super) async fn jobs(State(web): State<Web>, Extension(visitor): CurrentAdmin) -> Response {
    let seen = match view_jobs(&web.app).await {
        Ok(seen) => seen,
        Err(error) => return web.pages.failure(error),
    };
    let deadlines = seen.deadlines.iter().map(|line| {
        context! {
            game => line.game.clone(), number => line.number, userid => line.userid.clone(),
            due => line.due_at.to_readable(), nagged => line.nagged_at.map(Millis::to_readable),
        }
    });
    let broadcasts = seen.broadcasts.iter().map(
        |line| context! { userid => line.userid.clone(), at => line.at.to_readable(), after => line.after_user },
    );
    let facts = context! {
        now => seen.now.to_readable(),
        deadlines => deadlines.collect::<Vec<_>>(),
        broadcasts => broadcasts.collect::<Vec<_>>(),
        duties => duties(&seen.duties, seen.now),
        digest => seen.next_digest.map(Millis::to_readable),
    };
    page(&web, &visitor, "admin/jobs.html", facts)
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
    let found = match view_audit(&web.app, &query).await {
        Ok(found) => found,
        Err(error) => return web.pages.failure(error.into()),
    };
    let line = |entry: &AuditEntry| {
        context! {
            at => entry.at.to_readable(), door => entry.door.clone(), actor => entry.actor.clone(),
            deed => entry.deed.clone(), subject => entry.subject.clone(), outcome => entry.outcome.clone(),
            detail => entry.detail.clone(),
        }
    };
    let facts = context! {
        rows => found.rows.iter().map(line).collect::<Vec<_>>(),
        user => field(&fields, "user"), since => field(&fields, "since"),
        more => found.next.map(|id| next_page("/admin/audit", &fields, "before", &id.to_string())),
    };
    page(&web, &visitor, "admin/audit.html", facts)
}

pub(super) async fn ask_broadcast(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    page(&web, &visitor, "admin/broadcast.html", context! { done => !field(&fields, "done").is_empty() })
}

pub(super) async fn broadcast(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    Form(fields): Form<Fields>,
) -> Response {
    let done = async {
        if field(&fields, "sure").is_empty() {
            return Err(ServiceError::from(Refusal::new(
                Code::BadValue,
                "tick the box to write to everybody",
            )));
        }
        let text = field(&fields, "text").replace("\r\n", "\n");
        carry_out(&web, &visitor, AdminAction::Broadcast { text }, "/admin/broadcast").await
    };
    match done.await {
        Ok(response) => response,
        Err(error) => refused(&web, &visitor, error, "/admin/broadcast"),
    }
}
