//! Boards and the help page as text, whole.

use crate::play::{place, play_all, start};
use knotpost_rules::Viewer;

#[test]
fn a_fresh_board_shows_both_hands() {
    insta::assert_snapshot!("start", start("boxilies", "", 2).view(Viewer::Spectator));
}

#[test]
fn stones_show_arrows_name_owner_and_which_came_last() {
    let mut game = place("boxilies", "", 2, ".,14j0,./12c1,.,21a0/.,.,. 3b|2a,3b 2");
    insta::assert_snapshot!("before", game.view(Viewer::Spectator));
    play_all(game.as_mut(), "3b:b2:3");
    insta::assert_snapshot!("after", game.view(Viewer::Spectator));
}

#[test]
fn a_finished_board_shows_the_stone_left_over() {
    let mut game = start("boxilies", "-hand=4j,4j,4j,4j,4j", 2);
    play_all(game.as_mut(), "4j:a1 4j:a2 4j:a3 4j:b1 4j:b2 4j:b3 4j:c1 4j:c2 4j:c3");
    insta::assert_snapshot!("finished", game.view(Viewer::Spectator));
    insta::assert_snapshot!("finished_legend", game.view(Viewer::Spectator).legend());
}

#[test]
fn boards_and_legend_fit_a_mail() {
    let view = start("boxilies", "-hand=5n,5n,5n,5n,5n", 2).view(Viewer::Spectator);
    assert!(view.to_string().lines().all(|line| line.chars().count() <= 72));
    insta::assert_snapshot!("legend", view.legend());
}

#[test]
fn help_page_says_all_there_is() {
    insta::assert_snapshot!("help", knotpost_games::registry().find("boxilies").unwrap().help());
}
