//! Users for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CurrentAdmin, Done, MOST, carry_out, no_such_act, operation, read_limit};
use crate::Web;
use crate::api::read_json;
use crate::api::users::{Stop, UserAddress};
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{AdminAction, UserEdit, UserView, search_refused_names, search_users, view_user};
use knotpost_core::boards::Code;

/// The query of a list of users.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct UsersQuery {
    /// The beginning of a name, or a complete address.
    q: String,
    /// Where the last page ended.
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
    /// Only users whose name would be refused to a new user today. A page may have fewer than `limit` of them, or none,
    /// and a cursor.
    reserved: bool,
}

/// A page of users.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct UserList {
    /// By name.
    users: Vec<UserLine>,
    /// Goes into the next request; `null`: that was all.
    cursor: Option<String>,
}

/// A user in a list.
#[derive(Serialize, JsonSchema)]
struct UserLine {
    /// The name, as signed up.
    userid: String,
    /// `player`, `admin`, `bot` or `program`.
    role: String,
    /// Whether the account is in use.
    state: &'static str,
    /// When it was signed up.
    since: String,
    /// Why the name would be refused to a new user today; `null`: it would not be.
    name_refused: Option<String>,
}

/// A user as administrators see them.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct WholeUser {
    #[serde(flatten)]
    line: UserLine,
    /// Their addresses, and whether mail reaches them.
    addresses: Vec<UserAddress>,
    /// The boards they play on.
    active_boards: usize,
    /// The browsers they are logged in with.
    sessions: usize,
    /// Their API keys.
    tokens: usize,
}

fn line(user: &UserView) -> UserLine {
    UserLine {
        userid: user.userid.clone(),
        role: user.role.clone(),
        state: user.state,
        since: user.since.clone(),
        name_refused: user.name_refused.clone(),
    }
}

pub(in crate::api) const USERS: Operation =
    operation("search_users", "Users").asks::<UsersQuery>().gives::<UserList>("A page of users.");

pub(in crate::api) async fn users(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<UsersQuery>,
) -> Result<Json<UserList>, Problem> {
    let limit = read_limit(query.limit)?;
    let after = query.cursor.as_deref().unwrap_or_default();
    if query.reserved {
        let (found, cursor) = search_refused_names(&web.app, &query.q, after, limit).await?;
        return Ok(Json(UserList { users: found.iter().map(line).collect(), cursor }));
    }
    let found = search_users(&web.app, &query.q, after, limit).await?;
    let cursor = found.last().filter(|_| found.len() == limit).map(|user| user.userid.clone());
    Ok(Json(UserList { users: found.iter().map(line).collect(), cursor }))
}

pub(in crate::api) const USER: Operation = operation("inspect_user", "A user with addresses and keys")
    .gives::<WholeUser>("The user.")
    .refuses(&[Code::NoSuchUser]);

pub(in crate::api) async fn user(
    State(web): State<Web>,
    ApiPath(userid): ApiPath<String>,
) -> Result<Json<WholeUser>, Problem> {
    let user = view_user(&web.app, &userid).await?;
    let addresses = user.addresses.iter().map(|(address, confirmed)| {
        let stopped = user.stop_of(address).map(Stop::from);
        UserAddress { address: address.clone(), confirmed: *confirmed, stopped }
    });
    Ok(Json(WholeUser {
        line: line(&user),
        addresses: addresses.collect(),
        active_boards: user.active_boards,
        sessions: user.sessions,
        tokens: user.tokens,
    }))
}

const ACTS: [&str; 10] = [
    "suspend",
    "lift",
    "grant",
    "revoke",
    "send_password",
    "log_out",
    "revoke_tokens",
    "delete",
    "delete_with_remarks",
    "start",
];

/// A change to a user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UserChange")]
pub(in crate::api) struct UserRequest {
    /// What is done.
    #[schemars(extend("enum" = ACTS))]
    act: String,
    /// With `start`: the address that is to get mail again.
    #[serde(default)]
    address: String,
}

pub(in crate::api) const CHANGE_USER: Operation = operation("change_user", "Changes a user")
    .takes::<UserRequest>()
    .gives::<Done>("It is done.")
    .refuses(&[Code::NoSuchUser, Code::Conflict, Code::BadValue]);

pub(in crate::api) async fn change_user(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    ApiPath(userid): ApiPath<String>,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: UserRequest = read_json(&body, r#"{"act":"suspend"}"#)?;
    let edit = match request.act.as_str() {
        "start" => {
            return carry_out(&web, &caller, AdminAction::StartAddress { address: request.address }).await;
        }
        act => UserEdit::from_word(act).ok_or_else(|| no_such_act(&ACTS))?,
    };
    carry_out(&web, &caller, AdminAction::User { userid, edit }).await
}
