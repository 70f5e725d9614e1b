//! The do-not-mail list, and the policy for mail from strangers.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CurrentAdmin, Done, carry_out, named, operation};
use crate::Web;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{AdminAction, DO_NOT_MAIL_ACTS, act_words};
use knotpost_core::boards::Code;
use knotpost_core::config::StrangerPolicy;
use knotpost_core::identity::{Strangers, view_stranger_policy};
use knotpost_core::mailing::{DoNotMail, view_unmailed};

/// The query of the list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::api) struct UnmailedQuery {
    /// The `cursor` of the page before.
    cursor: Option<String>,
}

pub(in crate::api) const DO_NOT_MAIL: Operation =
    operation("list_do_not_mail", "Addresses and domains that get no mail")
        .asks::<UnmailedQuery>()
        .gives::<DoNotMail>("A page of the list.");

pub(in crate::api) async fn do_not_mail(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<UnmailedQuery>,
) -> Result<Json<DoNotMail>, Problem> {
    Ok(Json(view_unmailed(&web.app.store, query.cursor.as_deref().unwrap_or_default()).await?))
}

/// A change to the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DoNotMailChange")]
pub(in crate::api) struct UnmailedRequest {
    /// Name of the action.
    #[schemars(extend("enum" = act_words(DO_NOT_MAIL_ACTS)))]
    act: String,
    /// An address, or a domain.
    target: String,
    /// Reason for the entry.
    #[serde(default)]
    reason: String,
}

pub(in crate::api) const CHANGE_DO_NOT_MAIL: Operation =
    operation("change_do_not_mail", "Ends all mail to an address or a domain, or lets it go there again")
        .takes::<UnmailedRequest>()
        .gives::<Done>("It is done.")
        .refuses(&[Code::BadValue]);

pub(in crate::api) async fn change_do_not_mail(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: UnmailedRequest =
        read_json(&body, r#"{"act":"add","target":"ann@example.org","reason":"…"}"#)?;
    let of = (request.target, request.reason);
    carry_out(&web, &caller, named(DO_NOT_MAIL_ACTS, &request.act, of)?).await
}

pub(in crate::api) const STRANGERS: Operation =
    operation("show_strangers", "What mail of strangers comes to").gives::<Strangers>("What holds now.");

pub(in crate::api) async fn strangers(State(web): State<Web>) -> Result<Json<Strangers>, Problem> {
    Ok(Json(view_stranger_policy(&web.app.store, &web.app.config).await?))
}

const POLICIES: [&str; 4] = ["open", "known", "closed", "default"];

/// A change of how mail from strangers is treated, on all servers of the database.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StrangersChange")]
pub(in crate::api) struct StrangersRequest {
    /// The new setting; `default` is that of the configuration.
    #[schemars(extend("enum" = POLICIES))]
    policy: String,
}

pub(in crate::api) const CHANGE_STRANGERS: Operation =
    operation("change_strangers", "Changes what mail of strangers comes to")
        .takes::<StrangersRequest>()
        .gives::<Done>("It is done.")
        .refuses(&[Code::BadValue]);

pub(in crate::api) async fn change_strangers(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: StrangersRequest = read_json(&body, r#"{"policy":"known"}"#)?;
    let policy = StrangerPolicy::from_word(&request.policy);
    if policy.is_none() && request.policy != "default" {
        let text = "`policy` is open, known, closed or default";
        return Err(Problem::new(Code::BadValue, text));
    }
    carry_out(&web, &caller, AdminAction::Strangers { policy }).await
}
