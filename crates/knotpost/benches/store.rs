//! The most frequent queries, each in a transaction of its own, and the most frequent writes, each
//! committed to disk before it counts: on SQLite, and on the empty PostgreSQL database that `KNOTPOST_BENCH_DATABASE`
//! names, if it names one.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use knotpost_model::{Address, BoardKey, BoardState, Millis, MoveKind, UserKey};
use knotpost_storage::{
    BoardFilter, MoveRow, NewBoard, NewOutbox, NewSeat, NewUser, OutboxContent, Settings, Store, StoreError,
};
use mimalloc::MiMalloc;
use tokio::runtime::Runtime;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const NOW: Millis = Millis(1_793_697_600_000);
/// All of the same two players.
const BOARDS: usize = 100;
/// Made on the first board.
const MOVES: i64 = 20;
/// How many mails are leased and acknowledged in a batch.
const PORTION: i64 = 16;

/// A database with two players and their boards.
struct Ground {
    store: Store,
    players: [UserKey; 2],
    board: BoardKey,
}

impl Ground {
    async fn open(settings: &Settings) -> Self {
        Store::migrate(settings).await.unwrap();
        let store = Store::open(settings).await.unwrap();
        let made = store.write(async move |tx| {
            let mut players = [UserKey(0); 2];
            for (player, name) in players.iter_mut().zip(["ann", "bob"]) {
                let new = NewUser { userid: name.to_owned(), password_hash: "hash".to_owned(), at: NOW };
                *player = tx.insert_user(&new).await?.unwrap();
                let address: Address = format!("{name}@{name}.example").parse().unwrap();
                tx.add_address(*player, &address, Some(NOW), NOW).await?;
            }
            let mut boards = Vec::new();
            for _ in 0..BOARDS {
                let number = tx.take_board_number("osbox").await?;
                let board = tx.insert_board(number, &new_board()).await?;
                for (seat, user) in (1..).zip(players) {
                    tx.insert_seat(board, NewSeat { seat, user, to_move: seat == 1 }).await?;
                }
                boards.push(board);
            }
            for number in 1..=MOVES {
                tx.insert_move(boards[0], &new_move(number)).await?;
            }
            Ok::<_, StoreError>((players, boards[0]))
        });
        let (players, board) = made.await.unwrap();
        Self { store, players, board }
    }
}

fn new_board() -> NewBoard {
    NewBoard {
        game: "osbox".to_owned(),
        options: String::new(),
        rules_version: 1,
        seed: [7; 32],
        rated: true,
        position: "..../..../..../.... 1 0-0".to_owned(),
        scores: "0-0".to_owned(),
        at: NOW,
        nag_ms: None,
        forfeit_ms: None,
        total_ms: None,
        pairing: None,
    }
}

fn new_move(number: i64) -> MoveRow {
    let seat = 2 - number % 2;
    MoveRow { number, seat, kind: MoveKind::Move, text: "o1".to_owned(), auto: false, at: NOW }
}

/// A mail that nothing else is asked for when it is stored.
fn new_mail(number: u64) -> NewOutbox {
    NewOutbox {
        kind: "board",
        recipient: "ann@ann.example".to_owned(),
        user: None,
        content: OutboxContent::Reference("{}".to_owned()),
        on_reply: None,
        message_id: format!("{number}@bench.example"),
        date: NOW,
    }
}

/// Measures a query as the server runs it: on a connection with a snapshot of its own.
macro_rules! ask {
    ($group:ident, $runtime:ident, $store:expr, $name:literal, |$tx:ident| $question:expr) => {
        $group.bench_function($name, |bencher| {
            let ask = || async {
                let mut $tx = $store.read().await.unwrap();
                black_box($question.await.unwrap())
            };
            bencher.iter(|| $runtime.block_on(ask()));
        });
    };
}

fn measure(criterion: &mut Criterion, on: &str, settings: &Settings) {
    let runtime = Runtime::new().unwrap();
    let ground = runtime.block_on(Ground::open(settings));
    let Ground { ref store, players, board } = ground;

    let mut group = criterion.benchmark_group(format!("questions on {on}"));
    ask!(group, runtime, store, "a user by name", |tx| tx.find_user("ann"));
    ask!(group, runtime, store, "a board with its seats", |tx| tx.find_seated_board("osbox", 101));
    ask!(group, runtime, store, "twenty moves of a board", |tx| tx.moves(board));
    ask!(group, runtime, store, "who reads a board", |tx| tx.board_reader_facts(board, "osbox"));
    let filter = BoardFilter {
        user: Some(players[0]),
        state: Some(BoardState::Active),
        next: true,
        ..BoardFilter::default()
    };
    ask!(group, runtime, store, "fifty boards that wait for a user", |tx| tx.list_boards(&filter, 50));
    group.finish();

    let mut group = criterion.benchmark_group(format!("writes on {on}"));
    group.sample_size(20);
    group.bench_function("nothing", |bencher| {
        let write = || store.write(async move |_| Ok::<_, StoreError>(()));
        bencher.iter(|| runtime.block_on(write()).unwrap());
    });
    let mut number = 0;
    let mut mails = |count| {
        let mails: Vec<NewOutbox> = (number..number + count).map(new_mail).collect();
        number += count;
        mails
    };
    let store_mails = |mails: Vec<NewOutbox>| store.write(async move |tx| tx.insert_outboxes(&mails).await);
    group.bench_function("two mails", |bencher| {
        let write = |mails| runtime.block_on(store_mails(mails)).unwrap();
        bencher.iter_batched(|| mails(2), write, BatchSize::SmallInput);
    });
    group.bench_function("the lease of sixteen mails, and the note that they have left", |bencher| {
        let lease_and_note = async || {
            let until = NOW.plus(60_000);
            let leased = store.write(async move |tx| tx.lease_outbox(NOW, until, PORTION).await);
            let keys: Vec<_> = leased.await.unwrap().iter().map(|row| row.id).collect();
            assert_eq!(keys.len() as i64, PORTION);
            let noted = store.write(async move |tx| tx.note_sent_outbox(&keys, NOW).await);
            noted.await.unwrap();
        };
        let prepare = || runtime.block_on(store_mails(mails(PORTION.unsigned_abs()))).unwrap();
        bencher.iter_batched(prepare, |()| runtime.block_on(lease_and_note()), BatchSize::PerIteration);
    });
    group.finish();
    runtime.block_on(store.close());
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is told nothing by its configuration")]
fn store(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let settings = |url: String| Settings { url, data: folder.path().to_owned(), max_connections: 8 };
    measure(criterion, "SQLite", &settings("sqlite:".to_owned()));
    if let Ok(url) = std::env::var("KNOTPOST_BENCH_DATABASE") {
        measure(criterion, "PostgreSQL", &settings(url));
    }
}

criterion_group!(benches, store);
criterion_main!(benches);
