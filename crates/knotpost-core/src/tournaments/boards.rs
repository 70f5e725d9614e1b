//! Beginning and ending boards of a tournament, a few in a transaction.

use std::collections::HashMap;

use super::reading::read_terms;
use crate::app::App;
use crate::boards::board::{parse_options, seat_at, seed_of};
use crate::boards::time::time_used_at;
use crate::boards::{Board, Games, ServiceError, Standing, find_game};
use crate::play::account_deletion::resign_seats;
use crate::play::after_turn::finish_turn;
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::notifications::{notify_readers, notify_users};
use crate::play::opponents::SEATS;
use crate::play::tournament_boards::count_as_tie;
use crate::replies::{BoardFacts, Heading, Note};
use knotpost_model::{
    BoardKey, BoardRef, BoardState, LeaveReason, Millis, MoveKind, PlayerState, Span, TournamentForm,
    TournamentTerms, UserKey,
};
use knotpost_rules::Seat;
use knotpost_storage::{PlayerRow, StoreError, TournamentRow, UserRow, WaitingSeat, WriteTx};

/// Boards that one transaction begins or ends: moves wait for it.
pub(super) const MOST_BOARDS: i64 = 4;

/// Begins the boards of the first pairings that wait; false if none waited. A pairing is marked in the transaction of its
/// boards, so that they begin once.
pub(super) async fn open_boards(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    now: Millis,
) -> Result<bool, ServiceError> {
    let terms = read_terms(row)?;
    let pairings = MOST_BOARDS / i64::from(terms.games);
    let waiting = tx.waiting_seats(row.id, pairings).await?;
    if waiting.is_empty() {
        return Ok(false);
    }
    let players = tx.waiting_players(row.id, pairings).await?;
    let players: HashMap<i64, &PlayerRow> = players.iter().map(|player| (player.entry, player)).collect();
    for pairing in waiting.chunk_by(|a, b| a.pairing_id == b.pairing_id) {
        let Some(key) = pairing.first().map(|seat| seat.pairing_id) else { continue };
        // A player without an opponent has points already.
        if tx.open_pairing(key).await? && pairing.len() > 1 {
            Box::pin(open_pairing(tx, app, row, &terms, pairing, &players, now)).await?;
        }
    }
    Ok(true)
}

async fn open_pairing(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    terms: &TournamentTerms,
    pairing: &[WaitingSeat],
    players: &HashMap<i64, &PlayerRow>,
    now: Millis,
) -> Result<(), ServiceError> {
    let is_in = |entry: i64| players.get(&entry).is_some_and(|player| player.state == PlayerState::In);
    let mut seed = None;
    // On a ladder the challenger has seat 2 of the first board.
    let challenger = pairing.iter().find(|seat| (seat.game, seat.seat) == (1, 2));
    let challenger =
        challenger.and_then(|seat| players.get(&seat.entry)).filter(|_| row.form == TournamentForm::Ladder);
    for game in pairing.chunk_by(|a, b| a.game == b.game) {
        if !game.iter().all(|seat| is_in(seat.entry)) {
            for seat in game {
                let points = if is_in(seat.entry) { super::tables::WIN } else { 0 };
                tx.set_points_unplayed(seat.pairing_id, seat.game, seat.entry, points).await?;
            }
            continue;
        }
        let mut users: Vec<UserRow> = Vec::with_capacity(SEATS);
        for seat in game {
            let key = players.get(&seat.entry).map(|player| player.user_id);
            let user = match key {
                Some(key) => tx.user(key).await?,
                None => None,
            };
            users.push(user.ok_or_else(|| StoreError::Corrupt(format!("{} lacks a player", row.id)))?);
        }
        let Some(first) = game.first() else { continue };
        let by = challenger.and_then(|player| users.iter().find(|user| user.id == player.user_id));
        let board = open_board(tx, app, row, terms, (first.pairing_id, seed), (&users, by), now).await?;
        // Only an open deal is repeated with exchanged seats; dice that are known beforehand would be no game.
        seed = seed.or_else(|| repeatable_seed(&board));
        tx.seat_board(first.pairing_id, first.game, board.row.id).await?;
    }
    Ok(())
}

/// Seed of a board whose deal the second board of the pairing repeats.
fn repeatable_seed(board: &Board) -> Option<[u8; 32]> {
    seed_of(&board.row.seed).filter(|_| board.options().repeats_deal()).map(|seed| seed.0)
}

/// Begins one board. Only the player to move, and who watches all boards of the game, gets a mail about it: the others
/// have it in the list of the round. A challenge, `by` one of the users, is mailed to the other one.
async fn open_board(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    terms: &TournamentTerms,
    (pairing, seed): (i64, Option<[u8; 32]>),
    (users, by): (&[UserRow], Option<&UserRow>),
    now: Millis,
) -> Result<Board, ServiceError> {
    let game = find_game(&app.games, &row.game)?;
    let options = parse_options(game, &terms.game_options, SEATS).map_err(StoreError::Corrupt)?;
    let terms = Terms {
        rated: terms.rated,
        nag_ms: Some(terms.nag.0),
        forfeit_ms: Some(terms.forfeit.0),
        total_ms: terms.total.map(|total| total.0),
    };
    let opening = Opening { terms, cause: Cause::Tournament { pairing, seed }, comment: "" };
    let (board, mut facts) = start(tx, app, game, &options, users, opening, now).await?;
    let watchers = tx.subscribers(board.row.id).await?;
    let mover = board.mover().map(|seat| seat.user_id);
    let mut readers: Vec<UserKey> = mover.into_iter().collect();
    if let Some(by) = by {
        facts.notes.push(Note::Challenged { by: Some(by.userid.clone()) });
        let others = users.iter().map(|user| user.id).filter(|user| *user != by.id && Some(*user) != mover);
        readers.extend(others);
    }
    for (key, _) in watchers {
        if !users.iter().any(|user| user.id.0 == key) {
            readers.push(UserKey(key));
        }
    }
    notify_users(tx, app, &board, &facts, readers, now).await?;
    Ok(board)
}

/// Ends boards of a player who is out as losses, as far as they have begun; returns which.
pub(super) async fn lose_boards(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    player: &PlayerRow,
    now: Millis,
) -> Result<Vec<BoardRef>, ServiceError> {
    let why = player.left_why.unwrap_or(LeaveReason::Withdrew);
    let mut ended = Vec::new();
    for key in tx.open_boards(row.id, Some(player.entry), MOST_BOARDS).await? {
        if let Some(board) = load(tx, &app.games, key).await? {
            ended.push(board.name());
            let note = Note::OutOfTournament { userid: player.userid.clone(), why };
            resign_seats(tx, app, board, player.user_id, note, now).await?;
        }
        count_as_tie(tx, key, now).await?;
    }
    Ok(ended)
}

/// Loads a board that is played. `None`: it cannot be read, or is over without a result, and is to be a tie.
pub(super) async fn load(
    tx: &mut WriteTx,
    games: &Games,
    key: BoardKey,
) -> Result<Option<Board>, ServiceError> {
    let Some(row) = tx.board(key).await?.filter(|row| row.state == BoardState::Active) else {
        return Ok(None);
    };
    let (game, number) = (row.game.clone(), row.number);
    match Board::from_row(tx, games, row).await {
        Ok(mut board) => {
            if board.row.paused_at.take().is_some() {
                tx.set_paused(key, None).await?;
            }
            board.load_pauses(tx).await?;
            Ok(Some(board))
        }
        Err(error) if error.is_transient() => Err(error.into()),
        Err(error) => {
            tracing::error!(
                game,
                board = number,
                error = error.with_causes(),
                "this board of a tournament cannot be read; it counts as a tie"
            );
            Ok(None)
        }
    }
}

/// Ends boards whose deadline has come; returns which. Who has used less time wins, to the minute.
pub(super) async fn end_at_deadline(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    now: Millis,
) -> Result<Vec<BoardRef>, ServiceError> {
    let deadline = row.deadline.unwrap_or(now);
    let mut ended = Vec::new();
    for key in tx.open_boards(row.id, None, MOST_BOARDS).await? {
        if let Some(board) = load(tx, &app.games, key).await? {
            ended.push(board.name());
            let winners = leaders(&time_used_at(&board, deadline));
            let note = Note::Deadline { tournament: row.id };
            decide(tx, app, board, (MoveKind::Deadline, &winners), note, now).await?;
        }
        count_as_tie(tx, key, now).await?;
    }
    Ok(ended)
}

/// Ends a board without a move, with these winners.
pub(super) async fn decide(
    tx: &mut WriteTx,
    app: &App,
    mut board: Board,
    (kind, winners): (MoveKind, &[Seat]),
    note: Note,
    now: Millis,
) -> Result<(), ServiceError> {
    let Standing::ToMove(next) = board.standing() else { return Ok(()) };
    tx.delete_proposal(board.row.id).await?;
    let stored = board.entries.len();
    board.decide(kind, winners, next, now);
    finish_turn(tx, app, &mut board, stored, now).await?;
    let facts = BoardFacts { notes: vec![note], ..BoardFacts::plain(Heading::Summary) };
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(())
}

const MINUTE_MS: i64 = 60_000;

/// The seats that have used the least time in whole minutes.
fn leaders(used: &[Span]) -> Vec<Seat> {
    let minutes = |span: &Span| span.0.div_euclid(MINUTE_MS);
    let least = used.iter().map(minutes).min();
    (1..).zip(used).filter(|(_, span)| Some(minutes(span)) == least).map(|(seat, _)| seat_at(seat)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_time_wins_to_the_minute() {
        let seats = |used: &[i64]| -> Vec<u8> {
            let used: Vec<Span> = used.iter().copied().map(Span).collect();
            leaders(&used).into_iter().map(Seat::number).collect()
        };
        assert_eq!(seats(&[59_999, 60_000]), [1]);
        assert_eq!(seats(&[60_000, 119_999]), [1, 2]);
        assert_eq!(seats(&[180_000, 120_000]), [2]);
        assert_eq!(seats(&[0, 0]), [1, 2]);
    }
}
