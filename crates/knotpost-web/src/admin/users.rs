//! Users: searching, viewing and changing.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use minijinja::context;

use super::{CurrentAdmin, Fields, LINES, carry_out, field, next_page, page, refused};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use knotpost_core::admin::{AdminAction, UserEdit, UserView, search_refused_names, search_users, view_user};
use knotpost_core::boards::{Code, Refusal, ServiceError};

pub(super) async fn list(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let words = field(&fields, "q");
    let (after, reserved) = (field(&fields, "after"), !field(&fields, "reserved").is_empty());
    let found = if reserved {
        search_refused_names(&web.app, words, after, LINES).await
    } else {
        search_users(&web.app, words, after, LINES).await.map(|found| {
            let next = found.last().filter(|_| found.len() == LINES).map(|user| user.userid.clone());
            (found, next)
        })
    };
    let (found, next) = match found {
        Ok(found) => found,
        Err(error) => return refused(&web, &visitor, error, "/admin/users"),
    };
    let more = next.map(|userid| next_page("/admin/users", &fields, "after", &userid));
    let line = |user: &UserView| {
        context! {
            userid => user.userid.clone(), role => user.role.clone(), state => user.state, since => user.since.clone(),
            why => user.name_refused.clone(),
        }
    };
    let users: Vec<_> = found.iter().map(line).collect();
    page(&web, &visitor, "admin/users.html", context! { words, reserved, users, more })
}

pub(super) async fn show(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(userid): PagePath<String>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    let user = match view_user(&web.app, &userid).await {
        Ok(user) => user,
        Err(error) => return refused(&web, &visitor, error, "/admin/users"),
    };
    let addresses: Vec<_> = user
        .addresses
        .iter()
        .map(|(address, confirmed)| {
            let stop = user.stop_of(address);
            context! {
                address, confirmed => *confirmed,
                stopped => stop.map(|stop| stop.since.to_readable()),
                why => stop.map(|stop| stop.why.clone()),
            }
        })
        .collect();
    let facts = context! {
        user => user.userid.clone(), role => user.role.clone(), state => user.state, since => user.since.clone(),
        active => user.active_boards, sessions => user.sessions, tokens => user.tokens, addresses,
        is_self => user.userid.eq_ignore_ascii_case(&visitor.userid),
        done => !field(&fields, "done").is_empty(),
    };
    page(&web, &visitor, "admin/user.html", facts)
}

pub(super) async fn act(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath(userid): PagePath<String>,
    Form(fields): Form<Fields>,
) -> Response {
    let back = format!("/admin/users/{}", super::url_encode(&userid));
    let done = async {
        let action = read_action(userid, &fields)?;
        carry_out(&web, &visitor, action, &back).await
    };
    match done.await {
        Ok(response) => response,
        Err(error) => refused(&web, &visitor, error, &back),
    }
}

fn read_action(userid: String, fields: &Fields) -> Result<AdminAction, ServiceError> {
    let act = field(fields, "act");
    if act == "start" {
        return Ok(AdminAction::StartAddress { address: field(fields, "address").to_owned() });
    }
    let Some(edit) = UserEdit::from_word(act) else {
        return Err(Refusal::new(Code::WrongArguments, "choose what is to be done").into());
    };
    let is_grave = matches!(
        edit,
        UserEdit::Delete | UserEdit::DeleteWithRemarks | UserEdit::Suspend | UserEdit::Role("admin")
    );
    if is_grave && field(fields, "sure").is_empty() {
        return Err(Refusal::new(Code::BadValue, "tick the box to do this").into());
    }
    Ok(AdminAction::User { userid, edit })
}
