//! Pages for people: rendered here, without scripts, with a style of their own.

mod confirm;
mod play;
mod reset;
mod unsubscribe;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use minijinja::{Environment, UndefinedBehavior, Value, context};

use super::Web;
use super::error::status;
use crate::config::Config;
use crate::service::{Code, ServiceError};

const STYLE: &str = include_str!("../../../../../web/style.css");

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
        Self {
            templates,
            server: config.server.name.clone(),
            address: config.server.address.clone(),
            url: config.server.public_url.trim_end_matches('/').to_owned(),
        }
    }

    fn page(&self, status: StatusCode, template: &str, facts: Value) -> Response {
        let shared = context! { server => self.server.clone(), address => self.address.clone(), url => self.url.clone() };
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
    fn failure(&self, error: ServiceError) -> Response {
        match error {
            ServiceError::Refused(refusal) => self.problem(refusal.code, &refusal.message),
            ServiceError::Store(error) => {
                tracing::error!(error = error.with_causes(), "a page failed");
                self.problem(Code::Unavailable, "the server cannot answer at the moment")
            }
        }
    }

    fn problem(&self, code: Code, message: &str) -> Response {
        let status = status(code);
        let title = status.canonical_reason().unwrap_or("Error");
        self.page(status, "problem.html", context! { title, message })
    }
}

#[expect(clippy::expect_used, reason = "the build has parsed the same templates")]
fn load_templates(mut templates: &mut Environment<'static>) {
    minijinja_embed::load_templates!(templates, "web");
}

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/", get(play::home))
        .route("/games/{game}", get(play::game))
        .route("/boards/{game}/{number}", get(play::board))
        .route("/help/{topic}", get(play::help))
        .route("/confirm/{token}", get(confirm::ask).post(confirm::act))
        .route("/reset/{token}", get(reset::ask).post(reset::act))
        .route("/unsubscribe/{token}", get(unsubscribe::ask).post(unsubscribe::act))
        .route("/assets/style.css", get(style))
        .fallback(play::missing)
}

async fn style() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
    ];
    (headers, STYLE)
}
