//! A user: what everybody may know, and for the user alone his addresses and whether mail reaches them.

use axum::Json;
use axum::extract::{Path, State};
use axum_extra::TypedHeader;
use axum_extra::headers::Authorization;
use axum_extra::headers::authorization::Basic;
use serde_json::{Value, json};

use crate::domain::Millis;
use crate::service::{Code, Refusal, view_public_user, view_reach, whose_password};
use crate::web::Web;
use crate::web::client::Client;
use crate::web::error::Problem;

/// The user. With his userid and password (HTTP Basic) the answer tells his addresses.
pub(super) async fn show(
    State(web): State<Web>,
    client: Client,
    Path(userid): Path<String>,
    login: Option<TypedHeader<Authorization<Basic>>>,
) -> Result<Json<Value>, Problem> {
    let user = view_public_user(&web.app, &userid).await?;
    let mut shown = json!({ "userid": user.userid, "since": user.created_at.to_rfc3339() });
    let Some(TypedHeader(Authorization(login))) = login else { return Ok(Json(shown)) };
    let known = whose_password(&web.app, &client.rate_key(), login.username(), login.password()).await?;
    let Some(known) = known else {
        return Err(Refusal::new(Code::BadCredentials, "the userid or the password is wrong").into());
    };
    if known == user.id {
        let addresses = view_reach(&web.app, known).await?.into_iter().map(|reach| {
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
