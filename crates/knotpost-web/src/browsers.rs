//! Browsers that get pushes at their user's turn: their part of the settings page, and their service worker.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::Web;
use super::pages::settings::{Fields, field, nothing_chosen};
use knotpost_core::StoreError;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{BrowserWish, Visitor, add_browser, remove_webhook, view_browsers};
use knotpost_core::webhooks::view_push_key;

/// No asset: its address decides which pages it controls.
const WORKER: &str = include_str!("../../../web/service-worker.js");

/// Browsers by their mark in `User-Agent`; many claim to be others as well, the first match is right.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "Chromebook"),
    ("Linux", "Linux"),
];

pub(super) async fn worker() -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (StatusCode::OK, headers, WORKER).into_response()
}

/// `None` if pushes are switched off.
pub(super) async fn facts(web: &Web, visitor: &Visitor) -> Result<Option<Value>, StoreError> {
    if !web.app.config.tells_browsers() {
        return Ok(None);
    }
    let Some(key) = view_push_key(&web.app.secret) else { return Ok(None) };
    let lines = view_browsers(&web.app.store, visitor.user).await?;
    Ok(Some(context! { key, lines => Serde(&lines) }))
}

pub(super) async fn act(
    web: &Web,
    visitor: &Visitor,
    agent: &str,
    fields: &Fields,
) -> Result<Response, ServiceError> {
    match field(fields, "act") {
        "new_browser" => {
            let wish = BrowserWish {
                endpoint: field(fields, "endpoint").to_owned(),
                p256dh: field(fields, "p256dh").to_owned(),
                auth: field(fields, "auth").to_owned(),
                label: describe(agent),
            };
            add_browser(&web.app, visitor.proven(), wish).await?;
        }
        "end_browser" => {
            remove_webhook(
                &web.app.store,
                web.app.clock.as_ref(),
                visitor.user,
                field(fields, "id").parse().unwrap_or(0),
            )
            .await?;
        }
        _ => return Err(nothing_chosen().into()),
    }
    Ok(Redirect::to("/settings#browsers").into_response())
}

pub(super) fn describe(agent: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) => one.to_owned(),
        (None, Some(system)) => format!("A browser on {system}"),
        (None, None) => "A browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn browsers_are_named_as_their_users_know_them() {
        for (agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 \
                 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile \
                 Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8", "A browser"),
        ] {
            assert_eq!(describe(agent), name);
        }
    }
}
