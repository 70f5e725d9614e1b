//! Liveness, readiness and metrics, for monitoring.

use std::io;
use std::net::SocketAddr;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::header::{ACCEPT, HOST};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

use super::{Web, gauges};
use knotpost_core::app::Condition;
use knotpost_core::hold::Hold;
use knotpost_core::outage::log_failure;
use knotpost_core::pulse::Loop;
use knotpost_core::queries::{Readiness, view_readiness};
use knotpost_platform::build::VERSION;

const LONGEST_ANSWER: usize = 64 * 1024;

pub(super) async fn process() -> &'static str {
    "ok\n"
}

/// Ready if the database answers and accepts writes, its file is in place and not known to be damaged, and the workers
/// of this process run. Text, or JSON for clients that accept it.
pub(super) async fn ready(State(web): State<Web>, headers: HeaderMap) -> Response {
    let readiness = check_readiness(&web).await;
    let status = if readiness.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("application/json") {
        let body = match &readiness {
            Ok(warnings) => json!({ "ready": true, "warnings": warnings, "version": *VERSION }),
            Err(why) => json!({ "ready": false, "why": why, "version": *VERSION }),
        };
        return (status, Json(body)).into_response();
    }
    let text = match readiness {
        Ok(warnings) => {
            let lines = warnings.iter().flat_map(|warning| ["warning: ", warning, "\n"]);
            format!("ready\n{}knotpost {}\n", lines.collect::<String>(), *VERSION)
        }
        Err(why) => format!("{why}\n"),
    };
    (status, text).into_response()
}

/// Returns warnings about a ready server, or the error of one that is not.
async fn check_readiness(web: &Web) -> Result<Vec<String>, String> {
    let refuse = |why: &str| Err(why.to_owned());
    let condition = web.app.condition.borrow().clone();
    if let Condition::Damaged(_) = condition {
        return refuse("the database file is damaged");
    }
    if let Condition::Broken(_) = condition {
        return refuse("the server is about to end");
    }
    match view_readiness(&web.app.store).await {
        Ok(Readiness::Ready) => {}
        Ok(Readiness::Unwritable) => {
            return refuse("the database cannot be written: its disk is full or fails");
        }
        Ok(Readiness::ReadOnly) => return refuse("the server of the database takes no writes"),
        Ok(Readiness::Replaced) => {
            return refuse("the database file was deleted, replaced or emptied; nothing is written any more");
        }
        Ok(Readiness::Damaged) => {
            return refuse("the database file is damaged: stop the server and restore the last backup");
        }
        Err(error) => {
            log_failure(&error, "not ready");
            return refuse("the database does not answer");
        }
    }
    let stalled = web.app.pulse.stalled(web.app.clock.now());
    if !stalled.is_empty() {
        let names: Vec<&str> = stalled.into_iter().map(Loop::as_str).collect();
        return refuse(&format!("these have stood still for more than five minutes: {}", names.join(", ")));
    }
    let mut warnings = Vec::new();
    if web.app.hold.is_some() {
        warnings.push(Hold::WORDS.to_owned());
    }
    if condition == Condition::Checking {
        warnings.push("the last stop was not a clean one, and the database file is being checked".to_owned());
    }
    // Errors of single requests, boards or mails stop nobody else; the log has the details.
    let errors = web.app.logged_errors.borrow().last_day;
    if errors > 0 {
        warnings.push(format!("the log has {errors} lines of level ERROR of the last 24 hours"));
    }
    Ok(warnings)
}

pub async fn ask_readiness(address: SocketAddr) -> io::Result<(bool, String)> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let connection = tokio::spawn(connection);
    let request = Request::get("/readyz").header(HOST, address.to_string());
    let request = request.body(Body::empty()).map_err(io::Error::other)?;
    let response = sender.send_request(request).await.map_err(io::Error::other)?;
    let is_ready = response.status() == StatusCode::OK;
    let words = to_bytes(Body::new(response.into_body()), LONGEST_ANSWER).await.map_err(io::Error::other);
    connection.abort();
    let words = String::from_utf8_lossy(&words?).into_owned();
    if is_ready && !words.starts_with("ready\n") {
        return Err(io::Error::other("another program listens there"));
    }
    Ok((is_ready, words))
}

/// Prometheus' text format; the table of routes restricts access to this machine and administrators.
pub(super) async fn metrics(State(web): State<Web>) -> Response {
    let Some(metrics) = &web.metrics else {
        return (StatusCode::SERVICE_UNAVAILABLE, "this process does not count\n").into_response();
    };
    gauges::refresh(&web).await;
    web.app.limits.report_closed();
    metrics.run_upkeep();
    metrics.render().into_response()
}
