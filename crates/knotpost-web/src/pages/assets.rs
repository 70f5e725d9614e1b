//! Style, script and figures of the pages, compiled into the program. Addresses change with the content, so that
//! browsers may cache them for ever.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::theme::Theme;
use knotpost_platform::secret::to_hex;

/// Dark colours follow the reader's system.
pub(crate) const STYLE: &str = include_str!("../../../../web/style.css");

/// Shared by the scripts of pages, which import it by [`SHARED_NAME`].
const SHARED: &str = include_str!("../../../../web/live.js");
const SHARED_NAME: &str = "./live.js";

const FILES: [(&str, &str, &str); 6] = [
    ("board.js", "text/javascript; charset=utf-8", include_str!("../../../../web/board.js")),
    ("home.js", "text/javascript; charset=utf-8", include_str!("../../../../web/home.js")),
    ("docs.js", "text/javascript; charset=utf-8", include_str!("../../../../web/docs.js")),
    ("push.js", "text/javascript; charset=utf-8", include_str!("../../../../web/push.js")),
    ("passkeys.js", "text/javascript; charset=utf-8", include_str!("../../../../web/passkeys.js")),
    ("knot.svg", "image/svg+xml", include_str!("../../../../web/knot.svg")),
];

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: Cow<'static, str>,
    version: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let asset = |(name, kind, text): (&'static str, &'static str, Cow<'static, str>)| {
        let digest = Sha256::digest(text.as_bytes());
        Asset { name, kind, text, version: to_hex(digest.get(..8).unwrap_or(&digest)) }
    };
    let shared = asset(("live.js", "text/javascript; charset=utf-8", SHARED.into()));
    let import = format!("{SHARED_NAME}?v={}", shared.version);
    let linked = |text: &'static str| Cow::from(text.replace(SHARED_NAME, &import));
    let styles = Theme::ALL.map(|theme| (theme.style(), "text/css; charset=utf-8", theme.fix(STYLE).into()));
    let files = FILES.map(|(name, kind, text)| (name, kind, linked(text)));
    styles.into_iter().chain(files).map(asset).chain([shared]).collect()
});

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Version {
    v: String,
}

pub(crate) fn address(name: &str) -> String {
    let version = ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.version);
    format!("/assets/{name}?v={version}")
}

pub(super) fn text(name: &str) -> &'static str {
    FILES.iter().find(|(known, ..)| *known == name).map_or("", |(.., text)| text)
}

pub(super) async fn show(
    Path(name): Path<String>,
    Query(asked): Query<Version>,
    headers: HeaderMap,
) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let tag = format!("\"{}\"", asset.version);
    // An old address may be requested after an update; its response must not be cached.
    let keep = if asked.v == asset.version { "public, max-age=31536000, immutable" } else { "no-cache" };
    let facts = [
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        (header::ETAG, HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))),
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind)),
    ];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)) {
        return (StatusCode::NOT_MODIFIED, facts).into_response();
    }
    (facts, &*asset.text).into_response()
}
