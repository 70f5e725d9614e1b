//! The server: its state, its pending work, the audit log, and broadcasts.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{
    CurrentAdmin, Fields, LINES, carry_out, field, given, next_page, page, page_of_refusal, refused,
};
use crate::Web;
use crate::extract::PageQuery;
use knotpost_core::admin::{
    AdminAction, AuditEntry, AuditQuery, DutyLine, LATE_MS, QueueFacts, ServerLine, view_audit, view_jobs,
    view_overview,
};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_model::Millis;

pub(super) async fn overview(State(web): State<Web>, Extension(visitor): CurrentAdmin) -> Response {
    match view_overview(&web.app).await {
        Ok(seen) => {
            let facts = context! {
                now => seen.now.to_readable(),
                servers => seen.servers.iter().map(|server| server_facts(server, seen.now)).collect::<Vec<_>>(),
                are_mixed => seen.servers.windows(2).any(|pair| matches!(pair, [one, two] if one.version != two.version)),
                inbox => queue_facts(&seen.inbox), outbox => queue_facts(&seen.outbox), late_minutes => LATE_MS / 60_000,
                megabytes => format!("{:.1}", seen.database_bytes as f64 / 1_048_576.0),
                database => if seen.is_shared { "PostgreSQL" } else { "SQLite" },
                games => Serde(&seen.games),
                duties => duties(&seen.duties, &seen.servers, seen.now),
            };
            page(&web, &visitor, "admin/overview.html", facts)
        }
        Err(error) => web.pages.failure(error),
    }
}

fn server_facts(server: &ServerLine, now: Millis) -> Value {
    let latest = server.errors.latest.as_ref();
    context! {
        host => server.host.clone(), version => server.version.clone(),
        up => now.since(server.started_at).to_short(), started => server.started_at.to_readable(),
        alive => server.alive_at.to_readable(), is_silent => server.is_silent,
        errors => server.errors.last_day,
        error => latest.map(|(_, line)| line.clone()),
        error_at => latest.map(|(at, _)| at.to_readable()),
    }
}

fn queue_facts(queue: &QueueFacts) -> Value {
    context! {
        waiting => queue.waiting,
        late => queue.late,
        oldest => queue.oldest_due.map(Millis::to_readable),
        last => queue.last.map(Millis::to_readable),
    }
}

fn duties(duties: &[DutyLine], servers: &[ServerLine], now: Millis) -> Vec<Value> {
    let facts = |duty: &DutyLine| {
        let server = servers.iter().find(|server| server.name == duty.holder);
        context! {
            name => duty.name.clone(), host => server.map(|server| server.host.clone()), alive => duty.alive_at.to_readable(), is_held => now < duty.until_at,
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
        duties => duties(&seen.duties, &seen.servers, seen.now),
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
            at => entry.at.to_readable(), channel => entry.channel.clone(), actor => entry.actor.clone(),
            action => entry.action.clone(), subject => entry.subject.clone(), outcome => entry.outcome.clone(),
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
    let facts = context! { text => "", done => !field(&fields, "done").is_empty() };
    page(&web, &visitor, "admin/broadcast.html", facts)
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
        Err(ServiceError::Refused(refusal)) => {
            let facts = context! { text => field(&fields, "text"), done => false };
            page_of_refusal(&web, &visitor, &refusal, "admin/broadcast.html", facts)
        }
        Err(error) => refused(&web, &visitor, error, "/admin/broadcast"),
    }
}
