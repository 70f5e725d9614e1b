//! One request on one connection. Only the head of the response is read; redirects are not followed.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use tokio::io::{AsyncRead, AsyncWrite};

use knotpost_core::webhooks::{Delivery, Fate, HookForm};
use knotpost_model::HookUrl;

/// Bytes of an answer's head.
const LONGEST_HEAD: usize = 16 * 1024;
/// Fields of an answer's head.
const MAX_FIELDS: usize = 64;

/// Sends the event, and says what the response means.
pub(super) async fn post<S>(
    stream: S,
    url: &HookUrl,
    delivery: &Delivery,
    agent: &str,
) -> Result<Fate, String>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let request = Request::post(url.target())
        .header(HOST, url.authority())
        .header(USER_AGENT, agent)
        .header(CONNECTION, "close");
    let request =
        delivery.headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
    let request = request
        .body(Full::new(Bytes::from(delivery.body.clone())))
        .map_err(|_| "no request can be made of its address".to_owned())?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MAX_FIELDS)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(|error| describe(&error))?;
    let mut connection = std::pin::pin!(connection);
    let mut answer = std::pin::pin!(sender.send_request(request));
    let answered = tokio::select! {
        answered = &mut answer => answered,
        // A host that closes the connection may have responded before.
        ended = &mut connection => match ended {
            Ok(()) => answer.await,
            Err(error) => Err(error),
        },
    };
    // The body is not read; it is dropped with the connection.
    let (head, _) = answered.map_err(|error| describe(&error))?.into_parts();
    Ok(judge(head.status, &head.headers, delivery.form))
}

/// Maps a response to the fate of its request.
fn judge(status: StatusCode, headers: &HeaderMap, form: HookForm) -> Fate {
    if status.is_success() {
        return Fate::Arrived;
    }
    // To a push service a browser that has unsubscribed is not there (RFC 8030, section 7.3).
    let is_unknown = form == HookForm::Push && status == StatusCode::NOT_FOUND;
    if status == StatusCode::GONE || is_unknown {
        return Fate::Gone;
    }
    let asks = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status);
    let retry_after = if asks { retry_after(headers) } else { None };
    let more = if status.is_redirection() { "; redirections are not followed" } else { "" };
    Fate::Failed { why: format!("it answered {}{more}", status.as_u16()), retry_after }
}

/// Seconds until the host accepts a retry: given as such, or as a date (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<i64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    // A date counts from the response's own `Date`; without that it is ignored.
    let now = headers.get("date")?.to_str().ok()?;
    let now: Timestamp = rfc2822::DateTimeParser::new().parse_timestamp(now).ok()?;
    Some((date.as_second() - now.as_second()).max(0))
}

/// The text of an error, which repeats nothing that the host sent.
fn describe(error: &hyper::Error) -> String {
    let what = if error.is_parse() || error.is_parse_status() {
        "what it answered is not HTTP"
    } else if error.is_parse_too_large() {
        "what it answered is too large"
    } else if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        "it closed the connection without an answer"
    } else {
        "the connection broke"
    };
    what.to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn answers_are_judged_by_their_status() {
        let none = HeaderMap::new();
        for code in [200, 201, 202, 204, 299] {
            assert_eq!(judge(StatusCode::from_u16(code).unwrap(), &none, HookForm::Signed), Fate::Arrived);
        }
        assert_eq!(judge(StatusCode::GONE, &none, HookForm::Signed), Fate::Gone);
        assert_eq!(judge(StatusCode::NOT_FOUND, &none, HookForm::Push), Fate::Gone);
        for code in [301, 307, 400, 401, 404, 429, 500, 503, 599] {
            let fate = judge(StatusCode::from_u16(code).unwrap(), &none, HookForm::Signed);
            assert!(matches!(fate, Fate::Failed { retry_after: None, .. }), "{code}: {fate:?}");
        }
    }

    #[test]
    fn who_is_busy_may_say_when_to_come_again() {
        let asked = |code: u16, fields: &[(&'static str, &'static str)]| match judge(
            StatusCode::from_u16(code).unwrap(),
            &headers(fields),
            HookForm::Signed,
        ) {
            Fate::Failed { retry_after, .. } => retry_after,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(asked(503, &[("retry-after", "120")]), Some(120));
        assert_eq!(asked(429, &[("retry-after", "99999999999999999999")]), Some(i64::MAX));
        assert_eq!(asked(500, &[("retry-after", "120")]), None);
        assert_eq!(asked(503, &[("retry-after", "soon")]), None);
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(asked(503, &[date, ("retry-after", "Sun, 06 Nov 1994 08:51:37 GMT")]), Some(120));
        assert_eq!(asked(503, &[date, ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), Some(0));
        assert_eq!(asked(503, &[("retry-after", "Sun, 06 Nov 1994 08:51:37 GMT")]), None);
    }
}
