//! Protection against cross-site request forgery by Fetch metadata, `Origin` or `Referer`. Other programs send none of
//! them and pass, unless they send the cookie of a session.

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use url::{Origin, Url};

use super::credentials::Credentials;
use super::pages::refuse;
use super::session::token;
use super::{Web, client};
use knotpost_core::boards::Code;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A page of this server, or no page.
    Own,
    Foreign,
    /// The headers do not tell.
    Unsaid,
}

/// Refuses requests of other sites, and such as may be theirs: a POST with the session cookie but without origin could
/// be a form of any site in an old browser. The one-click unsubscription of a mail program (RFC 8058) may come from a
/// webmail site; its address is signed and can only stop mails.
pub(super) async fn refuse_foreign_posts(State(web): State<Web>, request: Request, next: Next) -> Response {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if is_safe || request.uri().path().starts_with("/unsubscribe/") {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let text = match source_of(&web, &parts) {
        Source::Foreign => "this was sent by a page of another site; open the page here and try again",
        Source::Unsaid if has_session(&web, parts.extensions.get()) => {
            "a request with a session's cookie must say by `Origin` where it comes from"
        }
        Source::Own | Source::Unsaid => return next.run(Request::from_parts(parts, body)).await,
    };
    refuse(&web, parts.uri.path(), Code::NotAllowed, text)
}

pub(super) fn is_own(web: &Web, parts: &Parts) -> bool {
    source_of(web, parts) == Source::Own
}

fn source_of(web: &Web, parts: &Parts) -> Source {
    let is_proxied =
        client::peer(parts).is_some_and(|peer| web.app.config.http.trusted_proxies.contain(peer));
    source(&web.app.config.server.public_url, is_proxied, &parts.headers)
}

/// Judges the origin. With an https address of the server only pages of that origin are its own; else also those of
/// the requested host, by the scheme that a trusted proxy names.
fn source(public_url: &str, is_proxied: bool, headers: &HeaderMap) -> Source {
    let read = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("null"));
    let own = Url::parse(public_url).ok().map(|url| url.origin());
    let is_exact =
        own.as_ref().is_some_and(|own| matches!(own, Origin::Tuple(scheme, ..) if scheme == "https"));
    let judge = |page: &str| {
        let Some(page) = Url::parse(page).ok().map(|url| url.origin()).filter(Origin::is_tuple) else {
            return Source::Foreign;
        };
        let scheme = read("x-forwarded-proto").filter(|_| is_proxied);
        let is_asked_for = || {
            let Origin::Tuple(by, ..) = &page else { return false };
            let asked = read("host").and_then(|host| Url::parse(&format!("{by}://{host}")).ok());
            scheme.is_none_or(|scheme| scheme == by) && asked.is_some_and(|asked| asked.origin() == page)
        };
        let is_own = own.as_ref() == Some(&page) || !is_exact && is_asked_for();
        if is_own { Source::Own } else { Source::Foreign }
    };
    match (read("sec-fetch-site"), read("origin")) {
        // A proxy may have rewritten the host, but the address of the server is still ours.
        (Some("same-origin" | "none"), Some(origin)) if is_exact => judge(origin),
        (Some("same-origin" | "none"), _) => Source::Own,
        (_, Some(origin)) => judge(origin),
        (Some(_), None) => Source::Foreign,
        (None, None) => match read("referer").map(judge) {
            Some(Source::Foreign) => Source::Foreign,
            // Any page may leave it out, so it proves nothing.
            _ => Source::Unsaid,
        },
    }
}

fn has_session(web: &Web, credentials: Option<&Credentials>) -> bool {
    // A form never sends `Authorization`, which takes precedence over the cookie.
    credentials.is_some_and(|credentials| {
        credentials.authorization().is_empty() && token(&web.app.config, credentials).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(public_url: &str, is_proxied: bool, lines: &[(&'static str, &str)]) -> Source {
        let lines = [("host", "games.example")].iter().chain(lines);
        let headers = lines.map(|(name, value)| {
            (axum::http::HeaderName::from_static(name), value.parse().expect("a value"))
        });
        source(public_url, is_proxied, &headers.collect())
    }

    #[test]
    fn with_an_https_address_only_its_origin_is_ours() {
        for (lines, expected) in [
            (&[("origin", "https://games.example")][..], Source::Own),
            (&[("origin", "https://games.example:443")], Source::Own),
            (&[("origin", "https://GAMES.example")], Source::Own),
            (&[("origin", "http://games.example")], Source::Foreign),
            (&[("origin", "http://games.example:443")], Source::Foreign),
            (&[("origin", "https://games.example:8443")], Source::Foreign),
            (&[("origin", "https://a.games.example")], Source::Foreign),
            (&[("origin", "https://games.example.evil.example")], Source::Foreign),
            (&[("origin", "https://games.example@evil.example")], Source::Foreign),
            (&[("origin", "null")], Source::Foreign),
            (&[("origin", "")], Source::Foreign),
            (&[("origin", "file://")], Source::Foreign),
            (&[("origin", "http://games.example"), ("sec-fetch-site", "same-origin")], Source::Foreign),
            (&[("origin", "https://games.example"), ("sec-fetch-site", "same-origin")], Source::Own),
            (&[("origin", "http://other.example"), ("host", "other.example")], Source::Foreign),
            (&[("sec-fetch-site", "same-origin")], Source::Own),
            (&[("sec-fetch-site", "none")], Source::Own),
            (&[("sec-fetch-site", "same-site")], Source::Foreign),
            (&[("sec-fetch-site", "cross-site")], Source::Foreign),
            (&[("referer", "http://games.example/boards/osbox/101")], Source::Foreign),
            (&[("referer", "https://evil.example/")], Source::Foreign),
            (&[("referer", "https://games.example/boards/osbox/101")], Source::Unsaid),
            (&[], Source::Unsaid),
        ] {
            assert_eq!(read("https://games.example", false, lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn without_one_the_host_that_was_asked_for_is_ours_too() {
        let forwarded = ("x-forwarded-proto", "https");
        for (is_proxied, lines, expected) in [
            (false, &[("origin", "http://games.example")][..], Source::Own),
            (false, &[("origin", "https://games.example")], Source::Own),
            (false, &[("origin", "http://127.0.0.1:8080")], Source::Own),
            (false, &[("origin", "http://games.example:8080")], Source::Foreign),
            (false, &[("origin", "http://a.games.example")], Source::Foreign),
            (false, &[("origin", "null")], Source::Foreign),
            (true, &[("origin", "http://games.example"), forwarded], Source::Foreign),
            (true, &[("origin", "https://games.example"), forwarded], Source::Own),
            (false, &[("origin", "http://games.example"), forwarded], Source::Own),
            (false, &[("referer", "http://evil.example/")], Source::Foreign),
            (false, &[], Source::Unsaid),
        ] {
            assert_eq!(read("http://127.0.0.1:8080", is_proxied, lines), expected, "{lines:?}");
        }
    }
}
