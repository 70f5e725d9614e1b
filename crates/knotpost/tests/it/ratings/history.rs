//! Ratings once more from what happened: the same to the last bit, on both databases.

use std::sync::Arc;

use knotpost_core::admin::{Administrator, Recompute, recompute_ratings};
use knotpost_core::ratings::rate_board;
use knotpost_model::{BoardKey, Millis, Score, UserKey};
use knotpost_storage::{Driver, NewUser, RatingRow, StoreError, WriteTx};
use sqlx::AssertSqlSafe;

use crate::harness::{Place, TestApp};

/// Finished games, as many as a busy server sees in a year.
const GAMES: usize = 10_000;
/// Games of one transaction.
const BATCH: usize = 250;
/// Players; those with high numbers come seldom.
const PLAYERS: usize = 60;
/// Those who come so seldom that they stay provisional for long.
const BEGINNERS: usize = 5;
const HOUR_MS: i64 = 3_600_000;

/// Numbers that are the same in every run (`SplitMix64`).
struct Lots(u64);

impl Lots {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }

    /// Two to four different players, mostly two; the first ones most often.
    fn players(&mut self, users: &[UserKey]) -> Vec<UserKey> {
        let count = [2, 2, 2, 2, 3, 4][self.below(6)];
        let mut players = Vec::new();
        while players.len() < count {
            let bound = self.below(users.len()) + 1;
            let user = users[self.below(bound)];
            if !players.contains(&user) {
                players.push(user);
            }
        }
        players
    }
}

/// A board that was played.
struct Game {
    players: Vec<UserKey>,
    winners: Vec<usize>,
    ended_at: Millis,
}

impl Game {
    fn drawn(lots: &mut Lots, users: &[UserKey], now: &mut Millis) -> Self {
        *now = now.plus(lots.below(4) as i64 * HOUR_MS);
        let players = lots.players(users);
        let winners = if lots.below(8) == 0 { vec![1, 2] } else { vec![lots.below(players.len()) + 1] };
        Self { players, winners, ended_at: *now }
    }

    fn scores(&self) -> Vec<(UserKey, Score)> {
        let score = |seat: usize| match (self.winners.contains(&seat), self.winners.len()) {
            (true, 1) => Score::Won,
            (true, _) => Score::Tied,
            (false, _) => Score::Lost,
        };
        (1..).zip(&self.players).map(|(seat, user)| (*user, score(seat))).collect()
    }
}

/// Stores finished boards and their ratings, the boards all at once.
async fn store_games(tx: &mut WriteTx, first: usize, games: &[Game]) -> Result<(), StoreError> {
    let (mut boards, mut seats) = (Vec::new(), Vec::new());
    for (key, game) in (first..).zip(games) {
        let winners: Vec<String> = game.winners.iter().map(ToString::to_string).collect();
        let (winners, at) = (winners.join(","), game.ended_at.0);
        boards.push(format!(
            "({key}, 'osbox', {key}, '', 1, $1, 'over', TRUE, 0, '', '', '{winners}', 0, {at})"
        ));
        for (seat, user) in (1..).zip(&game.players) {
            seats.push(format!("({key}, {seat}, {}, 'playing', FALSE, FALSE)", user.0));
        }
    }
    let boards = format!(
        "INSERT INTO boards (id, game, number, options, rules_version, seed, state, rated, ply, position, scores, \
         winners, started_at, ended_at) VALUES {}",
        boards.join(", ")
    );
    let seats = format!(
        "INSERT INTO seats (board_id, seat, user_id, state, to_move, resign_pending) VALUES {}",
        seats.join(", ")
    );
    let seed = [1_u8; 32];
    match tx.driver_for_tests() {
        Driver::Sqlite(connection) => connection.execute(&boards, rusqlite::params![&seed[..]]).map(drop)?,
        Driver::Postgres(connection) => {
            sqlx::query(AssertSqlSafe(boards)).bind(&seed[..]).execute(connection).await.map(drop)?;
        }
    }
    match tx.driver_for_tests() {
        Driver::Sqlite(connection) => connection.execute_batch(&seats)?,
        Driver::Postgres(connection) => {
            sqlx::query(AssertSqlSafe(seats)).execute(connection).await.map(drop)?;
        }
    }
    for (key, game) in (first..).zip(games) {
        rate_board(tx, "osbox", BoardKey(key as i64), &game.scores(), game.ended_at).await?;
    }
    Ok(())
}

async fn users(app: &TestApp) -> Vec<UserKey> {
    let added = app.app.store.write(async move |tx| {
        let mut users = Vec::new();
        for name in ["ann", "bob"] {
            users.push(tx.find_user(name).await?.unwrap().id);
        }
        for number in users.len()..PLAYERS {
            let userid = format!("player{number}");
            let new = NewUser { userid, password_hash: "none".to_owned(), at: Millis(1) };
            users.push(tx.insert_user(&new).await?.unwrap());
        }
        Ok::<_, StoreError>(users)
    });
    added.await.unwrap()
}

async fn ratings(app: &TestApp) -> Vec<RatingRow> {
    app.app.store.read().await.unwrap().all_ratings("osbox").await.unwrap()
}

/// Plays them all, while players come and go: `ann` and `bob` refuse challenges and take them again, and many
/// leave for good half-way.
async fn play_games(app: &TestApp, games: usize) {
    let users = users(app).await;
    let mut lots = Lots(7);
    for batch in 0..games / BATCH {
        let mut there = users.clone();
        if batch >= games / BATCH / 2 {
            there.drain(PLAYERS / 2..PLAYERS - BEGINNERS);
        }
        let mut now = app.app.clock.now();
        let drawn: Vec<_> = (0..BATCH).map(|_| Game::drawn(&mut lots, &there, &mut now)).collect();
        let drawn = Arc::new(drawn);
        let stored = app.app.store.write(async move |tx| store_games(tx, batch * BATCH + 1, &drawn).await);
        stored.await.unwrap();
        app.clock.advance(now.0 - app.app.clock.now().0 + HOUR_MS);
        let word = if batch % 2 == 0 { "reject" } else { "accept" };
        for name in ["ann", "bob"] {
            let answer = app.post(&format!("osbox {word} {name} {name}-secret"), "").await;
            assert_eq!(answer.outcome(), "200 ok");
        }
    }
}

async fn ten_thousand_games_give_the_same_ratings_again(place: Place) {
    let app = TestApp::with_players(place, &["ann", "bob"]).await;
    play_games(&app, GAMES).await;
    let stored = ratings(&app).await;
    assert_eq!(stored.len(), PLAYERS);
    assert!(stored.iter().any(|row| !row.active), "somebody went away");
    let found = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Check,
    )
    .await
    .unwrap();
    assert_eq!((found.differences, found.boards, found.players), (Vec::new(), GAMES, PLAYERS));
    // The numbers themselves, so that both databases are seen to agree.
    let best = stored.iter().max_by(|one, other| one.rating.total_cmp(&other.rating)).unwrap();
    let digest = stored.iter().fold(0_u64, |sum, row| {
        sum.rotate_left(7) ^ row.rating.to_bits() ^ row.glicko.to_bits().rotate_left(17)
    });
    insta::assert_snapshot!("ten_thousand_games", format!("{digest:016x} {:?}", best.rating()));
}

async fn what_is_stored_wrongly_is_found_and_put_right(place: Place) {
    let app = TestApp::with_players(place, &["ann", "bob"]).await;
    play_games(&app, BATCH * 2).await;
    let right = ratings(&app).await;
    let spoilt = app.app.store.write(async move |tx| {
        let mut rows = tx.all_ratings("osbox").await?;
        rows[3].rating = f64::from_bits(rows[3].rating.to_bits() + 1);
        rows[4].won += 1;
        tx.put_rating("osbox", &rows[3]).await?;
        tx.put_rating("osbox", &rows[4]).await?;
        tx.delete_rating("osbox", rows[5].user_id).await?;
        let changes = tx.all_rating_changes("osbox").await?;
        let mut change = changes[7].clone();
        tx.delete_rating_change(change.board, change.user).await?;
        change.after += 1.0;
        tx.insert_rating_change("osbox", &change).await?;
        // As if the board had ended before ratings were kept.
        for change in changes.iter().filter(|change| change.board == changes[0].board) {
            tx.delete_rating_change(change.board, change.user).await?;
        }
        let pool = tx.rating_pool("osbox").await?;
        tx.set_rating_pool("osbox", knotpost_model::Pool { sum: pool.sum + 1, ..pool }).await
    });
    spoilt.await.unwrap();
    let found = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Check,
    )
    .await
    .unwrap();
    assert!(found.differences.len() >= 6, "{:#?}", found.differences);
    let again = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Check,
    )
    .await
    .unwrap();
    assert_eq!(again, found, "a check changes nothing");
    let put_right = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Replace,
    )
    .await
    .unwrap();
    assert_eq!(put_right, found);
    let found = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Check,
    )
    .await
    .unwrap();
    assert_eq!(found.differences, Vec::<String>::new());
    assert_eq!(ratings(&app).await, right);
}

/// Boards that end at the same moment are rated one after the other, whoever is first.
async fn boards_that_end_at_once_are_rated_in_some_order(place: Place) {
    let app = TestApp::with_players(place, &["ann", "bob"]).await;
    let users = users(&app).await;
    let now = app.app.clock.now();
    let ended = (1..=10).map(|number| {
        let (store, users) = (app.app.store.clone(), users.clone());
        tokio::spawn(async move {
            let written = store.write(async move |tx| {
                let players = vec![users[number % 3], users[3 + number % 2]];

                store_games(tx, number, &[Game { players, winners: vec![1], ended_at: now }]).await
            });
            written.await
        })
    });
    for end in ended.collect::<Vec<_>>() {
        end.await.unwrap().unwrap();
    }
    assert_eq!(ratings(&app).await.iter().map(|row| row.games).sum::<u32>(), 20);
    let found = recompute_ratings(
        &app.app.store,
        app.app.clock.as_ref(),
        &Administrator::of_shell("root"),
        "osbox",
        Recompute::Check,
    )
    .await
    .unwrap();
    assert_eq!((found.differences, found.boards), (Vec::new(), 10));
}

#[tokio::test]
async fn boards_that_end_at_once_on_sqlite() {
    boards_that_end_at_once_are_rated_in_some_order(Place::Sqlite).await;
}

#[tokio::test]
async fn boards_that_end_at_once_on_postgres() {
    let Some(database) = crate::postgres::database().await else { return };
    boards_that_end_at_once_are_rated_in_some_order(Place::Postgres(Box::new(database))).await;
}

#[tokio::test]
async fn ten_thousand_games_on_sqlite() {
    ten_thousand_games_give_the_same_ratings_again(Place::Sqlite).await;
}

#[tokio::test]
async fn ten_thousand_games_on_postgres() {
    let Some(database) = crate::postgres::database().await else { return };
    ten_thousand_games_give_the_same_ratings_again(Place::Postgres(Box::new(database))).await;
}

#[tokio::test]
async fn wrong_ratings_are_put_right_on_sqlite() {
    what_is_stored_wrongly_is_found_and_put_right(Place::Sqlite).await;
}

#[tokio::test]
async fn wrong_ratings_are_put_right_on_postgres() {
    let Some(database) = crate::postgres::database().await else { return };
    what_is_stored_wrongly_is_found_and_put_right(Place::Postgres(Box::new(database))).await;
}
