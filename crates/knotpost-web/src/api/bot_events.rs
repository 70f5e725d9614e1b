//! Events on all boards of an account that a program plays, as server-sent events.
//!
//! A notification names a board that may have changed; all boards are polled besides, which finds changes without one,
//! and ends the stream of a revoked key. The id of an event is the moment up to which everything was sent, so that any
//! server can continue the stream of another one.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use futures_util::Stream;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

use super::streams::{Connection, Events, Lost, Since, respond};
use crate::Web;
use crate::auth::Caller;
use crate::error::Problem;
use crate::extract::ApiQuery;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::identity::Scope;
use knotpost_core::queries::{ProgramFeed, ProgramLook, ProgramNews};
use knotpost_model::{BoardRef, Millis};
use knotpost_platform::connections::Holder;

const LOOK: Duration = Duration::from_secs(5);
const ALIVE: Duration = Duration::from_secs(15);
/// Events queued for a slow client; a slower one is disconnected and comes back.
const WAITING: usize = 64;

const TOO_MANY: &str = "this account has three streams of events open; end one of them and try again";

pub(super) const FOLLOW: Operation = Operation::new(
    "follow_account",
    Tag::Boards,
    "What happens on all boards of a program, as it happens",
)
.details(
    "For accounts of programs (`set USERID PASSWORD bot=on`). Server-sent events named `turn`, `start`, `chat`, \
             `proposal` and `over`; the data of each is JSON such as `{\"game\":\"osbox\",\"number\":101,\"ply\":7}`. At \
             the start there is a `turn` for each board on which the account is to move; with the id of the last event \
             that was received also what happened since then. An event may come twice, and none is left out. The answer \
             has no end.",
)
.scope(Scope::Bot)
.asks::<Since>()
.gives_text("text/event-stream", "The events.");

pub(super) async fn follow(
    State(web): State<Web>,
    connection: Connection,
    caller: Caller,
    ApiQuery(asked): ApiQuery<Since>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    caller.require(Scope::Bot)?;
    let place = connection.stream(Holder::Account(caller.user), TOO_MANY)?;
    // Subscribed before the first poll, so that nothing is missed between it and the first notification.
    let signs = web.app.signals.boards.subscribe();
    let heard = asked.heard(&headers);
    let mut feed = ProgramFeed::new(caller.proven(), heard.parse().ok().map(Millis));
    let ProgramLook::News(news, until) = feed.look(&web.app).await? else {
        let text = "this is for accounts of programs; the owner of one says so by \
                    `set USERID PASSWORD bot=on`, once and for all";
        return Err(Problem::new(Code::NotAllowed, text));
    };
    let (events, waiting) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if tell(&events, news, until).await.is_ok() {
            watch(&web, feed, signs, &events).await;
        }
        drop(place);
    });
    Ok(respond(waiting, ALIVE))
}

/// Ends when the client goes or is too slow, its key ends, or the server stops.
async fn watch(web: &Web, mut feed: ProgramFeed, mut signs: broadcast::Receiver<BoardRef>, events: &Events) {
    let mut next = Instant::now() + LOOK;
    loop {
        let changed = tokio::select! {
            () = web.stop.cancelled() => return,
            () = events.closed() => return,
            () = tokio::time::sleep_until(next) => None,
            sign = signs.recv() => match sign {
                Ok(board) => Some(board),
                Err(broadcast::error::RecvError::Lagged(_)) => None,
                Err(broadcast::error::RecvError::Closed) => return,
            }
        };
        let look = if let Some(board) = &changed {
            feed.look_at(&web.app, board).await
        } else {
            next = Instant::now() + LOOK;
            feed.look(&web.app).await
        };
        let Ok(ProgramLook::News(news, until)) = look else { return };
        if tell(events, news, until).await.is_err() {
            return;
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

async fn tell(events: &Events, news: Vec<ProgramNews>, until: Millis) -> Result<(), Lost> {
    for ProgramNews { event, board, ply } in news {
        let data = json!({ "game": board.game, "number": board.number, "ply": ply }).to_string();
        let event = Event::default().event(event.as_str()).id(until.0.to_string()).data(data);
        events.send_timeout(Ok(event), PATIENCE).await.map_err(|_| Lost)?;
    }
    Ok(())
}
