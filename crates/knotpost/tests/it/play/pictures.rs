//! Pictures written by `knotpost play`.

use super::{Ran, play_typing};
use std::{fs, path::Path};

/// Runs a game with both pictures going into the folder.
fn draw(folder: &Path, words: &[&str], input: &str) -> Ran {
    let file = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let (svg, png) = (file("board.svg"), file("board.png"));
    let pictures = ["--svg", svg.as_str(), "--png", png.as_str()];
    play_typing(&[words, &pictures[..]].concat(), input)
}

#[test]
fn pictures_of_the_last_position_are_written_beside_the_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = draw(folder.path(), &["osbox", "-size=2", "f1", "o7"], "");
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
    assert!(ran.output.contains("Position: f./o. 1 0-0"));
    let svg = fs::read_to_string(folder.path().join("board.svg")).expect("an SVG file");
    assert!(svg.contains("<title>Osbox board after move 2</title>"));
    assert!(svg.contains("1 die f"));
    let png = fs::read(folder.path().join("board.png")).expect("a PNG file");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn hot_seat_game_is_drawn_when_it_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = draw(folder.path(), &["osbox", "-size=2", "--interactive"], "f1\no7\nundo\nquit\n");
    assert_eq!(ran.code, 0);
    let svg = fs::read_to_string(folder.path().join("board.svg")).expect("an SVG file");
    assert!(svg.contains("<title>Osbox board after move 1</title>"));
}

#[test]
fn nothing_is_drawn_after_an_illegal_move() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(draw(folder.path(), &["osbox", "-size=2", "f5"], "").code, 65);
    assert!(!folder.path().join("board.svg").exists());
}

#[test]
fn picture_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = draw(&folder.path().join("absent"), &["osbox"], "");
    assert_eq!(ran.code, 74);
    assert!(ran.errors.contains("the picture cannot be written to"), "{}", ran.errors);
    assert!(ran.errors.contains("board.svg"), "{}", ran.errors);
}

#[test]
fn picture_flag_without_a_file_is_refused() {
    let ran = play_typing(&["osbox", "--png"], "");
    assert_eq!(ran.code, 64);
    assert!(ran.errors.contains("--png needs a value"), "{}", ran.errors);
}
