//! The server for administrators' programs: its state, its pending work, the audit log, and broadcasts.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CurrentAdmin, Done, MOST, carry_out, operation, read_cursor, read_limit, read_since};
use crate::Web;
use crate::api::read_json;
use crate::error::Problem;
use crate::extract::{ApiQuery, RawBody};
use crate::openapi::Operation;
use knotpost_core::admin::{
    self, AdminAction, AuditQuery, DutyLine, QueueFacts, ServerLine, view_audit, view_jobs, view_overview,
};
use knotpost_core::boards::Code;
use knotpost_model::Moment;

/// The state of the server.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Overview {
    /// The version of the server that answers.
    version: &'static str,
    /// Its time.
    now: Moment,
    /// The servers on the database.
    servers: Vec<Server>,
    /// Received mail.
    inbox: Queue,
    /// Outgoing mail.
    outbox: Queue,
    /// Bytes of the database.
    database_bytes: i64,
    /// Its games.
    games: Vec<GameBoards>,
    /// Work that one process does for all.
    duties: Vec<Duty>,
}

/// A server, as it reported itself last; each does so once a minute.
#[derive(Serialize, JsonSchema)]
struct Server {
    /// The name under which it holds leases, as `holder` of a duty has it.
    name: String,
    /// The name of its machine.
    host: String,
    /// Its version, and the commit where it is known.
    version: String,
    /// When it started.
    started: Moment,
    /// When it reported last.
    reported: Moment,
    /// Whether it has missed reports: it is not running, or cannot reach the database.
    silent: bool,
    /// Errors in its log of the last 24 hours.
    errors: i64,
    /// The latest of them.
    last_error: Option<String>,
    /// When that was.
    last_error_at: Option<Moment>,
}

/// A mail queue.
#[derive(Serialize, JsonSchema)]
struct Queue {
    /// How many mails.
    waiting: i64,
    /// How many of them have waited for longer than ten minutes.
    late: i64,
    /// When the first of them is due.
    oldest_due: Option<Moment>,
    /// When the last one came or left.
    last: Option<Moment>,
}

/// How many boards a game has.
#[derive(Serialize, JsonSchema)]
struct GameBoards {
    /// The game's name.
    game: String,
    /// Being played.
    active: i64,
    /// Finished.
    over: i64,
}

/// Work that one process does for all.
#[derive(Serialize, JsonSchema)]
struct Duty {
    /// Which work.
    name: String,
    /// The process that does it.
    holder: String,
    /// When it was last done.
    last_run: Moment,
    /// No other process does it before this time.
    until: Moment,
}

fn queue(queue: &QueueFacts) -> Queue {
    Queue {
        waiting: queue.waiting,
        late: queue.late,
        oldest_due: queue.oldest_due.map(Moment::from),
        last: queue.last.map(Moment::from),
    }
}

fn servers(servers: Vec<ServerLine>) -> Vec<Server> {
    let one = |server: ServerLine| {
        let (last_error_at, last_error) = server.errors.latest.unzip();
        Server {
            name: server.name,
            host: server.host,
            version: server.version,
            started: server.started_at.into(),
            reported: server.alive_at.into(),
            silent: server.is_silent,
            errors: server.errors.last_day,
            last_error,
            last_error_at: last_error_at.map(Moment::from),
        }
    };
    servers.into_iter().map(one).collect()
}

fn duties(duties: Vec<DutyLine>) -> Vec<Duty> {
    let one = |duty: DutyLine| Duty {
        name: duty.name,
        holder: duty.holder,
        last_run: duty.alive_at.into(),
        until: duty.until_at.into(),
    };
    duties.into_iter().map(one).collect()
}

pub(in crate::api) const OVERVIEW: Operation = operation("show_overview", "How the server is doing")
    .gives::<Overview>("Servers, queues, games, duties.");

pub(in crate::api) async fn overview(State(web): State<Web>) -> Result<Json<Overview>, Problem> {
    let seen = view_overview(&web.app).await?;
    let games = seen.games.into_iter();
    Ok(Json(Overview {
        version: seen.version,
        now: seen.now.into(),
        servers: servers(seen.servers),
        inbox: queue(&seen.inbox),
        outbox: queue(&seen.outbox),
        database_bytes: seen.database_bytes,
        games: games
            .map(|game| GameBoards { game: game.game, active: game.active, over: game.over })
            .collect(),
        duties: duties(seen.duties),
    }))
}

/// The pending work of the server.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct Jobs {
    /// Its time.
    now: Moment,
    /// The boards that the clock checks next.
    deadlines: Vec<Deadline>,
    /// Work that one process does for all.
    duties: Vec<Duty>,
    /// Broadcasts on their way.
    broadcasts: Vec<Broadcast>,
    /// When the next mail of the day is due.
    next_digest: Option<Moment>,
}

/// A board that the clock will check.
#[derive(Serialize, JsonSchema)]
struct Deadline {
    /// The game's name.
    game: String,
    /// The number among the game's boards.
    number: i64,
    /// Whose turn it is.
    to_move: Option<String>,
    /// When the clock checks it.
    due: Moment,
    /// When the player was reminded last.
    reminded: Option<Moment>,
}

/// A broadcast on its way.
#[derive(Serialize, JsonSchema)]
struct Broadcast {
    /// Its number.
    id: i64,
    /// Its author.
    userid: String,
    /// When.
    at: Moment,
}

pub(in crate::api) const JOBS: Operation = operation("list_jobs", "What the server has to do by itself")
    .gives::<Jobs>("Deadlines, duties, broadcasts.");

pub(in crate::api) async fn jobs(State(web): State<Web>) -> Result<Json<Jobs>, Problem> {
    let seen = view_jobs(&web.app).await?;
    let deadlines = seen.deadlines.into_iter().map(|line| Deadline {
        game: line.game,
        number: line.number,
        to_move: line.userid,
        due: line.due_at.into(),
        reminded: line.nagged_at.map(Moment::from),
    });
    let broadcasts = seen.broadcasts.into_iter();
    Ok(Json(Jobs {
        now: seen.now.into(),
        deadlines: deadlines.collect(),
        duties: duties(seen.duties),
        broadcasts: broadcasts
            .map(|line| Broadcast { id: line.id, userid: line.userid, at: line.at.into() })
            .collect(),
        next_digest: seen.next_digest.map(Moment::from),
    }))
}

/// The query of the audit log.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::api) struct LogQuery {
    /// Only what was done by or to this user.
    user: Option<String>,
    /// Only from this date (in UTC) or moment (RFC 3339) on.
    #[schemars(example = "2026-11-20")]
    since: Option<String>,
    /// Where the last page ended.
    #[schemars(regex(pattern = r"^[0-9]{1,18}$"))]
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
}

/// A page of the audit log.
#[derive(Serialize, JsonSchema)]
pub(in crate::api) struct AuditLog {
    /// What was done, the latest first.
    audit: Vec<AuditEntry>,
    /// Goes into the next request; `null`: that was all.
    cursor: Option<String>,
}

/// Something that an administrator did.
#[derive(Serialize, JsonSchema)]
struct AuditEntry {
    /// Its number.
    id: i64,
    /// When.
    at: Moment,
    /// `shell`, `web` or `api`.
    #[serde(rename = "door")]
    channel: String,
    /// The userid; of the shell, the user of the machine.
    by: String,
    /// A stable word such as `board.pause`.
    #[serde(rename = "deed")]
    action: String,
    /// What it was done to: `ann`, `osbox 101`, `inbox 17`.
    subject: String,
    /// `done`, or the code of a refusal.
    outcome: String,
    /// A few words.
    detail: String,
}

impl From<admin::AuditEntry> for AuditEntry {
    fn from(entry: admin::AuditEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at.into(),
            channel: entry.channel,
            by: entry.actor,
            action: entry.action,
            subject: entry.subject,
            outcome: entry.outcome,
            detail: entry.detail,
        }
    }
}

pub(in crate::api) const AUDIT: Operation = operation("list_audit", "What administrators did")
    .asks::<LogQuery>()
    .gives::<AuditLog>("A page of the audit log.");

pub(in crate::api) async fn audit(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<LogQuery>,
) -> Result<Json<AuditLog>, Problem> {
    let (limit, since) = (read_limit(query.limit)?, read_since(query.since.as_deref())?);
    let before = read_cursor(query.cursor.as_deref())?;
    let page = view_audit(&web.app, &AuditQuery { userid: query.user, since, before, limit }).await?;
    let audit = page.rows.into_iter().map(AuditEntry::from).collect();
    Ok(Json(AuditLog { audit, cursor: page.next.map(|id| id.to_string()) }))
}

/// A broadcast to all users.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BroadcastText")]
pub(in crate::api) struct BroadcastRequest {
    /// The text mailed to all users.
    text: String,
}

pub(in crate::api) const BROADCAST: Operation = operation("broadcast", "Writes to everybody, once a day")
    .takes::<BroadcastRequest>()
    .gives::<Done>("It is on its way.")
    .refuses(&[Code::BadValue, Code::RateLimited]);

pub(in crate::api) async fn broadcast(
    State(web): State<Web>,
    Extension(caller): CurrentAdmin,
    RawBody(body): RawBody,
) -> Result<Json<Done>, Problem> {
    let request: BroadcastRequest = read_json(&body, r#"{"text":"…"}"#)?;
    carry_out(&web, &caller, AdminAction::Broadcast { text: request.text }).await
}
