//! Received and outgoing mail, for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CurrentAdmin, Done, MOST, carry_out, named, operation, read_cursor, read_limit, read_since};
use crate::Web;
use crate::api::read_json;
use crate::auth::Caller;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{MAIL_ACTS, act_words};
use knotpost_core::boards::Code;
use knotpost_core::mailing::{
    Inbox, MailQuery, MailQueue, Outbox, OutgoingMail, WholeReceivedMail, view_inbox, view_outbox,
    view_outgoing, view_received,
};

/// The query of a list of mails.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct MailsQuery {
    /// Only mails in this state.
    state: Option<String>,
    /// Only with this outcome, or a piece of the error of an outgoing mail.
    reason: Option<String>,
    /// Only from this date (in UTC) or moment (RFC 3339) on.
    #[schemars(example = "2026-11-20")]
    since: Option<String>,
    /// Only mails from or to this user.
    user: Option<String>,
    /// Only mails from or to this address.
    address: Option<String>,
    /// The `cursor` of the page before.
    #[schemars(regex(pattern = r"^[0-9]{1,18}$"))]
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
}

impl MailsQuery {
    fn read(self) -> Result<MailQuery, Problem> {
        let (limit, since) = (read_limit(self.limit)?, read_since(self.since.as_deref())?);
        let before = read_cursor(self.cursor.as_deref())?;
        let Self { state, reason, user, address, .. } = self;
        Ok(MailQuery { state, reason, since, userid: user, address, before, limit })
    }
}

pub(in crate::api) const INBOX: Operation =
    operation("list_inbox", "Mail that came in").asks::<MailsQuery>().gives::<Inbox>("A page of mails.");

pub(in crate::api) async fn inbox(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<MailsQuery>,
) -> Result<Json<Inbox>, Problem> {
    Ok(Json(view_inbox(&web.app.store, &query.read()?).await?))
}

pub(in crate::api) const OUTBOX: Operation =
    operation("list_outbox", "Mail that goes out").asks::<MailsQuery>().gives::<Outbox>("A page of mails.");

pub(in crate::api) async fn outbox(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<MailsQuery>,
) -> Result<Json<Outbox>, Problem> {
    Ok(Json(view_outbox(&web.app.store, &query.read()?).await?))
}

pub(in crate::api) const RECEIVED: Operation =
    operation("show_received_mail", "A mail that came in, with passwords and tokens masked")
        .gives::<WholeReceivedMail>("The mail.")
        .refuses(&[Code::BadValue]);

pub(in crate::api) async fn received(
    State(web): State<Web>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<WholeReceivedMail>, Problem> {
    Ok(Json(view_received(&web.app, id).await?))
}

pub(in crate::api) const OUTGOING: Operation = operation("show_outgoing_mail", "A mail that goes out")
    .gives::<OutgoingMail>("The mail.")
    .refuses(&[Code::BadValue]);

pub(in crate::api) async fn outgoing(
    State(web): State<Web>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<OutgoingMail>, Problem> {
    Ok(Json(view_outgoing(&web.app.store, id).await?))
}

/// A change to a mail.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MailChange")]
pub(in crate::api) struct MailRequest {
    /// Name of the action.
    #[schemars(extend("enum" = act_words(MAIL_ACTS)))]
    act: String,
}

async fn change(
    web: &Web,
    caller: &Caller,
    mail: (MailQueue, i64),
    body: &[u8],
) -> Result<Json<Done>, Problem> {
    let request: MailRequest = read_json(body, r#"{"act":"retry"}"#)?;
    carry_out(web, caller, named(MAIL_ACTS, &request.act, mail)?).await
}

const UNCHANGEABLE: &[Code] = &[Code::BadValue, Code::Conflict];

pub(in crate::api) const CHANGE_RECEIVED: Operation =
    operation("change_received_mail", "Processes a mail once more, or drops it")
        .takes::<MailRequest>()
        .gives::<Done>("It is done.")
        .refuses(UNCHANGEABLE);

pub(in crate::api) async fn change_received(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    ApiPath(id): ApiPath<i64>,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    change(&web, &caller, (MailQueue::Inbox, id), &body).await
}

pub(in crate::api) const CHANGE_OUTGOING: Operation =
    operation("change_outgoing_mail", "Sends a mail once more, or drops it")
        .takes::<MailRequest>()
        .gives::<Done>("It is done.")
        .refuses(UNCHANGEABLE);

pub(in crate::api) async fn change_outgoing(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    ApiPath(id): ApiPath<i64>,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    change(&web, &caller, (MailQueue::Outbox, id), &body).await
}
