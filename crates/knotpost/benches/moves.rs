//! What a move costs: from its text to the bytes of both mails without a database, stored on SQLite on boards of
//! growing length, and the check of its credentials.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::hint::black_box;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use knotpost_commands::{Action, Command, parse};
use knotpost_core::app::App;
use knotpost_core::commands::execute;
use knotpost_core::config::Config;
use knotpost_core::identity::{Origin, Try};
use knotpost_core::queries::view_board;
use knotpost_core::replies::{BoardFacts, Envelope, Heading, Listing, MailForm, Reply, Sheet};
use knotpost_core::requests::Request;
use knotpost_model::{BoardRef, Millis, UserKey};
use knotpost_platform::clock::{SystemClock, SystemEntropy};
use knotpost_program::server;
use knotpost_rules::{GivenOption, Registry, Seed, Turn};
use mimalloc::MiMalloc;
use tokio::runtime::Runtime;
use tokio::time::Instant;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]));

const NOW: Millis = Millis(1_793_697_600_000);
/// The games, each with the options of its usual board.
const GAMES: [&str; 4] = ["osbox", "osbo", "obsidio", "boxilies"];

async fn open(folder: &Path) -> Arc<App> {
    let mut config = Config::default();
    config.server.data = folder.to_owned();
    let app = server::open(
        config,
        &REGISTRY,
        knotpost_games::find_bot,
        Arc::new(SystemClock),
        Arc::new(SystemEntropy::default()),
        server::Opening::Serve,
    );
    let app = app.await.unwrap();
    for name in ["ann", "bob"] {
        say(&app, format!("signup {name} {name}-secret {name}@{name}.example")).await;
    }
    app
}

async fn say(app: &Arc<App>, line: String) {
    let request = Request::of_line(line, "", Origin::operator(), &app.vocabulary);
    let answer = execute(app, request).await.unwrap();
    assert!(answer.failure.is_none(), "{:?}", answer.failure);
}

fn envelope(board: &BoardRef) -> Envelope {
    Envelope {
        recipient: "ann@ann.example".to_owned(),
        addressee: None,
        message_id: "knotpost.1@example.org".to_owned(),
        date: NOW,
        in_reply_to: None,
        is_answer: false,
        board: Some(board.clone()),
        unsubscribe: None,
        notices: Vec::new(),
        form: MailForm::Text,
        reply_to: None,
    }
}

/// Everything between two bytes on the wire that is not the database: the sum of it bounds the moves of a core.
fn text_to_mails(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let app = runtime.block_on(open(folder.path()));
    let mut group = criterion.benchmark_group("text to mails");
    group.throughput(Throughput::Elements(1));
    for game in GAMES {
        let board = runtime.block_on(async {
            say(&app, format!("{game} challenge ann bob")).await;
            let name = BoardRef { game: game.to_owned(), number: 101 };
            view_board(&app, &name, None).await.unwrap().board
        });
        let example = board.position.example_move().unwrap();
        let mover = if board.userid_at(1) == "ann" { "ann" } else { "bob" };
        let line = format!("{game} move 101 {mover} {mover}-secret {example}");
        let envelope = envelope(&board.name());
        let facts = BoardFacts::plain(Heading::Summary);
        group.bench_function(game, |bencher| {
            bencher.iter(|| {
                let command = parse(black_box(&line), &app.vocabulary).unwrap();
                let Command::Move { action: Action::Move(text), .. } = command else { panic!("no move") };
                let mut board = board.at(&app.games, usize::MAX).unwrap();
                board.play(Turn::Move(&text), false, NOW).unwrap();
                for reader in ["ann", "bob"] {
                    let sheet = Sheet::of(&board, &facts, Some(reader), Listing::Recent, NOW);
                    let draft = app.composer.draft(&Reply::Board(Box::new(sheet)), &envelope).unwrap();
                    black_box(app.composer.write(&draft.letter, &[]).unwrap());
                }
            });
        });
    }
    group.finish();
}

/// Two moves after which a box of dice is as empty as before, so that a game of them never ends.
fn endless_moves() -> [String; 2] {
    let game = REGISTRY.find("osbox").unwrap();
    let given: Vec<_> = ENDLESS.split_whitespace().filter_map(GivenOption::from_word).collect();
    let start = game.setup(&game.parse_options(&given, 2).unwrap(), 2, &Seed::default());
    let dice = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let empty = dice(&start.position());
    for first in start.legal_moves() {
        let mut one = start.clone();
        one.play(Turn::Move(&first)).unwrap();
        for second in one.legal_moves() {
            let mut both = one.clone();
            both.play(Turn::Move(&second)).unwrap();
            if dice(&both.position()) == empty {
                return [first, second];
            }
        }
    }
    panic!("no two dice close a knot");
}

const ENDLESS: &str = "-size=3 -any_side -thin_knots";

/// Plays the given number of moves and returns how long that took.
async fn play(app: &Arc<App>, board: u32, from: usize, moves: &[String; 2], count: usize) -> Duration {
    let users = {
        let name = BoardRef { game: "osbox".to_owned(), number: board };
        let board = view_board(app, &name, None).await.unwrap().board;
        [1, 2].map(|seat| board.userid_at(seat).to_owned())
    };
    let start = Instant::now();
    for ply in from..from + count {
        let (user, text) = (&users[ply % 2], &moves[ply % 2]);
        say(app, format!("osbox move {board} {user} {user}-secret {text}")).await;
    }
    start.elapsed()
}

/// A command that is committed to disk, mails included, in games of several lengths.
fn stored(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let app = runtime.block_on(open(folder.path()));
    let moves = endless_moves();
    let mut group = criterion.benchmark_group("move on SQLite");
    group.sample_size(10).measurement_time(Duration::from_secs(3)).throughput(Throughput::Elements(1));
    for (number, length) in [(101, 0), (102, 50), (103, 500)] {
        let mut made = length;
        runtime.block_on(async {
            say(&app, format!("osbox challenge {ENDLESS} ann bob")).await;
            play(&app, number, 0, &moves, length).await;
        });
        group.bench_function(BenchmarkId::new("after", length), |bencher| {
            bencher.iter_custom(|count| {
                let took = runtime.block_on(play(&app, number, made, &moves, count as usize));
                made += count as usize;
                took
            });
        });
        let name = BoardRef { game: "osbox".to_owned(), number };
        group.bench_function(BenchmarkId::new("view after", length), |bencher| {
            bencher.iter(|| runtime.block_on(view_board(&app, &name, None)).unwrap().board.entries.len());
        });
    }
    group.finish();
}

/// A password that was never seen, and one that was seen a moment ago.
/// A password typed at the place where it is always typed.
fn at_home(password: &str) -> Try<'_> {
    Try { password, place: "home", host: None }
}

fn credentials(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let app = runtime.block_on(open(folder.path()));
    let (user, password) = (UserKey(1), "ann-secret");
    let hash = runtime.block_on(app.credentials.hash(password)).unwrap();
    let mut group = criterion.benchmark_group("password");
    group.sample_size(20);
    group.bench_function("argon2", |bencher| {
        // A correct password would be cached after the first check.
        let check = || app.credentials.verify(Some((user, &hash)), at_home("not-anns-secret"), NOW);
        bencher.iter(|| assert!(!runtime.block_on(check()).unwrap()));
    });
    assert!(runtime.block_on(app.credentials.verify(Some((user, &hash)), at_home(password), NOW)).unwrap());
    group.bench_function("remembered", |bencher| {
        bencher
            .iter(|| assert!(app.credentials.has_verified(user, at_home(black_box(password)), &hash, NOW)));
    });
    group.finish();
}

criterion_group!(benches, text_to_mails, stored, credentials);
criterion_main!(benches);
