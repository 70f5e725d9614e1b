//! Tests that every game has, from its data files alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::oracle::check_lines;
use flate2::read::GzDecoder;
use knotpost_rules::{AnyGame, GivenOption, Kind, Layout, Seed, Show, Turn, Viewer};
use std::io::{BufRead as _, BufReader};

/// The tests of a game in the folder of the file that calls this: `tests/boards.txt` has lines of options and moves,
/// divided by `|`, whose boards are snapshots; `tests/golden.jsonl.gz` has what its second engine says.
macro_rules! game_tests {
    ($game:ty, $name:literal) => {
        #[test]
        fn its_second_engine_agrees() {
            crate::tests::check_golden($name, include_bytes!("tests/golden.jsonl.gz"));
        }

        #[test]
        fn its_boards_and_its_page_are_as_they_were_looked_at() {
            insta::assert_snapshot!(
                "boards",
                crate::tests::draw_boards::<$game>(include_str!("tests/boards.txt"))
            );
            insta::assert_snapshot!("help", crate::tests::write_page::<$game>());
        }
    };
}

pub(crate) use game_tests;

/// Columns of a mail.
const WIDTH: usize = 72;

/// Each line of the file in each layout.
pub(crate) fn draw_boards<G: Show>(lines: &str) -> String {
    let mut drawn = String::new();
    for line in lines.lines() {
        let (options, moves) = line.split_once('|').expect("options | moves");
        let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
        let game: &dyn AnyGame = &Kind::<G>::default();
        let options = game.parse_options(&given, 2).unwrap();
        let mut position = game.setup(&options, 2, &Seed::default());
        for turn in moves.split_whitespace() {
            position.play(Turn::from_word(turn)).unwrap_or_else(|error| panic!("{turn}: {error}"));
        }
        drawn.extend(["== ", line, "\n", &position.position(), "\n"]);
        let view = position.view(Viewer::Spectator);
        let mut signs = Vec::new();
        for (layout, word) in Layout::ALL {
            let board = view.lay_out(layout);
            assert!(board.lines().all(|line| line.chars().count() <= WIDTH), "{board}");
            if layout != Layout::List {
                signs.push(count_signs(&board));
            }
            if layout != Layout::Wide || board != view.to_string() {
                drawn.extend(["-- ", word, "\n", &board, "\n\n", &view.legend_for(layout), "\n"]);
            }
        }
        assert!(signs.windows(2).all(|pair| pair[0] == pair[1]), "a layout has lost a cell: {signs:?}");
    }
    drawn
}

/// The count of each sign of a cell, in the framed lines.
fn count_signs(board: &str) -> [usize; 3] {
    let framed = board.lines().filter(|line| line.contains(['|', '/', '\\']));
    let cells: Vec<&str> = framed.map(|line| line.trim_matches(|sign| !"|/\\".contains(sign))).collect();
    ['.', 'x', 'o'].map(|sign| cells.iter().map(|line| line.matches(sign).count()).sum())
}

/// The help page, all of whose figures can be played.
pub(crate) fn write_page<G: Show>() -> String {
    let page = (G::META.help)().to_string();
    assert!(!page.lines().any(|line| line.starts_with('@')), "a figure has an illegal move: {page}");
    page
}

/// Compares each line of a compressed file.
pub(crate) fn check_golden(name: &str, compressed: &[u8]) {
    let lines = BufReader::new(GzDecoder::new(compressed)).lines().map(Result::unwrap);
    match check_lines(&crate::registry(), lines) {
        Ok(count) => assert!(count > 200, "{name} has {count} golden lines only"),
        Err((number, mismatch)) => panic!("{name}, line {number}: {mismatch}"),
    }
}
