//! For whoever watches over the server: is it alive, can it work, what has it done.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::Web;
use crate::app::Condition;

/// The process runs.
pub(super) async fn process() -> &'static str {
    "ok\n"
}

/// The database answers, and its file is not known to be damaged.
pub(super) async fn ready(State(web): State<Web>) -> Response {
    let condition = web.app.condition.borrow().clone();
    if let Condition::Damaged(_) = condition {
        return (StatusCode::SERVICE_UNAVAILABLE, "the database file is damaged\n").into_response();
    }
    match web.app.store.ping().await {
        Ok(()) if condition == Condition::Checking => {
            "ready\nwarning: the last stop was not a clean one, and the database file is being checked\n"
                .into_response()
        }
        Ok(()) => "ready\n".into_response(),
        Err(error) => {
            tracing::warn!(error = error.with_causes(), "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n").into_response()
        }
    }
}

/// Counters in Prometheus' text format; the table of routes keeps others than this machine out.
pub(super) async fn metrics(State(web): State<Web>) -> Response {
    let Some(metrics) = &web.metrics else {
        return (StatusCode::SERVICE_UNAVAILABLE, "this process does not count\n").into_response();
    };
    if let Ok(mut tx) = web.app.store.read().await {
        let inbox = tx.count_waiting_inbox().await.unwrap_or(-1);
        let outbox = tx.count_waiting_outbox().await.unwrap_or(-1);
        ::metrics::gauge!("knotpost_inbox_waiting").set(inbox as f64);
        ::metrics::gauge!("knotpost_outbox_waiting").set(outbox as f64);
    }
    metrics.run_upkeep();
    metrics.render().into_response()
}
