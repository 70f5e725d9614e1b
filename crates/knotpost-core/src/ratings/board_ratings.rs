//! Updates of ratings as boards end and players come and go.
//!
//! Everything that affects later ratings has a place in its game's order: rated boards, and changes of rated
//! players' activity. A transaction that takes a place holds the order until it ends, so that recomputing the
//! history gives the same numbers.

use crate::boards::{Board, ServiceError};
use knotpost_model::rating::{Rating, Score, rate, shown};
use knotpost_model::{BoardKey, BoardState, Millis, Pool, UserKey};
use knotpost_storage::{RatingChange, RatingRow, ReadTx, StoreError, WriteTx};

/// Time without playing or finishing a board after which a player is inactive.
pub(crate) const INACTIVE_AFTER_MS: i64 = 180 * 24 * 3_600_000;

pub(crate) async fn board_ended(tx: &mut WriteTx, board: &Board, now: Millis) -> Result<(), ServiceError> {
    let seats: Vec<(i64, UserKey)> = board.seats.iter().map(|row| (row.seat, row.user_id)).collect();
    let players = score(&seats, board.row.winners.as_deref().unwrap_or_default());
    if board.row.rated && players.len() > 1 {
        rate_board(tx, &board.row.game, board.row.id, &players, now).await?;
        return Ok(());
    }
    for (user, _) in players {
        tx.note_unrated_end(&board.row.game, user, now).await?;
        review_activity(tx, &board.row.game, user, now).await?;
    }
    Ok(())
}

/// Scores per user, in the order of their first seats: the only user with winning seats wins. `winners` are
/// seat numbers, comma-separated.
pub(crate) fn score(seats: &[(i64, UserKey)], winners: &str) -> Vec<(UserKey, Score)> {
    let winning: Vec<i64> = winners.split(',').filter_map(|seat| seat.parse().ok()).collect();
    let mut players: Vec<(UserKey, bool)> = Vec::new();
    for (seat, user) in seats {
        let won = winning.contains(seat);
        match players.iter_mut().find(|(known, _)| known == user) {
            Some((_, best)) => *best |= won,
            None => players.push((*user, won)),
        }
    }
    let first = players.iter().filter(|(_, won)| *won).count();
    let score = |won| match (won, first) {
        (true, 1) => Score::Won,
        (true, _) => Score::Tied,
        (false, _) => Score::Lost,
    };
    players.into_iter().map(|(user, won)| (user, score(won))).collect()
}

/// Rates a board as the next one in its game's order. `players` are two or more distinct users with their
/// scores. Returns their changes.
pub async fn rate_board(
    tx: &mut WriteTx,
    game: &str,
    board: BoardKey,
    players: &[(UserKey, Score)],
    now: Millis,
) -> Result<Vec<RatingChange>, StoreError> {
    let (place, mut pool) = tx.take_rating_place(game).await?;
    let mut entrants = Vec::new();
    let mut rows = Vec::new();
    for (user, score) in players {
        let row = tx.rating(game, *user).await?;
        entrants.push((row.as_ref().map_or_else(Rating::default, RatingRow::rating), *score));
        rows.push(row);
    }
    // Established ratings do not depend on the number of active players, so that it need not be known.
    if entrants.iter().any(|(rating, _)| !rating.is_established()) {
        drop_lapsed(tx, game, place, &mut pool, players, now).await?;
    }
    let ratings = rate(&entrants, pool);
    let mut changes = Vec::new();
    for (((user, _), (before, _)), (row, after)) in
        players.iter().zip(&entrants).zip(rows.into_iter().zip(ratings))
    {
        let active = is_active_after_end(tx, game, *user).await?;
        if row.as_ref().is_some_and(|row| row.active) {
            pool.leave(before);
        }
        if active {
            pool.enter(&after);
        }
        let ended_at = row.map_or(now, |row| row.ended_at.max(now));
        tx.put_rating(game, &RatingRow::of(*user, after, active, ended_at)).await?;
        let (before, after) = (before.rating, after.rating);
        let change = RatingChange { board, user: *user, place, before, after, active, at: now };
        tx.insert_rating_change(game, &change).await?;
        changes.push(change);
    }
    tx.set_rating_pool(game, pool).await?;
    Ok(changes)
}

/// Excludes lapsed players. Those of the board being rated count as playing.
async fn drop_lapsed(
    tx: &mut WriteTx,
    game: &str,
    place: i64,
    pool: &mut Pool,
    players: &[(UserKey, Score)],
    now: Millis,
) -> Result<(), StoreError> {
    for row in tx.lapsed_players(game, now.plus(-INACTIVE_AFTER_MS)).await? {
        if players.iter().all(|(user, _)| *user != row.user_id) {
            pool.leave(&row.rating());
            tx.change_activity(game, place, row.user_id, false, now).await?;
        }
    }
    Ok(())
}

async fn is_active_after_end(tx: &mut ReadTx, game: &str, user: UserKey) -> Result<bool, StoreError> {
    Ok(tx.accepts(game, user).await? || tx.count_active_boards(game, user).await? > 0)
}

/// Updates the activity of a rated player after anything that may have changed it.
pub(crate) async fn review_activity(
    tx: &mut WriteTx,
    game: &str,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(row) = tx.rating(game, user).await? else { return Ok(()) };
    let is_recent = row.ended_at >= now.plus(-INACTIVE_AFTER_MS);
    let active =
        (is_recent && tx.accepts(game, user).await?) || tx.count_active_boards(game, user).await? > 0;
    if active == row.active {
        return Ok(());
    }
    let (place, mut pool) = tx.take_rating_place(game).await?;
    if active {
        pool.enter(&row.rating());
    } else {
        pool.leave(&row.rating());
    }
    tx.change_activity(game, place, user, active, now).await?;
    tx.set_rating_pool(game, pool).await
}

/// [`review_activity`] in all games, for an account that ends.
pub(crate) async fn review_all_activity(
    tx: &mut WriteTx,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    for game in tx.rated_games(user).await? {
        review_activity(tx, &game, user, now).await?;
    }
    Ok(())
}

/// Reactivates players of a new board.
pub(crate) async fn board_began(
    tx: &mut WriteTx,
    game: &str,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    if tx.rating(game, user).await?.is_some_and(|row| !row.active) {
        review_activity(tx, game, user, now).await?;
    }
    Ok(())
}

/// Rating changes of a rated board, a line each; empty while it is in play.
pub(crate) async fn change_lines(tx: &mut ReadTx, board: &Board) -> Result<Vec<String>, StoreError> {
    let ended = board.row.state == BoardState::Over && board.entries.len() as i64 == board.row.ply;
    if !ended || !board.row.rated {
        return Ok(Vec::new());
    }
    let changes = tx.rating_changes(board.row.id).await?;
    Ok(changes
        .into_iter()
        .map(|(userid, before, after)| line(&userid, shown(before), shown(after)))
        .collect())
}

/// Clients in the wild parse the first and the last word.
fn line(userid: &str, before: i64, after: i64) -> String {
    match after.cmp(&before) {
        std::cmp::Ordering::Greater => format!("{userid}'s rating went up from {before} to {after}"),
        std::cmp::Ordering::Less => format!("{userid}'s rating went down from {before} to {after}"),
        std::cmp::Ordering::Equal => format!("{userid}'s rating stayed at {after}"),
    }
}

#[cfg(test)]
mod tests {
    use Score::{Lost, Tied, Won};

    use super::*;

    #[test]
    fn only_who_is_alone_in_front_wins() {
        let seats = |users: &[i64]| (1..).zip(users.iter().copied().map(UserKey)).collect::<Vec<_>>();
        let scores = |users: &[i64], winners| {
            score(&seats(users), winners).into_iter().map(|(user, score)| (user.0, score)).collect::<Vec<_>>()
        };
        assert_eq!(scores(&[7, 8], "2"), [(7, Lost), (8, Won)]);
        assert_eq!(scores(&[7, 8], "1,2"), [(7, Tied), (8, Tied)]);
        assert_eq!(scores(&[7, 8, 9], "1,3"), [(7, Tied), (8, Lost), (9, Tied)]);
        assert_eq!(scores(&[7, 8, 7], "1,3"), [(7, Won), (8, Lost)], "a user with two seats is one player");
        assert_eq!(scores(&[7, 7], "1"), [(7, Won)]);
    }

    #[test]
    fn lines_say_which_way_a_rating_went() {
        assert_eq!(line("ann", 1600, 1800), "ann's rating went up from 1600 to 1800");
        assert_eq!(line("bob", 1600, 1400), "bob's rating went down from 1600 to 1400");
        assert_eq!(line("cyd", 1600, 1600), "cyd's rating stayed at 1600");
    }
}
