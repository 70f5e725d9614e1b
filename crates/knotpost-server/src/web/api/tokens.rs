//! Keys of the API. They are made with the password alone: neither a key nor a browser that was left open makes more.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::read_json;
use crate::domain::Millis;
use crate::service::{
    Code, Scope, TokenView, TokenWish, USUAL_DAYS, create_token, revoke_token, view_tokens,
};
use crate::web::Web;
use crate::web::auth::{Caller, Shown};
use crate::web::error::Problem;

/// What is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    name: String,
    scopes: Vec<String>,
    expires_days: Option<u32>,
}

fn facts(token: &TokenView) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(),
        "created": token.created_at.to_rfc3339(),
        "used": token.used_at.map(Millis::to_rfc3339),
        "expires": token.expires_at.to_rfc3339(),
    })
}

pub(super) async fn list(State(web): State<Web>, caller: Caller) -> Result<Json<Value>, Problem> {
    caller.require(Scope::Read)?;
    let tokens = view_tokens(&web.app, caller.user).await?;
    Ok(Json(json!({ "tokens": tokens.iter().map(facts).collect::<Vec<_>>() })))
}

pub(super) async fn create(State(web): State<Web>, caller: Caller, body: Bytes) -> Result<Response, Problem> {
    if caller.shown != Shown::Password {
        let text = "a key is made with userid and password (HTTP Basic), or on the settings page";
        return Err(Problem::new(Code::NotAllowed, text));
    }
    let wish: Wish = read_json(&body, r#"{"name":"…","scopes":["read","play"],"expires_days":365}"#)?;
    let mut scopes = Vec::new();
    for word in &wish.scopes {
        let scope = Scope::from_word(word);
        scopes.push(scope.ok_or_else(|| Problem::new(Code::BadValue, "scopes are read, play and admin"))?);
    }
    let wish = TokenWish { name: wish.name, scopes, days: wish.expires_days.unwrap_or(USUAL_DAYS) };
    let fresh = create_token(&web.app, caller.user, wish).await?;
    let mut shown = facts(&fresh.view);
    shown["token"] = json!(fresh.token);
    let secret = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::CREATED, secret, Json(shown)).into_response())
}

pub(super) async fn revoke(
    State(web): State<Web>,
    caller: Caller,
    Path(id): Path<i64>,
) -> Result<StatusCode, Problem> {
    if caller.shown == Shown::Token {
        return Err(Problem::new(Code::NotAllowed, "a key does not end keys; log in, or show the password"));
    }
    match revoke_token(&web.app, caller.user, id).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(crate::service::ServiceError::Refused(refusal)) => Err(Problem::not_found(refusal.message)),
        Err(error) => Err(error.into()),
    }
}
