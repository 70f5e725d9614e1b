//! A user: what everybody may know, and for the user alone his addresses and whether mail reaches them.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::domain::Millis;
use crate::service::{Scope, view_public_user, view_reach};
use crate::web::Web;
use crate::web::auth::Caller;
use crate::web::error::Problem;

/// The user. To himself the answer tells his addresses.
pub(super) async fn show(
    State(web): State<Web>,
    Path(userid): Path<String>,
    caller: Option<Caller>,
) -> Result<Json<Value>, Problem> {
    let user = view_public_user(&web.app, &userid).await?;
    let mut shown = json!({ "userid": user.userid, "since": user.created_at.to_rfc3339() });
    let own = caller.filter(|caller| caller.user == user.id && caller.require(Scope::Read).is_ok());
    if own.is_some() {
        let addresses = view_reach(&web.app, user.id).await?.into_iter().map(|reach| {
            json!({
                "address": reach.address,
                "confirmed": reach.confirmed,
                "stopped": reach.stopped.map(|stop| json!({
                    "since": Millis(stop.stopped_at).to_rfc3339(), "why": stop.why,
                })),
            })
        });
        shown["addresses"] = addresses.collect();
    }
    Ok(Json(shown))
}
