//! The router, and the middleware of all routes.

use std::time::Duration;

use crate::routes::get;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

use super::routes::{self, Role, Route};
use super::{Web, client, credentials, csrf, gauges, health, inbound, pages};
use knotpost_core::boards::Code;

/// A password check that waits in the queue takes the longest.
const PATIENCE: Duration = Duration::from_mins(1);
const LARGEST_BODY: usize = 256 * 1024;
/// Allows scripts and styles of this server only, and no framing.
pub(super) const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                              manifest-src 'self'; img-src 'self' data:; form-action 'self'; \
                              base-uri 'none'; frame-ancestors 'none'";

pub fn router(web: Web) -> Router {
    let fixed = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let layers = ServiceBuilder::new()
        .layer(CatchPanicLayer::new())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE))
        .layer(CompressionLayer::new())
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::REFERRER_POLICY, "same-origin"))
        .layer(fixed(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY))
        .layer(axum::middleware::from_fn_with_state(web.clone(), pages::keep_words))
        .layer(axum::middleware::from_fn_with_state(web.clone(), client::limit_rate))
        .layer(axum::middleware::from_fn_with_state(web.clone(), csrf::refuse_foreign_posts));
    build(&web, routes::limited())
        .fallback(pages::not_found)
        .method_not_allowed_fallback(pages::method_not_allowed)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(layers)
        // A mail provider delivers the mail of all users and knows the secret, so it has no rate limit.
        .merge(web_hook(&web))
        .merge(build(&web, WATCHING.iter()))
        .layer(axum::middleware::from_fn_with_state(web.clone(), refuse_large))
        .layer(axum::middleware::from_fn(credentials::shield_caches))
        .layer(axum::middleware::from_fn(gauges::count))
        .with_state(web)
}

/// Refuses by `Content-Length` on every route, before reading any of the body.
async fn refuse_large(State(web): State<Web>, request: Request, next: Next) -> Response<Body> {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let announced = length.and_then(|length| length.parse::<u64>().ok()).unwrap_or_default();
    let most =
        if request.uri().path() == inbound::PATH { web.app.config.inbound.max_bytes } else { LARGEST_BODY };
    if announced > most as u64 {
        let text = format!("the request is larger than this server takes, which is {most} bytes");
        return pages::refuse(&web, request.uri().path(), Code::TooLarge, &text);
    }
    next.run(request).await
}

fn build(web: &Web, routes: impl Iterator<Item = &'static Route>) -> Router<Web> {
    routes.fold(Router::new(), |router, route| router.route(route.path, route.handler(web)))
}

pub(super) const WATCHING: &[Route] = &[
    Route::new(Role::Public, "GET", "/healthz", || get(health::process)),
    Route::new(Role::Public, "GET", "/readyz", || get(health::ready)),
    Route::new(Role::Loopback, "GET", "/metrics", || get(health::metrics)),
];

fn web_hook(web: &Web) -> Router<Web> {
    let max_body = web.app.config.inbound.max_bytes;
    let layers = ServiceBuilder::new()
        .layer(CatchPanicLayer::new())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE));
    build(web, inbound::ROUTES.iter()).layer(DefaultBodyLimit::max(max_body)).layer(layers)
}
