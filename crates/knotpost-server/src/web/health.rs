//! For whoever watches over the server: is it alive, can it work, what has it done.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::{Web, client};

/// The process runs.
pub(super) async fn process() -> &'static str {
    "ok\n"
}

/// The database answers, and the loops of this process go on.
pub(super) async fn ready(State(web): State<Web>) -> Response {
    match web.app.store.ping().await {
        Ok(()) => {
            let stalled = web.app.pulse.stalled(web.app.clock.now());
            if stalled.is_empty() {
                return "ready\n".into_response();
            }
            let names: Vec<&str> = stalled.into_iter().map(Loop::name).collect();
            let text = format!("these have stood still for more than five minutes: {}\n", names.join(", "));
            (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
        }
        Err(error) => {
            tracing::warn!(error = error.with_causes(), "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n").into_response()
        }
    }
}

/// Counters in Prometheus' text format, for this machine only.
pub(super) async fn metrics(State(web): State<Web>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if !client::is_local(&parts) {
        return (StatusCode::FORBIDDEN, "metrics are for this machine only\n").into_response();
    }
    let Some(metrics) = &web.metrics else {
        return (StatusCode::SERVICE_UNAVAILABLE, "this process does not count\n").into_response();
    };
    if let Ok(mut tx) = web.app.store.read().await {
        let inbox = tx.count_waiting_inbox().await.unwrap_or(-1);
        let outbox = tx.count_waiting_outbox().await.unwrap_or(-1);
        ::metrics::gauge!("knotpost_inbox_waiting").set(inbox as f64);
        ::metrics::gauge!("knotpost_outbox_waiting").set(outbox as f64);
        let now = web.app.clock.now();
        let due = tx.next_inbox_due().await.ok().flatten();
        // How long the mail that is due longest has waited for its turn.
        let late = due.map_or(0, |due| now.0.saturating_sub(due).max(0));
        ::metrics::gauge!("knotpost_inbox_late_seconds").set(late as f64 / 1000.0);
    }
    metrics.run_upkeep();
    metrics.render().into_response()
}
