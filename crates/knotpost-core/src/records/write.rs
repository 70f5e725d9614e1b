use std::collections::HashMap;

use knotpost_rules::record::RecordMove;
use knotpost_rules::{Ability, Record, Seat, Seed, Turn};

use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing, at_ply, chance, find_board, find_game};
use knotpost_model::{BoardRef, BoardState, Millis, MoveKind, UserKey, clean_text};
use knotpost_storage::{ReadTx, StoreError};

/// The record of a board, optionally after `ply` moves; negative counts back.
pub async fn export_record(app: &App, name: &BoardRef, ply: Option<i64>) -> Result<String, ServiceError> {
    let mut tx = app.store.read().await?;
    find_game(&app.games, &name.game)?;
    let board = find_board(&mut tx, app, &name.game, name.number).await?;
    let board = at_ply(&app.games, board, ply)?;
    Ok(record_of(&mut tx, &board).await?.to_string())
}

/// The record of a board in a form of its game, such as `sgf`, with its media type.
pub async fn export_format(
    app: &App,
    name: &BoardRef,
    word: &str,
    ply: Option<i64>,
) -> Result<(&'static str, String), ServiceError> {
    let mut tx = app.store.read().await?;
    let game = find_game(&app.games, &name.game)?;
    let Some(format) = game.formats().iter().find(|format| format.word == word) else {
        let words: Vec<String> =
            game.formats().iter().map(|format| format!("record.{}", format.word)).collect();
        let there = if words.is_empty() { String::new() } else { format!(" and {}", words.join(", ")) };
        let message = format!("{} has no record of that form, only record{there}", game.meta().title);
        return Err(Refusal::new(Code::NotSupported, message).into());
    };
    let board = find_board(&mut tx, app, &name.game, name.number).await?;
    let board = at_ply(&app.games, board, ply)?;
    Ok((format.media, (format.write)(&record_of(&mut tx, &board).await?)))
}

pub(crate) async fn record_of(tx: &mut ReadTx, board: &Board) -> Result<Record, StoreError> {
    let kept = match tx.imported_tags(board.row.id).await? {
        Some(json) => serde_json::from_str(&json)
            .map_err(|error| StoreError::Corrupt(format!("{}: tags of its record: {error}", board.name())))?,
        None => Vec::new(),
    };
    let said = said_by_movers(tx, board).await?;
    let mut tags = tags(board);
    tags.extend(kept);
    let moves = board.entries.iter().map(|entry| RecordMove {
        number: entry.row.number as u32,
        text: word(entry.row.kind, &entry.row.text).to_owned(),
        auto: entry.row.auto,
        comment: said.get(&entry.row.number).cloned(),
    });
    Ok(Record { tags, moves: moves.collect() })
}

/// A move in a spelling that replays.
fn word(kind: MoveKind, text: &str) -> &str {
    match kind {
        MoveKind::Move
        | MoveKind::Adjudicated
        | MoveKind::Deadline
        | MoveKind::Resign
        | MoveKind::Forfeit => text,
        other => other.as_str(),
    }
}

/// Remarks by the movers, by move number. Chat is not exported.
async fn said_by_movers(tx: &mut ReadTx, board: &Board) -> Result<HashMap<i64, String>, StoreError> {
    let mut said: HashMap<i64, String> = HashMap::new();
    for comment in tx.comments(board.row.id).await? {
        let Some(index) = usize::try_from(comment.ply - 1).ok() else { continue };
        let Some(entry) = board.entries.get(index) else { continue };
        let mover = board.seat_row(board.present_seat(index));
        let by_mover = mover.map(|seat| seat.user_id) == comment.user_id.map(UserKey);
        // Numbers are reused after an undo or a restart.
        if by_mover && comment.at == entry.row.at.0 {
            let text = said.entry(comment.ply).or_default();
            if !text.is_empty() {
                text.push('\n');
            }
            // Mail has one kind of line end.
            text.push_str(&clean_text(&comment.text));
        }
    }
    Ok(said)
}

fn tags(board: &Board) -> Vec<(String, String)> {
    let row = &board.row;
    let players: Vec<&str> = board.seats.iter().map(|seat| seat.userid.as_str()).collect();
    let end = end_of(board);
    let chance = chance(board);
    let mut tags = vec![
        ("Game", row.game.clone()),
        ("Board", row.number.to_string()),
        ("Rules", row.rules_version.to_string()),
        ("Options", row.options.clone()),
        ("Players", players.join(" ")),
    ];
    if end.is_some() {
        tags.push(("Seed", knotpost_platform::secret::to_hex(&row.seed)));
    }
    if let Some(chance) = chance {
        let rolls = rolls(board, end.is_some());
        if !rolls.is_empty() {
            tags.push(("Rolls", rolls.join(" ")));
        }
        tags.push(("Commitment", chance.commitment));
    }
    tags.push(("Started", row.started_at.to_rfc3339()));
    match end {
        Some(End { winners, reason }) => {
            if let Some(at) = row.ended_at {
                tags.push(("Ended", Millis(at).to_rfc3339()));
            }
            tags.push(("Result", winners));
            let scores = board.position.scores();
            tags.push(("Termination", if reason == "score" { format!("score {scores}") } else { reason }));
        }
        None => tags.push(("Result", "*".to_owned())),
    }
    if !board.entries.is_empty() {
        tags.push(("Times", times(board)));
    }
    tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

struct End {
    winners: String,
    reason: String,
}

fn end_of(board: &Board) -> Option<End> {
    let row = &board.row;
    let is_whole = board.entries.len() as i64 == row.ply;
    if let (BoardState::Over, true, Some(winners), Some(reason)) =
        (row.state, is_whole, &row.winners, &row.reason)
    {
        return Some(End { winners: winners.clone(), reason: reason.clone() });
    }
    match board.standing() {
        Standing::Over(outcome) => {
            Some(End { winners: list_seats(&outcome.winners()), reason: outcome.reason.to_owned() })
        }
        Standing::ToMove(_) => None,
    }
}

/// Seats as in the tag `Result`.
pub(super) fn list_seats(seats: &[Seat]) -> String {
    seats.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The roll of each turn, the pending one included.
fn rolls(board: &Board, over: bool) -> Vec<String> {
    let seed: [u8; 32] = board.row.seed.as_slice().try_into().unwrap_or_default();
    if !board.game.meta().abilities.has(Ability::Dice) {
        return Vec::new();
    }
    let mut position = board.game.setup(board.options(), board.seats.len(), &Seed(seed));
    let mut rolls = Vec::new();
    for entry in &board.entries {
        rolls.extend(position.roll());
        let played = match entry.row.kind {
            MoveKind::Move => position.play(Turn::Move(&entry.row.text)).map(drop),
            MoveKind::Pass => position.play(Turn::Pass).map(drop),
            MoveKind::Swap => position.play(Turn::Swap).map(drop),
            MoveKind::Draw | MoveKind::Adjudicated | MoveKind::Deadline => Ok(()),
            MoveKind::Resign | MoveKind::Forfeit => {
                position.retire(seat_at(entry.row.seat));
                Ok(())
            }
        };
        if played.is_err() {
            break;
        }
    }
    if !over {
        rolls.extend(position.roll());
    }
    rolls
}

/// Times of the moves in seconds after the start.
fn times(board: &Board) -> String {
    let second = |at: Millis| at.0.div_euclid(1000);
    let start = second(board.row.started_at);
    let times = board.entries.iter().map(|entry| (second(entry.row.at) - start).max(0).to_string());
    times.collect::<Vec<_>>().join(" ")
}
