//! Liveness, readiness and metrics, for monitoring.

use std::io;
use std::net::SocketAddr;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::header::HOST;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{Web, gauges};
use knotpost_core::app::Condition;
use knotpost_core::hold::Hold;
use knotpost_core::outage::log_failure;
use knotpost_core::pulse::Loop;
use knotpost_core::queries::{Readiness, view_readiness};
use knotpost_platform::build::VERSION;

/// Bytes of a server's answer.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Liveness: the process runs.
pub(super) async fn process() -> &'static str {
    "ok\n"
}

/// Readiness: the database answers and accepts writes, its file is in place and not known to be damaged, and the workers
/// of this process run.
pub(super) async fn ready(State(web): State<Web>) -> Response {
    let condition = web.app.condition.borrow().clone();
    if let Condition::Damaged(_) = condition {
        return refuse("the database file is damaged");
    }
    if let Condition::Broken(_) = condition {
        return refuse("the server is about to end");
    }
    match view_readiness(&web.app).await {
        Ok(Readiness::Ready) => {}
        Ok(Readiness::Unwritable) => {
            return refuse("the database cannot be written: its disk is full or fails");
        }
        Ok(Readiness::ReadOnly) => return refuse("the server of the database takes no writes"),
        Ok(Readiness::Replaced) => {
            return refuse("the database file was deleted, replaced or emptied; nothing is written any more");
        }
        Err(error) => {
            log_failure(&error, "not ready");
            return refuse("the database does not answer");
        }
    }
    let stalled = web.app.pulse.stalled(web.app.clock.now());
    if !stalled.is_empty() {
        let names: Vec<&str> = stalled.into_iter().map(Loop::name).collect();
        return refuse(&format!("these have stood still for more than five minutes: {}", names.join(", ")));
    }
    match condition {
        Condition::Checking => {
            let warning =
                "warning: the last stop was not a clean one, and the database file is being checked";
            format!("ready\n{warning}\nknotpost {}\n", *VERSION).into_response()
        }
        _ if web.app.hold.is_some() => {
            format!("ready\nwarning: {}\nknotpost {}\n", Hold::WORDS, *VERSION).into_response()
        }
        _ => format!("ready\nknotpost {}\n", *VERSION).into_response(),
    }
}

/// Asks the server at this address what it says at `/readyz`: whether it is ready, and its words.
///
/// # Errors
/// When it does not answer, or not as this server does.
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

fn refuse(why: &str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response()
}

/// Metrics in Prometheus' text format; the table of routes restricts access to this machine and administrators.
pub(super) async fn metrics(State(web): State<Web>) -> Response {
    let Some(metrics) = &web.metrics else {
        return (StatusCode::SERVICE_UNAVAILABLE, "this process does not count\n").into_response();
    };
    gauges::refresh(&web).await;
    web.app.limits.report_closed();
    metrics.run_upkeep();
    metrics.render().into_response()
}
