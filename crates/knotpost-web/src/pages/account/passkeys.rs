//! Passkeys: their part of the settings page, and logging in with one. Requests to the browser are JSON for its
//! script; its answers come as a form.

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::super::assets;
use super::super::settings::{Fields, field, nothing_chosen};
use crate::Web;
use crate::browsers::describe;
use crate::credentials::Credentials;
use crate::session::{cookie, is_secure, no_store};
use knotpost_core::StoreError;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{
    PasskeyAnswer, PasskeyWish, Visitor, add_passkey, ask_for_passkey, ask_to_log_in, log_in_by_passkey,
    offers_passkeys, remove_passkey, rename_passkey, view_passkeys,
};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Shown {
    credential: String,
    client_data: String,
    data: String,
    signature: String,
    user_handle: String,
}

/// `None` if passkeys cannot be used.
pub(in super::super) fn script(web: &Web) -> Option<String> {
    offers_passkeys(&web.app.config).then(|| assets::address("passkeys.js"))
}

pub(in super::super) async fn facts(web: &Web, visitor: &Visitor) -> Result<Option<Value>, StoreError> {
    let Some(script) = script(web) else { return Ok(None) };
    let lines = view_passkeys(&web.app.store, visitor.user).await?;
    Ok(Some(context! { script, lines => Serde(&lines) }))
}

pub(in super::super) async fn act(
    web: &Web,
    visitor: &Visitor,
    agent: &str,
    fields: &Fields,
) -> Result<Response, ServiceError> {
    let id = field(fields, "id").parse().unwrap_or(0);
    match field(fields, "act") {
        "ask_passkey" => {
            let options = ask_for_passkey(&web.app, visitor).await?;
            return Ok(no_store(Json(options).into_response()));
        }
        "new_passkey" => {
            let name = match field(fields, "name") {
                "" => describe(agent),
                name => name.to_owned(),
            };
            let wish = PasskeyWish {
                name,
                client_data: field(fields, "client_data").to_owned(),
                attestation: field(fields, "attestation").to_owned(),
            };
            add_passkey(&web.app, visitor, wish).await?;
        }
        "name_passkey" => rename_passkey(&web.app.store, visitor.user, id, field(fields, "name")).await?,
        "end_passkey" => remove_passkey(&web.app, visitor, id).await?,
        _ => return Err(nothing_chosen().into()),
    }
    Ok(Redirect::to("/settings#passkeys").into_response())
}

/// Binds a log-in to the browser that asked for it.
fn cookie_name(web: &Web) -> &'static str {
    if is_secure(&web.app.config) { "__Host-knotpost-passkey" } else { "knotpost-passkey" }
}

pub(super) fn ask(web: &Web) -> Result<Response, ServiceError> {
    let question = ask_to_log_in(&web.app)?;
    let cookie =
        cookie(&web.app.config, (cookie_name(web), &question.holder), "/", question.seconds, "Strict");
    Ok(no_store(([(header::SET_COOKIE, cookie)], Json(question.options)).into_response()))
}

pub(super) async fn log_in(
    web: &Web,
    credentials: &Credentials,
    shown: &Shown,
    rate_key: &str,
    agent: &str,
) -> Result<String, ServiceError> {
    let holder = credentials.cookie(cookie_name(web)).unwrap_or_default();
    let Shown { credential, client_data, data, signature, user_handle } = shown.clone();
    let answer = PasskeyAnswer { credential, client_data, data, signature, user_handle };
    log_in_by_passkey(&web.app, &holder, &answer, rate_key, agent).await
}
