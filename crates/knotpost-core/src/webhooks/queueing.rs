//! Queueing of webhook events, in the transaction that causes them. A stored message is complete: later
//! changes of the board do not affect it.

use crate::config::Config;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::event::{HookEvent, happened, proposal};
use super::{MOST_WAITING, origin, stop};
use crate::app::App;
use crate::boards::{Board, Standing};
use crate::replies::{BoardFacts, Spoken};
use knotpost_model::{BoardRef, Millis, Moment, RemarkKey, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::to_hex;
use knotpost_storage::{HookReader, NewHookEvent, ReadTx, StoreError, WriteTx};

/// Moves per message; only chains of queued moves make more at once.
const MOST_MOVES: usize = 50;
/// Characters of a remark in a message.
const MOST_SAID: usize = 1000;

#[derive(Serialize)]
struct Message<'a> {
    r#type: &'a str,
    timestamp: Moment,
    data: &'a Value,
}

pub(crate) async fn queue_for_board(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    users: &[UserKey],
    now: Millis,
) -> Result<(), StoreError> {
    let events = happened(board, facts);
    if events.is_empty() || !app.config.webhooks.enabled {
        return Ok(());
    }
    let mover = board.mover();
    let mut common = base(&app.config, board);
    common.insert("to_move".into(), mover.map(|row| row.userid.clone()).into());
    for hook in tx.hooks_of_readers(users, MOST_WAITING).await? {
        let wanted = HookEvent::split(&hook.events);
        for event in events.iter().copied().filter(|event| wanted.contains(event)) {
            if event == HookEvent::Turn && mover.is_none_or(|row| row.user_id != hook.user_id) {
                continue;
            }
            let mut data = common.clone();
            data.insert("user".into(), hook.userid.clone().into());
            if let Some((name, more)) = details(tx, board, facts, event).await? {
                data.insert(name.into(), more);
            }
            queue(tx, app, &hook, event.as_str(), &Value::Object(data), now).await?;
        }
    }
    Ok(())
}

pub(crate) async fn queue_for_removed(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    users: &[UserKey],
    now: Millis,
) -> Result<(), StoreError> {
    if !app.config.webhooks.enabled {
        return Ok(());
    }
    for hook in tx.hooks_of_readers(users, MOST_WAITING).await? {
        if HookEvent::split(&hook.events).contains(&HookEvent::Over) {
            let mut data = base(&app.config, board);
            data.insert("to_move".into(), Value::Null);
            data.insert("user".into(), hook.userid.clone().into());
            data.insert("result".into(), json!({ "winners": [], "reason": "removed" }));
            queue(tx, app, &hook, HookEvent::Over.as_str(), &Value::Object(data), now).await?;
        }
    }
    Ok(())
}

/// Queues an event of a tournament, of this type, for the webhooks of these users.
pub(crate) async fn queue_for_tournament(
    tx: &mut WriteTx,
    app: &App,
    kind: &str,
    data: &Map<String, Value>,
    users: &[UserKey],
    now: Millis,
) -> Result<(), StoreError> {
    if !app.config.webhooks.enabled {
        return Ok(());
    }
    for hook in tx.hooks_of_readers(users, MOST_WAITING).await? {
        if HookEvent::split(&hook.events).contains(&HookEvent::Tournament) {
            let mut data = data.clone();
            data.insert("user".into(), hook.userid.clone().into());
            queue(tx, app, &hook, kind, &Value::Object(data), now).await?;
        }
    }
    Ok(())
}

fn base(config: &Config, board: &Board) -> Map<String, Value> {
    let BoardRef { game, number } = board.name();
    let url = config.server.public_url.trim_end_matches('/');
    let mut data = Map::new();
    data.insert("game".into(), game.clone().into());
    data.insert("number".into(), number.into());
    data.insert("url".into(), format!("{url}/boards/{game}/{number}").into());
    data.insert("ply".into(), board.entries.len().into());
    data
}

/// Queues one message, or stops a webhook with too many queued.
pub(crate) async fn queue(
    tx: &mut WriteTx,
    app: &App,
    hook: &HookReader,
    kind: &str,
    data: &Value,
    now: Millis,
) -> Result<(), StoreError> {
    if hook.waiting >= MOST_WAITING {
        let why = format!("{MOST_WAITING} events waited for it");
        return stop(tx, app, (hook.id, &hook.url), (hook.user_id, &hook.userid), &why, now).await;
    }
    let message = Message { r#type: kind, timestamp: now.into(), data };
    let id: [u8; 16] = random_bytes(app.entropy.as_ref())?;
    let event = NewHookEvent {
        webhook: hook.id,
        user: hook.user_id,
        recipient: origin(&hook.url),
        id: format!("msg_{}", to_hex(&id)),
        body: serde_json::to_string(&message).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        at: now,
    };
    tx.insert_hook_event(&event).await?;
    // Acts after the commit; in vain it costs one query.
    app.signals.webhooks.note();
    Ok(())
}

async fn details(
    tx: &mut ReadTx,
    board: &Board,
    facts: &BoardFacts,
    event: HookEvent,
) -> Result<Option<(&'static str, Value)>, StoreError> {
    Ok(match event {
        HookEvent::Turn | HookEvent::Tournament => None,
        HookEvent::Move => Some(("moves", moves(board))),
        HookEvent::Chat => match facts.remark {
            Some(remark) => said(tx, remark).await?.map(|said| ("chat", said)),
            None => None,
        },
        HookEvent::Proposal => facts.notes.iter().rev().find_map(proposal).map(|(kind, by, state)| {
            ("proposal", json!({ "kind": kind.as_str(), "by": by, "state": state }))
        }),
        HookEvent::Over => Some(("result", result(board))),
    })
}

/// Moves just made, the last ones if there are many.
fn moves(board: &Board) -> Value {
    let from = board.changed_from.unwrap_or_default().max(board.entries.len().saturating_sub(MOST_MOVES));
    let line = |(index, entry): (usize, &crate::boards::Entry)| {
        json!({
            "number": entry.row.number,
            // After a swap the mover sits on the other side.
            "by": board.userid_at(board.present_seat(index)),
            "move": entry.row.text,
        })
    };
    board.entries.iter().enumerate().skip(from).map(line).collect()
}

async fn said(tx: &mut ReadTx, remark: RemarkKey) -> Result<Option<Value>, StoreError> {
    let spoken = tx.remark(remark).await?.map(Spoken::from);
    Ok(spoken.map(|Spoken { who, text }| {
        json!({ "by": who, "text": text.trim().chars().take(MOST_SAID).collect::<String>() })
    }))
}

fn result(board: &Board) -> Value {
    let Standing::Over(outcome) = board.standing() else { return Value::Null };
    let winners: Vec<&str> =
        outcome.winners().iter().map(|seat| board.userid_at(i64::from(seat.number()))).collect();
    json!({ "winners": winners, "reason": outcome.reason })
}
