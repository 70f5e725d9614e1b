//! Live events of a board, as server-sent events.
//!
//! A notification inside this process says that a board may have changed; the change itself is read from the database.
//! Changes by other processes are found by polling. The id of an event is the state of the board, so a client that
//! reconnects with it gets the missed events at once.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use futures_util::Stream;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};

use super::streams::{Connection, Events, Lost, Since, respond};
use crate::Web;
use crate::board_version::{format_version, parse_version};
use crate::client::Client;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery, board_name};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::queries::{BoardVersion, view_board_version};
use knotpost_model::{BoardRef, BoardState};
use knotpost_platform::connections::Holder;

const POLL: Duration = Duration::from_secs(3);
const ALIVE: Duration = Duration::from_secs(25);
/// Events queued for a slow client; a slower one is disconnected and reconnects by itself.
const WAITING: usize = 16;

pub(super) const TOO_MANY: &str =
    "too many boards are watched from your network address; end some of these and try again";

pub(super) const FOLLOW: Operation = Operation::new(
    "follow_board",
    Tag::Boards,
    "What happens on a board, as it happens",
)
.details(
    "Server-sent events named `move`, `chat`, `proposal` and `over`; the data of each is JSON such as \
             `{\"game\":\"osbox\",\"number\":101,\"ply\":7}`. The answer has no end.",
)
.asks::<Since>()
.gives_text("text/event-stream", "The events.")
.refuses(&[Code::NoSuchBoard]);

pub(super) async fn follow(
    State(web): State<Web>,
    client: Client,
    connection: Connection,
    ApiPath((game, number)): ApiPath<(String, String)>,
    ApiQuery(asked): ApiQuery<Since>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let name = board_name(&game, &number)?;
    // Subscribed before the first read, so that nothing is missed between it and the first notification.
    let signs = web.app.signals.boards.subscribe();
    let Some(now) = view_board_version(&web.app.store, &name).await? else {
        let text = format!("there is no {} board {}", name.game, name.number);
        return Err(Problem::new(Code::NoSuchBoard, text));
    };
    let place = connection.stream(Holder::Network(client.0), TOO_MANY)?;
    let heard = asked.heard(&headers);
    let missed = parse_version(heard).map(|known| differences(&known, &now)).unwrap_or_default();
    let (events, waiting) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if tell(&events, &name, &now, missed).is_ok() {
            watch(&web, &name, now, signs, &events).await;
        }
        drop(place);
    });
    Ok(respond(waiting, ALIVE))
}

/// Ends when the client goes or is too slow, or the server stops.
async fn watch(
    web: &Web,
    name: &BoardRef,
    mut known: BoardVersion,
    mut signs: broadcast::Receiver<BoardRef>,
    events: &Events,
) {
    loop {
        tokio::select! {
            () = web.stop.cancelled() => return,
            () = events.closed() => return,
            () = tokio::time::sleep(POLL) => {}
            sign = signs.recv() => match sign {
                Ok(board) if board != *name => continue,
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
        let Ok(Some(now)) = view_board_version(&web.app.store, name).await else { return };
        if tell(events, name, &now, differences(&known, &now)).is_err() {
            return;
        }
        known = now;
    }
}

fn tell(events: &Events, name: &BoardRef, now: &BoardVersion, happened: Vec<&str>) -> Result<(), Lost> {
    for event in happened {
        let data = json!({ "game": name.game, "number": name.number, "ply": now.ply }).to_string();
        let event = Event::default().event(event).id(format_version(now)).data(data);
        events.try_send(Ok(event)).map_err(|_| Lost)?;
    }
    Ok(())
}

fn differences(before: &BoardVersion, after: &BoardVersion) -> Vec<&'static str> {
    let moved = (before.ply, before.moved_at) != (after.ply, after.moved_at);
    let said = after.remark > before.remark;
    let proposed = before.proposed_at != after.proposed_at;
    let ended = before.state == BoardState::Active && after.state != BoardState::Active;
    [(moved, "move"), (said, "chat"), (proposed, "proposal"), (ended, "over")]
        .into_iter()
        .filter_map(|(happened, event)| happened.then_some(event))
        .collect()
}
