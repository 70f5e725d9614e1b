//! `/api/v1/admin`: what the pages of the administration show and do, for programs. The guard of the routes has let
//! in administrators alone.

mod boards;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::read_json;
use crate::domain::Millis;
use crate::service::{
    AuditQuery, Author, Code, Deed, MailChange, MailQuery, QueueFacts, UserEdit, UserView, administer,
    described, masked_text, outgoing_json, received_json, search_users, view_audit, view_inbox, view_jobs,
    view_outbox, view_outgoing, view_overview, view_received, view_user,
};
use crate::store::{AuditRow, DutyLine, MailQueue};
use crate::web::Web;
use crate::web::auth::Caller;
use crate::web::error::Problem;

pub(super) use boards::{board, change_board};

/// Rows of a page, unless fewer are asked for.
const USUAL: usize = 50;
const MOST: usize = 500;

/// The query of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    q: String,
    state: Option<String>,
    reason: Option<String>,
    since: Option<String>,
    user: Option<String>,
    address: Option<String>,
    cursor: Option<String>,
    limit: Option<usize>,
}

impl ListQuery {
    fn limit(&self) -> Result<usize, Problem> {
        let limit = self.limit.unwrap_or(USUAL);
        if (1..=MOST).contains(&limit) {
            return Ok(limit);
        }
        Err(Problem::new(Code::BadValue, format!("`limit` is a number from 1 to {MOST}")))
    }

    fn since(&self) -> Result<Option<Millis>, Problem> {
        let Some(text) = &self.since else { return Ok(None) };
        let since = Millis::read(text);
        since.map(Some).ok_or_else(|| Problem::new(Code::BadValue, "`since` is a date or a moment"))
    }

    fn before(&self) -> Result<Option<i64>, Problem> {
        let Some(text) = &self.cursor else { return Ok(None) };
        let before = text.parse();
        before
            .map(Some)
            .map_err(|_| Problem::new(Code::BadValue, "`cursor` is what the last page ended with"))
    }

    fn mails(self) -> Result<MailQuery, Problem> {
        let (limit, since, before) = (self.limit()?, self.since()?, self.before()?);
        let Self { state, reason, user, address, .. } = self;
        Ok(MailQuery { state, reason, since, userid: user, address, before, limit })
    }
}

type Queried<T> = Result<Query<T>, axum::extract::rejection::QueryRejection>;
type Acting = Extension<Caller>;
type Answered = Result<Json<Value>, Problem>;

fn read<T>(query: Queried<T>) -> Result<T, Problem> {
    query.map(|Query(query)| query).map_err(|error| Problem::new(Code::BadValue, error.body_text()))
}

async fn carry_out(web: &Web, caller: &Caller, deed: Deed) -> Answered {
    let verb = deed.verb();
    administer(&web.app, &caller.administrator(), deed).await?;
    Ok(Json(json!({ "ok": true, "deed": verb })))
}

fn queue_json(queue: &QueueFacts) -> Value {
    json!({
        "waiting": queue.waiting,
        "oldest_due": queue.oldest_due.map(Millis::to_rfc3339),
        "last": queue.last.map(Millis::to_rfc3339),
    })
}

fn duties_json(duties: &[DutyLine]) -> Vec<Value> {
    let one = |duty: &DutyLine| {
        json!({
            "name": duty.name, "holder": duty.holder, "last_run": duty.alive_at.to_rfc3339(),
            "until": duty.until_at.to_rfc3339(),
        })
    };
    duties.iter().map(one).collect()
}

pub(super) async fn overview(State(web): State<Web>) -> Answered {
    let seen = view_overview(&web.app).await?;
    let games: Vec<Value> = seen
        .games
        .iter()
        .map(|game| json!({ "game": game.game, "active": game.active, "over": game.over }))
        .collect();
    Ok(Json(json!({
        "version": seen.version, "now": seen.now.to_rfc3339(), "inbox": queue_json(&seen.inbox),
        "outbox": queue_json(&seen.outbox), "database_bytes": seen.database_bytes, "games": games,
        "duties": duties_json(&seen.duties),
    })))
}

pub(super) async fn jobs(State(web): State<Web>) -> Answered {
    let seen = view_jobs(&web.app).await?;
    let deadlines: Vec<Value> = seen
        .deadlines
        .iter()
        .map(|line| {
            json!({
                "game": line.game, "number": line.number, "to_move": line.userid, "due": line.due_at.to_rfc3339(),
                "reminded": line.nagged_at.map(|at| Millis(at).to_rfc3339()),
            })
        })
        .collect();
    let broadcasts: Vec<Value> = seen
        .broadcasts
        .iter()
        .map(|line| json!({ "id": line.id, "userid": line.userid, "at": line.at.to_rfc3339() }))
        .collect();
    Ok(Json(json!({
        "now": seen.now.to_rfc3339(), "deadlines": deadlines, "duties": duties_json(&seen.duties),
        "broadcasts": broadcasts, "next_digest": seen.next_digest.map(Millis::to_rfc3339),
    })))
}

pub(super) async fn audit(State(web): State<Web>, query: Queried<ListQuery>) -> Answered {
    let query = read(query)?;
    let (limit, since, before) = (query.limit()?, query.since()?, query.before()?);
    let page = view_audit(&web.app, &AuditQuery { userid: query.user, since, before, limit }).await?;
    let line = |row: &AuditRow| {
        json!({
            "id": row.id, "at": row.at.to_rfc3339(), "door": row.door, "by": row.actor, "deed": row.deed,
            "subject": row.subject, "outcome": row.outcome, "detail": row.detail,
        })
    };
    let rows: Vec<Value> = page.rows.iter().map(line).collect();
    Ok(Json(json!({ "audit": rows, "cursor": page.next.map(|id| id.to_string()) })))
}

/// A word to everybody.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BroadcastRequest {
    text: String,
}

pub(super) async fn broadcast(State(web): State<Web>, Extension(caller): Acting, body: Bytes) -> Answered {
    let wish: BroadcastRequest = read_json(&body, r#"{"text":"…"}"#)?;
    carry_out(&web, &caller, Deed::Broadcast { text: wish.text }).await
}

fn user_json(user: &UserView) -> Value {
    json!({ "userid": user.userid, "role": user.role, "state": user.state, "since": user.since })
}

pub(super) async fn users(State(web): State<Web>, query: Queried<ListQuery>) -> Answered {
    let query = read(query)?;
    let limit = query.limit()?;
    let found = search_users(&web.app, &query.q, query.cursor.as_deref().unwrap_or_default(), limit).await?;
    let next = found.last().filter(|_| found.len() == limit).map(|user| user.userid.clone());
    Ok(Json(json!({ "users": found.iter().map(user_json).collect::<Vec<_>>(), "cursor": next })))
}

pub(super) async fn user(State(web): State<Web>, Path(userid): Path<String>) -> Answered {
    let user = view_user(&web.app, &userid).await?;
    let addresses: Vec<Value> = user
        .addresses
        .iter()
        .map(|(address, confirmed)| {
            let stop = user.stopped.iter().find(|stop| stop.address_key == address.to_lowercase());
            json!({
                "address": address, "confirmed": confirmed,
                "stopped": stop.map(|stop| json!({
                    "since": Millis(stop.stopped_at).to_rfc3339(), "why": stop.why,
                })),
            })
        })
        .collect();
    let mut shown = user_json(&user);
    shown["addresses"] = json!(addresses);
    shown["active_boards"] = json!(user.active_boards);
    shown["sessions"] = json!(user.sessions);
    shown["tokens"] = json!(user.tokens);
    Ok(Json(shown))
}

/// A change to a user.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UserRequest {
    act: String,
    #[serde(default)]
    address: String,
}

pub(super) async fn change_user(
    State(web): State<Web>,
    Extension(caller): Acting,
    Path(userid): Path<String>,
    body: Bytes,
) -> Answered {
    let wish: UserRequest = read_json(&body, r#"{"act":"suspend"}"#)?;
    let edit = match wish.act.as_str() {
        "start" => return carry_out(&web, &caller, Deed::StartAddress { address: wish.address }).await,
        act => UserEdit::from_word(act).ok_or_else(|| {
            let words =
                "suspend, lift, grant, revoke, send_password, log_out, revoke_tokens, delete or start";
            Problem::new(Code::BadValue, format!("`act` is {words}"))
        })?,
    };
    carry_out(&web, &caller, Deed::User { userid, edit }).await
}

pub(super) async fn inbox(State(web): State<Web>, query: Queried<ListQuery>) -> Answered {
    let page = view_inbox(&web.app, &read(query)?.mails()?).await?;
    let mails: Vec<Value> = page.mails.iter().map(received_json).collect();
    Ok(Json(json!({ "mails": mails, "cursor": page.next.map(|id| id.to_string()) })))
}

pub(super) async fn outbox(State(web): State<Web>, query: Queried<ListQuery>) -> Answered {
    let page = view_outbox(&web.app, &read(query)?.mails()?).await?;
    let mails: Vec<Value> = page.mails.iter().map(outgoing_json).collect();
    Ok(Json(json!({ "mails": mails, "cursor": page.next.map(|id| id.to_string()) })))
}

pub(super) async fn received(State(web): State<Web>, Path(id): Path<i64>) -> Answered {
    let (mail, message) = view_received(&web.app, id).await?;
    let mut shown = received_json(&mail);
    if let Some(message) = message {
        shown["parts"] = json!(described(&message));
        shown["message_text"] = json!(masked_text(&web.app, &message, Author::Somebody));
    }
    Ok(Json(shown))
}

pub(super) async fn outgoing(State(web): State<Web>, Path(id): Path<i64>) -> Answered {
    let (mail, _) = view_outgoing(&web.app, id).await?;
    Ok(Json(outgoing_json(&mail)))
}

/// A change to a mail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MailRequest {
    act: String,
}

fn read_change(body: &[u8]) -> Result<MailChange, Problem> {
    let wish: MailRequest = read_json(body, r#"{"act":"retry"}"#)?;
    match wish.act.as_str() {
        "retry" => Ok(MailChange::Retry),
        "drop" => Ok(MailChange::Drop),
        _ => Err(Problem::new(Code::BadValue, "`act` is retry or drop")),
    }
}

pub(super) async fn change_received(
    State(web): State<Web>,
    Extension(caller): Acting,
    Path(id): Path<i64>,
    body: Bytes,
) -> Answered {
    let change = read_change(&body)?;
    carry_out(&web, &caller, Deed::Mail { queue: MailQueue::Inbox, id, change }).await
}

pub(super) async fn change_outgoing(
    State(web): State<Web>,
    Extension(caller): Acting,
    Path(id): Path<i64>,
    body: Bytes,
) -> Answered {
    let change = read_change(&body)?;
    carry_out(&web, &caller, Deed::Mail { queue: MailQueue::Outbox, id, change }).await
}
