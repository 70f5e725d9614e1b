//! `knotpost new-game` from outside: a folder that was not there, and what to do next.

use std::fs;
use std::process::{Command, Output};

fn make(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_knotpost"))
        .arg("new-game")
        .args(words)
        .output()
        .expect("the program starts")
}

#[test]
fn the_folder_of_a_new_game_is_made_and_what_to_do_next_is_told() {
    let place = tempfile::tempdir().unwrap();
    let into = format!("--into={}", place.path().display());
    let made = make(&["zigzag", "--board=triangle", &into]);
    let told = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{told}");
    for words in ["zigzag::Zigzag: default_bot(),", "play zigzag --interactive", "NOTICE"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let read = |file: &str| fs::read_to_string(place.path().join("zigzag").join(file)).unwrap();
    assert!(read("mod.rs").contains("Grid::new(Shape::Triangle, size, size, names)"));
    assert!(read("help.txt").contains("h8      a stone on h8"));
    assert_eq!(read("tests/boards.txt"), "|h8 g9\n-size=5|d4 c5\n");
    // It is the author's now.
    let again = make(&["zigzag", "--board=hex", &into]);
    assert!(!again.status.success() && read("mod.rs").contains("Shape::Triangle"));
}

#[test]
fn a_game_that_cannot_be_made_is_refused_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let into = format!("--into={}", place.path().display());
    for (words, code, reason) in [
        (["hex", "--board=hex", &into], 1, "there is a game `hex` already"),
        (["reversi", "--board=hex", &into], 1, "there is a game `othello` already"),
        (["Zig-Zag", "--board=hex", &into], 1, "cannot name a game"),
        (["match", "--board=hex", &into], 1, "take another one"),
        (["zigzag", "--board=round", &into], 2, "square, hex, triangle, hexagon, points, houses"),
        (["zigzag", "--board=hex", "--into=/nowhere/at/all"], 1, "/nowhere/at/all"),
    ] {
        let ended = make(&words);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code() == Some(code) && said.contains(reason), "{words:?}: {said}");
    }
    let houses = make(&["zigzag", "--board=houses", "--moves=shift", &into]);
    assert!(String::from_utf8(houses.stderr).unwrap().contains("leave out --moves"));
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}
