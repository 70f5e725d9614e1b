//! What a board mail costs from the board to its bytes: the text, the page, and both as a message; the picture is
//! measured by its own crate and here given, as it is when several people read the same board.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::{Arc, LazyLock};

use criterion::{Criterion, criterion_group, criterion_main};
use knotpost_core::app::App;
use knotpost_core::commands::execute;
use knotpost_core::config::Config;
use knotpost_core::gallery::Look;
use knotpost_core::identity::Origin;
use knotpost_core::queries::view_board;
use knotpost_core::replies::{Drawn, Envelope, MailForm, Reply};
use knotpost_core::requests::Request;
use knotpost_model::{BoardRef, Millis};
use knotpost_platform::clock::{SystemClock, SystemEntropy};
use knotpost_program::server;
use knotpost_rules::Registry;
use mimalloc::MiMalloc;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]));

/// A server on a folder, and a board on it.
async fn board(folder: &std::path::Path) -> (Arc<App>, Reply) {
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
    let lines = [
        "signup ann ann-secret ann@ann.example",
        "signup bob bob-secret bob@bob.example",
        "osbox challenge -size=5 ann bob",
        "osbox move 101 ann ann-secret f1",
        "osbox move 101 bob bob-secret f11",
        "osbox move 101 ann ann-secret f2",
    ];
    for line in lines {
        let request = Request::of_line(line, "", Origin::operator(), &app.vocabulary);
        let failure = execute(&app, request).await.unwrap().failure;
        assert!(failure.is_none(), "{line}: {failure:?}");
    }
    let name = BoardRef { game: "osbox".to_owned(), number: 101 };
    let sheet = view_board(&app, &name, None).await.unwrap().sheet;
    (app, Reply::Board(Box::new(sheet)))
}

fn envelope(form: MailForm) -> Envelope {
    Envelope {
        recipient: "ann@ann.example".to_owned(),
        addressee: None,
        message_id: "knotpost.1@example.org".to_owned(),
        date: Millis(1_793_697_600_000),
        in_reply_to: None,
        is_answer: false,
        board: Some(BoardRef { game: "osbox".to_owned(), number: 101 }),
        unsubscribe: None,
        notices: Vec::new(),
        form,
        reply_to: None,
    }
}

fn mails(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (app, reply) = runtime.block_on(board(folder.path()));
    let mut group = criterion.benchmark_group("board mail");
    for (name, form) in [("text alone", MailForm::Text), ("text and page", MailForm::Both)] {
        let envelope = envelope(form);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let draft = app.composer.draft(black_box(&reply), &envelope).unwrap();
                app.composer.write(&draft.letter, &[]).unwrap()
            });
        });
    }
    let draft = app.composer.draft(&reply, &envelope(MailForm::Both)).unwrap();
    let mut pictures = Vec::new();
    for picture in draft.pictures {
        let png = runtime.block_on(app.gallery.draw(picture.view, Look::Mail)).unwrap();
        pictures.push(Drawn { content_id: picture.content_id, png });
    }
    group.bench_function("bytes with a picture", |bencher| {
        bencher.iter(|| app.composer.write(black_box(&draft.letter), &pictures).unwrap());
    });
    group.finish();
}

criterion_group!(benches, mails);
criterion_main!(benches);
