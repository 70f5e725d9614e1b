//! Tests that every game has, from its data files alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use flate2::read::GzDecoder;
use knotpost_rules::oracle::check_lines;
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

mod oracle {
    use knotpost_rules::oracle::{Line, Oracle, play_out};
    use knotpost_rules::{GameOptions, Seed};

    #[test]
    fn our_own_games_agree_and_what_is_changed_in_them_does_not() {
        let registry = crate::registry();
        for game in registry.iter().filter(|game| game.meta().players.contains(&2)) {
            let options = GameOptions::defaults(game.meta().options);
            let line = play_out(game, &options, 2, &Seed([7; 32]), 3);
            let next = play_out(game, &options, 2, &Seed([7; 32]), 4);
            let check =
                |line: &Line| Oracle::new(&registry).check_text(&serde_json::to_string(line).unwrap());
            assert_eq!(check(&line), Ok(()), "{}", line.game);
            let legal = Some(vec!["zz".to_owned()]);
            let wrong = [
                ("legal", Line { legal, ..line.clone() }),
                ("over", Line { over: line.over.map(|over| !over), ..line.clone() }),
                ("position", Line { position: Some(String::new()), ..line.clone() }),
                ("to_move", Line { to_move: Some(vec![5]), ..line.clone() }),
                ("words", Line { words: Some(vec!["bid".to_owned()]), ..line.clone() }),
                ("winners", Line { winners: Some(vec![9]), ..line.clone() }),
                ("refused", Line { refused: Some(next.moves[3..].to_vec()), ..line.clone() }),
                ("moves", Line { moves: vec!["zz".to_owned()], ..line.clone() }),
            ];
            for (key, line) in wrong {
                assert_eq!(check(&line).map_err(|mismatch| mismatch.key), Err(key), "{}", line.game);
            }
        }
    }

    #[test]
    fn a_line_that_goes_on_is_compared_like_one_that_begins_anew() {
        let registry = crate::registry();
        let hex = registry.find("hex").unwrap();
        let whole = play_out(hex, &GameOptions::defaults(hex.meta().options), 2, &Seed([1; 32]), 99);
        let mut oracle = Oracle::new(&registry);
        for count in 0..=whole.moves.len() {
            let moves = whole.moves[..count].to_vec();
            let line =
                Line { game: "hex".to_owned(), options: String::new(), players: 2, moves, ..Line::default() };
            assert_eq!(oracle.check(line), Ok(()));
        }
        assert_eq!(oracle.check(whole), Ok(()));
    }
}
