//! The page about privacy. Its text is the operator's file `privacy.html`, or the built-in one; the table of times is
//! made from the configuration.

pub(super) mod archive;

use std::path::Path;
use std::sync::PoisonError;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::{Environment, Value, context};

use super::Pages;
use crate::Web;
use crate::session::LoggedIn;
use knotpost_core::config::Config;
use knotpost_core::queries::retention_lines;

const FILE: &str = "privacy.html";
const BUILT_IN: &str = "privacy_text.html";
const MOST_BYTES: u64 = 256 << 10;

/// Reads the file each time: a change needs no restart.
pub(super) async fn show(State(web): State<Web>, visitor: Option<LoggedIn>) -> Response {
    let visitor = visitor.as_deref();
    let text = write(&web.pages, &web.app.config);
    match text {
        Ok(text) => web.pages.page_for(visitor, StatusCode::OK, "privacy.html", context! { text }),
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "the text about privacy could not be rendered");
            web.pages.page_for(visitor, StatusCode::OK, "privacy.html", context! { text => "" })
        }
    }
}

fn write(pages: &Pages, config: &Config) -> Result<String, minijinja::Error> {
    let own = own_text(&pages.templates, config);
    let problem = own.as_ref().err().cloned();
    // Visitors come often; only a new problem is logged.
    let mut told = pages.privacy_problem.lock().unwrap_or_else(PoisonError::into_inner);
    if *told != problem {
        if let Some(problem) = &problem {
            tracing::error!(file = FILE, problem, "your text about privacy is not used");
        }
        *told = problem;
    }
    drop(told);
    if let Ok(Some(text)) = own {
        return Ok(text);
    }
    pages.templates.get_template(BUILT_IN)?.render(facts(config))
}

/// `None` without an operator's text; an error if it cannot be used.
fn own_text(templates: &Environment<'static>, config: &Config) -> Result<Option<String>, String> {
    let Some(source) = read(&config.mail_templates().join(FILE))? else { return Ok(None) };
    let told =
        |error: minijinja::Error| format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
    templates.render_named_str(FILE, &source, facts(config)).map(Some).map_err(told)
}

fn read(path: &Path) -> Result<Option<String>, String> {
    let size = match std::fs::metadata(path) {
        Ok(file) => file.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if size > MOST_BYTES {
        return Err(format!("it is larger than {} KiB", MOST_BYTES >> 10));
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| error.to_string())
}

fn facts(config: &Config) -> Value {
    let server = &config.server;
    let retention = retention_lines(config).into_iter().map(|(what, until)| context! { what, until });
    let domain = server.address.rsplit_once('@').map_or("", |(_, domain)| domain);
    context! {
        server => server.name.clone(),
        address => server.address.clone(),
        postmaster => format!("postmaster@{domain}"),
        url => server.public_url.trim_end_matches('/'),
        contact => server.contact.clone(),
        contact_link => contact_link(&server.contact),
        retention => retention.collect::<Vec<_>>(),
    }
}

/// Links a web or mail address; `None` for other text.
fn contact_link(contact: &str) -> Option<String> {
    if contact.contains(char::is_whitespace) {
        return None;
    }
    if contact.starts_with("https://") || contact.starts_with("http://") {
        return Some(contact.to_owned());
    }
    contact.contains('@').then(|| format!("mailto:{contact}"))
}

/// Checks the operator's text for `knotpost config templates`; `None` without one.
pub fn check_privacy_text(config: &Config) -> Option<Result<&'static str, String>> {
    let templates = super::environment();
    match own_text(&templates, config) {
        Ok(None) => None,
        Ok(Some(_)) => Some(Ok(FILE)),
        Err(problem) => Some(Err(format!("{FILE}: not used: {problem}"))),
    }
}
