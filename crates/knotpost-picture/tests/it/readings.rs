//! Boards in words.

use crate::boards;
use knotpost_picture::{describe, summarize};
use knotpost_rules::Cast;

#[test]
fn boards_are_read_row_by_row() {
    let readings: Vec<String> = boards::many()
        .into_iter()
        .filter(|(name, _)| !name.ends_with("largest") && !name.ends_with("late"))
        .map(|(name, view)| format!("{name}\n{}\n", describe(&view)))
        .collect();
    insta::assert_snapshot!("readings", readings.join("\n"));
}

#[test]
fn a_summary_tells_the_turn_the_standing_and_the_last_move() {
    let view = boards::capture();
    let players = ["ann", "bob"].map(str::to_owned).to_vec();
    let cast = Cast { players, ..view.cast.clone() };
    assert_eq!(
        summarize(&view.with_cast(cast)),
        "It is bob's turn. Standing: Horz ann 8; Vert bob 0. Horz closes a knot of 8: +8. \
         The last die came in at 2. The board follows as text."
    );
}
