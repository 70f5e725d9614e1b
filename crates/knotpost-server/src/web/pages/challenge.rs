//! A new board: the form is made from the option table of the game.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::MASK;
use knotpost_rules::{OptionKind, OptionSpec};
use minijinja::{Value, context};
use std::collections::HashMap;

use super::acting::{command, credentials, hints};
use crate::service::Visitor;
use crate::web::Web;
use crate::web::client::Client;
use crate::web::error::status;
use crate::web::extract::PageQuery;
use crate::web::visitor::{LoggedIn, private};

/// What a form sends, by the names of its fields.
type Fields = HashMap<String, String>;

pub(super) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    form(&web, &visitor, StatusCode::OK, &fields, "", Vec::new())
}

fn form(
    web: &Web,
    visitor: &Visitor,
    status: StatusCode,
    fields: &Fields,
    message: &str,
    hints: Vec<String>,
) -> Response {
    let games: Vec<Value> = web
        .app
        .games()
        .map(|game| context! { name => game.meta().name, title => game.meta().title, summary => game.meta().summary })
        .collect();
    let chosen = fields.get("game").and_then(|name| web.app.game(&name.to_lowercase()));
    let options: Vec<Value> = chosen.map_or_else(Vec::new, |game| {
        game.meta().options.iter().map(|spec| option_facts(spec, fields)).collect()
    });
    let most = chosen.map_or(2, |game| *game.meta().players.end());
    let opponents: Vec<Value> = (2..=most)
        .map(|place| {
            let name = format!("player{place}");
            context! { value => fields.get(&name).cloned().unwrap_or_default(), name }
        })
        .collect();
    let facts = context! {
        games, options, opponents, message, hints,
        game => chosen.map(|game| game.meta().name),
        title => chosen.map(|game| game.meta().title),
        least => chosen.map(|game| *game.meta().players.start()),
        comment => fields.get("comment").cloned().unwrap_or_default(),
        unrated => fields.contains_key("unrated"),
        first => fields.get("first").cloned().unwrap_or_else(|| "me".to_owned()),
    };
    private(web.pages.page_for(Some(visitor), status, "challenge.html", facts))
}

/// An option as a field of the form.
fn option_facts(spec: &OptionSpec, fields: &Fields) -> Value {
    let name = format!("option_{}", spec.name);
    let given = fields.get(&name).map_or(spec.default, String::as_str).to_owned();
    let shared = context! { name, label => spec.name.replace('_', " "), help => spec.help, given };
    match &spec.kind {
        OptionKind::Flag => context! { kind => "flag", ..shared },
        OptionKind::Either(usual, other) => {
            context! { kind => "choice", words => vec![*usual, *other], ..shared }
        }
        OptionKind::Number { min, max } => context! { kind => "number", min => *min, max => *max, ..shared },
        OptionKind::Choice(words) => context! { kind => "choice", words => words.to_vec(), ..shared },
        OptionKind::Text { shape, .. } => context! { kind => "text", shape => *shape, ..shared },
    }
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    Form(fields): Form<Fields>,
) -> Response {
    let line = match line(&web, &visitor, &fields) {
        Ok(line) => line,
        Err(message) => {
            return form(&web, &visitor, StatusCode::UNPROCESSABLE_ENTITY, &fields, &message, Vec::new());
        }
    };
    let comment = fields.get("comment").map(String::as_str).unwrap_or_default();
    let answer = match command(&web, client, &visitor, line, comment).await {
        Ok(answer) => answer,
        Err(error) => return web.pages.failure(error.into()),
    };
    if let Some(failure) = &answer.failure {
        return form(&web, &visitor, status(failure.code), &fields, &failure.message, hints(&answer));
    }
    match answer.boards.first() {
        Some(board) => Redirect::to(&format!("/boards/{}/{}", board.game, board.number)).into_response(),
        None => Redirect::to("/#seeks").into_response(),
    }
}

/// The challenge as a mail would write it.
fn line(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<String, String> {
    let name = fields.get("game").map(|name| name.to_lowercase()).unwrap_or_default();
    let Some(game) = web.app.game(&name) else { return Err("choose a game".to_owned()) };
    let deed = fields.get("act").map(String::as_str).unwrap_or_default();
    let mut words = match deed {
        "seek" => vec![name, "seek".to_owned(), visitor.userid.clone(), MASK.to_owned(), "1".to_owned()],
        "stop_seeking" => return Ok(format!("{name} seek {} 0", credentials(visitor))),
        _ => vec![name, "challenge".to_owned()],
    };
    for spec in game.meta().options {
        let Some(given) = fields.get(&format!("option_{}", spec.name)).map(|given| given.trim()) else {
            continue;
        };
        if given.is_empty() || given == spec.default {
            continue;
        }
        words.push(match spec.kind {
            OptionKind::Flag => format!("-{}", spec.name),
            OptionKind::Either(..) => format!("-{given}"),
            _ => format!("-{}={given}", spec.name),
        });
    }
    if deed == "seek" {
        return joined(&words);
    }
    if fields.contains_key("unrated") {
        words.push("--unrated".to_owned());
    }
    let others = (2..=*game.meta().players.end()).filter_map(|place| fields.get(&format!("player{place}")));
    let mut players: Vec<&str> = others.map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    if players.is_empty() {
        return Err("write the userid of somebody to play with".to_owned());
    }
    let last = fields.get("first").is_some_and(|first| first == "them");
    players.insert(if last { players.len() } else { 0 }, &visitor.userid);
    words.extend(players.into_iter().map(str::to_owned));
    joined(&words)
}

/// One line, if no word was smuggled into another.
fn joined(words: &[String]) -> Result<String, String> {
    let is_word = |word: &String| word.chars().all(|sign| !sign.is_whitespace() && !sign.is_control());
    if words.iter().all(is_word) {
        Ok(words.join(" "))
    } else {
        Err("userids and options hold no blanks".to_owned())
    }
}
