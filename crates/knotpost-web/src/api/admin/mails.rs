//! Received and outgoing mail, for administrators' programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CurrentAdmin, Done, MOST, carry_out, no_such_act, operation, read_cursor, read_limit, read_since,
};
use crate::Web;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::AdminAction;
use knotpost_core::boards::Code;
use knotpost_core::mailing::{
    Author, MailChange, MailQuery, MailQueue, OutgoingMail, ReceivedMail, described, masked_text, view_inbox,
    view_outbox, view_outgoing, view_received,
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
    /// Where the last page ended.
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

/// A page of received mails.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Inbox {
    /// The newest first.
    mails: Vec<ReceivedMail>,
    /// Goes into the next request; `null`: that was all.
    cursor: Option<String>,
}

/// A page of outgoing mails.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Outbox {
    /// The newest first.
    mails: Vec<OutgoingMail>,
    /// Goes into the next request; `null`: that was all.
    cursor: Option<String>,
}

/// A received mail with what it was made of.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct WholeReceivedMail {
    #[serde(flatten)]
    mail: ReceivedMail,
    /// Its parts, one line each, if the message is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<String>>,
    /// Its readable text, if the message is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_text: Option<String>,
}

pub(in crate::api) const INBOX: Operation =
    operation("list_inbox", "Mail that came in").asks::<MailsQuery>().gives::<Inbox>("A page of mails.");

pub(in crate::api) async fn inbox(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<MailsQuery>,
) -> Result<Json<Inbox>, Problem> {
    let page = view_inbox(&web.app, &query.read()?).await?;
    Ok(Json(Inbox { mails: page.mails, cursor: page.next.map(|id| id.to_string()) }))
}

pub(in crate::api) const OUTBOX: Operation =
    operation("list_outbox", "Mail that goes out").asks::<MailsQuery>().gives::<Outbox>("A page of mails.");

pub(in crate::api) async fn outbox(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<MailsQuery>,
) -> Result<Json<Outbox>, Problem> {
    let page = view_outbox(&web.app, &query.read()?).await?;
    Ok(Json(Outbox { mails: page.mails, cursor: page.next.map(|id| id.to_string()) }))
}

pub(in crate::api) const RECEIVED: Operation =
    operation("show_received_mail", "A mail that came in, with passwords and tokens masked")
        .gives::<WholeReceivedMail>("The mail.")
        .refuses(&[Code::BadValue]);

pub(in crate::api) async fn received(
    State(web): State<Web>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<WholeReceivedMail>, Problem> {
    let (mail, message) = view_received(&web.app, id).await?;
    let parts = message.as_deref().map(described);
    let message_text = message.map(|message| masked_text(&web.app, &message, Author::Somebody));
    Ok(Json(WholeReceivedMail { mail, parts, message_text }))
}

pub(in crate::api) const OUTGOING: Operation = operation("show_outgoing_mail", "A mail that goes out")
    .gives::<OutgoingMail>("The mail.")
    .refuses(&[Code::BadValue]);

pub(in crate::api) async fn outgoing(
    State(web): State<Web>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<OutgoingMail>, Problem> {
    Ok(Json(view_outgoing(&web.app, id).await?))
}

const ACTS: [&str; 2] = ["retry", "drop"];

/// A change to a mail.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MailChange")]
pub(in crate::api) struct MailRequest {
    /// What is done.
    #[schemars(extend("enum" = ACTS))]
    act: String,
}

fn read_change(body: &[u8]) -> Result<MailChange, Problem> {
    let request: MailRequest = read_json(body, r#"{"act":"retry"}"#)?;
    match request.act.as_str() {
        "retry" => Ok(MailChange::Retry),
        "drop" => Ok(MailChange::Drop),
        _ => Err(no_such_act(&ACTS)),
    }
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
    let change = read_change(&body)?;
    carry_out(&web, &caller, AdminAction::Mail { queue: MailQueue::Inbox, id, change }).await
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
    let change = read_change(&body)?;
    carry_out(&web, &caller, AdminAction::Mail { queue: MailQueue::Outbox, id, change }).await
}
