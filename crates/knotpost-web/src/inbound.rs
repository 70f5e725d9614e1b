//! `POST /inbound`: one raw message per request, from a mail provider's webhook.

use crate::routes::post;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{FromRequest as _, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use data_encoding::BASE64;
use secrecy::ExposeSecret as _;
use serde_json::json;
use subtle::ConstantTimeEq as _;

use super::Web;
use super::client::{self, Client};
use super::credentials::Credentials;
use super::error::Problem;
use super::routes::{Role, Route};
use knotpost_core::boards::Code;
use knotpost_core::mailing::{ReturnPath, WebhookMail, WebhookOutcome};
use knotpost_platform::secret::Purpose;

const SECRET: HeaderName = HeaderName::from_static("x-knotpost-secret");
const FROM: HeaderName = HeaderName::from_static("x-envelope-from");
const TO: HeaderName = HeaderName::from_static("x-envelope-to");
pub(super) const PATH: &str = "/inbound";
/// Bytes.
const MAX_KEY: usize = 255;

pub(super) const ROUTES: &[Route] = &[Route::new(Role::Secret, "POST", PATH, || post(receive))];

async fn receive(State(web): State<Web>, request: Request) -> Response {
    if web.app.config.inbound.secret.expose_secret().is_empty() {
        return Problem::not_found("this server takes no mail by HTTP").into_response();
    }
    let (parts, body) = request.into_parts();
    if !knows_secret(&web, &parts) {
        return turn_away(&web, &parts);
    }
    if let Some(kind) = unfit_type(&parts.headers) {
        let text = format!("a body of type {kind} is no message; post the raw message as message/rfc822");
        return problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_a_message", &text);
    }
    let key = match key_of(&parts.headers) {
        Ok(key) => key,
        Err(refused) => return refused.into_response(),
    };
    let (return_path, recipients) = match envelope(&parts) {
        Ok(envelope) => envelope,
        Err(refused) => return refused.into_response(),
    };
    let raw = match Bytes::from_request(Request::from_parts(parts, body), &()).await {
        Ok(raw) => raw.to_vec(),
        Err(BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_))) => {
            let text = format!("a message may have {} bytes at most", web.app.config.inbound.max_bytes);
            return Problem::new(Code::TooLarge, text).into_response();
        }
        Err(_) => {
            return problem(StatusCode::BAD_REQUEST, "broken_request", "the message did not come whole");
        }
    };
    match web.intake.take_webhook_mail(WebhookMail { return_path, recipients, key, raw }).await {
        Ok(outcome) => answer(outcome),
        Err(error) => Problem::from(error).into_response(),
    }
}

fn answer(outcome: WebhookOutcome) -> Response {
    match outcome {
        WebhookOutcome::Taken { outcome } => {
            let body = json!({ "ok": true, "outcome": outcome }).to_string();
            let json = HeaderValue::from_static("application/json");
            (
                [(header::CONTENT_TYPE, json), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
                body,
            )
                .into_response()
        }
        WebhookOutcome::Refused { enhanced, text } => {
            problem(StatusCode::UNPROCESSABLE_ENTITY, "refused", &format!("{text} ({enhanced})"))
        }
        WebhookOutcome::TryLater { text } => {
            Problem::new(Code::Unavailable, text).retry_after(30).into_response()
        }
        WebhookOutcome::OtherMessage => {
            Problem::new(Code::Conflict, "this Idempotency-Key was used for another message").into_response()
        }
    }
}

fn problem(status: StatusCode, code: &'static str, text: &str) -> Response {
    Problem::with_status(status, code, text).into_response()
}

/// Guesses of the secret count against the client's rate limit.
fn turn_away(web: &Web, parts: &Parts) -> Response {
    let client: Client = client::of(parts, &web.app.config.http.trusted_proxies);
    if let Err(refused) = client.count(web) {
        return refused.into_response();
    }
    let text = "the secret is missing or wrong; send `Authorization: Bearer SECRET` or `X-Knotpost-Secret`";
    let mut response = problem(StatusCode::UNAUTHORIZED, "bad_secret", text);
    let challenge = HeaderValue::from_static("Bearer realm=\"inbound\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// Compares digests, so that the time taken reveals nothing about the secret, not even its length.
fn knows_secret(web: &Web, parts: &Parts) -> bool {
    let digest = |secret: &[u8]| web.app.secret.digest(Purpose::Tokens, &[b"inbound secret", secret]);
    let expected = digest(web.app.config.inbound.secret.expose_secret().as_bytes());
    let credentials = Credentials::of(parts);
    let shown = parts.headers.get_all(SECRET).iter().map(|value| value.as_bytes().to_vec());
    let authorized = credentials.authorization().iter().filter_map(of_authorization);
    shown.chain(authorized).any(|secret| bool::from(digest(&secret)[..].ct_eq(&expected[..])))
}

/// Accepts `Bearer`, and the password of `Basic`: some providers can only call `https://x:SECRET@host/inbound`.
fn of_authorization(value: &HeaderValue) -> Option<Vec<u8>> {
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().as_bytes().to_vec());
    }
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(rest.trim().as_bytes()).ok())??;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    pair.get(colon + 1..).map(<[u8]>::to_vec)
}

/// Detects a body that cannot be a raw message. Some tools send `application/x-www-form-urlencoded` with any body, so
/// the body decides for that type.
fn unfit_type(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "multipart/form-data" | "application/json").then_some(kind)
}

fn key_of(headers: &HeaderMap) -> Result<Option<Vec<u8>>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    if key.is_empty() || key.len() > MAX_KEY {
        let text = format!("an Idempotency-Key has 1 to {MAX_KEY} characters");
        return Err(Problem::new(Code::BadValue, text));
    }
    Ok(Some(key.as_bytes().to_vec()))
}

fn envelope(parts: &Parts) -> Result<(ReturnPath, Vec<String>), Problem> {
    let unreadable = || Problem::new(Code::BadValue, "the envelope cannot be read");
    let mut from: Option<String> = None;
    let mut to = Vec::new();
    let query: Query<Vec<(String, String)>> = Query::try_from_uri(&parts.uri).map_err(|_| unreadable())?;
    for (name, value) in query.0 {
        match name.as_str() {
            "from" => from = Some(value),
            "to" => to.extend(addresses(&value)),
            _ => {}
        }
    }
    let text = |value: &HeaderValue| std::str::from_utf8(value.as_bytes()).map(str::to_owned);
    if let Some(value) = parts.headers.get(FROM) {
        from = Some(text(value).map_err(|_| unreadable())?);
    }
    for value in parts.headers.get_all(TO) {
        to.extend(addresses(&text(value).map_err(|_| unreadable())?));
    }
    let return_path = match from.as_deref().map(bare) {
        None => ReturnPath::OfMessage,
        Some("") => ReturnPath::Null,
        Some(address) => ReturnPath::Address(address.to_owned()),
    };
    Ok((return_path, to))
}

fn bare(address: &str) -> &str {
    address.trim().trim_matches(['<', '>']).trim()
}

fn addresses(list: &str) -> Vec<String> {
    list.split(',').map(bare).filter(|address| !address.is_empty()).map(ToOwned::to_owned).collect()
}
