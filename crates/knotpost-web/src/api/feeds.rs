//! A user's feeds. A key in the address replaces authentication.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Web;
use crate::client::Client;
use crate::content::Content;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery};
use crate::feeds::{Source, write_atom, write_calendar};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::{FeedReader, find_feed_reader};
use knotpost_core::queries::{view_deadlines, view_rounds, view_turns};

/// The query of a feed.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct FeedQuery {
    /// The user's key for their feeds, as in the addresses on the settings page.
    key: Option<String>,
}

const ABOUT: &str = "The whole address, key included, stands on the settings page of the user, who makes and ends it \
     there. Whatever is wrong with it is answered alike.";

pub(super) const TURNS: Operation =
    Operation::new("follow_turns", Tag::Users, "Boards where it is the user's turn, as a feed (Atom)")
        .details(ABOUT)
        .asks::<FeedQuery>()
        .gives_text("application/atom+xml", "An entry for each board, the latest turn first, at most 200.")
        .tagged();

pub(super) async fn turns(
    State(web): State<Web>,
    ApiPath(userid): ApiPath<String>,
    client: Client,
    ApiQuery(query): ApiQuery<FeedQuery>,
    headers: HeaderMap,
) -> Response {
    let feed = async {
        let reader = find_reader(&web, &userid, &query, client).await?;
        let waiting = view_turns(&web.app, &reader).await?;
        let feed = write_atom(&source(&web, &reader), &waiting, reader.since);
        Ok(Content::new("application/atom+xml; charset=utf-8", feed).unless_known(&headers))
    };
    keep_private(feed.await)
}

pub(super) const DEADLINES: Operation = Operation::new(
    "follow_deadlines",
    Tag::Users,
    "When the user's time is up, as a calendar (iCalendar)",
)
.details(ABOUT)
.asks::<FeedQuery>()
.gives_text(
    "text/calendar",
    "An event for each board whose clock runs for the user, at most 200, and for the end of each round of a \
             tournament in which the user has boards that are not over.",
)
.tagged();

pub(super) async fn deadlines(
    State(web): State<Web>,
    ApiPath(userid): ApiPath<String>,
    client: Client,
    ApiQuery(query): ApiQuery<FeedQuery>,
    headers: HeaderMap,
) -> Response {
    let calendar = async {
        let reader = find_reader(&web, &userid, &query, client).await?;
        let running = view_deadlines(&web.app, &reader).await?;
        let rounds = view_rounds(&web.app, &reader).await?;
        let calendar = write_calendar(&source(&web, &reader), &running, &rounds);
        Ok(Content::new("text/calendar; charset=utf-8", calendar).unless_known(&headers))
    };
    keep_private(calendar.await)
}

async fn find_reader(
    web: &Web,
    userid: &str,
    query: &FeedQuery,
    client: Client,
) -> Result<FeedReader, Problem> {
    let key = query.key.as_deref().unwrap_or_default();
    let found: Result<_, ServiceError> = find_feed_reader(&web.app, userid, key, &client.rate_key()).await;
    found?.ok_or_else(no_feed)
}

fn no_feed() -> Problem {
    Problem::not_found("there is no feed at this address; it may have got another one on the settings page")
}

fn source<'a>(web: &'a Web, reader: &'a FeedReader) -> Source<'a> {
    let server = &web.app.config.server;
    Source {
        server: &server.name,
        url: server.public_url.trim_end_matches('/'),
        domain: web.app.own.domain(),
        userid: &reader.userid,
    }
}

/// Keeps the answer out of shared caches and its address out of `Referer`, because the address contains the key.
fn keep_private(answer: Result<Response, Problem>) -> Response {
    let mut response = answer.unwrap_or_else(Problem::into_response);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex, nofollow"));
    response
}
