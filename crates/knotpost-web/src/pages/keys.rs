//! API keys on the settings page: made after a recent proof of password or passkey, shown once, revoked by a button.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::Value;
use minijinja::value::Serde;

use super::settings::{Fields, field};
use crate::Web;
use crate::session::no_store;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{Scope, TokenWish, USUAL_DAYS, Visitor, create_token, revoke_token};

pub(super) async fn make(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Response, ServiceError> {
    let scopes = Scope::ALL.iter().copied().filter(|scope| !field(fields, scope.as_str()).is_empty());
    let days = field(fields, "days");
    let wish = TokenWish {
        name: field(fields, "name").to_owned(),
        scopes: scopes.collect(),
        days: if days.is_empty() { USUAL_DAYS } else { days.parse().unwrap_or(0) },
    };
    let fresh = create_token(&web.app, visitor.proven(), wish).await?;
    let facts = Value::from(Serde(&fresh));
    Ok(no_store(web.pages.page_for(Some(visitor), StatusCode::OK, "key.html", facts)))
}

pub(super) async fn end(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Response, ServiceError> {
    revoke_token(&web.app.store, visitor.user, field(fields, "id").parse().unwrap_or(0)).await?;
    Ok(Redirect::to("/settings").into_response())
}
