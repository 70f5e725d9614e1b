//! Import of games played elsewhere: all games of a file, each once, or none.

use knotpost_commands::Vocabulary;
use std::sync::Arc;

use super::read::{Played, essence_of, states};
use super::write::record_of;
use super::{ReadError, read_games};
use crate::app::App;
use crate::boards::{Board, Games};
use knotpost_model::{BoardKey, BoardRef, BoardState, Millis, RemarkKind, SeatState, UserKey};
use knotpost_storage::{NewBoard, NewSeat, NewUser, ReadTx, Store, StoreError, UserState, WriteTx};

const BATCH: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    New(BoardRef),
    /// Existed before as this board.
    Known(BoardRef),
}

#[derive(Clone, Debug)]
pub enum Import {
    Done(Vec<Imported>),
    Refused(Vec<ReadError>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strangers {
    Refuse,
    /// Create users nobody can act for until an administrator admits them.
    Create,
}

/// Imports the finished games of a file, unrated and without mails. They keep their numbers where these are
/// free. `progress` gets done and total.
///
/// The whole file is checked first, then stored in atomic batches. An interrupted import can be repeated:
/// known games are recognised.
pub async fn import(
    app: &Arc<App>,
    text: &str,
    strangers: Strangers,
    mut progress: impl FnMut(usize, usize),
) -> Result<Import, StoreError> {
    let now = app.clock.now();
    let games = match read_games(app.games.registry, text, now) {
        Ok(games) => games,
        Err(errors) => return Ok(Import::Refused(errors)),
    };
    if strangers == Strangers::Refuse {
        let unknown = find_strangers(&app.store, &games).await?;
        if !unknown.is_empty() {
            return Ok(Import::Refused(unknown));
        }
    } else if let Some(error) = find_unusable(&app.vocabulary, &games) {
        return Ok(Import::Refused(vec![error]));
    }
    let (total, mut done) = (games.len(), Vec::new());
    for batch in games.chunks(BATCH) {
        let batch = batch.to_vec();
        let stored = app.write(async move |tx, app| {
            let mut stored = Vec::new();
            for game in &batch {
                stored.push(take(tx, app, game, now).await?);
            }
            Ok::<_, StoreError>(stored)
        });
        done.extend(stored.await?);
        progress(done.len(), total);
    }
    Ok(Import::Done(done))
}

async fn find_strangers(store: &Store, games: &[Played]) -> Result<Vec<ReadError>, StoreError> {
    let mut tx = store.read().await?;
    let (mut seen, mut unknown) = (std::collections::HashSet::new(), Vec::new());
    for game in games {
        for name in &game.players {
            if seen.insert(name.to_lowercase()) && tx.find_user(name).await?.is_none() {
                let what = format!("in the record that begins here: there is no user `{name}`");
                unknown.push(ReadError { line: game.line, what });
            }
        }
    }
    Ok(unknown)
}

fn find_unusable(vocabulary: &Vocabulary, games: &[Played]) -> Option<ReadError> {
    games.iter().find_map(|game| {
        let mut rules = game.players.iter().map(|name| knotpost_commands::Userid::keep(name, vocabulary));
        let what = rules.find_map(Result::err)?;
        Some(ReadError { line: game.line, what: format!("in the record that begins here: {what}") })
    })
}

async fn take(tx: &mut WriteTx, app: &App, game: &Played, now: Millis) -> Result<Imported, StoreError> {
    if let Some(known) = find_known(tx, &app.games, game).await? {
        return Ok(Imported::Known(known));
    }
    let mut users = Vec::new();
    for name in &game.players {
        users.push(find_or_make(tx, name, now).await?);
    }
    let number = match game.number {
        Some(number) if tx.claim_board_number(&game.board.row.game, number).await? => i64::from(number),
        _ => tx.take_board_number(&game.board.row.game).await?,
    };
    let key = insert(tx, game, number, &users).await?;
    let tags = serde_json::to_string(&game.kept).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    tx.insert_import(key, &game.digest, &tags, now).await?;
    Ok(Imported::New(BoardRef { game: game.board.row.game.clone(), number: number as u32 }))
}

/// Board of the same game: made from the same record, or played here.
async fn find_known(tx: &mut ReadTx, games: &Games, game: &Played) -> Result<Option<BoardRef>, StoreError> {
    if let Some(key) = tx.find_import(&game.digest).await?
        && let Some(row) = tx.board(key).await?
    {
        return Ok(Some(BoardRef { game: row.game, number: row.number as u32 }));
    }
    let moves = game.board.entries.len() as i64;
    for key in tx.boards_ended_in(&game.board.row.game, game.ended, &game.seed, moves).await? {
        let Some(row) = tx.board(key).await? else { continue };
        let board = Board::from_row(tx, games, row).await?;
        if essence_of(&record_of(tx, &board).await?) == game.essence {
            return Ok(Some(board.name()));
        }
    }
    Ok(None)
}

async fn find_or_make(tx: &mut WriteTx, name: &str, now: Millis) -> Result<UserKey, StoreError> {
    if let Some(user) = tx.find_user(name).await? {
        return Ok(user.id);
    }
    let new = NewUser { userid: name.to_owned(), password_hash: String::new(), at: now };
    let Some(key) = tx.insert_user(&new).await? else {
        return Err(StoreError::Corrupt(format!("the user {name} is there and is not")));
    };
    tx.set_password_hash(key, None, now).await?;
    tx.set_user_state(key, UserState::Suspended).await?;
    Ok(key)
}

async fn insert(
    tx: &mut WriteTx,
    game: &Played,
    number: i64,
    users: &[UserKey],
) -> Result<BoardKey, StoreError> {
    let board = &game.board;
    let new = NewBoard {
        game: board.row.game.clone(),
        options: board.row.options.clone(),
        rules_version: board.game.meta().rules_version,
        seed: game.seed,
        rated: false,
        position: board.position_text(),
        scores: board.position.scores().to_string(),
        at: board.row.started_at,
        nag_ms: None,
        forfeit_ms: None,
        total_ms: None,
        pairing: None,
    };
    let key = tx.insert_board(number, &new).await?;
    for (seat, user) in (1..).zip(users) {
        tx.insert_seat(key, NewSeat { seat, user: *user, to_move: false }).await?;
    }
    for (mut seat, state) in tx.seats(key).await?.into_iter().zip(states(board)) {
        if state != SeatState::Playing {
            seat.state = state;
            tx.update_seat(key, &seat).await?;
        }
    }
    for entry in &board.entries {
        tx.insert_move(key, &entry.row).await?;
    }
    for said in &game.said {
        let user = usize::try_from(said.seat - 1).ok().and_then(|index| users.get(index)).copied();
        tx.insert_remark(key, said.ply, user, RemarkKind::Comment, &said.text, said.at).await?;
    }
    if let Some(mut row) = tx.board(key).await? {
        row.state = BoardState::Over;
        row.ply = board.entries.len() as i64;
        row.winners = Some(game.winners.clone());
        row.reason = Some(game.reason.clone());
        row.last_move_at = board.entries.last().map(|entry| entry.row.at.0);
        row.ended_at = Some(game.ended.0);
        tx.update_board(&row).await?;
    }
    Ok(key)
}
