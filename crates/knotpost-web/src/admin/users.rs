//! Users: searching, viewing and changing.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::{CurrentAdmin, Fields, LINES, field, next_page, page_or};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use knotpost_core::admin::{AdminAction, USER_ACTS, search_refused_names, search_users, view_user};

pub(super) async fn list(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let words = field(&fields, "q");
    let (after, reserved) = (field(&fields, "after"), !field(&fields, "reserved").is_empty());
    let found = if reserved {
        search_refused_names(&web.app.store, &web.app.vocabulary, words, after, LINES).await
    } else {
        search_users(&web.app.store, &web.app.vocabulary, words, after, LINES).await
    };
    let facts = found.map(|found| {
        let more = found.cursor.map(|userid| next_page("/admin/users", &fields, "after", &userid));
        context! { words, reserved, users => Serde(&found.users), more }
    });
    page_or(&web, &visitor, "admin/users.html", facts, "/admin/users")
}

pub(super) async fn show(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(userid): PagePath<String>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let facts = view_user(&web.app, &userid).await.map(|user| {
        let is_self = user.line.userid.eq_ignore_ascii_case(&visitor.userid);
        context! { user => Serde(&user), is_self, done => !field(&fields, "done").is_empty() }
    });
    page_or(&web, &visitor, "admin/user.html", facts, "/admin/users")
}

pub(super) async fn act(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(userid): PagePath<String>,
    Form(fields): Form<Fields>,
) -> Response {
    let back = format!("/admin/users/{}", super::url_encode(&userid));
    let of = (userid, field(&fields, "address").to_owned());
    super::act(&web, &visitor, AdminAction::named(USER_ACTS, field(&fields, "act"), of), &fields, &back).await
}
