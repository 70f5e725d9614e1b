//! Webhooks on the settings page: made with a form, their secret shown once; tested, renewed and removed by buttons.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::settings::{Fields, field, nothing_chosen};
use crate::Web;
use crate::session::no_store;
use knotpost_core::StoreError;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{
    FreshHook, HookWish, Visitor, create_webhook, remove_webhook, renew_webhook_secret, start_webhook,
    test_webhook, view_webhooks,
};
use knotpost_core::webhooks::{HookEvent, HookForm};

const EVENTS: [(HookEvent, &str); 6] = [
    (HookEvent::Turn, "it is your turn"),
    (HookEvent::Move, "a move"),
    (HookEvent::Chat, "words"),
    (HookEvent::Proposal, "proposals and answers"),
    (HookEvent::Over, "the end of a game"),
    (HookEvent::Tournament, "rounds and ends of tournaments"),
];

const FORMS: [(HookForm, &str); 5] = [
    (HookForm::Signed, "a program of mine: signed JSON"),
    (HookForm::Discord, "a channel of Discord"),
    (HookForm::Slack, "a channel of Slack"),
    (HookForm::Ntfy, "a topic of ntfy"),
    (HookForm::Matrix, "a room of Matrix, by hookshot"),
];

/// `None` if webhooks are switched off.
pub(super) async fn facts(web: &Web, visitor: &Visitor) -> Result<Option<Value>, StoreError> {
    if !web.app.config.webhooks.enabled {
        return Ok(None);
    }
    let hooks = view_webhooks(&web.app.store, visitor.user).await?;
    Ok(Some(context! { lines => Serde(&hooks), events => Serde(EVENTS), forms => Serde(FORMS) }))
}

pub(super) async fn act(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Response, ServiceError> {
    let id = field(fields, "id").parse().unwrap_or(0);
    match field(fields, "act") {
        "new_hook" => {
            let is_wanted = |event: &HookEvent| !field(fields, event.as_str()).is_empty();
            let wish = HookWish {
                url: field(fields, "url").to_owned(),
                events: HookEvent::ALL.iter().copied().filter(is_wanted).collect(),
                form: HookForm::choose(field(fields, "form")).unwrap_or_default(),
            };
            return Ok(shown(web, visitor, &create_webhook(&web.app, visitor.proven(), wish).await?));
        }
        "renew_hook" => {
            return Ok(shown(web, visitor, &renew_webhook_secret(&web.app, visitor.proven(), id).await?));
        }
        "test_hook" => test_webhook(&web.app, visitor.user, id).await?,
        "start_hook" => start_webhook(&web.app.store, &web.app.config, visitor.user, id).await?,
        "end_hook" => remove_webhook(&web.app.store, web.app.clock.as_ref(), visitor.user, id).await?,
        _ => return Err(nothing_chosen().into()),
    }
    Ok(Redirect::to("/settings#webhooks").into_response())
}

/// Shows the secret once; redirects to the settings without one.
fn shown(web: &Web, visitor: &Visitor, fresh: &FreshHook) -> Response {
    if fresh.secret.is_none() {
        return Redirect::to("/settings#webhooks").into_response();
    }
    let facts = context! { hook => Serde(fresh) };
    no_store(web.pages.page_for(Some(visitor), StatusCode::OK, "webhook.html", facts))
}
