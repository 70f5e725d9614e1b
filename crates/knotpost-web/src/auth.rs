//! Authentication of API requests: by a token, by userid and password, or by the session of a browser.

use std::ops::Deref;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64;

use super::Web;
use super::client;
use super::credentials::Credentials;
use super::error::Problem;
use super::session;
use knotpost_core::admin::{AdminChannel, Administrator, view_user_by_key};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::{
    Bearer, Proof, ProvenUser, Scope, find_bearer, find_visitor, gave_password_lately, whose_password,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthMethod {
    /// Limited to scopes.
    Token,
    Password,
    Session,
}

#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// Identity that the transaction of a change checks again.
    proven: ProvenUser,
    pub(super) is_admin: bool,
    pub(super) method: AuthMethod,
    scopes: Vec<Scope>,
}

impl Deref for Caller {
    type Target = ProvenUser;

    fn deref(&self) -> &ProvenUser {
        &self.proven
    }
}

impl Caller {
    /// A token has scopes; a password or a session allows all that the user may do.
    pub(super) fn require(&self, scope: Scope) -> Result<(), Problem> {
        self.require_one_of(&[scope])
    }

    pub(super) fn require_one_of(&self, scopes: &[Scope]) -> Result<(), Problem> {
        if self.method != AuthMethod::Token || self.scopes.iter().any(|scope| scopes.contains(scope)) {
            return Ok(());
        }
        let words: Vec<String> = scopes.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
        let text = format!("this token has not the scope {}", words.join(" or "));
        Err(Problem::new(Code::NotAllowed, text))
    }

    /// A passkey in the session counts as much as the password. A token never passes.
    pub(super) fn require_password(&self, web: &Web) -> Result<(), Problem> {
        if gave_password_lately(self.password_at, web.app.clock.now()) {
            return Ok(());
        }
        let text = "this needs the password: send userid and password (HTTP Basic), or log in once more, by password or passkey";
        Err(Problem::new(Code::NotAllowed, text))
    }

    pub(super) fn proof(&self) -> Proof {
        Proof::LoggedIn(self.proven())
    }

    pub(super) fn proven(&self) -> ProvenUser {
        self.proven.clone()
    }

    /// Credentials for commands: the proof replaces the password.
    pub(super) fn credentials(&self) -> knotpost_commands::Credentials {
        knotpost_commands::Credentials::without_password(self.userid.as_str())
    }

    pub(super) fn administrator(&self) -> Administrator {
        Administrator { channel: AdminChannel::Api, name: self.userid.clone(), user: Some(self.user) }
    }
}

/// `None` without credentials; an error if they are wrong.
pub(super) async fn find(parts: &Parts, web: &Web) -> Result<Option<Caller>, Response> {
    let credentials = Credentials::of(parts);
    let Some(shown) = credentials.authorization().first() else {
        let Some(token) = session::token(&web.app.config, &credentials) else { return Ok(None) };
        let visitor = find_visitor(&web.app, &token).await;
        let visitor = visitor.map_err(|error| Problem::from(error).into_response())?;
        return Ok(visitor.map(|visitor| Caller {
            proven: visitor.proven(),
            is_admin: visitor.is_admin,
            method: AuthMethod::Session,
            scopes: Vec::new(),
        }));
    };
    let rate_key = client::of(parts, &web.app.config.http.trusted_proxies).rate_key();
    match by_authorization(web, shown, &rate_key).await {
        Ok(Some(caller)) => Ok(Some(caller)),
        Ok(None) => Err(challenge("the token, or the userid and the password, are wrong")),
        Err(error) => Err(Problem::from(error).into_response()),
    }
}

async fn by_authorization(
    web: &Web,
    shown: &HeaderValue,
    rate_key: &str,
) -> Result<Option<Caller>, ServiceError> {
    let Some((scheme, rest)) = shown.to_str().ok().and_then(|text| text.split_once(' ')) else {
        return Ok(None);
    };
    if scheme.eq_ignore_ascii_case("bearer") {
        let bearer = find_bearer(&web.app, rest.trim(), rate_key).await?;
        return Ok(bearer.map(|Bearer { proven, is_admin, scopes }| Caller {
            proven,
            is_admin,
            method: AuthMethod::Token,
            scopes,
        }));
    }
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(rest.trim().as_bytes()).ok());
    let pair = pair.flatten().and_then(|pair| String::from_utf8(pair).ok());
    let Some((userid, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) else {
        return Err(Refusal::new(Code::BadCredentials, "send `Authorization: Bearer TOKEN` or Basic").into());
    };
    let Some(proven) = whose_password(&web.app, rate_key, userid, password).await? else { return Ok(None) };
    let Some(user) = view_user_by_key(&web.app.store, proven.user).await? else { return Ok(None) };
    let proven = ProvenUser { userid: user.userid, ..proven };
    let (is_admin, method) = (user.is_admin, AuthMethod::Password);
    Ok(Some(Caller { proven, is_admin, method, scopes: Vec::new() }))
}

/// `Basic` is not offered: a browser would ask for a password in a dialog that users cannot attribute to a site.
fn challenge(text: &str) -> Response {
    let mut response = Problem::new(Code::BadCredentials, text).into_response();
    let realm = HeaderValue::from_static("Bearer realm=\"knotpost\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
    response
}

impl FromRequestParts<Web> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        find(parts, web).await?.ok_or_else(missing_credentials)
    }
}

pub(super) fn missing_credentials() -> Response {
    challenge("this is for users: show a token, or userid and password")
}

impl OptionalFromRequestParts<Web> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Option<Self>, Response> {
        find(parts, web).await
    }
}
