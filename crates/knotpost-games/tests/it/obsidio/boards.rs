//! Obsidio boards, legends and the help page, whole.

use crate::play::{place, play_all, start};
use knotpost_rules::Viewer;

/// The board and the legend below it, as a mail shows them.
fn show(game: &dyn knotpost_rules::Position) -> String {
    let view = game.view(Viewer::Spectator);
    format!("{view}\n\n{}", view.legend())
}

#[test]
fn the_start_shows_shades_and_targets() {
    insta::assert_snapshot!("start", show(start("obsidio", "", 2).as_ref()));
}

#[test]
fn the_last_token_is_pointed_at_and_what_it_sees_is_marked() {
    let mut game = start("obsidio", "", 2);
    play_all(game.as_mut(), "e5");
    insta::assert_snapshot!("answer", show(game.as_ref()));
    play_all(game.as_mut(), "e6,g8");
    insta::assert_snapshot!("pair", show(game.as_ref()));
}

#[test]
fn claims_are_offered_and_claimed_targets_are_capitals() {
    insta::assert_snapshot!(
        "claims",
        show(
            place("obsidio", "-size=7", 2, "......./.O.*.*./ooo..../.*.*.*./..xxx../.*x*x*./..x.... 1 a5")
                .as_ref()
        )
    );
}

#[test]
fn a_blind_token_a_forced_pass_and_the_end_are_told() {
    let blind = place("obsidio", "-size=5", 2, "...../.*.*./oo.../x*.*./xo... 1 a1");
    let stuck = place("obsidio", "-size=5", 2, "ooooo/o*o*o/ooooo/o*o*o/ooooo 1 a3");
    let over = place("obsidio", "-size=5", 2, "xxxxx/xX.X./xxx../xX.*./xxo.. 2 b2");
    let alone = place("obsidio", "-size=5", 2, "xxxxx/x*.*x/xxxxx/x*x*x/xxxxx 1 c1");
    let boards = [blind, stuck, over, alone].map(|game| show(game.as_ref()));
    insta::assert_snapshot!("special", boards.join("\n\n\n"));
}

#[test]
fn the_largest_board_keeps_two_figure_rows_in_line() {
    let mut game = start("obsidio", "-size=11", 2);
    play_all(game.as_mut(), "f5,h7 g7 c7");
    insta::assert_snapshot!("size_11", show(game.as_ref()));
}

#[test]
fn the_frame_stands_verbatim_in_every_line() {
    for size in [5, 7, 9, 11] {
        let board = start("obsidio", &format!("-size={size}"), 2).view(Viewer::Spectator).to_string();
        let rule = format!("+{}+", "-".repeat(2 * size + 1));
        assert_eq!(board.lines().filter(|line| line.contains(&rule)).count(), 2);
        assert_eq!(board.lines().filter(|line| line.contains("| . ,")).count(), size.div_ceil(2));
        assert!(board.lines().all(|line| line.chars().count() <= 72));
    }
}

#[test]
fn the_help_page_reads_as_on_record() {
    insta::assert_snapshot!("help", knotpost_games::registry().find("obsidio").unwrap().help());
}
