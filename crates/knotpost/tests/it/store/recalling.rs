//! The cache of long boards: whatever happens to the stored moves, what it shows are the stored ones.

use std::sync::Arc;

use knotpost_core::app::App;
use knotpost_core::boards::{Replayed, replay_next};
use knotpost_core::commands::{apply, prepare};
use knotpost_core::identity::{Origin, Proof};
use knotpost_core::queries::view_board;
use knotpost_core::requests::Request;
use knotpost_model::{BoardKey, BoardRef, Host};
use knotpost_rules::{GivenOption, Seed, Turn};
use knotpost_storage::StoreError;

use super::Ground;
use super::replay::{GAMES, app, command};

const OPTIONS: &str = "-size=3 -any_side -thin_knots";
/// More moves than a short board has.
const LONG: usize = 60;

/// Pairs of moves after which the box is as empty as before: two that the first player can begin, so that games with
/// the same last move can differ before it.
fn pairs() -> Vec<[String; 2]> {
    let game = GAMES.find("osbox").unwrap();
    let given: Vec<_> = OPTIONS.split_whitespace().filter_map(GivenOption::from_word).collect();
    let start = game.setup(&game.parse_options(&given, 2).unwrap(), 2, &Seed::default());
    let dice = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let mut pairs: Vec<[String; 2]> = Vec::new();
    for first in start.legal_moves() {
        let mut one = start.clone();
        one.play(Turn::Move(&first)).unwrap();
        for second in one.legal_moves() {
            let mut both = one.clone();
            both.play(Turn::Move(&second)).unwrap();
            if dice(&both.position()) == dice(&start.position()) {
                pairs.push([first.clone(), second]);
            }
        }
    }
    pairs
}

fn name() -> BoardRef {
    BoardRef { game: "osbox".to_owned(), number: 101 }
}

/// The moves as a process shows them, and as they are stored.
async fn compare(app: &Arc<App>) -> usize {
    let shown = view_board(app, &name(), None).await.unwrap().board;
    let stored = app.store.read().await.unwrap().moves(shown.row.id).await.unwrap();
    let rows: Vec<_> = shown.entries.iter().map(|entry| entry.row.clone()).collect();
    assert_eq!(rows, stored);
    assert_eq!(shown.position.position(), shown.row.position);
    rows.len()
}

async fn go(app: &Arc<App>, users: &[String; 2], ply: usize, text: &str) {
    let user = &users[ply % 2];
    let answer = command(app, format!("osbox move 101 {user} secret-1 {text}")).await;
    assert!(answer.failure.is_none(), "{answer:?}");
}

pub(super) async fn what_a_process_caches_never_hides_what_is_stored(ground: &Ground) {
    // Two processes on one database; their clocks stand still, so that times tell nothing.
    let (here, there) = (app(ground), app(ground));
    for userid in ["ann", "bob"] {
        command(&here, format!("signup {userid} secret-1 {userid}@example.org")).await;
    }
    command(&here, format!("osbox challenge {OPTIONS} ann bob")).await;
    let board = view_board(&here, &name(), None).await.unwrap().board;
    let users = [1, 2].map(|seat| board.userid_at(seat).to_owned());
    let pairs = pairs();
    let (usual, other) = (&pairs[0], pairs.iter().find(|pair| pair[0] != pairs[0][0]).unwrap());
    for ply in 0..LONG {
        go(&here, &users, ply, &usual[ply % 2]).await;
    }
    assert_eq!((compare(&here).await, compare(&there).await), (LONG, LONG));

    // One process moves on, the other follows.
    go(&here, &users, LONG, &usual[0]).await;
    go(&there, &users, LONG + 1, &usual[1]).await;
    assert_eq!((compare(&here).await, compare(&there).await), (LONG + 2, LONG + 2));

    // Two moves are taken back and two others made, behind the back of one process.
    for ply in [LONG + 2, LONG + 1] {
        let (last, waiting) = (&users[(ply + 1) % 2], &users[ply % 2]);
        for line in [format!("{last} secret-1 undo"), format!("{waiting} secret-1 accept")] {
            let answer = command(&here, format!("osbox move 101 {line}")).await;
            assert!(answer.failure.is_none(), "{line}: {answer:?}");
        }
    }
    go(&here, &users, LONG, &other[0]).await;
    go(&here, &users, LONG + 1, &other[1]).await;
    assert_eq!((compare(&there).await, compare(&here).await), (LONG + 2, LONG + 2));

    forget_what_was_undone(&here, &users, LONG + 2, usual, other).await;
    let mut replayed = Replayed::default();
    while replay_next(&there, &mut replayed).await.unwrap() {}
    assert_eq!((replayed.boards, replayed.differences), (1, Vec::new()));

    rewrite_elsewhere(&here, board.row.id).await;
}

/// A move that was made and looked at in a transaction which then fails was never made.
async fn forget_what_was_undone(
    app: &Arc<App>,
    users: &[String; 2],
    ply: usize,
    usual: &[String; 2],
    other: &[String; 2],
) {
    let origin = Origin::http(Host::of([192, 0, 2, 1].into()), Proof::Password);
    let line = |text: &str| format!("osbox move 101 {} secret-1 {text}", users[ply % 2]);
    let request = Request::of_line(line(&usual[0]), "", origin, &app.vocabulary);
    let prepared = Arc::new(prepare(app, request).await.unwrap());
    let (shared, now) = (Arc::clone(app), app.clock.now());
    let failed: Result<(), StoreError> = app
        .store
        .write(move |tx| {
            let (app, prepared) = (Arc::clone(&shared), Arc::clone(&prepared));
            Box::pin(async move {
                let made = Box::pin(apply(tx, &app, &prepared, now)).await?;
                assert!(made.failure.is_none(), "{made:?}");
                let seen = knotpost_core::boards::Board::load(tx, app.as_ref(), "osbox", 101).await?;
                assert_eq!(seen.map(|board| board.entries.len()), Some(ply + 1));
                Err(StoreError::Closed)
            })
        })
        .await;
    assert!(failed.is_err());
    assert_eq!(compare(app).await, ply);
    go(app, users, ply, &other[0]).await;
    assert_eq!(compare(app).await, ply + 1);
}

/// A row that somebody wrote by hand shows in a check, and in what is loaded from then on.
async fn rewrite_elsewhere(app: &Arc<App>, board: BoardKey) {
    let changed = app
        .store
        .write(move |tx| {
            Box::pin(async move {
                let mut row = tx.board(board).await?.ok_or(StoreError::Closed)?;
                row.history = row.history.map(|digest| digest ^ 1);
                tx.update_board(&row).await
            })
        })
        .await;
    changed.unwrap();
    compare(app).await;
    let mut replayed = Replayed::default();
    while replay_next(app, &mut replayed).await.unwrap() {}
    assert_eq!(replayed.differences.len(), 1);
}
