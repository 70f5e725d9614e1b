//! Who asks the API: by a token, by userid and password, or by the session of a browser.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64;

use super::Web;
use super::client;
use super::credentials::Credentials;
use super::error::Problem;
use super::visitor;
use crate::domain::{Millis, UserKey};
use crate::service::{
    Administrator, Code, Door, Proof, ProvenUser, Refusal, Scope, ServiceError, find_bearer, find_visitor,
    gave_password_lately, recall_bearer, view_user_by_key, whose_password,
};

/// How somebody showed who he is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// By a token with these scopes.
    Token,
    /// By his password.
    Password,
    /// By the cookie of a session.
    Session,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) user: UserKey,
    pub(super) userid: String,
    hash: String,
    /// The row of his token.
    key: Option<i64>,
    /// Digest of their session.
    session: Option<String>,
    /// When they last gave their password: now, or in their session.
    password_at: Option<Millis>,
    pub(super) is_admin: bool,
    pub(super) shown: Shown,
    scopes: Vec<Scope>,
}

impl Caller {
    /// Whether he may do this kind of thing. Who showed a password or has a session may do all that he may at all.
    ///
    /// # Errors
    /// When his token does not allow it.
    pub(super) fn require(&self, scope: Scope) -> Result<(), Problem> {
        if self.shown != Shown::Token || self.scopes.contains(&scope) {
            return Ok(());
        }
        let text = format!("this token has not the scope `{}`", scope.as_str());
        Err(Problem::new(Code::NotAllowed, text))
    }

    /// Whether they gave their password a moment ago: with this request, or in their session. A token never does.
    ///
    /// # Errors
    /// When they did not.
    pub(super) fn require_password(&self, web: &Web) -> Result<(), Problem> {
        if gave_password_lately(self.password_at, web.app.clock.now()) {
            return Ok(());
        }
        let text = "this needs the password: send userid and password (HTTP Basic), or log in once more";
        Err(Problem::new(Code::NotAllowed, text))
    }

    /// The same as commands of his are proven by.
    pub(super) fn proof(&self) -> Proof {
        Proof::LoggedIn(self.proven())
    }

    /// What is still to be true when something is done for them.
    pub(super) fn proven(&self) -> ProvenUser {
        ProvenUser {
            user: self.user,
            userid: self.userid.clone(),
            hash: self.hash.clone(),
            key: self.key,
            session: self.session.clone(),
            password_at: self.password_at,
        }
    }

    /// The same as the service knows administrators.
    pub(super) fn administrator(&self) -> Administrator {
        Administrator { door: Door::Api, name: self.userid.clone(), user: Some(self.user) }
    }
}

/// Who asks for something whose transaction looks whether he still is who he showed to be: his key may have been
/// looked up a moment ago.
#[derive(Clone, Debug)]
pub(super) struct Acting(pub(super) Caller);

/// How well a key is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// In the database.
    Now,
    /// … or a moment ago.
    Lately,
}

/// Who sent a request; `None`: nobody in particular.
///
/// # Errors
/// When what was shown is wrong.
pub(super) async fn find(parts: &Parts, web: &Web) -> Result<Option<Caller>, Response> {
    look_up(parts, web, Look::Now).await
}

async fn look_up(parts: &Parts, web: &Web, look: Look) -> Result<Option<Caller>, Response> {
    let credentials = Credentials::of(parts);
    let Some(shown) = credentials.authorization().first() else {
        let Some(token) = visitor::token(&web.app.config, &credentials) else { return Ok(None) };
        let visitor = find_visitor(&web.app, &token).await;
        let visitor = visitor.map_err(|error| Problem::from(error).into_response())?;
        return Ok(visitor.map(|visitor| Caller {
            user: visitor.user,
            userid: visitor.userid,
            hash: visitor.hash,
            key: None,
            session: Some(visitor.session),
            password_at: visitor.password_at,
            is_admin: visitor.is_admin,
            shown: Shown::Session,
            scopes: Vec::new(),
        }));
    };
    let rate_key = client::of(parts, &web.app.config.http.trusted_proxies).rate_key();
    match by_authorization(web, shown, &rate_key, look).await {
        Ok(Some(caller)) => Ok(Some(caller)),
        Ok(None) => Err(challenge("the token, or the userid and the password, are wrong")),
        Err(error) => Err(Problem::from(error).into_response()),
    }
}

async fn by_authorization(
    web: &Web,
    shown: &HeaderValue,
    rate_key: &str,
    look: Look,
) -> Result<Option<Caller>, ServiceError> {
    let Some((scheme, rest)) = shown.to_str().ok().and_then(|text| text.split_once(' ')) else {
        return Ok(None);
    };
    if scheme.eq_ignore_ascii_case("bearer") {
        let bearer = match look {
            Look::Now => find_bearer(&web.app, rest.trim(), rate_key).await?,
            Look::Lately => recall_bearer(&web.app, rest.trim(), rate_key).await?,
        };
        return Ok(bearer.map(|bearer| Caller {
            user: bearer.user,
            userid: bearer.userid,
            hash: bearer.hash,
            key: Some(bearer.key),
            session: None,
            password_at: None,
            is_admin: bearer.is_admin,
            shown: Shown::Token,
            scopes: bearer.scopes,
        }));
    }
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(rest.trim().as_bytes()).ok());
    let pair = pair.flatten().and_then(|pair| String::from_utf8(pair).ok());
    let Some((userid, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) else {
        return Err(Refusal::new(Code::BadCredentials, "send `Authorization: Bearer TOKEN` or Basic").into());
    };
    let Some(proven) = whose_password(&web.app, rate_key, userid, password).await? else { return Ok(None) };
    let Some(row) = view_user_by_key(&web.app, proven.user).await? else { return Ok(None) };
    let is_admin = row.role == "admin";
    Ok(Some(Caller {
        user: proven.user,
        userid: row.userid,
        hash: proven.hash,
        key: None,
        session: None,
        password_at: proven.password_at,
        is_admin,
        shown: Shown::Password,
        scopes: Vec::new(),
    }))
}

/// No `Basic` is offered: a browser would ask its user for a password in a window that nobody can tell apart.
fn challenge(text: &str) -> Response {
    let mut response = Problem::new(Code::BadCredentials, text).into_response();
    let realm = HeaderValue::from_static("Bearer realm=\"knotpost\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
    response
}

impl FromRequestParts<Web> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        find(parts, web).await?.ok_or_else(nobody)
    }
}

impl FromRequestParts<Web> for Acting {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        look_up(parts, web, Look::Lately).await?.map(Self).ok_or_else(nobody)
    }
}

fn nobody() -> Response {
    challenge("this is for users: show a token, or userid and password")
}

impl OptionalFromRequestParts<Web> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Option<Self>, Response> {
        find(parts, web).await
    }
}
