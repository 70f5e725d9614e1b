//! A user: the public profile, and for the user alone their addresses.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::admin::{PublicUser, view_public_user};
use knotpost_core::boards::Code;
use knotpost_core::identity::{Manner, Scope, view_manner};
use knotpost_core::mailing::{UserAddress, view_addresses};

/// A user.
#[derive(Serialize, JsonSchema)]
pub(super) struct User {
    #[serde(flatten)]
    public: PublicUser,
    #[serde(flatten)]
    manner: Manner,
    /// Their addresses, visible to the user alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses: Option<Vec<UserAddress>>,
}

pub(super) const SHOW: Operation = Operation::new("show_user", Tag::Users, "A user")
    .details("For the user themselves (a key needs `read`) the answer has their addresses and whether mail reaches them.")
    .scope(Scope::Read)
    .gives::<User>("The user.")
    .refuses(&[Code::NoSuchUser])
    .knows_caller();

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(userid): ApiPath<String>,
    caller: Option<Caller>,
) -> Result<Json<User>, Problem> {
    let user = view_public_user(&web.app.store, &userid).await?;
    let is_own = caller.is_some_and(|caller| caller.user == user.user && caller.require(Scope::Read).is_ok());
    let addresses = if is_own { Some(view_addresses(&web.app.store, user.user).await?) } else { None };
    let manner = view_manner(&web.app, user.user).await?;
    Ok(Json(User { public: user, manner, addresses }))
}
