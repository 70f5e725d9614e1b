//! API keys. Making one needs a recent proof of password or passkey: neither a key nor an unattended browser can make
//! more.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_json;
use crate::Web;
use crate::auth::{AuthMethod, Caller};
use crate::error::Problem;
use crate::extract::{ApiPath, RawBody};
use crate::openapi::{Operation, Tag};
use crate::session::no_store;
use knotpost_core::boards::Code;
use knotpost_core::identity::{
    FreshToken, LONGEST_TOKEN_NAME, MOST_TOKEN_DAYS, Scope, TokenView, TokenWish, USUAL_DAYS, create_token,
    revoke_token, view_tokens,
};

/// A key to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewKey")]
pub(super) struct Wish {
    /// Its name, chosen by its owner.
    #[schemars(length(min = 1, max = LONGEST_TOKEN_NAME))]
    name: String,
    /// Scopes that it is to have.
    #[schemars(with = "Vec<Scope>", length(min = 1))]
    scopes: Vec<String>,
    /// Lifetime in days; a year if left out.
    #[schemars(range(min = 1, max = MOST_TOKEN_DAYS))]
    expires_days: Option<u32>,
}

/// The keys of the caller.
#[derive(Serialize, JsonSchema)]
pub(super) struct Keys {
    tokens: Vec<TokenView>,
}

pub(super) const LIST: Operation =
    Operation::new("list_keys", Tag::Keys, "Your keys").scope(Scope::Read).gives::<Keys>("The keys.");

pub(super) async fn list(State(web): State<Web>, caller: Caller) -> Result<Json<Keys>, Problem> {
    caller.require(Scope::Read)?;
    Ok(Json(Keys { tokens: view_tokens(&web.app, caller.user).await? }))
}

pub(super) const CREATE: Operation = Operation::new("make_key", Tag::Keys, "Makes a key")
    .details(
        "With userid and password, or in a session in which the password or a passkey was given within ten minutes: \
         neither a key nor a browser left open makes further keys.",
    )
    .takes::<Wish>()
    .gives::<FreshToken>("")
    .status(201, "The key, shown this once.")
    .refuses(&[Code::BadValue]);

pub(super) async fn create(
    State(web): State<Web>,
    caller: Caller,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require_password(&web)?;
    let request: Wish = read_json(&body, r#"{"name":"…","scopes":["read","play"],"expires_days":365}"#)?;
    let mut scopes = Vec::new();
    for word in &request.scopes {
        let scope = Scope::from_word(word);
        scopes
            .push(scope.ok_or_else(|| Problem::new(Code::BadValue, "scopes are read, play, bot and admin"))?);
    }
    let request = TokenWish { name: request.name, scopes, days: request.expires_days.unwrap_or(USUAL_DAYS) };
    let fresh = create_token(&web.app, caller.proven(), request).await?;
    Ok(no_store((StatusCode::CREATED, Json(fresh)).into_response()))
}

pub(super) const REVOKE: Operation = Operation::new("end_key", Tag::Keys, "Ends a key")
    .details("A key does not end keys.")
    .status(204, "It is gone.");

pub(super) async fn revoke(
    State(web): State<Web>,
    caller: Caller,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, Problem> {
    if caller.method == AuthMethod::Token {
        return Err(Problem::new(Code::NotAllowed, "a key does not end keys; log in, or show the password"));
    }
    revoke_token(&web.app.store, caller.user, id).await.map_err(Problem::missing)?;
    Ok(StatusCode::NO_CONTENT)
}
