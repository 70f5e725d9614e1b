//! Samples of new games: as they stand they compile and keep the promises; each board differs from them in a few words,
//! which are values here.

use super::{Board, Moves, Unfit, houses, place, shift, write};
use crate::tests::{draw_boards, write_page};
use knotpost_rules::{
    conformance::check_game,
    kit::{Grid, Place, Shift},
    view::Shape,
};

#[test]
fn the_samples_keep_the_promises_of_the_kit() {
    assert_eq!(check_game::<place::Sample>(1), Ok(()));
    assert_eq!(check_game::<shift::Sample>(1), Ok(()));
    assert_eq!(check_game::<houses::Sample>(2), Ok(()));
}

#[test]
fn the_samples_are_drawn_in_every_layout() {
    write_page::<place::Sample>();
    write_page::<shift::Sample>();
    write_page::<houses::Sample>();
    draw_boards::<place::Sample>("|\n-size=4|c3");
    draw_boards::<shift::Sample>("|\n-size=4|c1-c2 c4-c3");
    insta::assert_snapshot!("houses", draw_boards::<houses::Sample>("|\n|c d f a b"));
}

#[test]
fn a_name_that_cannot_be_a_game_is_refused() {
    for name in
        ["", "Zig", "1zig", "zig-zag", "zig_zag", "zigzagzigzags", "z\u{fc}g", "match", "self", "../x"]
    {
        assert!(write(name, Board::Square, None).is_err(), "{name}");
    }
    assert_eq!(write("match", Board::Hex, None), Err(Unfit::Word("match".to_owned())));
    assert_eq!(write("grid", Board::Hex, None), Err(Unfit::Word("grid".to_owned())));
    assert_eq!(write("zig", Board::Houses, Some(Moves::Shift)), Err(Unfit::Houses));
}

/// The stone or man goes to a cell that there is, on a board of this size.
fn check_turn(board: Board, size: u8, turn: &str) {
    let kind = board.describe();
    let across = usize::from(if kind.doubled { 2 * size - 1 } else { size });
    let grid = Grid::new(kind.shape, across, across, kind.names);
    let cells = turn.parse::<Shift>().map(|Shift { from, to }| vec![from, to]);
    let cells = cells.or_else(|_| turn.parse::<Place>().map(|place| vec![place])).expect(turn);
    assert!(cells.iter().all(|cell| grid.find(*cell).is_some()), "{board:?} {size}: {turn}");
}

#[test]
fn a_folder_is_made_for_each_board_and_nothing_of_the_sample_is_left() {
    for ((board, _), moves) in Board::ALL
        .into_iter()
        .flat_map(|board| [None, Some(Moves::Place), Some(Moves::Shift)].map(|moves| (board, moves)))
    {
        let Ok(files) = write("zig2", board, moves) else {
            assert!(board == Board::Houses && moves.is_some(), "{board:?}");
            continue;
        };
        let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        assert_eq!(paths, ["mod.rs", "help.txt", "tests/boards.txt"]);
        let kind = board.describe();
        let all: String = files.iter().map(|(_, text)| text.as_str()).collect();
        assert!(!all.to_lowercase().contains("sample"), "{all}");
        let wanted = [
            "pub type Zig2 = Play<".to_owned(),
            "name: \"zig2\",".to_owned(),
            format!("Grid::new(Shape::{:?}, ", kind.shape),
        ];
        assert!(wanted.iter().all(|words| all.contains(words)), "{all}");
        if kind.shape == Shape::Houses {
            continue;
        }
        assert!(all.contains(&format!("let names = {:?};", kind.names)), "{all}");
        let turns = if moves == Some(Moves::Shift) { kind.shifts } else { kind.places };
        for (size, turn) in [(kind.sizes[1], turns[0]), (kind.sizes[0], turns[1])] {
            for turn in turn {
                check_turn(board, size, turn);
            }
        }
    }
}
