//! `/mailbox`: the captured mail, for trying the server out. The access guard of the routes lets in administrators and
//! holders of the key that the server printed at its start.
//!
//! The content of a mail is untrusted: it is shown in a sandboxed frame.

use std::io;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::not_found_page;
use crate::credentials::Credentials;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, find, is_secure, no_store, url_encode};
use crate::{CONTENT_POLICY, Web, client};
use knotpost_core::boards::Code;
use knotpost_core::mailing::{LocalMail, LocalMailbox, list_local_mail, read_local_mail, show_local_mail};

/// Denies a mail's page an origin, scripts, forms and requests.
const FRAME_POLICY: &str = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                            base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const COOKIE: &str = "knotpost-mailbox";
const PARAMETER: &str = "key";

/// Lets in administrators and clients with the key. All others get 404; on this machine itself it tells where the key
/// is.
///
/// An address with the key sets a cookie and redirects to the address without it, so that the key stays out of history
/// and logs.
pub(crate) async fn require_key(State(web): State<Web>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Some(key) = web.mailbox.as_ref().map(|mailbox| &mailbox.key) else { return not_found_page(&web) };
    if let Some(shown) = shown_key(&parts).filter(|shown| key.is(shown)) {
        let cookie = set_cookie(&parts, &web, &shown);
        return ([(header::SET_COOKIE, cookie)], Redirect::to(&address_without_key(&parts.uri)))
            .into_response();
    }
    let has_key = Credentials::of(&parts).cookie(COOKIE).is_some_and(|shown| key.is(&shown));
    if has_key || is_administrator(&parts, &web).await {
        return no_store(next.run(Request::from_parts(parts, body)).await);
    }
    if client::is_local(&parts, &web) {
        let text = "this page needs its key: open the address that the server printed when it started; the key is \
                    `mailbox_key` in `ports.json` as well";
        return no_store(web.pages.problem(Code::NotAllowed, text));
    }
    not_found_page(&web)
}

fn parameters(uri: &Uri) -> impl Iterator<Item = (String, String)> {
    let query = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).into_owned()
}

fn shown_key(parts: &Parts) -> Option<String> {
    parameters(&parts.uri).find(|(name, _)| name == PARAMETER).map(|(_, value)| value)
}

fn address_without_key(uri: &Uri) -> String {
    let others = parameters(uri).filter(|(name, _)| name != PARAMETER);
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(others).finish();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{}{mark}{query}", uri.path())
}

/// Omits `Secure` for a browser on this machine, which connects without TLS.
fn set_cookie(parts: &Parts, web: &Web, key: &str) -> HeaderValue {
    let is_secure = is_secure(&web.app.config) && !client::asks_by_loopback_name(parts);
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={key}; Path=/mailbox; HttpOnly; SameSite=Strict{secure}");
    // Keys are hexadecimal digits, so this never fails.
    HeaderValue::from_str(&cookie).unwrap_or(HeaderValue::from_static(""))
}

async fn is_administrator(parts: &Parts, web: &Web) -> bool {
    matches!(find(parts, web).await, Ok(Some(visitor)) if visitor.is_admin)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    to: String,
    before: Option<String>,
}

async fn look<T: Send + 'static>(
    web: &Web,
    at: impl FnOnce(&dyn LocalMailbox) -> io::Result<T> + Send + 'static,
) -> Result<T, Response> {
    let Some(mailbox) = web.mailbox.as_ref().map(|mailbox| Arc::clone(&mailbox.mails)) else {
        return Err(not_found_page(web));
    };
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "the mail folder cannot be read");
        web.pages.problem(Code::Unavailable, "the mail folder cannot be read at the moment")
    };
    match tokio::task::spawn_blocking(move || at(mailbox.as_ref())).await {
        Ok(Ok(seen)) => Ok(seen),
        Ok(Err(error)) => Err(failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

pub(super) async fn list(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(asked): PageQuery<Look>,
) -> Result<Response, Response> {
    let Look { to, before } = asked;
    let (wanted, from) = (to.clone(), before.clone());
    let page = look(&web, move |mails| list_local_mail(mails, &wanted, from.as_deref())).await?;
    let link = |next: &String| format!("/mailbox?to={}&before={}", url_encode(&to), url_encode(next));
    let facts = context! {
        mails => Serde(&page.lines), more => page.next.as_ref().map(link), older => before.is_some(), to => to.clone(),
    };
    Ok(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "mailbox.html", facts))
}

fn address(name: &str) -> String {
    format!("/mailbox/{}", url_encode(name))
}

async fn open(web: &Web, name: String) -> Result<LocalMail, Response> {
    let page = look(web, move |mails| show_local_mail(mails, &name)).await?;
    page.ok_or_else(|| not_found_page(web))
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
) -> Result<Response, Response> {
    let page = open(&web, name.clone()).await?;
    let subject = page.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("subject"));
    let links = page.text.as_deref().map(|text| own_links(text, &web)).unwrap_or_default();
    let facts = context! {
        place => address(&name), subject => subject.map_or("", |(_, value)| value.as_str()), fields => Serde(&page.fields), links,
        text => page.text.clone(), has_page => page.html.is_some(), parts => page.parts.clone(),
    };
    let mut shown = web.pages.page_for(visitor.as_deref(), StatusCode::OK, "mail.html", facts);
    let policy = format!("{CONTENT_POLICY}; frame-src 'self'");
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        shown.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(shown)
}

/// Finds links to pages of this server; others are not linked.
fn own_links(text: &str, web: &Web) -> Vec<String> {
    let url = format!("{}/", web.app.config.server.public_url.trim_end_matches('/'));
    let words = text.split(|sign: char| sign.is_whitespace() || "<>()\"".contains(sign));
    let paths =
        words.filter_map(|word| word.strip_prefix(&url)).map(|rest| rest.trim_end_matches(['.', ',']));
    let mut links: Vec<String> =
        paths.map(|path| format!("/{path}")).filter(|link| !link.starts_with("//")).collect();
    links.dedup();
    links
}

pub(super) async fn page(
    State(web): State<Web>,
    PagePath(name): PagePath<String>,
) -> Result<Response, Response> {
    let html = open(&web, name).await?.html.ok_or_else(|| not_found_page(&web))?;
    let facts = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FRAME_POLICY)),
    ];
    Ok((facts, html).into_response())
}

pub(super) async fn download(
    State(web): State<Web>,
    PagePath(name): PagePath<String>,
) -> Result<Response, Response> {
    let asked = name.clone();
    let bytes =
        look(&web, move |mails| read_local_mail(mails, &asked)).await?.ok_or_else(|| not_found_page(&web))?;
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{plain}.eml\""));
    let facts = [
        (header::CONTENT_TYPE, HeaderValue::from_static("message/rfc822")),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FRAME_POLICY)),
    ];
    Ok((facts, bytes).into_response())
}
