//! Pages for people, rendered by the server; they work without scripts.

mod account;
mod assets;
mod board;
mod board_actions;
mod challenge;
mod confirm;
mod feeds;
mod figures;
mod games;
mod home;
mod keys;
mod mailbox;
mod not_me;
mod people;
mod practice;
mod preview;
mod privacy;
mod prose;
mod reset;
mod seeks;
pub(super) mod settings;
mod short;
mod tournaments;
mod turn;
mod unsubscribe;
mod webhooks;

use std::collections::HashSet;
use std::sync::Mutex;

use crate::routes::{get, post};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use minijinja::value::merge_maps;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use sha2::{Digest as _, Sha256};

use super::error::{Failure, status};
use super::routes::Role::{Mailbox, Public, User};
use super::routes::Route;
use super::theme::{self, Theme};
use super::{browsers, openapi};
use knotpost_core::boards::{Code, Refusal};
use knotpost_core::config::Config;
use knotpost_core::identity::Visitor;
use knotpost_model::{Millis, Zone};
use knotpost_platform::secret::to_hex;

#[derive(Debug)]
pub(super) struct Pages {
    templates: Environment<'static>,
    server: String,
    address: String,
    url: String,
    has_bots: bool,
    figures: figures::Figures,
    /// Last logged problem of the operator's text about privacy.
    privacy_problem: Mutex<Option<String>>,
}

impl Pages {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            templates: environment(),
            server: config.server.name.clone(),
            address: config.server.address.clone(),
            url: config.server.public_url.trim_end_matches('/').to_owned(),
            has_bots: config.bots.enabled,
            figures: figures::Figures::default(),
            privacy_problem: Mutex::default(),
        }
    }

    /// Renders a page without regard to the session.
    pub(super) fn page(&self, status: StatusCode, template: &str, facts: Value) -> Response {
        self.render(None, status, template, facts)
    }

    /// Marks the page with its session, see [`SESSION_MARK`]; `None` if nobody is logged in.
    pub(super) fn page_for(
        &self,
        visitor: Option<&Visitor>,
        status: StatusCode,
        template: &str,
        facts: Value,
    ) -> Response {
        let mut page = self.render(visitor, status, template, facts);
        page.headers_mut().insert(SESSION_MARK, session_mark(visitor));
        page
    }

    fn render(
        &self,
        visitor: Option<&Visitor>,
        status: StatusCode,
        template: &str,
        facts: Value,
    ) -> Response {
        let theme = Theme::of_request();
        let shared = context! {
            server => self.server.clone(),
            address => self.address.clone(),
            url => self.url.clone(),
            visitor => visitor.map(|visitor| visitor.userid.clone()),
            is_admin => visitor.is_some_and(|visitor| visitor.is_admin),
            mail_stop => visitor.and_then(|visitor| visitor.stopped.as_ref()).map(|(address, since)| {
                context! { address, since => since.to_readable() }
            }),
            unconfirmed => visitor.and_then(|visitor| visitor.unconfirmed.clone()),
            has_bots => self.has_bots,
            style => assets::address(theme.style()),
            scheme => theme.scheme(),
            themes => Theme::ALL.map(|one| context! { word => one.as_str(), is_chosen => one == theme }),
            script => assets::address("board.js"),
        };
        let rendered =
            self.templates.get_template(template).and_then(|template| template.render(join([facts, shared])));
        match rendered {
            Ok(page) => (status, Html(page)).into_response(),
            Err(error) => {
                tracing::error!(template, error = %format!("{error:#}"), "a page could not be rendered");
                (StatusCode::INTERNAL_SERVER_ERROR, "This page cannot be shown.\n").into_response()
            }
        }
    }

    pub(super) fn failure(&self, error: impl Into<Failure>) -> Response {
        let Failure { code, message } = error.into();
        self.problem(code, &message)
    }

    /// Puts the page about a failure in the place of its response; headers that were set there stay.
    pub(super) fn explain(&self, mut response: Response) -> Response {
        let Some(failure) = response.extensions_mut().remove::<Failure>() else { return response };
        let mut page = self.failure(failure);
        page.headers_mut().extend(std::mem::take(response.headers_mut()));
        page
    }

    pub(super) fn problem(&self, code: Code, message: &str) -> Response {
        let status = status(code);
        let mut page = self.page(status, "problem.html", context! { title => title_of(status), message });
        page.extensions_mut().insert(Refused(message.to_owned()));
        page
    }
}

pub(super) fn title_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        _ if status.is_server_error() => "Not possible now",
        _ => "Not possible",
    }
}

/// Refusal of a form that lacks something.
fn incomplete(what: impl Into<String>) -> Refusal {
    Refusal::new(Code::BadValue, what)
}

/// Status of the page that shows a form, and its words about the refusal of the form.
fn refusal_facts(refusal: Option<&Refusal>) -> (StatusCode, Value) {
    let (message, hints) =
        refusal.map(|refusal| (&*refusal.message, refusal.hints.clone())).unwrap_or_default();
    (refusal.map_or(StatusCode::OK, |refusal| status(refusal.code)), context! { message, hints })
}

/// Joins facts of several sources, whose names must differ: the template would find the wrong one, and break only when
/// rendered.
pub(super) fn join<const N: usize>(sources: [Value; N]) -> Value {
    debug_assert_eq!(name_given_twice(&sources), None, "a fact hides another one of its name");
    merge_maps(sources)
}

fn name_given_twice(sources: &[Value]) -> Option<String> {
    let names = sources.iter().filter_map(|source| source.try_iter().ok()).flatten();
    let mut known = HashSet::new();
    names.map(|name| name.to_string()).find(|name| !known.insert(name.clone()))
}

/// Identifies the session that a page was made for. The service worker deletes stored pages of another one.
const SESSION_MARK: HeaderName = HeaderName::from_static("x-session-mark");

/// Differs for each session; `-` without one. It is no credential.
fn session_mark(visitor: Option<&Visitor>) -> HeaderValue {
    let Some(visitor) = visitor else { return HeaderValue::from_static("-") };
    let digest = Sha256::digest([b"mark of session ", visitor.session.as_bytes()].concat());
    // Hexadecimal digits, so this never fails.
    HeaderValue::from_str(&to_hex(digest.get(..8).unwrap_or(&digest)))
        .unwrap_or(HeaderValue::from_static("-"))
}

fn environment() -> Environment<'static> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    load_templates(&mut templates);
    templates.add_filter("sentence", sentence);
    openapi::add_filters(&mut templates);
    templates.add_filter("terms", seeks::name_terms);
    templates.add_filter("browser", browsers::describe);
    templates.add_filter("percent", board::percent);
    templates.add_filter("readable", readable);
    templates.add_filter("local", local);
    templates.add_filter("since", since);
    templates
}

/// Shows a moment of a view in UTC; nothing for none.
fn readable(at: &Value) -> String {
    moment(at).map(Millis::to_readable).unwrap_or_default()
}

/// Shows a moment of a view in the time zone of this name; nothing for none.
fn local(at: &Value, zone: &str) -> String {
    let zone = Zone::named(zone).unwrap_or_else(Zone::utc);
    moment(at).map(|at| zone.show(at)).unwrap_or_default()
}

/// Names the time between two moments of a view.
fn since(at: &Value, earlier: &Value) -> String {
    moment(at).zip(moment(earlier)).map(|(at, earlier)| at.since(earlier).to_short()).unwrap_or_default()
}

fn moment(at: &Value) -> Option<Millis> {
    at.as_str().and_then(Millis::read)
}

fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if clause.is_empty() || clause.ends_with(['.', '?', '!']) { "" } else { "." };
    // Marks of literal words are for mails.
    format!("{first}{}{end}", letters.as_str()).replace('`', "")
}

#[expect(clippy::expect_used, reason = "the build has parsed the same templates")]
fn load_templates(mut templates: &mut Environment<'static>) {
    minijinja_embed::load_templates!(templates, "web");
}

pub(super) const ROUTES: &[Route] = &[
    Route::new(Public, "GET", "/", || get(home::home)),
    Route::new(Public, "GET", "/games", || get(games::list)),
    Route::new(Public, "GET", "/boards", || get(short::boards)),
    Route::new(Public, "GET", "/users", || get(people::list)),
    Route::new(Public, "GET", "/standings", || get(people::list)),
    Route::new(Public, "GET", "/help", || get(short::help)),
    Route::new(Public, "GET", "/favicon.ico", || get(short::favicon)),
    Route::new(Public, "GET", "/robots.txt", || get(short::robots)),
    Route::new(Public, "GET", "/apple-touch-icon.png", || get(short::touch_icon)),
    Route::new(Public, "GET", "/service-worker.js", || get(browsers::worker)),
    Route::new(Public, "GET", "/manifest.webmanifest", || get(short::manifest)),
    Route::new(Public, "GET", "/games/{game}", || get(home::game)),
    Route::new(User, "POST", "/games/{game}", || post(games::star)),
    Route::new(Public, "GET", "/learn", || get(practice::lessons::list)),
    Route::new(Public, "GET", "/learn/{game}", || get(practice::lessons::first)),
    Route::new(Public, "GET", "/learn/{game}/{number}", || get(practice::lessons::show)),
    Route::new(Public, "GET", "/puzzles", || get(practice::puzzles::list)),
    Route::new(Public, "GET", "/puzzles/{game}", || get(practice::puzzles::show)),
    Route::new(Public, "GET", "/try/{game}", || get(practice::show)),
    Route::new(User, "POST", "/try/{game}", || post(practice::keep)),
    Route::new(Public, "GET", "/boards/{game}/{number}/analysis", || get(board::show_analysis)),
    Route::new(Public, "GET", "/boards/{game}/{number}", || get(board::show)),
    Route::new(Public, "GET", "/boards/{game}/{number}/explore", || get(board::explore::show)),
    Route::new(User, "POST", "/boards/{game}/{number}", || post(board_actions::act)),
    Route::new(User, "GET", "/challenge", || get(challenge::ask)),
    Route::new(User, "POST", "/challenge", || post(challenge::act)),
    Route::new(Public, "GET", "/invite/{token}", || get(challenge::invitations::show)),
    Route::new(User, "POST", "/invite/{token}", || post(challenge::invitations::accept)),
    Route::new(Public, "GET", "/tournaments", || get(tournaments::list)),
    Route::new(User, "GET", "/tournaments/new", || get(tournaments::ask)),
    Route::new(User, "POST", "/tournaments/new", || post(tournaments::announce)),
    Route::new(Public, "GET", "/tournaments/{name}", || get(tournaments::show)),
    Route::new(User, "POST", "/tournaments/{name}", || post(tournaments::act)),
    Route::new(Public, "GET", "/standings/{game}", || get(people::standings)),
    Route::new(Public, "GET", "/users/{userid}", || get(people::user)),
    Route::new(Public, "GET", "/users/{userid}/knot.svg", || get(people::emblem)),
    Route::new(User, "POST", "/users/{userid}", || post(people::act)),
    Route::new(Public, "POST", "/theme", || post(theme::choose)),
    Route::new(User, "GET", "/settings", || get(settings::ask)),
    Route::new(User, "POST", "/settings", || post(settings::act)),
    Route::new(User, "POST", "/settings/confirm-again", || post(settings::confirm_again)),
    Route::new(User, "POST", "/settings/mail-again", || post(settings::mail_again)),
    Route::new(Public, "GET", "/help/{topic}", || get(home::help)),
    Route::new(Public, "GET", "/login", || get(account::ask)),
    Route::new(Public, "POST", "/login", || post(account::act)),
    Route::new(Public, "POST", "/logout", || post(account::leave)),
    Route::new(Public, "GET", "/signup", || get(account::ask_sign_up)),
    Route::new(Public, "POST", "/signup", || post(account::sign_up)),
    Route::new(Public, "GET", "/magic/{token}", || get(account::ask_magic)),
    Route::new(Public, "POST", "/magic/{token}", || post(account::act_magic)),
    Route::new(User, "GET", "/archive/{token}", || get(privacy::archive::ask)),
    Route::new(User, "POST", "/archive/{token}", || post(privacy::archive::act)),
    Route::new(Public, "GET", "/privacy", || get(privacy::show)),
    Route::new(Public, "GET", "/confirm/{token}", || get(confirm::ask)),
    Route::new(Public, "POST", "/confirm/{token}", || post(confirm::act)),
    Route::new(Public, "GET", "/not-me/{token}", || get(not_me::ask)),
    Route::new(Public, "POST", "/not-me/{token}", || post(not_me::act)),
    Route::new(Public, "GET", "/reset/{token}", || get(reset::ask)),
    Route::new(Public, "POST", "/reset/{token}", || post(reset::act)),
    Route::new(Public, "GET", "/unsubscribe/{token}", || get(unsubscribe::ask)),
    Route::new(Public, "POST", "/unsubscribe/{token}", || post(unsubscribe::act)),
    Route::new(Mailbox, "GET", "/mailbox", || get(mailbox::list)),
    Route::new(Mailbox, "GET", "/mailbox/{name}", || get(mailbox::show)),
    Route::new(Mailbox, "GET", "/mailbox/{name}/page", || get(mailbox::page)),
    Route::new(Mailbox, "GET", "/mailbox/{name}/raw", || get(mailbox::download)),
    Route::new(Public, "GET", "/assets/{name}", || get(assets::show)),
    Route::new(Public, "GET", "/figures/{name}", || get(figures::show)),
];

pub(super) use account::unsent::{LoggedOut, Refused, keep_words, page_of, refuse};
#[cfg(test)]
pub(super) use assets::STYLE;
pub(super) use assets::address as asset_address;
pub(super) use home::{method_not_allowed, not_found, not_found_page};
pub(super) use mailbox::require_key as require_mailbox_key;
pub use privacy::check_privacy_text;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                found.push(path);
            }
        }
    }

    fn block(rest: &str) -> &str {
        let mut depth = 1;
        let end = rest.find(|sign| {
            depth += i32::from(sign == '{') - i32::from(sign == '}');
            depth == 0
        });
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    #[test]
    fn facts_of_several_sources_are_joined_and_none_hides_another() {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        assert!(files.len() > 50);
        let begin = concat!("context", "! {");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for facts in text.split(begin).skip(1).map(block) {
                let merges = facts.split([',', '{']).any(|part| part.trim_start().starts_with(".."));
                assert!(!merges, "{}: `join` them: {facts}", file.display());
            }
        }
        let twice = [context! { turns => 3, day => 1 }, context! { turns => 4 }];
        assert_eq!(name_given_twice(&twice).as_deref(), Some("turns"));
        assert_eq!(name_given_twice(&[context! { turns => 3 }, context! { day => 1 }]), None);
    }
}
