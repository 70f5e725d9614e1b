//! Recomputes all ratings of a game from its history of rated boards and changes of activity.

use knotpost_platform::clock::Clock;
use std::collections::{BTreeMap, HashMap};

use crate::admin::{Administrator, note_done};
use crate::ratings::board_ratings::score;
use knotpost_model::rating::{Rating, Score, rate};
use knotpost_model::{BoardKey, Millis, Pool, UserKey};
use knotpost_storage::{RatingChange, RatingRow, ReadTx, Store, StoreError, WriteTx};

const PAGE: i64 = 2000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recompute {
    Check,
    Replace,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    pub boards: usize,
    pub players: usize,
    /// Deviations of the stored ratings, one line each.
    pub differences: Vec<String>,
}

/// Recomputes all ratings of a game and compares them bit by bit with the stored ones. Repairs go to the
/// audit log.
pub async fn recompute_ratings(
    store: &Store,
    clock: &dyn Clock,
    admin: &Administrator,
    game: &str,
    how: Recompute,
) -> Result<Recomputed, StoreError> {
    if how == Recompute::Check {
        let mut tx = store.read().await?;
        return Ok(compare(&mut tx, game).await?.found);
    }
    let (admin, game, now) = (admin.clone(), game.to_owned(), clock.now());
    store
        .write(async move |tx| {
            // Lock: nobody rates a board meanwhile.
            tx.take_rating_place(&game).await?;
            let Comparison { found, repairs } = compare(tx, &game).await?;
            repair(tx, &game, repairs).await?;
            let detail = format!("{} differences put right", found.differences.len());
            note_done(tx, &admin, "ratings.recompute", (&game, &detail), now).await?;
            Ok(found)
        })
        .await
}

enum Repair {
    DropChange(BoardKey, UserKey),
    ReplaceChange(RatingChange),
    PutRating(RatingRow),
    DropRating(UserKey),
    SetPool(Pool),
}

struct Comparison {
    found: Recomputed,
    repairs: Vec<Repair>,
}

impl Comparison {
    fn add(&mut self, difference: String, repair: Repair) {
        self.found.differences.push(difference);
        self.repairs.push(repair);
    }
}

async fn compare(tx: &mut ReadTx, game: &str) -> Result<Comparison, StoreError> {
    let boards = read_boards(tx, game).await?;
    let stored = tx.all_rating_changes(game).await?;
    let activity = tx.rating_activity(game).await?;
    let ends: HashMap<UserKey, Millis> = tx.last_ends(game).await?.into_iter().collect();
    let mut history = History::new(&stored, ends);
    let mut activity = activity.into_iter().peekable();
    for (place, board) in in_order(&boards, &stored) {
        while let Some((_, user, active)) = activity.next_if(|(other, ..)| *other <= place) {
            history.change_activity(user, active);
        }
        history.rate(place, board);
    }
    for (_, user, active) in activity {
        history.change_activity(user, active);
    }
    let found = Recomputed { boards: boards.len(), players: history.ratings.len(), differences: Vec::new() };
    let mut comparison = Comparison { found, repairs: Vec::new() };
    compare_changes(tx, game, &boards, &history.changes, &stored, &mut comparison).await?;
    compare_ratings(tx, game, &history.ratings, &mut comparison).await?;
    let pool = tx.rating_pool(game).await?;
    if pool != history.pool {
        let difference = format!(
            "{game}: {} active established players stored, {} computed, or another sum",
            pool.players, history.pool.players
        );
        comparison.add(difference, Repair::SetPool(history.pool));
    }
    Ok(comparison)
}

async fn repair(tx: &mut WriteTx, game: &str, repairs: Vec<Repair>) -> Result<(), StoreError> {
    for repair in repairs {
        match repair {
            Repair::DropChange(board, user) => tx.delete_rating_change(board, user).await?,
            Repair::ReplaceChange(change) => {
                tx.delete_rating_change(change.board, change.user).await?;
                tx.insert_rating_change(game, &change).await?;
            }
            Repair::PutRating(row) => tx.put_rating(game, &row).await?,
            Repair::DropRating(user) => tx.delete_rating(game, user).await?,
            Repair::SetPool(pool) => tx.set_rating_pool(game, pool).await?,
        }
    }
    Ok(())
}

struct Played {
    key: BoardKey,
    number: i64,
    ended_at: Millis,
    players: Vec<(UserKey, Score)>,
}

async fn read_boards(tx: &mut ReadTx, game: &str) -> Result<Vec<Played>, StoreError> {
    let mut boards: Vec<Played> = Vec::new();
    loop {
        let after = boards.last().map_or(BoardKey(0), |board| board.key);
        let seats = tx.rated_boards(game, after, PAGE).await?;
        if seats.is_empty() {
            return Ok(boards);
        }
        for rows in seats.chunk_by(|one, other| one.board == other.board) {
            let Some(first) = rows.first() else { continue };
            let seats: Vec<_> = rows.iter().map(|row| (row.seat, row.user_id)).collect();
            let players = score(&seats, &first.winners);
            boards.push(Played { key: first.board, number: first.number, ended_at: first.ended_at, players });
        }
    }
}

/// Boards with their places in rating order. Those that ended before ratings existed come first, by end.
fn in_order<'b>(boards: &'b [Played], stored: &[RatingChange]) -> Vec<(i64, &'b Played)> {
    let places: HashMap<BoardKey, i64> = stored.iter().map(|change| (change.board, change.place)).collect();
    let rated = boards.iter().filter(|board| board.players.len() > 1);
    let (mut placed, mut old): (Vec<_>, Vec<_>) =
        rated.partition::<Vec<_>, _>(|board| places.contains_key(&board.key));
    placed.sort_by_key(|board| places.get(&board.key).copied());
    old.sort_by_key(|board| (board.ended_at, board.key));
    let place = |board: &Played| places.get(&board.key).copied().unwrap_or(0);
    let first = placed.first().map_or(1, |board| place(board)).min(1) - old.len() as i64;
    let old = (first..).zip(old);
    old.chain(placed.into_iter().map(|board| (place(board), board))).collect()
}

struct History {
    ratings: BTreeMap<UserKey, RatingRow>,
    changes: HashMap<(BoardKey, UserKey), RatingChange>,
    pool: Pool,
    /// Activity of a player as decided when the board ended.
    activity: HashMap<(BoardKey, UserKey), bool>,
    ends: HashMap<UserKey, Millis>,
}

impl History {
    fn new(stored: &[RatingChange], ends: HashMap<UserKey, Millis>) -> Self {
        let activity = stored.iter().map(|change| ((change.board, change.user), change.active)).collect();
        Self { ratings: BTreeMap::new(), changes: HashMap::new(), pool: Pool::default(), activity, ends }
    }

    fn change_activity(&mut self, user: UserKey, active: bool) {
        let Some(row) = self.ratings.get_mut(&user).filter(|row| row.active != active) else { return };
        row.active = active;
        if active {
            self.pool.enter(&row.rating());
        } else {
            self.pool.leave(&row.rating());
        }
    }

    fn rate(&mut self, place: i64, board: &Played) {
        let before = |user: &UserKey| self.ratings.get(user).map_or_else(Rating::default, RatingRow::rating);
        let entrants: Vec<_> = board.players.iter().map(|(user, score)| (before(user), *score)).collect();
        let ratings = rate(&entrants, self.pool);
        for (((user, _), (before, _)), after) in board.players.iter().zip(&entrants).zip(ratings) {
            if self.ratings.get(user).is_some_and(|row| row.active) {
                self.pool.leave(before);
            }
            let active = self.activity.get(&(board.key, *user)).copied().unwrap_or(true);
            if active {
                self.pool.enter(&after);
            }
            let ended_at = self.ends.get(user).copied().unwrap_or(board.ended_at);
            self.ratings.insert(*user, RatingRow::of(*user, after, active, ended_at));
            let (before, after, at) = (before.rating, after.rating, board.ended_at);
            let change = RatingChange { board: board.key, user: *user, place, before, after, active, at };
            self.changes.insert((board.key, *user), change);
        }
    }
}

async fn compare_changes(
    tx: &mut ReadTx,
    game: &str,
    boards: &[Played],
    computed: &HashMap<(BoardKey, UserKey), RatingChange>,
    stored: &[RatingChange],
    comparison: &mut Comparison,
) -> Result<(), StoreError> {
    let stored: HashMap<_, _> = stored.iter().map(|change| ((change.board, change.user), change)).collect();
    let mut wrong: Vec<&RatingChange> = computed
        .iter()
        .filter(|(key, c)| stored.get(key).is_none_or(|was| was != c))
        .map(|(_, c)| c)
        .collect();
    wrong.sort_by_key(|change| (change.place, change.user));
    let mut stray: Vec<_> = stored.keys().filter(|key| !computed.contains_key(key)).copied().collect();
    stray.sort_unstable();
    for (board, user) in stray {
        let difference =
            format!("{game}: a change of {} by a board that is not rated", name(tx, user).await?);
        comparison.add(difference, Repair::DropChange(board, user));
    }
    let numbers: HashMap<BoardKey, i64> = boards.iter().map(|board| (board.key, board.number)).collect();
    for change in wrong {
        let number = numbers.get(&change.board).copied().unwrap_or(0);
        let was = stored.get(&(change.board, change.user));
        let was = was.map_or("nothing".to_owned(), |was| format!("{} to {}", was.before, was.after));
        let userid = name(tx, change.user).await?;
        let (before, after) = (change.before, change.after);
        let difference = format!("{game} {number}: {userid}: {was} stored, {before} to {after} computed");
        comparison.add(difference, Repair::ReplaceChange(change.clone()));
    }
    Ok(())
}

async fn compare_ratings(
    tx: &mut ReadTx,
    game: &str,
    computed: &BTreeMap<UserKey, RatingRow>,
    comparison: &mut Comparison,
) -> Result<(), StoreError> {
    let stored: BTreeMap<UserKey, RatingRow> =
        tx.all_ratings(game).await?.into_iter().map(|row| (row.user_id, row)).collect();
    for (user, row) in computed {
        let was = stored.get(user);
        if was == Some(row) {
            continue;
        }
        let was = was.map_or("no rating".to_owned(), describe);
        let userid = name(tx, *user).await?;
        let difference = format!("{game}: {userid}: {was} stored, {} computed", describe(row));
        comparison.add(difference, Repair::PutRating(row.clone()));
    }
    for user in stored.keys().filter(|user| !computed.contains_key(user)) {
        let difference = format!("{game}: {}: a rating without a rated board", name(tx, *user).await?);
        comparison.add(difference, Repair::DropRating(*user));
    }
    Ok(())
}

fn describe(row: &RatingRow) -> String {
    let RatingRow { rating, games, won, lost, tied, glicko, deviation, .. } = row;
    let active = if row.active { "active" } else { "inactive" };
    format!(
        "{rating} after {games} games ({won}-{lost}-{tied}), Glicko-2 {glicko} with {deviation}, {active}"
    )
}

async fn name(tx: &mut ReadTx, user: UserKey) -> Result<String, StoreError> {
    Ok(tx.user(user).await?.map_or_else(|| "somebody unknown".to_owned(), |user| user.userid))
}
