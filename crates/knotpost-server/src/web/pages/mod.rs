//! Pages for people: rendered here, without scripts, with a style of their own.

mod account;
mod acting;
mod assets;
mod board;
mod challenge;
mod confirm;
mod people;
mod play;
mod reset;
mod settings;
mod unsubscribe;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use minijinja::{Environment, UndefinedBehavior, Value, context};

use super::Web;
use super::error::status;
use crate::config::Config;
use crate::service::{Code, ServiceError, Visitor};

/// Renders pages.
#[derive(Debug)]
pub(super) struct Pages {
    templates: Environment<'static>,
    server: String,
    address: String,
    url: String,
}

impl Pages {
    pub(super) fn new(config: &Config) -> Self {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        load_templates(&mut templates);
        templates.add_filter("sentence", sentence);
        Self {
            templates,
            server: config.server.name.clone(),
            address: config.server.address.clone(),
            url: config.server.public_url.trim_end_matches('/').to_owned(),
        }
    }

    /// A page for anybody.
    pub(super) fn page(&self, status: StatusCode, template: &str, facts: Value) -> Response {
        self.page_for(None, status, template, facts)
    }

    /// A page for who is logged in.
    pub(super) fn page_for(
        &self,
        visitor: Option<&Visitor>,
        status: StatusCode,
        template: &str,
        facts: Value,
    ) -> Response {
        let shared = context! {
            server => self.server.clone(),
            address => self.address.clone(),
            url => self.url.clone(),
            visitor => visitor.map(|visitor| visitor.userid.clone()),
            style => assets::address("style.css"),
            script => assets::address("board.js"),
        };
        let rendered = self
            .templates
            .get_template(template)
            .and_then(|template| template.render(context! { ..facts, ..shared }));
        match rendered {
            Ok(page) => (status, Html(page)).into_response(),
            Err(error) => {
                tracing::error!(template, error = %format!("{error:#}"), "a page could not be rendered");
                (StatusCode::INTERNAL_SERVER_ERROR, "This page cannot be shown.\n").into_response()
            }
        }
    }

    /// A page that says what went wrong.
    pub(super) fn failure(&self, error: ServiceError) -> Response {
        match error {
            ServiceError::Refused(refusal) => self.problem(refusal.code, &refusal.message),
            ServiceError::Store(error) => {
                tracing::error!(error = error.with_causes(), "a page failed");
                self.problem(Code::Unavailable, "the server cannot answer at the moment")
            }
        }
    }

    pub(super) fn problem(&self, code: Code, message: &str) -> Response {
        let status = status(code);
        let title = status.canonical_reason().unwrap_or("Error");
        self.page(status, "problem.html", context! { title, message })
    }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if clause.is_empty() || clause.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[expect(clippy::expect_used, reason = "the build has parsed the same templates")]
fn load_templates(mut templates: &mut Environment<'static>) {
    minijinja_embed::load_templates!(templates, "web");
}

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/", get(play::home))
        .route("/games/{game}", get(play::game))
        .route("/boards/{game}/{number}", get(board::show).post(acting::act))
        .route("/challenge", get(challenge::ask).post(challenge::act))
        .route("/standings/{game}", get(people::standings))
        .route("/users/{userid}", get(people::user))
        .route("/settings", get(settings::ask).post(settings::act))
        .route("/help/{topic}", get(play::help))
        .route("/login", get(account::ask).post(account::act))
        .route("/logout", post(account::leave))
        .route("/signup", get(account::ask_sign_up).post(account::sign_up))
        .route("/magic/{token}", get(account::ask_magic).post(account::act_magic))
        .route("/confirm/{token}", get(confirm::ask).post(confirm::act))
        .route("/reset/{token}", get(reset::ask).post(reset::act))
        .route("/unsubscribe/{token}", get(unsubscribe::ask).post(unsubscribe::act))
        .route("/assets/{name}", get(assets::show))
        .fallback(play::missing)
}
