//! Short addresses that people and browsers guess: redirects to lists, icons, the texts for crawlers and installation.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;

use super::assets;
use crate::Web;

const ROBOTS: &str = "User-agent: *\nDisallow: /try/\nDisallow: /boards/*/explore\nDisallow: /admin\nDisallow: /mailbox\nDisallow: /api/v1/\n";
const TOUCH_ICON: &[u8] = include_bytes!("../../../../web/touch-icon.png");
const KEEP: &str = "public, max-age=86400";

pub(super) async fn boards() -> Redirect {
    Redirect::to("/#boards")
}

pub(super) async fn help() -> Redirect {
    Redirect::to("/help/tutorial")
}

pub(super) async fn favicon() -> Response {
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, KEEP)];
    (headers, assets::text("knot.svg")).into_response()
}

pub(super) async fn robots() -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], ROBOTS).into_response()
}

pub(super) async fn touch_icon() -> Response {
    ([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, KEEP)], TOUCH_ICON).into_response()
}

pub(super) async fn manifest(State(web): State<Web>) -> Response {
    let manifest = json!({
        "name": web.pages.server, "short_name": web.pages.server, "start_url": "/", "display": "browser",
        "background_color": "#fbf8f1", "theme_color": "#fbf8f1",
        "icons": [
            { "src": "/assets/knot.svg", "sizes": "any", "type": "image/svg+xml" },
            { "src": "/apple-touch-icon.png", "sizes": "180x180", "type": "image/png" },
        ],
    });
    ([(header::CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}
