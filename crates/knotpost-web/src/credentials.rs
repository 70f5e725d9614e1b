//! The credentials of a request: cookies and `Authorization`.
//!
//! Both are removed from the headers before a handler runs, and can be read only here. Reads are recorded, so that no
//! response that depends on the user is cached, whatever its handler does.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use axum_extra::extract::CookieJar;

tokio::task_local! {
    static OF_REQUEST: Credentials;
}

/// Reads a cookie of the request that the current task answers, for contents of every page.
pub(super) fn cookie_of_request(name: &str) -> Option<String> {
    OF_REQUEST.try_with(|credentials| credentials.cookie(name)).ok().flatten()
}

/// Copies share the record of reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Credentials(Arc<Carried>);

#[derive(Default)]
struct Carried {
    cookies: HeaderMap,
    authorization: Vec<HeaderValue>,
    asked: AtomicBool,
    found: AtomicBool,
}

impl std::fmt::Debug for Carried {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Carried").finish_non_exhaustive()
    }
}

impl Credentials {
    fn take(headers: &mut HeaderMap) -> Self {
        let mut carried = Carried::default();
        for value in headers.get_all(header::COOKIE) {
            carried.cookies.append(header::COOKIE, value.clone());
        }
        carried.authorization.extend(headers.get_all(header::AUTHORIZATION).iter().cloned());
        headers.remove(header::COOKIE);
        headers.remove(header::AUTHORIZATION);
        Self(Arc::new(carried))
    }

    /// Empty if the request did not pass [`shield_caches`].
    pub(super) fn of(parts: &Parts) -> Self {
        parts.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        let cookies = CookieJar::from_headers(&self.0.cookies);
        let value =
            cookies.get(name).map(|cookie| cookie.value().to_owned()).filter(|value| !value.is_empty());
        self.note(value.is_some());
        value
    }

    pub(super) fn authorization(&self) -> &[HeaderValue] {
        self.note(!self.0.authorization.is_empty());
        &self.0.authorization
    }

    fn note(&self, found: bool) {
        self.0.asked.store(true, Ordering::Relaxed);
        self.0.found.fetch_or(found, Ordering::Relaxed);
    }

    fn mark(&self, headers: &mut HeaderMap) {
        if self.0.found.load(Ordering::Relaxed) || headers.contains_key(header::SET_COOKIE) {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if self.0.asked.load(Ordering::Relaxed) {
            headers.append(header::VARY, HeaderValue::from_static("cookie, authorization"));
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Credentials {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

pub(super) async fn shield_caches(mut request: Request, next: Next) -> Response {
    let credentials = Credentials::take(request.headers_mut());
    request.extensions_mut().insert(credentials.clone());
    let mut response = OF_REQUEST.scope(credentials.clone(), next.run(request)).await;
    credentials.mark(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn what_is_read_of_a_request_is_noted_in_its_answer() {
        let mut headers = sent(&[("cookie", "a=1; b=2"), ("authorization", "Basic x"), ("accept", "*/*")]);
        let credentials = Credentials::take(&mut headers);
        assert_eq!(headers, sent(&[("accept", "*/*")]));
        let mut unread = HeaderMap::new();
        credentials.mark(&mut unread);
        assert!(unread.is_empty());
        assert_eq!(credentials.cookie("c"), None);
        let mut absent = HeaderMap::new();
        credentials.mark(&mut absent);
        assert_eq!(absent, sent(&[("vary", "cookie, authorization")]));
        assert_eq!(credentials.cookie("b").as_deref(), Some("2"));
        let mut read = sent(&[("cache-control", "public, max-age=60")]);
        credentials.mark(&mut read);
        assert_eq!(read, sent(&[("cache-control", "no-store"), ("vary", "cookie, authorization")]));
    }
}
