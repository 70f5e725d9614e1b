//! The form for a new board, made from the option table of the game.

pub(super) mod invitations;

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Command, ComputerWish, Days, GivenOption, SeekChange, ServerOptions, read_word};
use knotpost_rules::{Meta, OptionKind, OptionSpec, Preset};
use minijinja::value::Serde;
use minijinja::{Value, context};
use std::collections::{BTreeMap, HashMap};
use url::form_urlencoded;

use super::board_actions::command;
use super::home::offered_games;
use super::{incomplete, join, refusal_facts, seeks};
use crate::Web;
use crate::client::Client;
use crate::error::Failure;
use crate::extract::PageQuery;
use crate::session::{LoggedIn, no_store, url_encode};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::commands::view_seeks;
use knotpost_core::identity::Visitor;
use knotpost_core::play::{InvitationWish, make_invitation, view_own_invitations};
use knotpost_core::queries::{BoardQuery, view_boards};
use knotpost_core::replies::SeekLine;
use knotpost_model::BoardState;
use knotpost_model::computer_player::{LEVELS, level_of, userid_of};

const MOST_KNOWN: usize = 30;
/// Boards of each kind whose players are proposed.
const MOST_BOARDS: i64 = 30;

const FIRST_LEVEL: u8 = 3;

/// Days for each move that the form offers, beside the usual ones of the server.
const DAYS: [&str; 3] = ["1", "3", "7"];

type Fields = HashMap<String, String>;

pub(super) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PageQuery(fields): PageQuery<Fields>,
) -> Result<Response, Failure> {
    form(&web, &visitor, &fields, None).await
}

async fn form(
    web: &Web,
    visitor: &Visitor,
    fields: &Fields,
    refusal: Option<&Refusal>,
) -> Result<Response, Failure> {
    let (status, told) = refusal_facts(refusal);
    let (known, seeking) = partners(web, visitor).await?;
    let links = view_own_invitations(&web.app, visitor.user, &visitor.userid).await?;
    let chosen = fields.get("game").and_then(|name| web.app.games.find_offered(&name.to_lowercase()));
    let options: Vec<Value> = chosen.map_or_else(Vec::new, |game| {
        game.meta().options.iter().map(|spec| option_facts(spec, fields)).collect()
    });
    let presets: Vec<Value> = chosen.map_or_else(Vec::new, |game| {
        game.meta().presets.iter().map(|preset| preset_facts(game.meta(), preset, fields)).collect()
    });
    let most = chosen.map_or(2, |game| *game.meta().players.end());
    let opponents: Vec<Value> = (2..=most)
        .map(|place| {
            let name = format!("player{place}");
            context! { value => fields.get(&name).cloned().unwrap_or_default(), name }
        })
        .collect();
    let given = |spec: &OptionSpec| fields.contains_key(&format!("option_{}", spec.name));
    let sizes = chosen.map_or_else(Vec::new, |game| sizes(game.meta().options, fields));
    let is_changed = chosen.is_some_and(|game| {
        let other = |spec: &OptionSpec| spec.name != "size" && given(spec);
        game.meta().options.iter().any(other)
    });
    let of_game = chosen.and_then(|chosen| seeking.get(chosen.meta().name));
    let facts = context! {
        games => offered_games(web),
        options, presets, opponents, known, sizes, is_changed,
        links => Serde(&links),
        seeking => of_game.map(|seeks| Value::from(Serde(seeks))),
        game => chosen.map(|game| game.meta().name),
        title => chosen.map(|game| game.meta().title),
        least => chosen.map(|game| *game.meta().players.start()),
        comment => fields.get("comment").cloned().unwrap_or_default(),
        unrated => fields.contains_key("unrated"),
        or_computer => fields.contains_key("or_computer"),
        level => fields.get("level").and_then(|level| level.parse::<u8>().ok()).unwrap_or(FIRST_LEVEL),
        first => fields.get("first").cloned().unwrap_or_else(|| "me".to_owned()),
        days => days_facts(web, fields),
    };
    Ok(no_store(web.pages.page_for(Some(visitor), status, "challenge.html", join([told, facts]))))
}

/// The times of the form, the usual one first chosen: `other` stands for a number of one's own.
fn days_facts(web: &Web, fields: &Fields) -> Value {
    let usual = web.app.config.time.forfeit_days.to_string();
    let chosen = fields.get("days").cloned().unwrap_or_else(|| usual.clone());
    let others = DAYS.into_iter().filter(|days| *days != usual).map(str::to_owned);
    let offered: Vec<String> = others.chain([usual.clone()]).collect();
    context! { offered, chosen, own => fields.get("own_days").cloned().unwrap_or_default() }
}

/// A preset as a link that fills in the form with its opponents.
fn preset_facts(meta: &Meta, preset: &Preset, fields: &Fields) -> Value {
    let others = fields.iter().filter(|(name, _)| !name.starts_with("option_") && *name != "game");
    let options = preset.options.iter().map(|(name, value)| (format!("option_{name}"), (*value).to_owned()));
    let others: BTreeMap<String, String> =
        others.map(|(name, value)| (name.clone(), value.clone())).chain(options).collect();
    let value =
        |spec: &OptionSpec| fields.get(&format!("option_{}", spec.name)).map_or(spec.default, String::as_str);
    let wanted = |spec: &OptionSpec| {
        let given = preset.options.iter().find(|(name, _)| *name == spec.name);
        given.map_or(spec.default, |(_, value)| *value)
    };
    let chosen = meta.options.iter().all(|spec| value(spec) == wanted(spec));
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("game", meta.name)
        .extend_pairs(&others)
        .finish();
    let link = format!("/challenge?{query}");
    context! { title => preset.title, about => preset.about, link, chosen }
}

/// Userids to propose, and the open seeks of each game.
type Partners = (Vec<String>, BTreeMap<&'static str, Vec<SeekLine>>);

async fn partners(web: &Web, visitor: &Visitor) -> Result<Partners, ServiceError> {
    let mut known: Vec<String> = Vec::new();
    let mut add = |userid: &str| {
        if userid != visitor.userid && !known.iter().any(|name| name == userid) && known.len() < MOST_KNOWN {
            known.push(userid.to_owned());
        }
    };
    for state in [BoardState::Active, BoardState::Over] {
        let query = BoardQuery {
            userid: Some(visitor.userid.clone()),
            state: Some(state),
            limit: MOST_BOARDS,
            ..BoardQuery::default()
        };
        let page = view_boards(&web.app, query).await?;
        page.boards.iter().flat_map(|board| board.summary.players()).for_each(&mut add);
    }
    let mut seeking = BTreeMap::new();
    for game in web.app.games.offered() {
        let name = game.meta().name;
        let mut seeks = view_seeks(&web.app, name).await?;
        for seek in &seeks {
            add(&seek.userid);
        }
        seeks.retain(|seek| seek.userid != visitor.userid && seek.rests.is_none());
        seeking.insert(name, seeks);
    }
    Ok((known, seeking))
}

/// Sizes of a game; empty without that option.
fn sizes(specs: &[OptionSpec], fields: &Fields) -> Vec<Value> {
    let Some(spec) = specs.iter().find(|spec| spec.name == "size") else { return Vec::new() };
    let offered: Vec<String> = match &spec.kind {
        OptionKind::Number { min, max } => (*min..=*max).map(|size| size.to_string()).collect(),
        OptionKind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        _ => return Vec::new(),
    };
    let given = fields.get("option_size").map_or(spec.default, String::as_str).to_owned();
    offered.into_iter().map(|size| context! { is_given => size == given, size }).collect()
}

fn option_facts(spec: &OptionSpec, fields: &Fields) -> Value {
    let name = format!("option_{}", spec.name);
    let given = fields.get(&name).map_or(spec.default, String::as_str).to_owned();
    let shared = context! { name, label => spec.name.replace('_', " "), help => spec.help, given };
    let own = match &spec.kind {
        OptionKind::Flag => context! { kind => "flag" },
        OptionKind::Either(usual, other) => context! { kind => "choice", words => vec![*usual, *other] },
        OptionKind::Number { min, max } => context! { kind => "number", min => *min, max => *max },
        OptionKind::Choice(words) => context! { kind => "choice", words => words.to_vec() },
        OptionKind::Text { shape, .. } => context! { kind => "text", shape => *shape },
    };
    join([own, shared])
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    Form(fields): Form<Fields>,
) -> Result<Response, Failure> {
    match carry_out(&web, client, &visitor, &fields).await {
        Err(ServiceError::Refused(refusal)) => form(&web, &visitor, &fields, Some(&refusal)).await,
        done => Ok(done?),
    }
}

async fn carry_out(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    fields: &Fields,
) -> Result<Response, ServiceError> {
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let game = field("game").to_lowercase();
    match field("act") {
        "withdraw" => invitations::withdraw(web, visitor, field("id")).await?,
        "invite" => {
            let offered = web.app.games.find_offered(&game);
            let offered = offered.ok_or_else(|| Refusal::new(Code::UnknownGame, "choose a game"))?;
            let options = read_options(offered.meta().options, fields)?;
            let (rated, begins) = (!fields.contains_key("unrated"), field("first") != "them");
            let wish = InvitationWish { game: game.clone(), options, rated, begins };
            make_invitation(&web.app, visitor.proven(), wish).await?;
        }
        _ => return begin(web, client, visitor, fields).await,
    }
    let query = if game.is_empty() { String::new() } else { format!("?game={}", url_encode(&game)) };
    Ok(Redirect::to(&format!("/challenge{query}#links")).into_response())
}

async fn begin(
    web: &Web,
    client: Client,
    visitor: &Visitor,
    fields: &Fields,
) -> Result<Response, ServiceError> {
    let comment = fields.get("comment").map(String::as_str).unwrap_or_default();
    let answer = command(web, client, visitor, Ok(read(web, visitor, fields)?), comment).await?;
    if let Some(board) = answer.boards.first() {
        return Ok(Redirect::to(&format!("/boards/{}/{}", board.game, board.number)).into_response());
    }
    let is_stopped = fields.get("act").is_some_and(|act| act == "stop_seeking");
    let done = if is_stopped { "stopped" } else { "seeking" };
    Ok(Redirect::to(&format!("/?done={done}")).into_response())
}

fn read(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Command, Refusal> {
    let name = fields.get("game").map(|name| name.to_lowercase()).unwrap_or_default();
    let Some(game) = web.app.games.find_offered(&name) else { return Err(incomplete("choose a game")) };
    let who = visitor.credentials();
    let server = read_time(web, fields)?;
    match fields.get("act").map(String::as_str).unwrap_or_default() {
        "seek" => {
            let options = read_options(game.meta().options, fields)?;
            let computer = match fields.get("or_computer") {
                None => None,
                Some(_) => level_of(&read_level(fields)?).map(ComputerWish::Level),
            };
            let server = ServerOptions { computer, ..server };
            Ok(Command::Seek { game: name, who, change: SeekChange::Want(1), options, server })
        }
        "stop_seeking" => {
            let (change, options, server) = (SeekChange::Cancel, Vec::new(), ServerOptions::default());
            Ok(Command::Seek { game: name, who, change, options, server })
        }
        "join" => {
            let terms = fields.get("terms").map(String::as_str).unwrap_or_default();
            seeks::same_seek(web, visitor, &name, terms)
        }
        act => {
            let options = read_options(game.meta().options, fields)?;
            let mut others = fields.clone();
            if act == "computer" {
                others.insert("player2".to_owned(), read_level(fields)?);
            }
            let players = read_players(visitor, *game.meta().players.end(), &others)?;
            let server = ServerOptions { unrated: fields.contains_key("unrated"), ..server };
            Ok(Command::Challenge { game: name, players, options, server })
        }
    }
}

/// The time for each move, with an earlier reminder where the usual one would come too late.
fn read_time(web: &Web, fields: &Fields) -> Result<ServerOptions, Refusal> {
    let field = |name: &str| fields.get(name).map(|given| given.trim()).unwrap_or_default();
    let given = if field("days") == "other" { field("own_days") } else { field("days") };
    let time = &web.app.config.time;
    if given.is_empty() || given == time.forfeit_days.to_string() {
        return Ok(ServerOptions::default());
    }
    let days = Days::from_word(given)
        .ok_or_else(|| incomplete("the days for each move are a number above 0, at most 3650"))?;
    let reminds = Days::from_word(&time.nag_days.to_string()).is_some_and(|usual| usual < days);
    let nagtime = if reminds { None } else { Days::from_millis(days.as_millis() / 2) };
    Ok(ServerOptions { nagtime, forfeittime: Some(days), ..ServerOptions::default() })
}

fn read_level(fields: &Fields) -> Result<String, Refusal> {
    let level = fields.get("level").and_then(|level| level.parse().ok());
    let level = level.filter(|level| (1..=LEVELS).contains(level));
    level.map(userid_of).ok_or_else(|| incomplete(format!("choose a level from 1 to {LEVELS}")))
}

fn read_options(specs: &[OptionSpec], fields: &Fields) -> Result<Vec<GivenOption>, Refusal> {
    let mut options = Vec::new();
    for spec in specs {
        let given = fields.get(&format!("option_{}", spec.name)).map_or("", |given| given.trim());
        if given.is_empty() || given == spec.default {
            continue;
        }
        let word = || read_word(given).ok_or_else(no_blanks);
        options.push(match spec.kind {
            OptionKind::Flag => GivenOption { name: spec.name.to_owned(), value: None },
            OptionKind::Either(..) => GivenOption { name: word()?, value: None },
            OptionKind::Number { .. } | OptionKind::Choice(_) | OptionKind::Text { .. } => {
                GivenOption { name: spec.name.to_owned(), value: Some(word()?) }
            }
        });
    }
    Ok(options)
}

/// All players in turn order; the visitor has the chosen place.
fn read_players(visitor: &Visitor, most: usize, fields: &Fields) -> Result<Vec<String>, Refusal> {
    let others = (2..=most).filter_map(|place| fields.get(&format!("player{place}")));
    let others = others.map(|name| name.trim()).filter(|name| !name.is_empty());
    let mut players =
        others.map(|name| read_word(name).ok_or_else(no_blanks)).collect::<Result<Vec<_>, _>>()?;
    if players.is_empty() {
        return Err(incomplete("write the userid of somebody to play with"));
    }
    let last = fields.get("first").is_some_and(|first| first == "them");
    players.insert(if last { players.len() } else { 0 }, visitor.userid.clone());
    Ok(players)
}

fn no_blanks() -> Refusal {
    incomplete("userids and options hold no blanks")
}
