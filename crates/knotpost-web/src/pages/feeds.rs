//! The addresses of a user's feeds on the settings page: always visible, renewed and switched off by buttons.

use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::{Value, context};

use crate::Web;
use crate::session::url_encode;
use knotpost_core::StoreError;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{Visitor, end_feed_key, renew_feed_key, view_feed_key};

pub(super) async fn facts(web: &Web, visitor: &Visitor) -> Result<Value, StoreError> {
    let Some(key) = view_feed_key(&web.app.store, &web.app.secret, visitor.user).await? else {
        return Ok(Value::from(()));
    };
    let user = format!("{}/api/v1/users/{}", web.pages.url, url_encode(&visitor.userid));
    Ok(context! {
        turns => format!("{user}/turns.atom?key={}", key.key),
        deadlines => format!("{user}/deadlines.ics?key={}", key.key),
        since => key.since.to_readable(),
    })
}

/// Old addresses stop working.
pub(super) async fn renew(web: &Web, visitor: &Visitor) -> Result<Response, ServiceError> {
    renew_feed_key(&web.app, visitor.proven()).await?;
    Ok(Redirect::to("/settings#feeds").into_response())
}

pub(super) async fn end(web: &Web, visitor: &Visitor) -> Result<Response, ServiceError> {
    end_feed_key(&web.app.store, visitor.user).await?;
    Ok(Redirect::to("/settings#feeds").into_response())
}
