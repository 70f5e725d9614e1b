//! Boards in words.

use crate::boards;
use knotpost_picture::describe;

#[test]
fn boards_are_read_row_by_row() {
    let readings: Vec<String> = boards::many()
        .into_iter()
        .filter(|(name, _)| !name.ends_with("largest") && !name.ends_with("late"))
        .map(|(name, view)| format!("{name}\n{}\n", describe(&view)))
        .collect();
    insta::assert_snapshot!("readings", readings.join("\n"));
}
