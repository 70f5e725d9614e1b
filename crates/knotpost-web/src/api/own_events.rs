//! The state of all boards of a user, as server-sent events in one stream.
//!
//! A stream polls at events of its own boards, at most once a second, and at intervals besides: that finds new boards
//! and changes without notification, and ends the stream after a log-out. Its cost thus depends on its own boards
//! only.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use futures_util::Stream;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

use super::events::TOO_MANY;
use super::streams::{Connection, Events, Lost, Since, respond};
use crate::Web;
use crate::auth::Caller;
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::identity::{ProvenUser, Scope};
use knotpost_core::queries::{OwnBoards, follow_own_state};
use knotpost_model::BoardRef;
use knotpost_platform::connections::Holder;

const LOOK: Duration = Duration::from_secs(10);
const GAP: Duration = Duration::from_secs(1);
const ALIVE: Duration = Duration::from_secs(25);
/// Events queued for a slow client; a slower one is disconnected and reconnects by itself.
const WAITING: usize = 4;
const SCOPES: &[Scope] = &[Scope::Read, Scope::Play, Scope::Bot];

pub(super) const FOLLOW: Operation = Operation::new("follow_own_boards", Tag::Users, "How your boards stand, as it changes")
    .details(
        "Server-sent events named `boards` when one of your boards begins, ends, is moved on, paused or resumed; the data \
         is JSON such as `{\"waiting\":2}`: on how many boards it is your turn. The first event comes at once, unless the \
         id of the last one is given and nothing has changed since. A new board may be told ten seconds late. The answer \
         has no end.",
    )
    .scopes(SCOPES)
    .asks::<Since>()
    .gives_text("text/event-stream", "The events.")
    .refuses(&[Code::NotAllowed]);

pub(super) async fn follow(
    State(web): State<Web>,
    client: Client,
    connection: Connection,
    caller: Caller,
    ApiPath(userid): ApiPath<String>,
    ApiQuery(asked): ApiQuery<Since>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    caller.require_one_of(SCOPES)?;
    if !caller.userid.eq_ignore_ascii_case(&userid) {
        return Err(Problem::new(Code::NotAllowed, "only users themselves follow all their boards"));
    }
    // Subscribed before the first poll, so that nothing is missed between it and the first notification.
    let signs = web.app.signals.boards.subscribe();
    let proven = caller.proven();
    let Some(state) = follow_own_state(&web.app.store, &proven).await? else {
        return Err(Problem::new(Code::BadCredentials, "you are not logged in any more"));
    };
    let place = connection.stream(Holder::Network(client.0), TOO_MANY)?;
    let heard = asked.heard(&headers);
    let is_known = heard == state.version;
    let (events, waiting) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if is_known || tell(&events, &state).is_ok() {
            watch(&web, &proven, state, signs, &events).await;
        }
        drop(place);
    });
    Ok(respond(waiting, ALIVE))
}

/// Ends when the client goes, is too slow or logs out, or the server stops.
async fn watch(
    web: &Web,
    proven: &ProvenUser,
    mut known: OwnBoards,
    mut signs: broadcast::Receiver<BoardRef>,
    events: &Events,
) {
    let mut seen = Instant::now();
    let mut due = seen + LOOK;
    loop {
        tokio::select! {
            () = web.stop.cancelled() => return,
            () = events.closed() => return,
            () = tokio::time::sleep_until(due) => {}
            sign = signs.recv() => match sign {
                Ok(board) if !known.has(&board) => continue,
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    due = due.min(seen + GAP);
                    continue;
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
        seen = Instant::now();
        due = seen + LOOK;
        let Ok(Some(now)) = follow_own_state(&web.app.store, proven).await else { return };
        if now.version != known.version && tell(events, &now).is_err() {
            return;
        }
        known = now;
    }
}

fn tell(events: &Events, state: &OwnBoards) -> Result<(), Lost> {
    let data = json!({ "waiting": state.waiting }).to_string();
    let event = Event::default().event("boards").id(state.version.as_str()).data(data);
    events.try_send(Ok(event)).map_err(|_| Lost)
}
