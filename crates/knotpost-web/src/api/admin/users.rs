//! Users for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CurrentAdmin, Done, MOST, carry_out, named, operation, read_limit};
use crate::Web;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{
    USER_ACTS, UserList, WholeUser, act_words, search_refused_names, search_users, view_user,
};
use knotpost_core::boards::Code;

/// The query of a list of users.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct UsersQuery {
    /// The beginning of a name, or a complete address.
    q: String,
    /// The `cursor` of the page before.
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
    /// Only users whose name would be refused to a new user today. A page may have fewer than `limit` of them, or none,
    /// and a cursor.
    reserved: bool,
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
        return Ok(Json(
            search_refused_names(&web.app.store, &web.app.vocabulary, &query.q, after, limit).await?,
        ));
    }
    Ok(Json(search_users(&web.app.store, &web.app.vocabulary, &query.q, after, limit).await?))
}

pub(in crate::api) const USER: Operation = operation("inspect_user", "A user with addresses and keys")
    .gives::<WholeUser>("The user.")
    .refuses(&[Code::NoSuchUser]);

pub(in crate::api) async fn user(
    State(web): State<Web>,
    ApiPath(userid): ApiPath<String>,
) -> Result<Json<WholeUser>, Problem> {
    Ok(Json(view_user(&web.app, &userid).await?))
}

/// A change to a user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "UserChange")]
pub(in crate::api) struct UserRequest {
    /// Name of the action.
    #[schemars(extend("enum" = act_words(USER_ACTS)))]
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
    carry_out(&web, &caller, named(USER_ACTS, &request.act, (userid, request.address))?).await
}
