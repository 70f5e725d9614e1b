//! Webhooks on the settings page: made with a form, their secret shown once; tested, renewed and removed by buttons.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::{Value, context};

use super::settings::{Fields, failed, field};
use crate::Web;
use crate::session::no_store;
use knotpost_core::StoreError;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{
    FreshHook, HookView, HookWish, Visitor, create_webhook, remove_webhook, renew_webhook_secret,
    start_webhook, test_webhook, view_webhooks,
};
use knotpost_core::webhooks::{HookEvent, HookForm};
use knotpost_model::Millis;

const EVENTS: [(HookEvent, &str); 5] = [
    (HookEvent::Turn, "it is your turn"),
    (HookEvent::Move, "a move"),
    (HookEvent::Chat, "words"),
    (HookEvent::Proposal, "proposals and answers"),
    (HookEvent::Over, "the end of a game"),
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
    let hooks = view_webhooks(&web.app, visitor.user).await?;
    let line = |hook: &HookView| {
        let events: Vec<&str> = hook.events.iter().map(|event| event.as_str()).collect();
        context! {
            form => hook.form.as_str(), service => FORMS.iter().find(|(form, _)| *form == hook.form).map(|(_, label)| *label),
            id => hook.id, url => hook.url.clone(), events => events.join(", "),
            since => hook.created_at.to_readable(), sent => hook.sent_at.map(Millis::to_readable),
            failing => hook.failing_since.map(Millis::to_readable),
            stopped => hook.stopped_at.map(Millis::to_readable), error => hook.error.clone(),
        }
    };
    let events: Vec<Value> = EVENTS
        .iter()
        .map(|(event, label)| context! { word => event.as_str(), label => *label, usual => *event == HookEvent::Turn })
        .collect();
    let forms: Vec<Value> =
        FORMS.iter().map(|(form, label)| context! { word => form.as_str(), label => *label }).collect();
    Ok(Some(context! { lines => hooks.iter().map(line).collect::<Vec<_>>(), events, forms }))
}

/// `None` if the action is not about webhooks.
pub(super) async fn act(web: &Web, visitor: &Visitor, fields: &Fields) -> Option<Response> {
    let id = field(fields, "id").parse().unwrap_or(0);
    let done = match field(fields, "act") {
        "new_hook" => return Some(make(web, visitor, fields).await),
        "renew_hook" => {
            let renewed = renew_webhook_secret(&web.app, visitor.proven(), id).await;
            return Some(shown(web, visitor, fields, renewed).await);
        }
        "test_hook" => test_webhook(&web.app, visitor.user, id).await,
        "start_hook" => start_webhook(&web.app, visitor.user, id).await,
        "end_hook" => remove_webhook(&web.app, visitor.user, id).await,
        _ => return None,
    };
    Some(match done {
        Ok(()) => Redirect::to("/settings#webhooks").into_response(),
        Err(error) => failed(web, visitor, fields, error).await,
    })
}

async fn make(web: &Web, visitor: &Visitor, fields: &Fields) -> Response {
    let is_wanted = |event: &HookEvent| !field(fields, event.as_str()).is_empty();
    let wish = HookWish {
        url: field(fields, "url").to_owned(),
        events: HookEvent::ALL.into_iter().filter(is_wanted).collect(),
        form: HookForm::choose(field(fields, "form")).unwrap_or_default(),
    };
    shown(web, visitor, fields, create_webhook(&web.app, visitor.proven(), wish).await).await
}

/// Shows the secret once; redirects to the settings without one.
async fn shown(
    web: &Web,
    visitor: &Visitor,
    fields: &Fields,
    made: Result<FreshHook, ServiceError>,
) -> Response {
    match made {
        Ok(fresh) => {
            let Some(secret) = fresh.secret else {
                return Redirect::to("/settings#webhooks").into_response();
            };
            let facts = context! { secret => secret.show(), place => fresh.view.url };
            no_store(web.pages.page_for(Some(visitor), StatusCode::OK, "webhook.html", facts))
        }
        Err(error) => failed(web, visitor, fields, error).await,
    }
}
