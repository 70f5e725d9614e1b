//! Samples of new games, which `knotpost new-game` writes with an author's name and board: as they stand they compile,
//! keep the promises, and a stone can be placed. Nobody wins.

pub mod houses;
pub mod place;
pub mod shift;

use crate::tests::{draw_boards, write_page};
use knotpost_rules::conformance::check_game;

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
