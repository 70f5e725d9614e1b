//! The same boards laid out in other ways.

use crate::play::{place, play_all, start};
use knotpost_rules::{Layout, Position, Viewer};

fn boards() -> Vec<(&'static str, Box<dyn Position>)> {
    let mut osbox = place("osbox", "", 2, "..a./be../..nb/..c. 1 0-0");
    play_all(osbox.as_mut(), "d2");
    let mut all = vec![("osbox", osbox)];
    for (game, moves) in [("osbo", 2), ("obsidio", 3), ("boxilies", 3)] {
        let mut board = start(game, "", 2);
        for _ in 0..moves {
            let mv = board.example_move().expect("a legal move");
            play_all(board.as_mut(), &mv);
        }
        all.push((game, board));
    }
    all
}

fn show(layout: Layout) -> String {
    let show = |(game, board): (&str, Box<dyn Position>)| {
        let view = board.view(Viewer::Spectator);
        format!("== {game}\n{}\n\n{}\n", view.lay_out(layout), view.legend_for(layout))
    };
    boards().into_iter().map(show).collect()
}

#[test]
fn wide_boards_stand_side_by_side() {
    insta::assert_snapshot!("wide", show(Layout::Wide));
}

#[test]
fn narrow_boards_keep_within_forty_columns() {
    let shown = show(Layout::Narrow);
    let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 40).collect();
    assert_eq!(wide, Vec::<&str>::new());
    insta::assert_snapshot!("narrow", shown);
}

#[test]
fn a_list_says_in_words_where_everything_lies() {
    let shown = show(Layout::List);
    assert!(!shown.contains("+--") && !shown.contains('#'), "nothing is drawn");
    insta::assert_snapshot!("list", shown);
}

#[test]
fn standard_boards_are_what_a_view_displays() {
    for (game, board) in boards() {
        let view = board.view(Viewer::Spectator);
        assert_eq!(view.lay_out(Layout::Standard), view.to_string(), "{game}");
        assert_eq!(view.legend_for(Layout::Standard), view.legend(), "{game}");
    }
}
