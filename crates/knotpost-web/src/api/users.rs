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
use knotpost_core::admin::view_public_user;
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;
use knotpost_core::mailing::{AddressStop, view_reach};
use knotpost_model::Moment;

/// A user.
#[derive(Serialize, JsonSchema)]
pub(super) struct User {
    /// The name, as signed up.
    userid: String,
    /// When that was.
    since: Moment,
    /// `true` where a program plays: a computer player of this server, or the program of somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    bot: Option<bool>,
    /// Their addresses, visible to the user alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses: Option<Vec<UserAddress>>,
}

/// A mail address of a user.
#[derive(Serialize, JsonSchema)]
pub(super) struct UserAddress {
    /// As registered.
    pub(super) address: String,
    /// Whether the user has confirmed it.
    pub(super) confirmed: bool,
    /// Since when and why it no longer gets mail.
    pub(super) stopped: Option<Stop>,
}

/// Why an address no longer gets mail.
#[derive(Serialize, JsonSchema)]
pub(super) struct Stop {
    /// Since when.
    since: Moment,
    /// The last answer of its mail server.
    why: String,
}

impl From<&AddressStop> for Stop {
    fn from(stop: &AddressStop) -> Self {
        Self { since: stop.since.into(), why: stop.why.clone() }
    }
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
    let user = view_public_user(&web.app, &userid).await?;
    let own = caller.filter(|caller| caller.user == user.user && caller.require(Scope::Read).is_ok());
    let mut addresses = None;
    if own.is_some() {
        let reached = view_reach(&web.app, user.user).await?.into_iter().map(|reach| UserAddress {
            stopped: reach.stopped.as_ref().map(Stop::from),
            address: reach.address,
            confirmed: reach.confirmed,
        });
        addresses = Some(reached.collect());
    }
    let bot = user.is_bot.then_some(true);
    Ok(Json(User { userid: user.userid, since: user.since.into(), bot, addresses }))
}
