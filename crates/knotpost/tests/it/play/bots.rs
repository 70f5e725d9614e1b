//! `knotpost think` and `knotpost match` from outside.

use super::Ran;
use std::process::Command;

/// Runs the program with these words.
fn run(words: &[&str]) -> Ran {
    let done = Command::new(env!("CARGO_BIN_EXE_knotpost")).args(words).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: done.status.code().expect("an exit code"),
        output: text(done.stdout),
        errors: text(done.stderr),
    }
}

fn run_line(line: &str) -> Ran {
    run(&line.split_whitespace().collect::<Vec<_>>())
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn a_thought_has_the_promised_fields_in_order() {
    let ran = run(&["think", "osbox", "-size=2", "--position", "e./ee 1 7-5", "--level", "3", "--json"]);
    assert_eq!((ran.code, ran.errors.as_str()), (0, ""));
    let names = ["move", "level", "value", "proven", "line", "nodes", "depth", "ms", "cut", "version"];
    let places: Vec<usize> =
        names.iter().map(|name| ran.output.find(&format!("\"{name}\":")).expect("a field")).collect();
    assert!(places.is_sorted(), "{}", ran.output);
    let thought = json(&ran.output);
    assert_eq!(
        (&thought["level"], &thought["proven"], &thought["cut"]),
        (&3.into(), &true.into(), &false.into())
    );
    assert_eq!((&thought["value"][0], &thought["value"][1]), (&1.0.into(), &0.0.into()));
    assert_eq!(thought["line"][0], thought["move"]);
}

#[test]
fn a_thought_is_a_turn_that_play_takes() {
    for start in [
        "osbox -size=3 f1",
        "osbo -size=3",
        "obsidio -size=5 a1",
        "boxilies -deal=open",
        "osbox -size=2 --players 3",
    ] {
        let thought = json(&run_line(&format!("think {start} --nodes 100 --json")).output);
        assert_eq!((&thought["level"], &thought["version"]), (&serde_json::Value::Null, &"7".into()));
        let mv = thought["move"].as_str().expect("a text");
        let ran = run_line(&format!("play {start} {mv}"));
        assert_eq!(ran.code, 0, "{start} {mv}: {}", ran.errors);
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let ask = |seed: char| {
        let seed = seed.to_string().repeat(64);
        let mut thought =
            json(&run_line(&format!("think osbo -size=3 --seed {seed} --nodes 30 --json")).output);
        thought["ms"] = 0.into();
        thought
    };
    assert_eq!(ask('3'), ask('3'));
    assert_ne!(ask('3'), ask('4'));
}

#[test]
fn people_read_the_turn_first() {
    let ran = run(&["think", "osbox", "-size=2", "--position", "e./ee 1 7-5"]);
    let mut lines = ran.output.lines();
    let turn = lines.next().expect("a line");
    assert!(run(&["play", "osbox", "-size=2", "--position", "e./ee 1 7-5", turn]).code == 0, "{turn}");
    assert!(ran.output.contains("Value by seat: 100 %, 0 %, proven\n"), "{}", ran.output);
}

#[test]
fn a_ceiling_in_time_is_kept_and_told() {
    let thought = json(&run_line("think osbox -size=6 --time 1 --json").output);
    assert_eq!((&thought["cut"], &thought["level"]), (&true.into(), &serde_json::Value::Null));
}

#[test]
fn lines_that_cannot_be_answered_are_refused_with_a_code() {
    let table = [
        ("think osbox -size=2 resign", 65, "game_over"),
        ("think osbox -size=2 a9", 65, "illegal_move"),
        ("think shogi", 65, "unknown_game"),
        ("think --level 3", 64, "wrong_arguments"),
        ("think osbox --level", 64, "wrong_arguments"),
        ("think osbox --level 9", 65, "bad_value"),
        ("think osbox --nodes 0", 65, "bad_value"),
        ("think osbox --nodes 5 --level 2", 64, "wrong_arguments"),
        ("think osbox --legal", 64, "wrong_arguments"),
        ("think osbox --position ..", 65, "bad_value"),
        ("match osbox", 64, "wrong_arguments"),
        ("match osbox --seats 1,best", 65, "bad_value"),
        ("match osbox --seats 1", 65, "player_count"),
        ("match osbox --seats 1,2 --players 3", 65, "player_count"),
        ("match osbox --seats 1,2 --games x", 65, "bad_value"),
        ("match osbox a1 --seats 1,2", 64, "wrong_arguments"),
        ("match osbox --seats 1,2 --svg x", 64, "wrong_arguments"),
    ];
    for (line, code, word) in table {
        let (command, words) = line.split_once(' ').expect("a command and words");
        let ran = run_line(&format!("{command} --json {words}"));
        let last = ran.output.lines().last().unwrap_or_else(|| panic!("{line}: {}", ran.errors));
        assert_eq!(ran.code, code, "{line}: {last}");
        assert!(last.starts_with(&format!(r#"{{"error":{{"code":"{word}""#)), "{line}: {last}");
        let ran = run_line(line);
        assert_eq!((ran.code, ran.errors.lines().count(), ran.output.as_str()), (code, 1, ""), "{line}");
    }
    let over = run(&["think", "osbox", "-size=2", "--position", "ee/ee 1 5-5"]);
    assert_eq!((over.code, over.errors.as_str()), (65, "the game is over: there is nothing to do\n"));
    let over = run(&["match", "osbox", "-size=2", "--seats=1,2", "--position", "ee/ee 1 5-5"]);
    assert_eq!(over.code, 65);
}

#[test]
fn a_match_prints_each_game_and_what_they_add_up_to() {
    let ran = run_line("match osbox -size=3 --seats greedy,random --games 6 --random-plies 1 --json");
    let lines: Vec<serde_json::Value> = ran.output.lines().map(json).collect();
    assert_eq!((ran.code, lines.len()), (0, 7), "{}", ran.errors);
    let (games, last) = lines.split_at(6);
    for (game, number) in games.iter().zip(1..) {
        let seats = if number % 2 == 1 { ["greedy", "random"] } else { ["random", "greedy"] };
        assert_eq!((&game["game"], &game["seats"]), (&number.into(), &seats.as_slice().into()));
        let moves: Vec<&str> =
            game["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        let replayed = run_line(&format!("play osbox -size=3 --json {}", moves.join(" "))).output;
        let end = json(replayed.lines().last().expect("a line"));
        assert_eq!(end["result"], game["result"]);
    }
    let names: Vec<&String> = last[0].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 6);
    let points = |at: usize| last[0]["score"][at].as_f64().unwrap();
    assert!((points(0) + points(1) - 6.0).abs() < 1e-9, "{}", last[0]);
    assert!(ran.output.lines().last().unwrap().starts_with(r#"{"wins":["#));
}

#[test]
fn a_match_goes_on_where_its_file_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games");
    let line = "match boxilies --seats 1,greedy --random-plies 1 --json --games";
    let saved = format!("--resume {}", path.display());
    let whole = run_line(&format!("{line} 6")).output;
    let begun = run_line(&format!("{line} 2 {saved}"));
    assert_eq!((begun.code, begun.output.lines().count()), (0, 3), "{}", begun.errors);
    // A crash in the middle of a line.
    let mut text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text.lines().count(), 3, "{text}");
    text.push_str("{\"game\":3,\"mov");
    std::fs::write(&path, text).expect("it is written");
    assert_eq!(run_line(&format!("{line} 6 --threads 2 {saved}")).output, whole);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text.lines().count(), 7, "{text}");
    // Nothing is left to be played; and fewer games are the first ones.
    assert_eq!(run_line(&format!("{line} 6 {saved}")).output, whole);
    assert_eq!(run_line(&format!("{line} 2 {saved}")).output, begun.output);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);

    let other = run_line(&format!("match boxilies --seats 2,greedy --random-plies 1 {saved}"));
    assert_eq!((other.code, other.output.as_str()), (65, ""));
    assert!(other.errors.contains("no games of this match"), "{}", other.errors);
    std::fs::write(&path, text.replace("\"game\":2", "\"game\":5")).expect("it is written");
    let wrong = run_line(&format!("{line} 6 {saved}").replace("--json", ""));
    assert_eq!((wrong.code, wrong.errors.contains("line 3")), (65, true), "{}", wrong.errors);
    std::fs::write(&path, "a letter").expect("it is written");
    assert_eq!(run_line(&format!("{line} 6 {saved}")).code, 65);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "a letter");
    assert_eq!(run_line(&format!("{line} 6 --resume {}/none/games", folder.path().display())).code, 66);
}

#[test]
fn threads_do_not_change_a_match() {
    let line = "match boxilies --seats 1,greedy --games 5 --json";
    let one = run_line(line).output;
    assert_eq!(run_line(&format!("{line} --threads 3")).output, one);
    let text = run_line("match boxilies --seats 1,greedy").output;
    assert!(text.starts_with("1. 1 greedy: placings ") && text.contains(" Elo above the others ("), "{text}");
}

#[test]
fn a_number_of_players_that_cannot_be_is_refused_with_those_that_can() {
    for (words, told) in [
        ("play osbox --players x", "--players takes a number from 2 to 4, not `x`"),
        ("think boxilies --players -1", "--players takes a number from 2 to 2, not `-1`"),
        (
            "match osbo --seats 1,2 --players 99999999999999999999",
            "--players takes a number from 2 to 4, not `99999999999999999999`",
        ),
    ] {
        let ran = run_line(words);
        assert_eq!(ran.code, 65, "{words}: {}", ran.errors);
        assert!(ran.errors.contains(told), "{words}: {}", ran.errors);
    }
}

#[test]
fn a_start_is_the_same_for_every_game() {
    let ran = run(&[
        "match",
        "osbox",
        "-size=2",
        "--position",
        "e./ee 1 7-5",
        "--seats",
        "1,random",
        "--games",
        "4",
        "--json",
    ]);
    let first = ran.output.lines().next().expect("a line");
    assert_eq!(json(first)["result"]["winners"][0], 1, "{first}");
    assert_eq!(ran.code, 0);
}

#[test]
fn help_names_every_flag() {
    let think = run_line("think --help").output;
    let contest = run_line("match").output;
    assert!(["--level", "--nodes", "--time", "--json"].iter().all(|flag| think.contains(flag)), "{think}");
    assert!(
        ["--seats", "--games", "--threads", "--resume"].iter().all(|flag| contest.contains(flag)),
        "{contest}"
    );
    assert!((think + &contest).lines().all(|line| line.chars().count() <= 80));
}
