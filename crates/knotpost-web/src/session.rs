//! The session of a browser: its cookie, and the redirect to the log-in.

use std::ops::Deref;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::Web;
use super::credentials::Credentials;
use super::pages::{LoggedOut, page_of};
use knotpost_core::config::Config;
use knotpost_core::identity::{SESSION_MS, Visitor, find_visitor};

/// With TLS: the prefix binds the cookie to TLS and to this host (RFC 6265bis, section 4.1.3.2).
const SECURE_NAME: &str = "__Host-knotpost";
const PLAIN_NAME: &str = "knotpost";
/// Bytes.
pub(super) const LONGEST_NEXT: usize = 500;

pub(super) struct LoggedIn(pub(super) Visitor);

impl Deref for LoggedIn {
    type Target = Visitor;

    fn deref(&self) -> &Visitor {
        &self.0
    }
}

pub(super) fn is_secure(config: &Config) -> bool {
    config.server.public_url.starts_with("https://")
}

fn cookie_name(config: &Config) -> &'static str {
    if is_secure(config) { SECURE_NAME } else { PLAIN_NAME }
}

/// An empty token deletes the cookie.
pub(super) fn set_cookie(config: &Config, token: &str) -> HeaderValue {
    let age = if token.is_empty() { 0 } else { SESSION_MS / 1000 };
    cookie(config, (cookie_name(config), token), "/", age, "Lax")
}

/// A cookie that scripts cannot read. Its value is of signs that a header may hold; `age` in seconds.
pub(super) fn cookie(
    config: &Config,
    (name, value): (&str, &str),
    path: &str,
    age: i64,
    same_site: &str,
) -> HeaderValue {
    let secure = if is_secure(config) { "; Secure" } else { "" };
    let cookie =
        format!("{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite={same_site}{secure}");
    HeaderValue::from_str(&cookie).unwrap_or(HeaderValue::from_static(""))
}

pub(super) fn token(config: &Config, credentials: &Credentials) -> Option<String> {
    credentials.cookie(cookie_name(config))
}

/// Returns `next` if it is a page of this server, else the start page.
pub(super) fn safe_next(next: &str) -> &str {
    let is_ours = next.starts_with('/')
        && !next.starts_with("//")
        && next.len() <= LONGEST_NEXT
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_ours { next } else { "/" }
}

/// Returns the page of this server that a form was sent from, or the start page.
pub(super) fn page_before(headers: &HeaderMap) -> String {
    let page = headers.get(header::REFERER).and_then(|page| page.to_str().ok());
    let page = page.and_then(|page| page.parse::<Uri>().ok());
    // Only path and query count: another site's page leads to a page of this server, too.
    let page = page.as_ref().and_then(|page| page.path_and_query()).map_or("/", |page| page.as_str());
    safe_next(page).to_owned()
}

pub(super) async fn find(parts: &Parts, web: &Web) -> Result<Option<Visitor>, Response> {
    let Some(token) = token(&web.app.config, &Credentials::of(parts)) else { return Ok(None) };
    find_visitor(&web.app, &token).await.map_err(|error| web.pages.failure(error))
}

impl FromRequestParts<Web> for LoggedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        if let Some(visitor) = find(parts, web).await? {
            return Ok(Self(visitor));
        }
        let is_form = parts.method != Method::GET;
        let page = parts.uri.path_and_query().map_or("/", |page| page.as_str());
        let page = if is_form { page_of(parts.uri.path()) } else { page };
        let mut response = to_log_in(page);
        if is_form {
            response.extensions_mut().insert(LoggedOut);
        }
        Err(response)
    }
}

pub(super) fn to_log_in(page: &str) -> Response {
    Redirect::to(&format!("/login?next={}", url_encode(safe_next(page)))).into_response()
}

impl OptionalFromRequestParts<Web> for LoggedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Option<Self>, Response> {
        Ok(find(parts, web).await?.map(Self))
    }
}

pub(super) fn url_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
        }
    }
    encoded
}

/// A path with a query of the values that are not empty.
pub(super) fn with_query<'a>(path: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let values = values.into_iter().filter(|(_, value)| !value.is_empty());
    let query: Vec<String> =
        values.map(|(name, value)| format!("{}={}", url_encode(name), url_encode(value))).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

pub(super) fn no_store(mut page: Response) -> Response {
    page.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    page
}

/// For a page whose address is a credential: it must not be cached or sent as `Referer`.
pub(super) fn keep_secret(page: impl IntoResponse) -> Response {
    let mut page = no_store(page.into_response());
    page.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_server_are_gone_on_with() {
        assert_eq!(safe_next("/boards/osbox/101?ply=3"), "/boards/osbox/101?ply=3");
        for foreign in
            ["", "https://x.example/", "//x.example/", "/\\x.example", "/a\nb", "javascript:alert(1)", "/ä"]
        {
            assert_eq!(safe_next(foreign), "/", "{foreign}");
        }
    }

    #[test]
    fn cookies_are_for_this_host_and_out_of_reach_of_scripts() {
        let mut config = Config::default();
        let plain = set_cookie(&config, "00ff");
        assert_eq!(plain, "knotpost=00ff; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax");
        "https://knotpost.example".clone_into(&mut config.server.public_url);
        let secure = set_cookie(&config, "00ff");
        assert_eq!(secure, "__Host-knotpost=00ff; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax; Secure");
        assert!(set_cookie(&config, "").to_str().unwrap().contains("Max-Age=0"));
    }

    #[test]
    fn queries_hold_any_text() {
        assert_eq!(url_encode("/a b?c=d&é"), "/a%20b%3Fc%3Dd%26%C3%A9");
    }

    #[test]
    fn the_page_before_is_one_of_this_server() {
        let before = |referer: &'static str| {
            page_before(&HeaderMap::from_iter([(header::REFERER, HeaderValue::from_static(referer))]))
        };
        assert_eq!(before("https://knotpost.example/boards/osbox/101?ply=3"), "/boards/osbox/101?ply=3");
        assert_eq!(before("https://evil.example//evil.example/x"), "/");
        assert_eq!(before("no address"), "/");
        assert_eq!(page_before(&HeaderMap::new()), "/");
    }
}
