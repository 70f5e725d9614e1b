//! Osbo's boards and pages, whole.

use crate::play::{place, play_all, start};
use knotpost_rules::Viewer;

#[test]
fn designs_are_drawn_with_coordinates_and_stars_at_new_dice() {
    let mut game = place("osbo", "", 2, "e6:e/o/e/m;e5:o bt 1");
    insta::assert_snapshot!("two_designs", game.view(Viewer::Spectator));
    play_all(game.as_mut(), "k1e7,c2e4");
    insta::assert_snapshot!("two_designs_after", game.view(Viewer::Spectator));
}

#[test]
fn legend_tells_roll_and_duty() {
    let legend = place("osbo", "-size=3", 4, "c3:o;c3:o;c3:o;c3:o ccst 2").view(Viewer::Spectator).legend();
    insta::assert_snapshot!("legend_osbo", legend);
    let over = place("osbo", "-size=3", 2, "c3:jg/ih;c3:aa/ih - 2").view(Viewer::Spectator);
    insta::assert_snapshot!("over", format!("{over}\n{}", over.legend().lines().next().unwrap()));
}

#[test]
fn help_page_says_all_there_is() {
    insta::assert_snapshot!("help_osbo", knotpost_games::registry().find("osbo").unwrap().help());
}

#[test]
fn eight_columns_fit_a_mail() {
    let board = start("osbo", "-size=8", 4).view(Viewer::Spectator).to_string();
    assert!(board.lines().all(|line| line.chars().count() <= 72));
}
