//! API keys on the settings page: made after a recent proof of password or passkey, shown once, revoked by a button.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::{Value, context};

use super::settings::{Fields, failed, field};
use crate::Web;
use crate::session::no_store;
use knotpost_core::StoreError;
use knotpost_core::identity::{
    Scope, TokenWish, USUAL_DAYS, Visitor, create_token, revoke_token, view_tokens,
};
use knotpost_model::Millis;

pub(super) async fn facts(web: &Web, visitor: &Visitor) -> Result<Vec<Value>, StoreError> {
    let keys = view_tokens(&web.app, visitor.user).await?;
    let line = |key: &knotpost_core::identity::TokenView| {
        let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
        context! {
            id => key.id, name => key.name.clone(), scopes => scopes.join(", "),
            since => key.created_at.to_readable(), used => key.used_at.map(Millis::to_readable),
            until => key.expires_at.to_readable(),
        }
    };
    Ok(keys.iter().map(line).collect())
}

pub(super) async fn make(web: &Web, visitor: &Visitor, fields: &Fields) -> Response {
    let made = async {
        let scopes = Scope::ALL.into_iter().filter(|scope| !field(fields, scope.as_str()).is_empty());
        let days = field(fields, "days");
        let wish = TokenWish {
            name: field(fields, "name").to_owned(),
            scopes: scopes.collect(),
            days: if days.is_empty() { USUAL_DAYS } else { days.parse().unwrap_or(0) },
        };
        create_token(&web.app, visitor.proven(), wish).await
    };
    match made.await {
        Ok(fresh) => {
            let facts = context! {
                token => fresh.token, name => fresh.view.name, until => fresh.view.expires_at.to_readable(),
            };
            no_store(web.pages.page_for(Some(visitor), StatusCode::OK, "key.html", facts))
        }
        Err(error) => failed(web, visitor, fields, error).await,
    }
}

pub(super) async fn end(web: &Web, visitor: &Visitor, fields: &Fields) -> Response {
    let id = field(fields, "id").parse().unwrap_or(0);
    match revoke_token(&web.app, visitor.user, id).await {
        Ok(()) => Redirect::to("/settings").into_response(),
        Err(error) => failed(web, visitor, fields, error).await,
    }
}
