//! Logging in and out, signing up, the link by mail, and passkeys.

pub(super) mod passkeys;
pub(super) mod unsent;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use knotpost_commands::{Command, Credentials as Typed, Password, Setting, Userid, read_word};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use self::unsent::Unsent;
use super::board_actions::accepted;
use super::{incomplete, join, refusal_facts};
use crate::Web;
use crate::client::Client;
use crate::credentials::Credentials;
use crate::error::{Failure, status};
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, is_secure, keep_secret, no_store, safe_next, set_cookie, token};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::commands::execute;
use knotpost_core::identity::{
    Origin, Proof, Visitor, ask_for_link, find_visitor, log_in, log_in_by_link, log_out, log_out_everywhere,
    view_link,
};
use knotpost_core::requests::Request;

pub(super) const LINK_SPENT: &str = "this link was used already or is too old; ask for a new one";

/// Makes a browser delete its data of this site (W3C, Clear Site Data).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Next {
    next: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LogIn {
    userid: String,
    password: String,
    next: String,
    /// `link`: send a link instead; `challenge`: ask a passkey; `passkey`: its answer.
    by: String,
    /// Address of a form that was sent without a session; its fields follow.
    sent_to: String,
    sent: String,
    #[serde(flatten)]
    passkey: passkeys::Shown,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SignUp {
    userid: String,
    password: String,
    address: String,
    /// Mails about games: one of [`TELLING`].
    moves: String,
    next: String,
}

/// Mails about games that the form offers: the words of the preference `moves`, the usual one first. Whoever signs up by
/// mail plays by mail and gets them all.
const TELLING: [(&str, &str); 3] = [
    ("mine", "when it is my turn, and when a game ends"),
    ("digest", "once a day, about all that have changed"),
    ("all", "after every move, to play by mail"),
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LogOut {
    /// Empty, or `everywhere` for all sessions.
    from: String,
}

pub(super) async fn ask(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    credentials: Credentials,
    PageQuery(query): PageQuery<Next>,
) -> Response {
    if visitor.is_some() {
        return Redirect::to(safe_next(&query.next)).into_response();
    }
    let Some(unsent) = Unsent::carried(&credentials) else {
        let facts = form_facts(&web, "", &query.next, None, "");
        return no_store(web.pages.page_for(None, StatusCode::OK, "login.html", facts));
    };
    let mut page = ask_with(&web, &unsent, StatusCode::OK);
    page.headers_mut().append(header::SET_COOKIE, unsent::carry(&web, "", 0));
    page
}

fn form_facts(web: &Web, userid: &str, next: &str, unsent: Option<&Unsent>, message: &str) -> Value {
    let unsent = unsent.map(Unsent::facts);
    context! { userid, next => safe_next(next), unsent, message, passkeys => passkeys::script(web) }
}

fn form(web: &Web, status: StatusCode, given: &LogIn, message: &str) -> Response {
    let unsent = given.unsent();
    let facts = form_facts(web, given.userid.trim(), &given.next, unsent.as_ref(), message);
    no_store(web.pages.page(status, "login.html", facts))
}

fn ask_with(web: &Web, unsent: &Unsent, status: StatusCode) -> Response {
    let message = "you were logged out, and nothing was sent; what you wrote is kept: log in to go on";
    let facts = form_facts(web, "", &unsent.page(), Some(unsent), message);
    no_store(web.pages.page_for(None, status, "login.html", facts))
}

impl LogIn {
    fn unsent(&self) -> Option<Unsent> {
        (!self.sent_to.is_empty()).then(|| Unsent::read(&self.sent_to, self.sent.as_bytes()))
    }
}

pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    credentials: Credentials,
    headers: HeaderMap,
    Form(given): Form<LogIn>,
) -> Response {
    if given.by == "link" {
        return send_link(&web, client, &given).await;
    }
    let userid = given.userid.trim();
    let (agent, rate_key) = (agent(&headers), client.rate_key());
    let entered = match given.by.as_str() {
        "challenge" => match passkeys::ask(&web) {
            Ok(question) => return question,
            Err(error) => Err(error),
        },
        "passkey" => passkeys::log_in(&web, &credentials, &given.passkey, &rate_key, agent).await,
        _ => log_in(&web.app, userid, &given.password, &rate_key, agent).await,
    };
    match entered {
        Ok(fresh) => {
            let entered = enter(&web, &credentials, &fresh, &given.next).await;
            let Some(unsent) = given.unsent() else { return entered };
            let visitor = find_visitor(&web.app, &fresh).await.ok().flatten();
            let mut page = unsent.offer(&web, visitor.as_ref());
            page.headers_mut().extend(
                entered.headers().get(header::SET_COOKIE).map(|cookie| (header::SET_COOKIE, cookie.clone())),
            );
            no_store(page)
        }
        Err(ServiceError::Refused(refusal)) => {
            let page = form(&web, status(refusal.code), &given, &refusal.message);
            retry_later(page, &refusal)
        }
        Err(error) => web.pages.failure(error),
    }
}

fn retry_later(mut page: Response, refusal: &Refusal) -> Response {
    if let Some(seconds) = refusal.retry_after {
        page.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    page
}

pub(super) fn agent(headers: &HeaderMap) -> &str {
    headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Sets the cookie, and ends the browser's previous session.
async fn enter(web: &Web, credentials: &Credentials, fresh: &str, next: &str) -> Response {
    if let Some(old) = token(&web.app.config, credentials)
        && let Err(error) = log_out(&web.app.store, &web.app.secret, &old).await
    {
        tracing::warn!(error = error.with_causes(), "an old session could not be ended");
    }
    let cookie = set_cookie(&web.app.config, fresh);
    no_store(([(header::SET_COOKIE, cookie)], Redirect::to(safe_next(next))).into_response())
}

async fn send_link(web: &Web, client: Client, given: &LogIn) -> Response {
    let userid = given.userid.trim();
    if userid.is_empty() {
        return form(web, StatusCode::BAD_REQUEST, given, "write your userid to get a link by mail");
    }
    match ask_for_link(&web.app, userid, &client.rate_key()).await {
        Ok(()) => {
            let facts = context! { userid, unsent => given.unsent().as_ref().map(Unsent::facts) };
            no_store(web.pages.page(StatusCode::OK, "link_sent.html", facts))
        }
        Err(ServiceError::Refused(refusal)) => {
            retry_later(form(web, status(refusal.code), given, &refusal.message), &refusal)
        }
        Err(error) => web.pages.failure(error),
    }
}

pub(super) async fn leave(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    credentials: Credentials,
    Form(given): Form<LogOut>,
) -> Result<Response, Failure> {
    let left = match (visitor, token(&web.app.config, &credentials)) {
        (Some(LoggedIn(Visitor { user, .. })), _) if given.from == "everywhere" => {
            log_out_everywhere(&web.app.store, user).await
        }
        (_, Some(token)) => log_out(&web.app.store, &web.app.secret, &token).await,
        _ => Ok(()),
    };
    left?;
    let cookie = set_cookie(&web.app.config, "");
    let mut page = ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response();
    // Stored boards, unsent forms, the subscription to pushes. Browsers obey over TLS alone.
    if is_secure(&web.app.config) {
        page.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"storage\""));
    }
    Ok(page)
}

pub(super) async fn ask_sign_up(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(query): PageQuery<Next>,
) -> Response {
    if visitor.is_some() {
        return Redirect::to(safe_next(&query.next)).into_response();
    }
    let empty = SignUp { next: query.next, ..SignUp::default() };
    sign_up_form(&web, &empty, None)
}

fn sign_up_form(web: &Web, given: &SignUp, refusal: Option<&Refusal>) -> Response {
    let (status, told) = refusal_facts(refusal);
    let facts = context! {
        userid => given.userid.clone(), given_address => given.address.clone(), next => safe_next(&given.next),
        confirms => web.app.config.confirms_addresses(), telling => Serde(TELLING), moves => given.telling(),
        wrong => refusal.and_then(|refusal| wrong_field(web, given, refusal)),
    };
    no_store(web.pages.page(status, "signup.html", join([told, facts])))
}

/// The field of the form that a refusal is about; `None`: none of them alone.
fn wrong_field(web: &Web, given: &SignUp, refusal: &Refusal) -> Option<&'static str> {
    match refusal.code {
        Code::UseridTaken => Some("userid"),
        Code::RateLimited | Code::Unavailable => None,
        _ if Userid::choose(given.userid.trim(), &web.app.vocabulary).is_err() => Some("userid"),
        _ if Password::choose(&given.password).is_err() => Some("password"),
        _ => Some("address"),
    }
}

/// Signs up as a mail would, and logs in at once.
pub(super) async fn sign_up(
    State(web): State<Web>,
    client: Client,
    credentials: Credentials,
    headers: HeaderMap,
    Form(given): Form<SignUp>,
) -> Result<Response, Failure> {
    let userid = match register(&web, client, &given).await {
        Ok(userid) => userid,
        Err(ServiceError::Refused(mut refusal)) => {
            if refusal.code != Code::UseridTaken {
                refusal.hints.clear();
            }
            return Ok(sign_up_form(&web, &given, Some(&refusal)));
        }
        Err(error) => return Err(error.into()),
    };
    Ok(match log_in(&web.app, &userid, &given.password, &client.rate_key(), agent(&headers)).await {
        Ok(fresh) => enter(&web, &credentials, &fresh, &given.next).await,
        // The account exists nevertheless.
        Err(_) => Redirect::to("/login").into_response(),
    })
}

impl SignUp {
    fn telling(&self) -> &'static str {
        TELLING.iter().map(|(word, _)| *word).find(|word| *word == self.moves).unwrap_or(TELLING[0].0)
    }
}

async fn register(web: &Web, client: Client, given: &SignUp) -> Result<String, ServiceError> {
    let word =
        |name, given| read_word(given).ok_or_else(|| incomplete(format!("write a {name} without blanks")));
    let userid = word("userid", given.userid.trim())?;
    // The password is not trimmed: the log-in does not trim it either.
    word("password", &given.password)?;
    let address = word("mail address", given.address.trim())?;
    let who = Typed::typed(userid.as_str(), Password::given(&given.password));
    let signup = Command::Signup { who: who.clone(), addresses: vec![address] };
    let origin = || Origin::http(client.host(), Proof::Password);
    accepted(execute(&web.app, Request::typed(Ok(signup), "", origin())).await?)?;
    let moves = given.telling();
    let computer = if moves == "all" { "on" } else { "off" };
    let values = [("moves", moves), ("computer", computer)];
    let values = values.map(|(name, value)| Setting { name, value: value.to_owned() }).to_vec();
    let wishes = Command::Set { who, game: None, values };
    accepted(execute(&web.app, Request::typed(Ok(wishes), "", origin())).await?)?;
    Ok(userid)
}

pub(super) async fn ask_magic(State(web): State<Web>, PagePath(link): PagePath<String>) -> Response {
    let page = async {
        let spent = || Refusal::new(Code::NotAllowed, LINK_SPENT);
        let userid = view_link(&web.app, &link).await?.ok_or_else(spent)?;
        Ok::<_, Failure>(web.pages.page(StatusCode::OK, "magic.html", context! { userid }))
    };
    keep_secret(page.await)
}

pub(super) async fn act_magic(
    State(web): State<Web>,
    PagePath(link): PagePath<String>,
    credentials: Credentials,
    headers: HeaderMap,
) -> Response {
    match log_in_by_link(&web.app, &link, agent(&headers)).await {
        Ok(fresh) => enter(&web, &credentials, &fresh, "/").await,
        Err(error) => keep_secret(web.pages.failure(error)),
    }
}
