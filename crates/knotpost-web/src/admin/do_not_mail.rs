//! The do-not-mail list of addresses and domains: viewing, adding and removing entries.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::{CurrentAdmin, Fields, carry_out, field, next_page, page_after, refused};
use crate::Web;
use crate::extract::PageQuery;
use knotpost_core::admin::{AdminAction, DO_NOT_MAIL_ACTS};
use knotpost_core::boards::{Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::mailing::view_unmailed;

const PATH: &str = "/admin/do-not-mail";

pub(super) async fn list(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    show(&web, &visitor, &fields, None).await
}

async fn show(web: &Web, visitor: &Visitor, fields: &Fields, refusal: Option<&Refusal>) -> Response {
    let found = match view_unmailed(&web.app.store, field(fields, "after")).await {
        Ok(found) => found,
        Err(error) => return refused(web, visitor, error, PATH),
    };
    let more = found.cursor.map(|target| next_page(PATH, fields, "after", &target));
    let typed = |name| if refusal.is_some() { field(fields, name) } else { "" };
    let facts = context! {
        entries => Serde(&found.entries), more, done => !field(fields, "done").is_empty(),
        target => typed("target"), reason => typed("reason"),
    };
    page_after(web, visitor, refusal, "admin/do_not_mail.html", facts)
}

pub(super) async fn act(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    Form(fields): Form<Fields>,
) -> Response {
    let of = (field(&fields, "target").to_owned(), field(&fields, "reason").to_owned());
    let action = AdminAction::named(DO_NOT_MAIL_ACTS, field(&fields, "act"), of);
    match carry_out(&web, &visitor, action, &fields, PATH).await {
        Ok(response) => response,
        Err(ServiceError::Refused(refusal)) => show(&web, &visitor, &fields, Some(&refusal)).await,
        Err(error) => refused(&web, &visitor, error, PATH),
    }
}
