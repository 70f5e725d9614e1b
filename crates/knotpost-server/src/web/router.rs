//! Which address is handled where, and what holds for all of them.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use axum::routing::get;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

use super::error::Problem;
use super::routes::{self, Role, Route};
use super::{Web, client, credentials, guard, health, inbound, pages};
use crate::service::Code;

/// A request that takes longer is given up; a password that waits its turn takes the longest.
const PATIENCE: Duration = Duration::from_mins(1);
/// Scripts and styles come from here and from nowhere else; nobody may frame a page.
pub(super) const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                              img-src 'self' data:; form-action 'self'; \
                              base-uri 'none'; frame-ancestors 'none'";

/// All of HTTP.
pub fn router(web: Web) -> Router {
    let max_body = web.app.config.inbound.max_bytes;
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
        .layer(axum::middleware::from_fn_with_state(web.clone(), client::limit_rate))
        .layer(refuse_foreign_posts(&web))
        .layer(axum::middleware::from_fn_with_state(web.clone(), guard::refuse_unmarked_posts));
    build(&web, routes::limited())
        .fallback(pages::missing)
        .method_not_allowed_fallback(pages::not_so)
        .layer(DefaultBodyLimit::max(max_body))
        .layer(layers)
        // Whoever knows the secret brings everybody's mail: no rate holds it back.
        .merge(web_hook(&web, max_body))
        .merge(build(&web, WATCHING.iter()))
        .layer(axum::middleware::from_fn_with_state(web.clone(), refuse_large))
        .layer(axum::middleware::from_fn(credentials::shield_caches))
        .with_state(web)
}

/// Refuses a body that says itself that it is too large, before any of it is read, wherever it is sent.
async fn refuse_large(State(web): State<Web>, request: Request, next: Next) -> Response<Body> {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let announced = length.and_then(|length| length.parse::<u64>().ok()).unwrap_or_default();
    let most = web.app.config.inbound.max_bytes;
    if announced > most as u64 {
        let text = format!("the request is larger than this server takes, which is {most} bytes");
        return Problem::new(Code::TooLarge, text).into_response();
    }
    next.run(request).await
}

/// A router of these addresses.
fn build(web: &Web, routes: impl Iterator<Item = &'static Route>) -> Router<Web> {
    routes.fold(Router::new(), |router, route| router.route(route.path, route.handler(web)))
}

/// For whoever watches over the server.
pub(super) const WATCHING: &[Route] = &[
    Route::new(Role::Public, "GET", "/healthz", || get(health::process)),
    Route::new(Role::Public, "GET", "/readyz", || get(health::ready)),
    Route::new(Role::Loopback, "GET", "/metrics", || get(health::metrics)),
];

/// Another site's page cannot make a browser post here (by Fetch metadata and Origin). Programs that are no browsers
/// send neither header and pass. A mail program's one-click post (RFC 8058) may come by way of a web mail page; its
/// address is signed and does nothing but end mails.
fn refuse_foreign_posts(
    web: &Web,
) -> CsrfLayer<impl FnMut(ProtectionError) -> Response<Body> + Clone + Send + Sync + 'static> {
    let url = web.app.config.server.public_url.trim_end_matches('/');
    // Behind a proxy that renames the host, the public address still is ours.
    let layer = CsrfLayer::new().add_trusted_origin(url).unwrap_or_else(|error| {
        tracing::warn!(%error, "server.public_url is no origin that a browser could name");
        CsrfLayer::new()
    });
    layer.with_insecure_bypass(|_, uri| uri.path().starts_with("/unsubscribe/")).with_rejection_response(
        |_| {
            let text = "this was sent by a page of another site; open the page here and try again";
            Problem::new(Code::NotAllowed, text).into_response()
        },
    )
}

fn web_hook(web: &Web, max_body: usize) -> Router<Web> {
    let layers = ServiceBuilder::new()
        .layer(CatchPanicLayer::new())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE));
    build(web, inbound::ROUTES.iter()).layer(DefaultBodyLimit::max(max_body)).layer(layers)
}
