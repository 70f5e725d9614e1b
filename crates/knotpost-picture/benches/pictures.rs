//! Boards as SVG and as PNG, and beside the PNG what resvg alone needs for the same SVG: parsing, drawing, encoding.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, criterion_group, criterion_main};
use knotpost_picture::{Faces, MAIL_WIDTH, PictureOptions, png, svg};
use knotpost_rules::{GivenOption, Seed, View, Viewer};
use resvg::{tiny_skia, usvg};
use std::hint::black_box;

/// Name, game, options, players, position.
type Case = (&'static str, &'static str, &'static str, usize, &'static str);

const BOARDS: [Case; 6] = [
    ("osbox 4x4", "osbox", "-size=4", 2, "jkg./nol./imh./...a 1 12-4"),
    ("osbox 8x8", "osbox", "-size=8", 2, FULL),
    ("osbo 5x5", "osbo", "", 2, "e6:e/o/e/m;d6:jkg/nol/.e. bt 1"),
    ("osbo of four", "osbo", "-size=4", 4, "c4:jg/nl/ih;d4:o;c4:jkg/imh;d5:a/o cstx 1"),
    ("obsidio 9x9", "obsidio", "-size=9", 2, ""),
    ("boxilies", "boxilies", "", 2, ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n 2"),
];

const FULL: &str = "jkkkkkkg/nooooool/nooooool/nooooool/nooooool/nooooool/nooooool/immmmmm. 1 0-0";

fn view((_, game, options, players, position): Case) -> View {
    let registry = knotpost_games::registry();
    let game = registry.find(game).unwrap();
    let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
    let (options, seed) = (game.parse_options(&given, players).unwrap(), Seed::default());
    let board = match position {
        "" => game.setup(&options, players, &seed),
        _ => game.parse_position(&options, players, &seed, position).unwrap(),
    };
    board.view(Viewer::Spectator)
}

fn render(text: &str) -> Vec<u8> {
    let tree = usvg::Tree::from_str(text, &usvg::Options::default()).unwrap();
    let size = tree.size().to_int_size();
    let mut pixmap = tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixmap.as_mut());
    pixmap.encode_png().unwrap()
}

fn pictures(criterion: &mut Criterion) {
    let options = PictureOptions::default();
    let mail = PictureOptions { width_px: MAIL_WIDTH, faces: Faces::Explained, ..PictureOptions::default() };
    for board in BOARDS {
        let view = view(board);
        let text = svg(&view, &options);
        let mut group = criterion.benchmark_group(board.0);
        group.bench_function("text", |bencher| bencher.iter(|| black_box(&view).to_string()));
        group.bench_function("svg", |bencher| bencher.iter(|| svg(black_box(&view), &options)));
        group.bench_function("png", |bencher| bencher.iter(|| png(black_box(&view), &options)));
        group.bench_function("png of a mail", |bencher| bencher.iter(|| png(black_box(&view), &mail)));
        group.bench_function("resvg", |bencher| bencher.iter(|| render(black_box(&text))));
        group.finish();
    }
}

criterion_group!(benches, pictures);
criterion_main!(benches);
