//! Boards as text, whole.

use crate::play::{place, play_all, start};
use knotpost_rules::Viewer;

const EXAMPLE: &str = "..a./be../..nb/..c. 1 0-0";

#[test]
fn worked_example_wins_eight_and_takes_five_dice() {
    let mut game = place("osbox", "", 2, EXAMPLE);
    assert_eq!(play_all(game.as_mut(), "d2"), [8]);
    assert_eq!(game.position(), "..../db../..../.... 2 8-0");
}

#[test]
fn worked_example_is_drawn_before_and_after() {
    let mut game = place("osbox", "", 2, EXAMPLE);
    insta::assert_snapshot!("example_before", game.view(Viewer::Spectator));
    play_all(game.as_mut(), "d2");
    let board = game.view(Viewer::Spectator).to_string();
    insta::assert_snapshot!("example_after", board);
    let frame: Vec<&str> = FRAME.lines().filter(|line| !line.is_empty()).collect();
    let at = board.lines().position(|line| line.contains(frame[0])).expect("a frame");
    for (drawn, expected) in board.lines().skip(at).zip(frame) {
        assert!(drawn.contains(expected), "`{drawn}` does not hold `{expected}`");
    }
}

const FRAME: &str = "
+-----+-----+-----+-----+
|                       |
|             ...       |
|             . .       |
+-----+-----+  .  +     +
|  ###|###  | . .       |
|  #  #  #  | . .       |
|  ###|###  | . .       |
+-----+-----+  .  +     +
|             . .. ...  |
|             .   .  .  |
|             . .. ...  |
+     +     +  .  +     +
|             . .       |
|             ...       |
|                       |
+-----+-----+-----+-----+
";

#[test]
fn every_face_is_drawn_by_its_letter() {
    insta::assert_snapshot!(
        "faces",
        place("osbox", "", 2, "abcd/efgh/ijkl/mno. 2 3-14").view(Viewer::Spectator)
    );
}

#[test]
fn sides_name_their_owners_and_unowned_sides_are_left_out() {
    let mut three = start("osbox", "-size=3", 3);
    play_all(three.as_mut(), "a2 b7");
    insta::assert_snapshot!("three_players", three.view(Viewer::Spectator));
    let mut four = start("osbox", "-size=2", 4);
    play_all(four.as_mut(), "o1 o5 o3 o8");
    insta::assert_snapshot!("four_players", four.view(Viewer::Spectator));
    let mut any = start("osbox", "-size=3 -any_side", 3);
    play_all(any.as_mut(), "o12");
    insta::assert_snapshot!("any_side", any.view(Viewer::Spectator));
}

#[test]
fn widest_board_keeps_two_figure_entries_in_line() {
    insta::assert_snapshot!("size_12", start("osbox", "-size=12", 2).view(Viewer::Spectator));
}

#[test]
fn legend_fits_a_mail() {
    let legend = start("osbox", "", 2).view(Viewer::Spectator).legend();
    assert!(legend.lines().all(|line| line.chars().count() <= 72));
    insta::assert_snapshot!("legend", legend);
}
