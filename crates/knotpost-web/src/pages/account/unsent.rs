//! Preserves refused forms: nobody loses typed words, whatever refused them.
//!
//! A handler that refuses a form shows its page again with the words. The layers around handlers (session, rates,
//! database) know nothing of the form; their refusals are completed here.

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use minijinja::{Value, context};
use url::form_urlencoded;

use super::ask_with;
use crate::Web;
use crate::credentials::Credentials;
use crate::csrf::is_own;
use crate::error::Problem;
use crate::pages::{ROUTES, title_of};
use crate::session::{LONGEST_NEXT, cookie, safe_next, to_log_in, token, url_encode};
use knotpost_core::boards::Code;
use knotpost_core::identity::{Visitor, find_visitor};

/// Bytes; more than a form of our pages sends with all fields full.
const LONGEST_FORM: usize = 128 * 1024;
const COOKIE: &str = "unsent";
const MINUTES: i64 = 10;
const LONGEST_COOKIE: usize = 3500;
/// Fields that are never sent back.
pub(in crate::pages) const SECRETS: [&str; 3] = ["password", "present", "new"];
/// Fields of buttons, and hidden ones.
const WORDLESS: [&str; 6] = ["act", "move", "number", "ply", "id", "sure"];

#[derive(Clone, Debug)]
pub(crate) struct Refused(pub(crate) String);

#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedOut;

#[derive(Clone, Debug)]
pub(super) struct Unsent {
    path: String,
    fields: Vec<(String, String)>,
    /// False if it had a password, without which it is of little use.
    is_whole: bool,
}

impl Unsent {
    /// Drops passwords from the fields.
    pub(super) fn read(path: &str, body: &[u8]) -> Self {
        let mut fields: Vec<(String, String)> = form_urlencoded::parse(body).into_owned().collect();
        let count = fields.len();
        fields.retain(|(name, _)| !SECRETS.contains(&name.as_str()));
        let is_whole = fields.len() == count;
        Self { path: safe_next(path).to_owned(), fields, is_whole }
    }

    fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    fn is_move(&self) -> bool {
        self.path.starts_with("/boards/") && self.field("act") == "move"
    }

    /// True if the user typed or chose words that an address cannot hold.
    fn has_words(&self) -> bool {
        let is_wordless = |name: &str| WORDLESS.contains(&name) && (self.is_move() || name != "move");
        self.fields.iter().any(|(name, value)| !value.is_empty() && !is_wordless(name))
    }

    /// Names the form, as the beginning of a sentence.
    fn name(&self) -> &str {
        match self.field("move") {
            play if self.is_move() => play,
            _ if !self.field("comment").is_empty() => "what you wrote",
            _ => "your form",
        }
    }

    pub(super) fn page(&self) -> String {
        let game = self.field("game");
        let page = match self.path.as_str() {
            path if self.is_move() => format!("{path}?choose={}&unsent=yes", url_encode(self.field("move"))),
            "/challenge" if !game.is_empty() => format!("/challenge?game={}", url_encode(game)),
            path => page_of(path).to_owned(),
        };
        if page.len() > LONGEST_NEXT { self.path.clone() } else { page }
    }

    pub(super) fn facts(&self) -> Value {
        let fields = self.fields.iter().map(|(name, value)| context! { name, value }).collect::<Vec<_>>();
        context! { path => self.path.clone(), fields, body => self.body(), page => self.page() }
    }

    fn body(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish()
    }

    /// Stores the form in a cookie and redirects to the log-in; `None` if it is too long for a cookie.
    fn lead_to_log_in(&self, web: &Web) -> Option<Response> {
        // Values of cookies are decoded when they are read.
        let carried = url_encode(&format!("{}?{}", self.path, self.body()));
        (carried.len() <= LONGEST_COOKIE).then(|| {
            let cookie = carry(web, &carried, MINUTES * 60);
            ([(header::SET_COOKIE, cookie)], to_log_in(&self.page())).into_response()
        })
    }

    pub(super) fn carried(credentials: &Credentials) -> Option<Self> {
        let carried = credentials.cookie(COOKIE)?;
        let (path, body) = carried.split_once('?')?;
        Some(Self::read(path, body.as_bytes()))
    }

    pub(super) fn offer(&self, web: &Web, visitor: Option<&Visitor>) -> Response {
        let message = format!("You were logged out; {} was not sent.", self.name());
        let facts = context! { title => "Not sent", message, unsent => self.facts() };
        web.pages.page_for(visitor, StatusCode::OK, "problem.html", facts)
    }
}

/// Page of the forms that are sent to this address: that of the same address, or else of the one above it.
pub(crate) fn page_of(path: &str) -> &str {
    let is_page = |path: &str| ROUTES.iter().any(|route| route.method == "GET" && fits(route.path, path));
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    [path, above].into_iter().find(|path| is_page(path)).unwrap_or("/")
}

fn fits(route: &str, path: &str) -> bool {
    let (route, path) = (route.split('/'), path.split('/'));
    route.clone().count() == path.clone().count()
        && route.zip(path).all(|(known, part)| known == part || (known.starts_with('{') && !part.is_empty()))
}

/// Refuses before a handler runs: people with a page, programs with problem details.
pub(crate) fn refuse(web: &Web, path: &str, code: Code, message: &str) -> Response {
    if is_of_programs(path) {
        Problem::new(code, message).into_response()
    } else {
        web.pages.problem(code, message)
    }
}

fn is_of_programs(path: &str) -> bool {
    ["/api/", "/inbound"].iter().any(|other| path.starts_with(other)) || path == "/commands"
}

/// An empty value deletes the cookie.
pub(super) fn carry(web: &Web, carried: &str, seconds: i64) -> HeaderValue {
    cookie(&web.app.config, (COOKIE, carried), "/login", seconds, "Lax")
}

/// Completes the refusal of a page's form with the typed words.
pub(crate) async fn keep_words(State(web): State<Web>, request: Request, next: Next) -> Response {
    if !is_form(&request) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let session = token(&web.app.config, &Credentials::of(&parts));
    let is_short = body.size_hint().exact().is_some_and(|length| length <= LONGEST_FORM as u64);
    // Another site must not put words into a form of ours.
    if !is_short || !is_own(&web, &parts) {
        let response = next.run(Request::from_parts(parts, body)).await;
        return complete(&web, session, response, None).await;
    }
    let Ok(bytes) = to_bytes(body, LONGEST_FORM).await else {
        return web
            .pages
            .problem(Code::WrongArguments, "the request ended in the middle; send the form again");
    };
    let unsent = Unsent::read(parts.uri.path(), &bytes);
    let response = next.run(Request::from_parts(parts, Body::from(Bytes::clone(&bytes)))).await;
    complete(&web, session, response, Some(&unsent)).await
}

/// False for a program's POST.
fn is_form(request: &Request) -> bool {
    let path = request.uri().path();
    // Mail programs unsubscribe by themselves.
    let is_page = !is_of_programs(path) && !path.starts_with("/unsubscribe/");
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_encoded = kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    request.method() == Method::POST && is_page && is_encoded
}

/// `session` is the token of the request.
async fn complete(
    web: &Web,
    session: Option<String>,
    response: Response,
    unsent: Option<&Unsent>,
) -> Response {
    let unsent = unsent.filter(|unsent| unsent.has_words() || unsent.is_move());
    let status = response.status();
    if response.extensions().get::<LoggedOut>().is_some() {
        return match unsent {
            Some(unsent) if unsent.has_words() => {
                unsent.lead_to_log_in(web).unwrap_or_else(|| ask_with(web, unsent, StatusCode::UNAUTHORIZED))
            }
            Some(unsent) => to_log_in(&unsent.page()),
            None => response,
        };
    }
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let unsent = unsent.filter(|unsent| unsent.is_whole);
    let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    let message = match response.extensions().get::<Refused>() {
        Some(_) if is_page && unsent.is_none() => return response,
        Some(Refused(message)) => message.as_str(),
        None if is_page => return response,
        None if status == StatusCode::PAYLOAD_TOO_LARGE => TOO_LARGE,
        None => "the form cannot be read; open its page again",
    };
    let title = title_of(status);
    let facts = if let Some(unsent) = unsent {
        context! { title, message, unsent => unsent.facts() }
    } else {
        context! { title, message }
    };
    // A rate limit or a failing database must not cause queries.
    let may_ask = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
    let visitor = match session.filter(|_| may_ask) {
        Some(token) => find_visitor(&web.app, &token).await.ok().flatten(),
        None => None,
    };
    let mut page = web.pages.page_for(visitor.as_ref(), status, "problem.html", facts);
    if let Some(seconds) = response.headers().get(header::RETRY_AFTER) {
        page.headers_mut().insert(header::RETRY_AFTER, seconds.clone());
    }
    page
}

const TOO_LARGE: &str =
    "this is more than the server takes; go back, where the browser keeps what you wrote, and shorten it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::Role;

    #[test]
    fn the_page_of_a_form_is_one_that_can_be_looked_at() {
        for (path, body, page) in [
            ("/boards/osbox/101", "act=move&move=f10&number=3", "/boards/osbox/101?choose=f10&unsent=yes"),
            ("/boards/osbox/101", "act=chat&comment=Hello", "/boards/osbox/101"),
            ("/challenge", "game=osbox&comment=Hello", "/challenge?game=osbox"),
            ("/settings", "act=vacation&until=x", "/settings"),
            ("//evil.example/x", "comment=Hello", "/"),
        ] {
            assert_eq!(Unsent::read(path, body.as_bytes()).page(), page);
        }
        let long = format!("act=move&move={}", "x".repeat(600));
        assert_eq!(Unsent::read("/boards/osbox/101", long.as_bytes()).page(), "/boards/osbox/101");
        assert_eq!(page_of("/settings/nothing"), "/settings");
        assert_eq!(page_of("/nowhere/at/all"), "/");
        for route in ROUTES.iter().filter(|route| route.method == "POST" && route.role == Role::User) {
            assert_ne!(page_of(route.path), "/", "{}", route.path);
        }
    }

    #[test]
    fn secrets_are_not_handed_back() {
        let unsent = Unsent::read(
            "/settings",
            b"act=add&address=a%40b.example&present=geheim&password=geheim&new=geheim",
        );
        assert!(unsent.has_words() && !format!("{unsent:?}").contains("geheim"));
    }
}
