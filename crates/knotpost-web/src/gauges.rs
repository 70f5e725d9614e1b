//! Values read at a scrape of the metrics, and the count of requests.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::Response;
use axum::middleware::Next;
use metrics::{counter, gauge, histogram};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Web;
use knotpost_core::queries::{
    Stock, database_connections, is_database_working, view_queue_lengths, view_stock,
};

/// Least age of a count, also as a multiple of the time that it took.
const COUNT_EVERY: Duration = Duration::from_mins(1);
const COUNT_SHARE: u32 = 200;

pub(super) async fn refresh(web: &Web) {
    let app = &web.app;
    gauge!("knotpost_passwords_waiting").set(app.credentials.waiting() as f64);
    gauge!("knotpost_database_working").set(f64::from(u8::from(is_database_working(&app.store))));
    if let Some((used, idle)) = database_connections(&app.store) {
        gauge!("knotpost_database_connections", "state" => "used").set(f64::from(used));
        gauge!("knotpost_database_connections", "state" => "idle").set(f64::from(idle));
    }
    if let Some(lengths) = view_queue_lengths(&app.store, app.clock.as_ref()).await {
        let count = |length: Option<i64>| length.unwrap_or(-1) as f64;
        gauge!("knotpost_inbox_waiting").set(count(lengths.inbox));
        gauge!("knotpost_outbox_waiting").set(count(lengths.outbox));
        gauge!("knotpost_webhook_events_waiting").set(count(lengths.webhook_events));
        gauge!("knotpost_bot_turns_waiting").set(count(lengths.bot_turns));
        gauge!("knotpost_tournaments_late").set(count(lengths.late_tournaments));
        let seconds = |ms: i64| ms as f64 / 1000.0;
        gauge!("knotpost_inbox_late_seconds").set(seconds(lengths.inbox_late_ms));
        gauge!("knotpost_outbox_late_seconds").set(seconds(lengths.outbox_late_ms));
        gauge!("knotpost_last_mail_received_timestamp_seconds").set(seconds(lengths.last_received));
        gauge!("knotpost_last_mail_sent_timestamp_seconds").set(seconds(lengths.last_sent));
    }
    if let Some(stock) = stock(web).await {
        for (state, boards) in &stock.boards {
            gauge!("knotpost_boards", "state" => *state).set(*boards as f64);
        }
        gauge!("knotpost_moves_stored").set(stock.moves as f64);
        gauge!("knotpost_users").set(stock.users as f64);
        gauge!("knotpost_addresses_stopped").set(stock.stopped as f64);
        gauge!("knotpost_database_bytes").set(stock.bytes as f64);
    }
}

pub(super) type Counted = Mutex<Option<(Instant, Stock)>>;

/// Counting reads entire tables, so on a large server it is done less often.
async fn stock(web: &Web) -> Option<Stock> {
    let mut counted = web.counted.lock().await;
    if let Some((until, stock)) = &*counted
        && Instant::now() < *until
    {
        return Some(stock.clone());
    }
    let begun = Instant::now();
    let stock = view_stock(&web.app.store).await?;
    *counted = Some((Instant::now() + COUNT_EVERY.max(begun.elapsed() * COUNT_SHARE), stock.clone()));
    Some(stock)
}

/// Labels requests with the pattern of the route: no part of an address becomes a label.
pub(super) async fn count(request: Request, next: Next) -> Response<Body> {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    let status = match response.status().as_u16() {
        100..=199 => "1xx",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    };
    histogram!("knotpost_http_request_seconds", "route" => route.clone())
        .record(begun.elapsed().as_secs_f64());
    counter!("knotpost_http_requests_total", "route" => route, "status" => status).increment(1);
    response
}
