//! Comparison with another engine, and what programs of authors ask.

use super::{play, play_typing};

const LINE: &str = r#"{"game":"hex","options":"-size=5","moves":["c3","4B"],"refused":["c3"],"position":"...../...../..x../.o.../..... 1","to_move":[1],"over":false}"#;

#[test]
fn lines_of_another_engine_are_compared_and_the_first_that_differs_is_named() {
    let ran = play_typing(&["--oracle", "/dev/stdin"], LINE);
    assert_eq!((ran.code, ran.output.as_str(), ran.errors.as_str()), (0, "1 lines agree\n", ""));
    let wrong = LINE.replace("[1]", "[2]");
    let ran = play_typing(&["--oracle=/dev/stdin"], &format!("{LINE}\n{wrong}\n"));
    assert_eq!((ran.code, ran.errors.as_str()), (1, "line 2, to_move: expected [2], got [1]\n"));
    assert_eq!(play("--oracle /no/such/file").code, 66);
}

#[test]
fn random_games_are_printed_as_such_lines() {
    for game in ["hex -size=5", "othello", "osbo", "osbox --players 3"] {
        let dumped = play(&format!("{game} --dump 3"));
        assert_eq!((dumped.code, dumped.output.lines().count()), (0, 3), "{game}: {}", dumped.errors);
        let ran = play_typing(&["--oracle", "/dev/stdin"], &dumped.output);
        assert_eq!((ran.code, ran.output.as_str()), (0, "3 lines agree\n"), "{game}: {}", ran.errors);
    }
}

#[test]
fn a_begun_move_goes_on_as_it_is_told() {
    let ran = play_typing(&["breakthrough", "-size=6", "--interactive", "--json"], "legal:e2\n");
    assert!(ran.output.contains(r#"{"legal":["e2-d3","e2-e3","e2-f3"],"words":[]}"#), "{}", ran.output);
    let ran = play_typing(&["osbo", "--interactive", "--json"], "legal:zz\n");
    assert!(ran.output.contains(r#"{"legal":[],"words":[]}"#), "{}", ran.output);
}
