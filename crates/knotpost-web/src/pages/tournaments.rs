//! Tournaments: the list, one with its tables, and the form for a new one.

use std::collections::HashMap;

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Command, DirectorAction, TOURNAMENT_OPTIONS, TournamentOption, parse, read_word};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board_actions::command;
use super::home::offered_games;
use super::{incomplete, join, refusal_facts};
use crate::Web;
use crate::client::Client;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::replies::Holds;
use knotpost_core::tournaments::{
    PairingState, Rival, ShownGroup, TournamentLine, TournamentPairing, TournamentQuery, TournamentView,
    group_tables, legend, result, standing, state_text, terms_text, view_log, view_rivals, view_tournament,
    view_tournaments,
};
use knotpost_model::{Millis, PlayerState, TournamentForm, TournamentName, TournamentState};

const MOST: usize = 50;
/// Most tournaments of a visitor that are marked in the list.
const MOST_OWN: usize = 100;

type Fields = HashMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListQuery {
    game: String,
}

pub(super) async fn list(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(asked): PageQuery<ListQuery>,
) -> Result<Response, Failure> {
    let visitor = visitor.as_deref();
    let game = Some(asked.game.to_lowercase()).filter(|game| !game.is_empty());
    let own = own_names(&web, visitor).await?;
    let mut parts = Vec::new();
    for (title, states) in [
        ("Open", vec![TournamentState::Open]),
        ("Running", vec![TournamentState::Running]),
        ("Over", vec![TournamentState::Over, TournamentState::Cancelled]),
    ] {
        let query = TournamentQuery { game: game.clone(), states, ..TournamentQuery::default() };
        let page = view_tournaments(&web.app, &query, MOST).await?;
        let lines: Vec<Value> = page.tournaments.iter().map(|line| line_facts(&web, line, &own)).collect();
        parts.push(context! { title, lines, more => page.cursor.is_some() });
    }
    let title = game.as_deref().and_then(|game| web.app.games.find(game)).map(|game| game.meta().title);
    let facts = context! { parts, game, title };
    Ok(no_store(web.pages.page_for(visitor, StatusCode::OK, "tournaments.html", facts)))
}

/// Names of the tournaments that the visitor has entered and that are not over.
async fn own_names(web: &Web, visitor: Option<&Visitor>) -> Result<Vec<TournamentName>, ServiceError> {
    let Some(visitor) = visitor else { return Ok(Vec::new()) };
    let query = TournamentQuery { userid: Some(visitor.userid.clone()), ..TournamentQuery::default() };
    let page = view_tournaments(&web.app, &query, MOST_OWN).await?;
    Ok(page.tournaments.iter().map(|line| line.name).collect())
}

fn line_facts(web: &Web, line: &TournamentLine, own: &[TournamentName]) -> Value {
    let (players, until) = standing(line);
    let is_open = line.state == TournamentState::Open;
    let can_enter = line.takes_entries();
    let game = web.app.games.find(&line.game).map_or(line.game.as_str(), |game| game.meta().title);
    context! { line => Serde(line), game, players, until, is_open, can_enter, is_own => own.contains(&line.name) }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Came {
    /// `enter`, `withdraw`, `challenge`, `announce` or `direct`, after the form.
    done: String,
    /// A ladder with the places of this day.
    at: String,
    /// Cursor of an earlier page of the log.
    log: Option<i64>,
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
    PageQuery(came): PageQuery<Came>,
) -> Result<Response, Failure> {
    let nothing = TournamentAct::default();
    Ok(page(&web, visitor.as_deref(), read_name(&name)?, &came, (&nothing, None)).await?)
}

fn read_name(name: &str) -> Result<TournamentName, Refusal> {
    TournamentName::from_word(name)
        .ok_or_else(|| Refusal::new(Code::NoSuchTournament, format!("there is no tournament `{name}`")))
}

async fn page(
    web: &Web,
    visitor: Option<&Visitor>,
    name: TournamentName,
    came: &Came,
    (tried, refusal): (&TournamentAct, Option<&Refusal>),
) -> Result<Response, ServiceError> {
    let at = Some(came.at.as_str()).filter(|at| !at.is_empty());
    let at = at.map(|at| Millis::read(at).ok_or_else(|| incomplete("choose a day"))).transpose()?;
    let view = view_tournament(&web.app.store, name, at).await?;
    let log = view_log(&web.app.store, name, came.log).await?;
    let rivals = match visitor {
        Some(visitor) if at.is_none() => view_rivals(&web.app, name, visitor.user).await?,
        _ => None,
    };
    let (status, told) = refusal_facts(refusal);
    let userid = visitor.map(|visitor| visitor.userid.as_str());
    let is_in = view
        .players
        .iter()
        .any(|player| Some(player.userid.as_str()) == userid && player.state == PlayerState::In);
    let directs = visitor
        .is_some_and(|visitor| visitor.is_admin || view.line.director.as_deref() == Some(&visitor.userid));
    let groups: Vec<Value> =
        group_tables(&view, None).iter().map(|group| group_facts(&view, group)).collect();
    let game = web.app.games.find(&view.line.game).map(|game| game.meta().title);
    let is_open = view.line.state == TournamentState::Open;
    let facts = context! {
        line => Serde(&view.line),
        game_title => game.unwrap_or(&view.line.game),
        description => &view.description,
        terms => terms_text(&web.app.games, &view),
        state => state_text(&view),
        next => view.next.map(|next| next.to_string()),
        entrants => view.players.iter().filter(|_| is_open).map(|player| player.userid.clone()).collect::<Vec<_>>(),
        own => userid.map(|userid| own_pairings(&view, userid)).unwrap_or_default(),
        rivals => rivals.map(|rivals| rivals.iter().map(rival_facts).collect::<Vec<_>>()),
        is_ladder => view.line.form == TournamentForm::Ladder,
        day => view.as_of.map(|at| at.to_rfc3339().split('T').next().unwrap_or_default().to_owned()),
        changes => &view.changes,
        can_enter => view.line.takes_entries() && at.is_none(),
        groups, is_open, is_in, directs,
        is_live => is_open || view.line.state == TournamentState::Running,
        actions => DirectorAction::ALL.map(|(word, argument)| context! { word, argument }).to_vec(),
        tried => tried.act == "direct",
        action => tried.action.clone(),
        argument => tried.argument.clone(),
        words => tried.words.clone(),
        legend => legend(&view),
        done => &came.done,
        log => Serde(&log.log),
        earlier => log.cursor,
        is_earlier => came.log.is_some(),
    };
    Ok(no_store(web.pages.page_for(visitor, status, "tournament.html", join([told, facts]))))
}

fn rival_facts(rival: &Rival) -> Value {
    context! { userid => &rival.userid, place => rival.place, reason => rival.reason.as_deref() }
}

fn group_facts(view: &TournamentView, group: &ShownGroup) -> Value {
    let columns: Vec<Value> = group
        .standings
        .columns
        .iter()
        .map(|column| context! { title => &column.title, is_number => column.holds == Holds::Numbers })
        .collect();
    let of_group = view
        .pairings
        .iter()
        .filter(|pairing| pairing.group == group.group && pairing.round == group.round)
        .map(|pairing| pairing_facts(view, pairing));
    context! {
        heading => &group.heading,
        columns,
        rows => &group.standings.rows,
        pairings => of_group.collect::<Vec<_>>(),
    }
}

fn pairing_facts(view: &TournamentView, pairing: &TournamentPairing) -> Value {
    context! {
        boards => Serde(&pairing.boards),
        players => pairing.seats.iter().map(|seat| seat.userid.clone()).collect::<Vec<_>>(),
        result => result(view, pairing),
    }
}

/// Pairings of a player that are not over first.
fn own_pairings(view: &TournamentView, userid: &str) -> Vec<Value> {
    let is_own = |pairing: &&TournamentPairing| pairing.seats.iter().any(|seat| seat.userid == userid);
    let mut own: Vec<&TournamentPairing> =
        view.pairings.iter().filter(is_own).filter(|pairing| pairing.round == view.line.round).collect();
    own.sort_by_key(|pairing| pairing.state == PairingState::Over);
    own.into_iter().map(|pairing| pairing_facts(view, pairing)).collect()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TournamentAct {
    /// `enter`, `withdraw`, `challenge` or `direct`.
    act: String,
    action: String,
    argument: String,
    words: String,
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    PagePath(name): PagePath<String>,
    Form(form): Form<TournamentAct>,
) -> Result<Response, Failure> {
    let name = read_name(&name)?;
    let wanted = match read_act(&visitor, name, &form) {
        Ok(wanted) => command(&web, client, &visitor, Ok(wanted), &form.words).await,
        Err(refusal) => Err(refusal.into()),
    };
    match wanted {
        Ok(_) => Ok(Redirect::to(&format!("/tournaments/{name}?done={}", form.act)).into_response()),
        Err(ServiceError::Refused(refusal)) if refusal.code != Code::NoSuchTournament => {
            Ok(page(&web, Some(&visitor), name, &Came::default(), (&form, Some(&refusal))).await?)
        }
        Err(error) => Err(error.into()),
    }
}

fn read_act(visitor: &Visitor, name: TournamentName, form: &TournamentAct) -> Result<Command, Refusal> {
    let (who, tournament) = (visitor.credentials(), name.to_string());
    match form.act.as_str() {
        "enter" => Ok(Command::Enter { who, tournament }),
        "withdraw" => Ok(Command::Withdraw { who, tournament }),
        "challenge" => {
            let opponent = read_word(&form.argument).ok_or_else(|| incomplete("choose whom to challenge"))?;
            Ok(Command::LadderChallenge { who, tournament, opponent: Some(opponent) })
        }
        "direct" => {
            let line = format!("direct {} - {tournament} {} {}", visitor.userid, form.action, form.argument);
            match parse(&line, &knotpost_commands::Vocabulary::default()) {
                Ok(Command::Direct { who: _, tournament, action }) => {
                    Ok(Command::Direct { who, tournament, action })
                }
                Ok(_) => Err(incomplete("choose what to do")),
                Err(error) => Err(incomplete(error.message)),
            }
        }
        _ => Err(incomplete("choose what to do")),
    }
}

pub(super) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PageQuery(fields): PageQuery<Fields>,
) -> Result<Response, Failure> {
    Ok(form(&web, &visitor, &fields, None))
}

fn form(web: &Web, visitor: &Visitor, fields: &Fields, refusal: Option<&Refusal>) -> Response {
    let (status, told) = refusal_facts(refusal);
    let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let option = |option: &TournamentOption| {
        let name = format!("option_{}", option.name);
        context! {
            given => field(&name), name, label => label(option.name), help => option.help,
            takes_value => option.example.is_some(), default => option.defaults(), only => option.only.join(", "),
        }
    };
    let (usual, more): (Vec<_>, Vec<_>) =
        TOURNAMENT_OPTIONS.iter().partition(|option| USUAL.contains(&option.name));
    let facts = context! {
        games => offered_games(web),
        game => field("game").to_lowercase(),
        forms => TournamentForm::ALL.iter().map(|form| form.as_str()).collect::<Vec<_>>(),
        form => field("form"),
        tournament_title => field("title"),
        description => field("description"),
        options => field("options"),
        usual => usual.into_iter().map(option).collect::<Vec<_>>(),
        more => more.into_iter().map(option).collect::<Vec<_>>(),
    };
    no_store(web.pages.page_for(Some(visitor), status, "tournament_new.html", join([told, facts])))
}

/// Options that the form shows at once.
const USUAL: [&str; 3] = ["players", "roundtime", "forfeittime"];

/// The name of an option for people.
fn label(name: &str) -> String {
    let words = name.replace("time", " time");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

pub(super) async fn announce(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    Form(fields): Form<Fields>,
) -> Result<Response, Failure> {
    let announced = match read_announcement(&web, &visitor, &fields) {
        Ok(wanted) => {
            let field = |name: &str| fields.get(name).map_or("", |text| text.trim());
            let text = format!("{}\n{}", field("title"), field("description"));
            command(&web, client, &visitor, Ok(wanted), &text).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match announced {
        Ok(answer) => {
            let name =
                answer.tournament.as_ref().and_then(|view| view.get("name")?.as_str()).unwrap_or_default();
            Ok(Redirect::to(&format!("/tournaments/{name}?done=announce")).into_response())
        }
        Err(ServiceError::Refused(refusal)) => Ok(form(&web, &visitor, &fields, Some(&refusal))),
        Err(error) => Err(error.into()),
    }
}

/// The announcement of a filled-in form: its line is read as one that was mailed.
fn read_announcement(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Command, Refusal> {
    let field = |name: &str| fields.get(name).map_or("", |text| text.trim());
    let game = read_word(field("game")).ok_or_else(|| incomplete("choose a game"))?;
    if field("title").is_empty() {
        return Err(incomplete("write a title"));
    }
    let form = read_word(field("form")).unwrap_or_else(|| TournamentForm::RoundRobin.as_str().to_owned());
    let mut line = format!("announce {} - {game} {form} {}", visitor.userid, field("options"));
    for option in &TOURNAMENT_OPTIONS {
        let given = field(&format!("option_{}", option.name));
        if given.is_empty() {
            continue;
        }
        line.push_str(" --");
        line.push_str(option.name);
        if option.example.is_some() {
            let word = read_word(given).ok_or_else(|| incomplete("options hold no blanks"))?;
            line.push('=');
            line.push_str(&word);
        }
    }
    match parse(&line, &web.app.vocabulary) {
        Ok(Command::Announce { game, who: _, form, options, terms }) => {
            Ok(Command::Announce { game, who: visitor.credentials(), form, options, terms })
        }
        Ok(_) => Err(incomplete("choose a game")),
        Err(error) => Err(incomplete(error.message)),
    }
}
