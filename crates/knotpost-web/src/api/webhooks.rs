//! Webhooks: the caller's programs that are notified of events on the caller's boards.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::extract::{ApiPath, RawBody};
use crate::openapi::{Operation, Tag};
use crate::session::no_store;
use knotpost_core::boards::Code;
use knotpost_core::identity::{
    FreshHook, HookView, HookWish, Scope, create_webhook, remove_webhook, renew_webhook_secret,
    start_webhook, test_webhook, view_webhooks,
};
use knotpost_core::webhooks::{HookEvent, HookForm};

/// A webhook to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewWebhook")]
pub(super) struct Wish {
    /// Target of the requests: `https://…`.
    #[schemars(length(min = 1, max = 1000))]
    url: String,
    /// The events that it gets.
    #[schemars(with = "Vec<HookEvent>", length(min = 1))]
    events: Vec<String>,
    /// Kind of receiver, and so the form in which it is told; left out: `signed`.
    #[serde(default)]
    #[schemars(with = "Option<HookForm>")]
    form: Option<String>,
}

/// The webhooks of the caller.
#[derive(Serialize, JsonSchema)]
pub(super) struct Webhooks {
    webhooks: Vec<HookView>,
}

pub(super) const LIST: Operation = Operation::new("list_webhooks", Tag::Webhooks, "Your webhooks")
    .scope(Scope::Read)
    .gives::<Webhooks>("The webhooks.");

pub(super) async fn list(State(web): State<Web>, caller: Caller) -> Result<Json<Webhooks>, Problem> {
    caller.require(Scope::Read)?;
    Ok(Json(Webhooks { webhooks: view_webhooks(&web.app.store, caller.user).await? }))
}

pub(super) const CREATE: Operation = Operation::new("make_webhook", Tag::Webhooks, "Makes a webhook")
    .details("With userid and password, or in a session in which the password or a passkey was given within ten minutes: a key makes none.")
    .takes::<Wish>()
    .gives::<FreshHook>("")
    .status(201, "The webhook and its secret, shown this once.")
    .refuses(&[Code::BadValue, Code::NotAllowed, Code::NotSupported]);

pub(super) async fn create(
    State(web): State<Web>,
    caller: Caller,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require_password(&web)?;
    let request: Wish = read_json(&body, r#"{"url":"https://…","events":["turn","over"]}"#)?;
    let mut events = Vec::new();
    for word in &request.events {
        let event = HookEvent::from_word(word);
        let text = "events are turn, move, chat, proposal and over";
        events.push(event.ok_or_else(|| Problem::new(Code::BadValue, text))?);
    }
    let form = match request.form.as_deref() {
        None => HookForm::default(),
        Some(word) => HookForm::choose(word).ok_or_else(|| {
            Problem::new(Code::BadValue, "forms are signed, discord, slack, ntfy and matrix")
        })?,
    };
    let wish = HookWish { url: request.url, events, form };
    let fresh = create_webhook(&web.app, caller.proven(), wish).await?;
    Ok(no_store((StatusCode::CREATED, Json(fresh)).into_response()))
}

pub(super) const REMOVE: Operation = Operation::new("remove_webhook", Tag::Webhooks, "Removes a webhook")
    .details("What waits for it is dropped.")
    .scope(Scope::Play)
    .status(204, "It is gone.");

pub(super) async fn remove(
    State(web): State<Web>,
    caller: Caller,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, Problem> {
    caller.require(Scope::Play)?;
    remove_webhook(&web.app.store, web.app.clock.as_ref(), caller.user, id)
        .await
        .map_err(Problem::missing)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) const TEST: Operation =
    Operation::new("test_webhook", Tag::Webhooks, "Sends a test event to a webhook")
        .details("Its `type` is `test`. What became of it stands in the list of webhooks.")
        .scope(Scope::Play)
        .status(202, "It is on its way.")
        .refuses(&[Code::Conflict, Code::NotSupported]);

pub(super) async fn test(
    State(web): State<Web>,
    caller: Caller,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, Problem> {
    caller.require(Scope::Play)?;
    test_webhook(&web.app, caller.user, id).await.map_err(Problem::missing)?;
    Ok(StatusCode::ACCEPTED)
}

pub(super) const RENEW: Operation =
    Operation::new("renew_webhook_secret", Tag::Webhooks, "Gives a webhook another secret")
        .details(
            "The old one is of no use from then on; what waits is dropped. With userid and password, or in a session in \
             which the password or a passkey was given within ten minutes.",
        )
        .gives::<FreshHook>("The webhook and its new secret, shown this once.")
        .refuses(&[Code::Conflict, Code::NotAllowed, Code::NotSupported]);

pub(super) async fn renew(
    State(web): State<Web>,
    caller: Caller,
    ApiPath(id): ApiPath<i64>,
) -> Result<Response, Problem> {
    caller.require_password(&web)?;
    let fresh = renew_webhook_secret(&web.app, caller.proven(), id).await.map_err(Problem::missing)?;
    Ok(no_store(Json(fresh).into_response()))
}

pub(super) const START: Operation =
    Operation::new("start_webhook", Tag::Webhooks, "Switches a webhook on again")
        .details("For one that was switched off because it took nothing.")
        .scope(Scope::Play)
        .status(204, "It is on.")
        .refuses(&[Code::NotSupported]);

pub(super) async fn start(
    State(web): State<Web>,
    caller: Caller,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, Problem> {
    caller.require(Scope::Play)?;
    start_webhook(&web.app.store, &web.app.config, caller.user, id).await.map_err(Problem::missing)?;
    Ok(StatusCode::NO_CONTENT)
}
