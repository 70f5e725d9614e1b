//! The settings page: preferences, addresses, password, passkeys, time off, pushes, sessions, API keys, webhooks and
//! feeds.

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Command, Credentials, MASK, ParseError, Password, Setting, Vacation, read_word};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

use super::account::passkeys;
use super::account::unsent::SECRETS;
use super::board_actions::{command, hints};
use super::privacy::archive;
use super::{assets, feeds, join, keys, webhooks};
use crate::Web;
use crate::browsers;
use crate::client::Client;
use crate::error::status;
use crate::extract::PageQuery;
use crate::session::{LoggedIn, no_store, page_before, set_cookie};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::{
    Visitor, gave_password_lately, give_password, log_in, view_sessions, view_tokens,
};
use knotpost_core::mailing::try_again;
use knotpost_core::play::PreferenceLine;
use knotpost_core::queries::{view_own_settings, view_zone};

/// A preference: name, label, and its values with their effects. Label and effect form a sentence.
type Choice = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const CHOICES: [Choice; 9] = [
    (
        "moves",
        "Mail me about my boards",
        &[
            ("all", "after every move"),
            ("mine", "when it is my turn, and when a game ends"),
            ("digest", "once a day, about all that have changed"),
        ],
    ),
    ("nags", "When a board waits for me", &[("on", "remind me by mail"), ("off", "do not remind me")]),
    (
        "mail",
        "Send these mails",
        &[("both", "with a picture of the board, and as text"), ("text", "as text alone")],
    ),
    (
        "board",
        "In the text, draw boards",
        &[
            ("standard", "at most 72 columns wide"),
            ("wide", "as wide as they need"),
            ("narrow", "narrow, for small screens"),
            ("list", "not at all: tell me every cell in words, to be read aloud"),
        ],
    ),
    (
        "subject",
        "The Subject",
        &[
            ("turn", "says whose turn it is"),
            ("fixed", "stays the same, to keep the mails of a board together"),
        ],
    ),
    (
        "confirm",
        "A move that I mail",
        &[("off", "is played at once"), ("on", "is shown to me first, and played when I confirm it")],
    ),
    ("puzzle", "The puzzles of the day", &[("off", "are not mailed to me"), ("on", "are mailed to me")]),
    ("messages", "Messages of other players", &[("on", "reach me"), ("off", "do not reach me")]),
    ("broadcasts", "News of this server", &[("on", "are mailed to me"), ("off", "are not mailed to me")]),
];

/// Actions that need the password, because they redirect mail or secrets, change who can log in, give away all
/// personal data, or cannot be undone.
const NEED_PASSWORD: [&str; 11] = [
    "add",
    "remove",
    "new_key",
    "new_hook",
    "renew_hook",
    "ask_passkey",
    "new_passkey",
    "end_passkey",
    "new_feeds",
    "archive",
    "bot",
];

pub(super) type Fields = HashMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Saved {
    saved: String,
}

pub(super) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PageQuery(query): PageQuery<Saved>,
) -> Response {
    show(&web, &visitor, &Fields::new(), StatusCode::OK, "", Vec::new(), !query.saved.is_empty()).await
}

/// Allows mail again to addresses that bounced, and returns to the page with the bar.
pub(super) async fn mail_again(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    headers: HeaderMap,
) -> Response {
    match try_again(&web.app, visitor.user).await {
        Ok(()) => Redirect::to(&page_before(&headers)).into_response(),
        Err(error) => web.pages.failure(error.into()),
    }
}

async fn refused(
    web: &Web,
    visitor: &Visitor,
    given: &Fields,
    status: StatusCode,
    message: &str,
    hints: Vec<String>,
) -> Response {
    show(web, visitor, given, status, message, hints, false).await
}

async fn show(
    web: &Web,
    visitor: &Visitor,
    given: &Fields,
    status: StatusCode,
    message: &str,
    hints: Vec<String>,
    is_saved: bool,
) -> Response {
    match facts(web, visitor, given).await {
        Ok(facts) => {
            let facts = join([context! { message, hints, is_saved }, facts]);
            no_store(web.pages.page_for(Some(visitor), status, "settings.html", facts))
        }
        Err(error) => web.pages.failure(error),
    }
}

async fn facts(web: &Web, visitor: &Visitor, given: &Fields) -> Result<Value, ServiceError> {
    let zone = view_zone(&web.app, visitor).await?;
    let settings = view_own_settings(&web.app, visitor).await?;
    let sessions = view_sessions(&web.app, visitor).await?;
    let keys = view_tokens(&web.app, visitor.user).await?;
    let webhooks = webhooks::facts(web, visitor).await?;
    let browsers = browsers::facts(web, visitor).await?;
    let passkeys = passkeys::facts(web, visitor).await?;
    let feeds = feeds::facts(web, visitor).await?;
    let value = |name: &str| {
        let line = settings.preferences.iter().find(|line: &&PreferenceLine| line.name == name);
        line.map(|line| line.value.clone()).unwrap_or_default()
    };
    let given = given.iter().filter(|(name, _)| !SECRETS.contains(&name.as_str()));
    let mut given: BTreeMap<String, String> =
        given.map(|(name, value)| (name.clone(), value.clone())).collect();
    given.entry("act".to_owned()).or_default();
    let choice = |(name, label, words): &Choice| {
        context! { name => *name, label => *label, words => Serde(*words), value => value(name) }
    };
    let choices: Vec<Value> = CHOICES.iter().map(choice).collect();
    Ok(context! {
        given, choices, webhooks, browsers, feeds, passkeys,
        keys => Serde(&keys), sessions => Serde(&sessions), own_addresses => Serde(&settings.addresses),
        push_script => assets::address("push.js"),
        asks_password => !gave_password_lately(visitor.password_at, web.app.clock.now()),
        digest => value("digest"),
        timezone => value("timezone"),
        is_bot => settings.is_bot,
        zone => zone.name(),
        away_until => settings.away_until.map(|until| zone.show(until)),
    })
}

async fn failed(web: &Web, visitor: &Visitor, given: &Fields, error: ServiceError) -> Response {
    match error {
        ServiceError::Refused(refusal) => {
            refused(web, visitor, given, status(refusal.code), &refusal.message, refusal.hints).await
        }
        error @ ServiceError::Store(_) => web.pages.failure(error),
    }
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(mut visitor): LoggedIn,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Response {
    if NEED_PASSWORD.contains(&field(&fields, "act"))
        && let Err(error) = ask_password(&web, client, &mut visitor, &fields).await
    {
        return failed(&web, &visitor, &fields, error).await;
    }
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let done = match field(&fields, "act") {
        "new_key" => Some(keys::make(&web, &visitor, &fields).await),
        "end_key" => Some(keys::end(&web, &visitor, &fields).await),
        "new_feeds" => Some(feeds::renew(&web, &visitor).await),
        "end_feeds" => Some(feeds::end(&web, &visitor).await),
        "archive" => Some(archive::download(&web, &visitor)),
        _ => match passkeys::act(&web, &visitor, agent, &fields).await {
            None => match browsers::act(&web, &visitor, agent, |name| field(&fields, name)).await {
                None => webhooks::act(&web, &visitor, &fields).await,
                done => done,
            },
            done => done,
        },
    };
    match done {
        Some(Ok(response)) => return response,
        Some(Err(error)) => return failed(&web, &visitor, &fields, error).await,
        None => {}
    }
    let wanted = match read(&web, &visitor, &fields) {
        Ok(wanted) => wanted,
        Err(message) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return refused(&web, &visitor, &fields, status, message, Vec::new()).await;
        }
    };
    let answer = match command(&web, client, &visitor, wanted, "").await {
        Ok(answer) => answer,
        Err(error) => return web.pages.failure(error.into()),
    };
    if let Some(failure) = &answer.failure {
        let hints = hints(&answer);
        return refused(&web, &visitor, &fields, status(failure.code), &failure.message, hints).await;
    }
    let done = Redirect::to("/settings?saved=yes").into_response();
    if field(&fields, "act") != "password" {
        return done;
    }
    // The new password has ended every session, this one too.
    match log_in(&web.app, &visitor.userid, password(&fields, "new"), &client.rate_key(), agent).await {
        Ok(fresh) => ([(header::SET_COOKIE, set_cookie(&web.app.config, &fresh))], done).into_response(),
        Err(_) => Redirect::to("/login").into_response(),
    }
}

/// Accepts a password in the form, or a recent proof of it.
async fn ask_password(
    web: &Web,
    client: Client,
    visitor: &mut Visitor,
    fields: &Fields,
) -> Result<(), ServiceError> {
    let present = password(fields, "present");
    if !present.is_empty() {
        return give_password(&web.app, visitor, present, &client.rate_key()).await;
    }
    if gave_password_lately(visitor.password_at, web.app.clock.now()) {
        return Ok(());
    }
    Err(Refusal::new(Code::NotAllowed, "write your present password with it; nothing was changed").into())
}

pub(super) fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map(|value| value.trim()).unwrap_or_default()
}

/// Not trimmed, here and at the log-in alike.
fn password<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map(String::as_str).unwrap_or_default()
}

/// The outer error is an incomplete form; the inner one is the error of the command language.
fn read(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Result<Command, ParseError>, &'static str> {
    let who = visitor.credentials();
    let word = |name: &str| read_word(field(fields, name));
    let command = match field(fields, "act") {
        "preferences" => {
            let names = CHOICES.iter().map(|(name, ..)| *name).chain(["digest", "timezone"]);
            let values = names.filter_map(|name| Some(Setting { name, value: word(name)? })).collect();
            Command::Set { who, game: None, values }
        }
        "bot" if field(fields, "sure").is_empty() => return Err("tick that you are sure: it is for good"),
        "bot" => {
            let values = vec![Setting { name: "bot", value: "on".to_owned() }];
            Command::Set { who, game: None, values }
        }
        "password" => read_password(visitor, fields)?,
        "add" => {
            let address = word("address").ok_or("write an address without blanks")?;
            Command::Add { who, addresses: vec![address] }
        }
        "remove" => {
            let address = word("address").ok_or("choose an address")?;
            Command::Signoff { who, addresses: vec![address] }
        }
        "vacation" => match word("until").map(|until| Vacation::from_field(&until, &web.app.vocabulary)) {
            None => Command::Vacation { who, until: Vacation::Off },
            Some(Ok(until)) => Command::Vacation { who, until },
            Some(Err(error)) => return Ok(Err(error)),
        },
        _ => return Err("choose what to change"),
    };
    Ok(Ok(command))
}

/// Always needs the present password; a session does not replace it.
fn read_password(visitor: &Visitor, fields: &Fields) -> Result<Command, &'static str> {
    let word = |name: &str| {
        let given = password(fields, name);
        read_word(given).is_some().then(|| Password::given(given))
    };
    let (Some(present), Some(new)) = (word("present"), word("new")) else {
        return Err("write the present password and a new one, without blanks");
    };
    // A masked password is shown as asterisks, so that no password can consist of them.
    if present.expose() == MASK {
        return Err("write the present password itself");
    }
    Ok(Command::ChangePassword { who: Credentials::typed(visitor.userid.as_str(), present), new })
}
