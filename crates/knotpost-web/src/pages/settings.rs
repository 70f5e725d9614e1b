//! The settings page: preferences, addresses, password, passkeys, time off, pushes, sessions, API keys, webhooks and
//! feeds.

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Command, Credentials, MASK, Password, Setting, Vacation, read_word};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

use super::account::unsent::SECRETS;
use super::account::{agent, passkeys};
use super::board_actions::command;
use super::privacy::archive;
use super::{assets, feeds, incomplete, join, keys, refusal_facts, webhooks};
use crate::Web;
use crate::browsers;
use crate::client::Client;
use crate::error::Failure;
use crate::extract::PageQuery;
use crate::session::{LoggedIn, no_store, page_before, set_cookie};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::{
    Visitor, ask_again, gave_password_lately, give_password, log_in, view_sessions, view_tokens,
};
use knotpost_core::mailing::try_again;
use knotpost_core::play::PreferenceLine;
use knotpost_core::queries::{view_own_settings, view_zone};

/// A preference: name, label, and its values with their effects. Label and effect form a sentence.
type Choice = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const CHOICES: [Choice; 11] = [
    (
        "moves",
        "Mail me about my boards",
        &[
            ("all", "after every move"),
            ("mine", "when it is my turn, and when a game ends"),
            ("digest", "once a day, about all that have changed"),
        ],
    ),
    (
        "computer",
        "Games against the computer alone",
        &[("on", "are mailed like others"), ("off", "are not mailed, but for reminders")],
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
    (
        "keys",
        "On the page of a game, the key n",
        &[
            ("on", "leads to the next game that waits for me, and / to the field for a move"),
            ("off", "and / do nothing"),
        ],
    ),
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

pub(crate) type Fields = HashMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Saved {
    saved: String,
}

pub(super) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PageQuery(query): PageQuery<Saved>,
) -> Result<Response, Failure> {
    show(&web, &visitor, &Fields::new(), None, !query.saved.is_empty()).await
}

/// Allows mail again to addresses that bounced, and returns to the page with the bar.
pub(super) async fn mail_again(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    try_again(&web.app, visitor.user).await?;
    Ok(Redirect::to(&page_before(&headers)).into_response())
}

pub(super) async fn confirm_again(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    ask_again(&web.app, visitor.proven()).await?;
    Ok(Redirect::to(&page_before(&headers)).into_response())
}

async fn show(
    web: &Web,
    visitor: &Visitor,
    given: &Fields,
    refusal: Option<&Refusal>,
    is_saved: bool,
) -> Result<Response, Failure> {
    let (status, told) = refusal_facts(refusal);
    let facts = join([context! { is_saved }, told, facts(web, visitor, given).await?]);
    Ok(no_store(web.pages.page_for(Some(visitor), status, "settings.html", facts)))
}

async fn facts(web: &Web, visitor: &Visitor, given: &Fields) -> Result<Value, ServiceError> {
    let zone = view_zone(&web.app.store, visitor).await?;
    let settings = view_own_settings(&web.app.store, web.app.clock.as_ref(), visitor).await?;
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

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(mut visitor): LoggedIn,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Failure> {
    match change(&web, client, &mut visitor, agent(&headers), &fields).await {
        Err(ServiceError::Refused(refusal)) => show(&web, &visitor, &fields, Some(&refusal), false).await,
        done => Ok(done?),
    }
}

async fn change(
    web: &Web,
    client: Client,
    visitor: &mut Visitor,
    agent: &str,
    fields: &Fields,
) -> Result<Response, ServiceError> {
    if NEED_PASSWORD.contains(&field(fields, "act")) {
        ask_password(web, client, visitor, fields).await?;
    }
    match field(fields, "act") {
        "new_key" => return keys::make(web, visitor, fields).await,
        "end_key" => return keys::end(web, visitor, fields).await,
        "new_feeds" => return feeds::renew(web, visitor).await,
        "end_feeds" => return feeds::end(web, visitor).await,
        "archive" => return archive::download(web, visitor),
        act if act.ends_with("_passkey") => return passkeys::act(web, visitor, agent, fields).await,
        act if act.ends_with("_browser") => return browsers::act(web, visitor, agent, fields).await,
        act if act.ends_with("_hook") => return webhooks::act(web, visitor, fields).await,
        _ => {}
    }
    command(web, client, visitor, Ok(read(web, visitor, fields)?), "").await?;
    let done = Redirect::to("/settings?saved=yes").into_response();
    if field(fields, "act") != "password" {
        return Ok(done);
    }
    // The new password has ended every session, this one too.
    Ok(match log_in(&web.app, &visitor.userid, password(fields, "new"), &client.rate_key(), agent).await {
        Ok(fresh) => ([(header::SET_COOKIE, set_cookie(&web.app.config, &fresh))], done).into_response(),
        Err(_) => Redirect::to("/login").into_response(),
    })
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

pub(crate) fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map(|value| value.trim()).unwrap_or_default()
}

/// Not trimmed, here and at the log-in alike.
fn password<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map(String::as_str).unwrap_or_default()
}

pub(crate) fn nothing_chosen() -> Refusal {
    incomplete("choose what to change")
}

fn read(web: &Web, visitor: &Visitor, fields: &Fields) -> Result<Command, Refusal> {
    let who = visitor.credentials();
    let word = |name: &str| read_word(field(fields, name));
    let command = match field(fields, "act") {
        "preferences" => {
            let names = CHOICES.iter().map(|(name, ..)| *name).chain(["digest", "timezone"]);
            let values = names.filter_map(|name| Some(Setting { name, value: word(name)? })).collect();
            Command::Set { who, game: None, values }
        }
        "bot" if field(fields, "sure").is_empty() => {
            return Err(incomplete("tick that you are sure: it is for good"));
        }
        "bot" => {
            let values = vec![Setting { name: "bot", value: "on".to_owned() }];
            Command::Set { who, game: None, values }
        }
        "password" => read_password(visitor, fields)?,
        "add" => {
            let address = word("address").ok_or_else(|| incomplete("write an address without blanks"))?;
            Command::Add { who, addresses: vec![address] }
        }
        "remove" => {
            let address = word("address").ok_or_else(|| incomplete("choose an address"))?;
            Command::Signoff { who, addresses: vec![address] }
        }
        "vacation" => match word("until").map(|until| Vacation::from_field(&until, &web.app.vocabulary)) {
            None => Command::Vacation { who, until: Vacation::Off },
            Some(Ok(until)) => Command::Vacation { who, until },
            Some(Err(error)) => return Err(incomplete(error.message)),
        },
        _ => return Err(nothing_chosen()),
    };
    Ok(command)
}

/// Always needs the present password; a session does not replace it.
fn read_password(visitor: &Visitor, fields: &Fields) -> Result<Command, Refusal> {
    let word = |name: &str| {
        let given = password(fields, name);
        read_word(given).is_some().then(|| Password::given(given))
    };
    let (Some(present), Some(new)) = (word("present"), word("new")) else {
        return Err(incomplete("write the present password and a new one, without blanks"));
    };
    // A masked password is shown as asterisks, so that no password can consist of them.
    if present.expose() == MASK {
        return Err(incomplete("write the present password itself"));
    }
    Ok(Command::ChangePassword { who: Credentials::typed(visitor.userid.as_str(), present), new })
}
