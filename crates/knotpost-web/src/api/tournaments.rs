//! Tournaments.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use knotpost_commands::{Command, DirectorAction, parse};
use schemars::JsonSchema;
use serde::Deserialize;

use super::moves::{refused, run};
use super::read_json;
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, RawBody};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::Scope;
use knotpost_core::replies::Answer;
use knotpost_core::tournaments::{
    Challenged, TournamentLog, TournamentPage, TournamentQuery, TournamentView, report_tournament, view_log,
    view_tournament, view_tournaments,
};
use knotpost_model::{Millis, TournamentName, TournamentState};

const MOST: usize = 200;
const USUAL: usize = 50;

/// The query of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    /// Only tournaments of this game.
    game: Option<String>,
    /// Only tournaments in this state; without it those that are open or running.
    #[schemars(with = "Option<TournamentState>")]
    state: Option<String>,
    /// Only tournaments that this user has entered.
    user: Option<String>,
    /// The `cursor` of the page before.
    cursor: Option<String>,
    /// The most entries of the page; 50 by default.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
}

pub(super) const LIST: Operation =
    Operation::new("list_tournaments", Tag::Tournaments, "Tournaments, the newest first")
        .asks::<ListQuery>()
        .gives::<TournamentPage>("A page of tournaments.")
        .refuses(&[Code::UnknownGame, Code::NoSuchUser]);

pub(super) async fn list(
    State(web): State<Web>,
    ApiQuery(query): ApiQuery<ListQuery>,
) -> Result<Json<TournamentPage>, Problem> {
    let states = match query.state {
        None => Vec::new(),
        Some(word) => vec![TournamentState::try_from(word.clone()).map_err(|_| {
            let message = format!("`state` is open, running, over or cancelled, not `{word}`");
            Problem::new(Code::BadValue, message)
        })?],
    };
    let limit = query.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::new(Code::BadValue, format!("`limit` is a number from 1 to {MOST}")));
    }
    let bad_cursor = || Problem::new(Code::BadValue, "`cursor` is that of the page before");
    let before = match query.cursor {
        None => None,
        Some(cursor) => Some(TournamentName::from_word(&cursor).ok_or_else(bad_cursor)?),
    };
    let game = query.game.map(|game| game.to_lowercase());
    let query = TournamentQuery { game, states, userid: query.user, before };
    Ok(Json(view_tournaments(&web.app, &query, limit).await?))
}

/// The query of one tournament.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ShowQuery {
    /// A ladder with the places of this time: a day, at 00:00 UTC, or a time of RFC 3339.
    at: Option<String>,
}

pub(super) const SHOW: Operation =
    Operation::new("show_tournament", Tag::Tournaments, "A tournament with its players and pairings")
        .asks::<ShowQuery>()
        .gives::<TournamentView>("The tournament.")
        .refuses(&[Code::NoSuchTournament]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(name): ApiPath<String>,
    ApiQuery(query): ApiQuery<ShowQuery>,
) -> Result<Json<TournamentView>, Problem> {
    let at = match query.at {
        None => None,
        Some(word) => Some(Millis::read(&word).ok_or_else(|| {
            Problem::new(Code::BadValue, "`at` is a day as YYYY-MM-DD, or a time of RFC 3339")
        })?),
    };
    Ok(Json(view_tournament(&web.app.store, read_name(&name)?, at).await?))
}

/// The query of a log.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LogQuery {
    /// The `cursor` of the page before.
    cursor: Option<i64>,
}

pub(super) const LOG: Operation =
    Operation::new("list_actions", Tag::Tournaments, "What happened in a tournament, and who did it")
        .asks::<LogQuery>()
        .gives::<TournamentLog>("A page of the log, with 500 lines at most.")
        .refuses(&[Code::NoSuchTournament]);

pub(super) async fn log(
    State(web): State<Web>,
    ApiPath(name): ApiPath<String>,
    ApiQuery(query): ApiQuery<LogQuery>,
) -> Result<Json<TournamentLog>, Problem> {
    Ok(Json(view_log(&web.app.store, read_name(&name)?, query.cursor).await?))
}

pub(super) const CSV: Operation =
    Operation::new("export_table", Tag::Tournaments, "The table of a tournament for a spreadsheet")
        .details("Userids, numbers, groups, states, points, places and tie-breaks: a line for each player.")
        .gives_text("text/csv", "The table.")
        .refuses(&[Code::NoSuchTournament]);

pub(super) async fn csv(State(web): State<Web>, ApiPath(name): ApiPath<String>) -> Result<Response, Problem> {
    let view = view_tournament(&web.app.store, read_name(&name)?, None).await?;
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], table(&view)).into_response())
}

pub(super) const TRF: Operation =
    Operation::new("export_report", Tag::Tournaments, "A Swiss tournament as a report file of FIDE")
        .details(
            "TRF16 player lines with the header lines of TRF16 and TRF26, for engines and arbiters' programs: the rounds \
             that are over.",
        )
        .gives_text("text/plain", "The report file.")
        .refuses(&[Code::NoSuchTournament, Code::Conflict]);

pub(super) async fn trf(State(web): State<Web>, ApiPath(name): ApiPath<String>) -> Result<Response, Problem> {
    let report = report_tournament(&web.app.store, read_name(&name)?).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], report).into_response())
}

/// Lines end in CR LF (RFC 4180); no value holds a comma or a quote.
fn table(view: &TournamentView) -> String {
    let show = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    let mut titles = vec!["place", "userid", "number", "group", "state", "points"];
    titles.extend(view.tiebreaks.iter().map(String::as_str));
    let mut lines = vec![titles.join(",")];
    lines.extend(view.players.iter().map(|player| {
        let mut cells = vec![
            show(player.place),
            player.userid.clone(),
            show(player.number),
            player.group.clone().unwrap_or_default(),
            player.state.as_str().to_owned(),
            player.points.map(|points| points.to_string()).unwrap_or_default(),
        ];
        let tiebreak =
            |place: usize| player.tiebreaks.get(place).map(ToString::to_string).unwrap_or_default();
        cells.extend((0..view.tiebreaks.len()).map(tiebreak));
        cells.join(",")
    }));
    lines.join("\r\n") + "\r\n"
}

/// A tournament to be announced.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Announcement")]
pub(super) struct Wish {
    /// The game's name.
    game: String,
    /// The form: `roundrobin`, `swiss`, `ladder` or `league`.
    form: String,
    /// Options of the game and of the tournament, as in the command `announce`: `-size=4 -players=4-8`.
    #[serde(default)]
    options: String,
    /// Its title, one line.
    #[schemars(length(min = 1, max = 60))]
    title: String,
    /// Several lines, or empty.
    #[serde(default)]
    description: String,
}

const REFUSALS: &[Code] = &[
    Code::NoSuchTournament,
    Code::NoSuchUser,
    Code::NoSuchBoard,
    Code::Conflict,
    Code::BadOption,
    Code::BadValue,
    Code::NotSupported,
    Code::TooMuchMail,
];

pub(super) const ANNOUNCE: Operation = Operation::new(
    "announce_tournament",
    Tag::Tournaments,
    "Announces a tournament, which the caller directs",
)
.scope(Scope::Play)
.takes::<Wish>()
.gives::<TournamentView>("")
.status(201, "The tournament.")
.refuses(&[
    Code::UnknownGame,
    Code::NotSupported,
    Code::BadOption,
    Code::BadValue,
    Code::UnknownCommand,
    Code::TooMuchMail,
])
.once();

pub(super) async fn announce(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let wish: Wish = read_json(
        &body,
        r#"{"game":"osbox","form":"roundrobin","options":"-size=4 -players=4-8","title":"…","description":"…"}"#,
    )?;
    let line = format!("announce {} - {} {} {}", caller.userid, wish.game, wish.form, wish.options);
    let command = match parse(&line, &web.app.vocabulary) {
        Ok(Command::Announce { game, who: _, form, options, terms }) => {
            Command::Announce { game, who: caller.credentials(), form, options, terms }
        }
        Ok(_) => return Err(Problem::new(Code::WrongArguments, "name a game, a form and options")),
        Err(error) => {
            let code = Code::from_word(error.code.as_str()).unwrap_or(Code::WrongArguments);
            return Err(Problem::new(code, error.message));
        }
    };
    let text = format!("{}\n{}", wish.title.trim(), wish.description);
    let parts: [&[u8]; 2] = [b"announce", &body];
    Ok(run(&web, client, &caller, &headers, (command, &text), &parts, present_new).await)
}

pub(super) const ENTER: Operation =
    Operation::new("enter_tournament", Tag::Tournaments, "Takes part in a tournament")
        .scope(Scope::Play)
        .gives::<TournamentView>("")
        .status(201, "The tournament; the same if the caller had entered already.")
        .refuses(REFUSALS)
        .once();

pub(super) async fn enter(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change_entry((&web, client, &caller, &headers), &name, true).await
}

/// Makes the caller's entry, or takes it back.
async fn change_entry(
    (web, client, caller, headers): (&Web, Client, &Caller, &HeaderMap),
    name: &str,
    enters: bool,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let tournament = read_name(name)?.to_string();
    let (who, named) = (caller.credentials(), tournament.clone());
    let (word, command, present): (&[u8], _, fn(&Answer) -> CommandResponse) = if enters {
        (b"enter", Command::Enter { who, tournament: named }, present_new)
    } else {
        (b"withdraw", Command::Withdraw { who, tournament: named }, present)
    };
    Ok(run(web, client, caller, headers, (command, ""), &[word, tournament.as_bytes()], present).await)
}

pub(super) const WITHDRAW: Operation =
    Operation::new("withdraw_from_tournament", Tag::Tournaments, "Leaves a tournament")
        .details("Boards of a running tournament that are not over are lost.")
        .scope(Scope::Play)
        .gives::<TournamentView>("The tournament; the same if the caller had left already.")
        .refuses(REFUSALS)
        .once();

pub(super) async fn withdraw(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change_entry((&web, client, &caller, &headers), &name, false).await
}

/// A challenge on a ladder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "LadderChallenge")]
pub(super) struct ChallengeWish {
    /// The player above; without one, the highest who can be challenged.
    opponent: Option<String>,
}

pub(super) const CHALLENGE: Operation =
    Operation::new("challenge_on_ladder", Tag::Tournaments, "Challenges somebody above on a ladder")
        .details("The board begins at once. A refusal says which condition is not met, and until when.")
        .scope(Scope::Play)
        .takes::<ChallengeWish>()
        .gives::<Challenged>("")
        .status(201, "The challenge, with its boards.")
        .refuses(REFUSALS)
        .once();

pub(super) async fn challenge(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let tournament = read_name(&name)?.to_string();
    let wish: ChallengeWish = read_json(&body, r#"{"opponent":"ann"}"#)?;
    let parts: [&[u8]; 3] = [b"challenge", tournament.as_bytes(), &body];
    let command = Command::LadderChallenge {
        who: caller.credentials(),
        tournament: tournament.clone(),
        opponent: wish.opponent,
    };
    Ok(run(&web, client, &caller, &headers, (command, ""), &parts, present_new).await)
}

/// An action of the director.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DirectorAction")]
pub(super) struct ActionWish {
    /// `start`, `cancel`, `extend`, `admit`, `expel`, `award`, `say` or `hand`.
    action: String,
    /// The rest of the command `direct`: days, a userid, a board and a seat or `tie`.
    #[serde(default)]
    arguments: String,
    /// The reason, or what is said to all players.
    #[serde(default)]
    text: String,
}

pub(super) const DIRECT: Operation =
    Operation::new("direct_tournament", Tag::Tournaments, "Directs a tournament")
        .scope(Scope::Play)
        .takes::<ActionWish>()
        .gives::<TournamentView>("The tournament afterwards.")
        .refuses(REFUSALS)
        .once();

pub(super) async fn direct(
    State(web): State<Web>,
    client: Client,
    caller: Caller,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response, Problem> {
    caller.require(Scope::Play)?;
    let tournament = read_name(&name)?.to_string();
    let wish: ActionWish = read_json(&body, r#"{"action":"extend","arguments":"7","text":"…"}"#)?;
    let action = read_action(&wish)?;
    let parts: [&[u8]; 3] = [b"direct", tournament.as_bytes(), &body];
    let command = Command::Direct { who: caller.credentials(), tournament: tournament.clone(), action };
    Ok(run(&web, client, &caller, &headers, (command, &wish.text), &parts, present).await)
}

fn read_action(wish: &ActionWish) -> Result<DirectorAction, Problem> {
    let line = format!("direct somebody - t1 {} {}", wish.action, wish.arguments);
    match parse(&line, &knotpost_commands::Vocabulary::default()) {
        Ok(Command::Direct { action, .. }) => Ok(action),
        Ok(_) => Err(Problem::new(Code::WrongArguments, "name an action of the command `direct`")),
        Err(error) => {
            let code = Code::from_word(error.code.as_str()).unwrap_or(Code::WrongArguments);
            Err(Problem::new(code, error.message))
        }
    }
}

fn read_name(name: &str) -> Result<TournamentName, Problem> {
    TournamentName::from_word(name)
        .ok_or_else(|| Problem::new(Code::NoSuchTournament, format!("there is no tournament `{name}`")))
}

fn present(answer: &Answer) -> CommandResponse {
    refused(answer).unwrap_or_else(|| CommandResponse::json(&answer.tournament))
}

fn present_new(answer: &Answer) -> CommandResponse {
    let created = || CommandResponse {
        status: StatusCode::CREATED.as_u16(),
        ..CommandResponse::json(&answer.tournament)
    };
    refused(answer).unwrap_or_else(created)
}
