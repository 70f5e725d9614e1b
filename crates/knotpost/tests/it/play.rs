//! `knotpost play` from outside: the program is run and its output read.

mod bots;
mod chance;
mod making;
mod oracle;
mod pictures;
mod turns;

use std::{
    io::Write,
    process::{Command, Stdio},
};

/// What a run left behind.
struct Ran {
    code: i32,
    output: String,
    errors: String,
}

/// Runs `knotpost play` with these words, typing `input`.
fn play_typing(words: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_knotpost"))
        .arg("play")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that ends before it has read everything is no fault of the test.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: done.status.code().expect("an exit code"),
        output: text(done.stdout),
        errors: text(done.stderr),
    }
}

fn play(line: &str) -> Ran {
    play_typing(&line.split_whitespace().collect::<Vec<_>>(), "")
}

#[test]
fn json_lines_have_the_promised_fields_in_order() {
    let ran = play("osbox -size=2 f1 o7 --json");
    let expected = [
        r#"{"ply":0,"seat":null,"move":null,"text":null,"gain":0,"scores":[0,0],"position":"../.. 1 0-0","to_move":[1],"over":false,"result":null}"#,
        r#"{"ply":1,"seat":1,"move":"f1","text":"f1","gain":0,"scores":[0,0],"position":"f./.. 2 0-0","to_move":[2],"over":false,"result":null}"#,
        r#"{"ply":2,"seat":2,"move":"o7","text":"o7","gain":0,"scores":[0,0],"position":"f./o. 1 0-0","to_move":[1],"over":false,"result":null}"#,
    ];
    assert_eq!(ran.output.lines().collect::<Vec<_>>(), expected);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
}

#[test]
fn a_finished_game_shows_its_result_and_the_seat_that_would_be_next() {
    let ran = play_typing(&["osbox", "--size=2", "--position", "e./ee 1 7-5", "e3", "--json", "--legal"], "");
    let lines: Vec<&str> = ran.output.lines().collect();
    assert!(lines[1].ends_with(
        r#""position":"ee/ee 2 7-5","to_move":[],"over":true,"result":{"winners":[1],"tie":false,"reason":"score","placings":[1,2]}}"#
    ));
    assert_eq!(lines[2], r#"{"legal":[],"words":[]}"#);
    let tie = play_typing(&["osbox", "-size=2", "--position=ee/ee 1 5-5", "--json"], "").output;
    assert!(tie.contains(r#""result":{"winners":[1,2],"tie":true,"reason":"score","placings":[1,1]}"#));
}

#[test]
fn the_board_is_printed_for_people() {
    let ran = play_typing(&["osbox", "--position", "..a./be../..nb/..c. 1 0-0", "d2"], "");
    insta::assert_snapshot!("play_board", ran.output);
    assert_eq!(ran.code, 0);
}

#[test]
fn boards_are_printed_in_the_layout_that_is_asked_for() {
    let line = |layout: &str| play(&format!("boxilies {layout} 1a:b2")).output;
    assert!(line("").contains("+---------+"));
    assert_eq!(line("--layout=standard"), line(""));
    let words = line("--layout=list");
    assert!(words.contains("The board: 3 rows by 3 columns.") && !words.contains("+--"), "{words}");
    let narrow: [&[&str]; 6] = [
        &["boxilies", "1a:b2"],
        &["boxilies", "--position", ".,14j0,./12c1,.,21a0/.,.,. 2a,3b,5n|2a,3b,5n 2", "3b:b2:3"],
        &["osbox", "--position", "..a./be../..nb/..c. 1 0-0", "d2"],
        &["osbox", "-size=2", "--position", "ee/ee 2 7-5"],
        &["osbo", "-size=3"],
        &["obsidio", "-size=5", "c3", "--legal"],
    ];
    for words in narrow {
        let ran = play_typing(&[words, &["--layout=narrow"]].concat(), "");
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.errors);
        // A position is copied as it is.
        let mut lines = ran.output.lines().filter(|line| !line.starts_with("Position: "));
        assert!(lines.all(|line| line.chars().count() <= 40), "{}", ran.output);
    }
    let ran = play("osbox --layout=tall");
    assert_eq!((ran.code, ran.errors.as_str()), (65, "--layout is one of: standard, wide, narrow, list\n"));
}

#[test]
fn what_the_last_move_earned_is_told() {
    let ran = play_typing(&["osbox", "--position", "..a./be../..nb/..c. 1 0-0", "d2"], "");
    assert!(ran.output.contains("\nHorz closes a knot of "), "{}", ran.output);
}

#[test]
fn options_may_have_one_dash_or_two_and_stand_anywhere() {
    let plain = play("osbox -size=3 -no_capture f1 f7");
    assert_eq!(plain.code, 0, "{}", plain.errors);
    for line in ["osbox f1 --size=3 f7 --no_capture", "-no --size=3 OSBOX f1 F:7", "--no_c osbox f1 -si=3 f7"]
    {
        assert_eq!(play(line).output, plain.output, "{line}");
    }
}

#[test]
fn an_illegal_move_ends_with_sixty_five_and_names_the_rule() {
    let ran = play("osbox -size=2 o1 f9 o2");
    assert_eq!((ran.code, ran.output.as_str()), (65, ""));
    let message = "move 2, `f9`: there is no entry 9: this board has entries 1 to 8; legal are a5, a6, a7, a8, b5 and 55 more";
    assert_eq!(ran.errors, format!("{message}\n"));
    let ran = play("osbox -size=2 o1 f9 o2 --json");
    let last = ran.output.lines().last().expect("lines");
    assert_eq!(last, format!(r#"{{"error":{{"code":"illegal_move","message":"{message}"}}}}"#));
    assert_eq!((ran.code, ran.output.lines().count(), ran.errors.as_str()), (65, 3, ""));
}

#[test]
fn wrong_lines_are_refused_with_a_code() {
    let table = [
        ("shogi", 65, "unknown_game"),
        ("osbox -depth=3", 65, "bad_option"),
        ("osbox -size=4 -size=4", 65, "bad_option"),
        ("osbox --players 5", 65, "player_count"),
        ("osbox --players=two", 65, "bad_value"),
        ("osbox --position ../..", 65, "bad_value"),
        ("osbox --seed 12", 65, "bad_value"),
        ("osbox --record /does/not/exist", 66, "bad_value"),
        ("osbox --seed", 64, "wrong_arguments"),
        ("-size=4", 64, "wrong_arguments"),
        ("osbox pass", 65, "illegal_move"),
        ("osbox --", 65, "illegal_move"),
        ("osbox swap", 65, "illegal_move"),
        ("osbox resign f1", 65, "game_over"),
    ];
    for (line, code, word) in table {
        let ran = play(&format!("--json {line}"));
        let last = ran.output.lines().last().expect("an answer");
        assert_eq!(ran.code, code, "{line}");
        assert!(last.starts_with(&format!(r#"{{"error":{{"code":"{word}""#)), "{line}: {last}");
        let ran = play(line);
        assert_eq!((ran.code, ran.errors.lines().count(), ran.output.as_str()), (code, 1, ""), "{line}");
    }
}

#[test]
fn legal_turns_are_sorted_by_bytes() {
    let ran = play("osbox -size=3 --json --legal");
    let last = ran.output.lines().last().expect("lines");
    assert!(last.starts_with(r#"{"legal":["a1","a2","a3","a4","a5","a6","b1","#), "{last}");
    assert!(last.ends_with(r#""o5","o6"],"words":[]}"#), "{last}");
    assert!(play("osbox --legal").output.contains("120 legal turns:\na1 a2 a3 a4 a5 a6 a7 a8 b1"));
}

#[test]
fn a_resigned_seat_is_skipped_and_two_players_end_by_it() {
    let ran = play("osbox -size=2 --players 3 f1 resign f3 f2 --json");
    let seats: Vec<&str> =
        ran.output.lines().filter_map(|line| line.split(r#""to_move":"#).nth(1)?.get(1..2)).collect();
    assert_eq!(seats, ["1", "2", "3", "1", "3"]);
    let last = play("osbox resign --json").output;
    assert!(last.contains(r#""move":"resign","text":"Resign","gain":0"#));
    assert!(last.contains(r#""result":{"winners":[2],"tie":false,"reason":"resignation","placings":[2,1]}"#));
}

#[test]
fn a_record_is_replayed_with_its_own_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.txt");
    let record = "[Game \"osbox\"]\n[Options \"-size=2 -no_capture\"]\n[Players \"ann bob cleo\"]\n\n1. o1 2. o6 {hm}\n";
    std::fs::write(&file, record).expect("written");
    let file = file.to_str().expect("UTF-8");
    let ran = play_typing(&["osbox", "--record", file, "o3", "--json"], "");
    assert_eq!(ran.code, 65, "entry 3 is behind a full line: {}", ran.output);
    let ran = play_typing(&["osbox", "--record", file, "o4", "--json"], "");
    assert_eq!(ran.code, 0, "{}", ran.output);
    assert!(
        ran.output.lines().last().expect("lines").contains(r#""position":"oo/.o 1 0-0-0""#),
        "{}",
        ran.output
    );
    assert_eq!(play_typing(&["osbox", "--record", file, "-size=3"], "").code, 64);
}

#[test]
fn a_hot_seat_game_goes_on_by_what_is_typed() {
    let ran = play_typing(&["osbox", "-size=2", "--interactive"], "o1 f7\nundo\nzz\nf9\nquit\no1\n");
    insta::assert_snapshot!("play_interactive", format!("{}\n--- errors\n{}", ran.output, ran.errors));
    assert_eq!(ran.code, 0);
    let ended = play_typing(&["osbox", "--interactive"], "");
    assert_eq!((ended.code, ended.errors.as_str()), (0, ""));
    let json = play_typing(&["osbox", "-size=2", "--interactive", "--json"], "o1\nlegal\nundo\nundo\n");
    let starts: Vec<&str> = json.output.lines().map(|line| line.get(..9).unwrap_or(line)).collect();
    assert_eq!(starts, [r#"{"ply":0,"#, r#"{"ply":1,"#, r#"{"legal":"#, r#"{"ply":0,"#, r#"{"error":"#]);
}

#[test]
fn help_is_given_on_request() {
    assert!(play("--help").output.starts_with("Usage: knotpost play GAME"));
    assert!(play("").output.starts_with("Usage: knotpost play GAME"));
    assert!(play("osbox --help-rules").output.starts_with("Osbox - push knot dice"));
}
