//! Turns of every kind of game on the command line: put together from parts, passed, swapped, resigned.

use super::{play, play_typing};

/// The last line of the output.
fn last(line: &str) -> String {
    play(&format!("{line} --json")).output.lines().last().expect("an answer").to_owned()
}

/// What a field of each line holds, as written.
fn field(output: &str, name: &str) -> Vec<String> {
    let value = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line.get(name).map(ToString::to_string)
    };
    output.lines().filter_map(value).collect()
}

#[test]
fn paths_stand_in_the_place_of_scores() {
    let ran = play("osbo -size=3 a2c4,d1b3 --json");
    let expected = r#"{"ply":1,"seat":1,"move":"a2c4,d1b3","text":"a2c4,d1b3","gain":0,"paths":[[],[]],"position":"b3:do;c4:a/o tx 2","to_move":[2],"over":false,"result":null}"#;
    assert_eq!(ran.output.lines().last(), Some(expected));
    let ran = play_typing(&["osbo", "-size=3", "--position", "b3:df;c3:a/c tx 1", "b1d3", "--json"], "");
    let last = ran.output.lines().last().expect("lines");
    assert!(last.contains(r#""paths":[[4],[2]],"position":"b3:dfb;c3:a/c - 2","to_move":[],"over":true"#));
    assert!(last.ends_with(r#"{"winners":[1],"tie":false,"reason":"score","placings":[1,2]}}"#), "{last}");
}

#[test]
fn turns_of_parts_are_listed_by_their_first_part_and_quota() {
    let parts = r#"["a1c4","a2c4","b1d3","b2d3","c1c2","c2c2","d1b3","d2b3"]"#;
    let expected = format!(r#"{{"legal":{parts},"words":[],"dice":2,"designs":2}}"#);
    assert_eq!(last("osbo -size=3 --legal"), expected);
    let text = play("osbo -size=3 --legal").output;
    assert!(text.contains("\nFirst to move. The roll is tt.\n"), "{text}");
    assert!(text.ends_with(
        "\n8 ways to begin a turn (dice 2, designs 2):\na1c4 a2c4 b1d3 b2d3 c1c2 c2c2 d1b3 d2b3\n"
    ));
    let none = r#"{"legal":[],"words":[],"dice":0,"designs":0}"#;
    assert_eq!(last("osbo -size=3 resign --legal"), none, "nothing is legal when the game is over");
}

#[test]
fn a_forced_pass_is_a_word_that_is_given() {
    let ran =
        play_typing(&["osbo", "-size=3", "--position=b3:df;c3:a/c xx 1", "--json", "--legal", "pass"], "");
    assert!(ran.output.contains(r#""seat":1,"move":"pass","text":"pass","gain":0"#), "{}", ran.output);
    let words = play_typing(&["osbo", "-size=3", "--position=b3:df;c3:a/c xx 1", "--json", "--legal"], "");
    let expected = r#"{"legal":[],"words":["pass"],"dice":0,"designs":0}"#;
    assert_eq!(words.output.lines().last(), Some(expected));
    let ran = play_typing(&["osbo", "-size=3", "--position=b3:df;c3:a/c xx 1", "b1d3"], "");
    let message = "move 1, `b1d3`: b1d3 needs a tip, and the dice left of this roll are crossing, crossing; only pass is legal\n";
    assert_eq!((ran.code, ran.errors.as_str()), (65, message));
}

#[test]
fn refusals_offer_a_whole_turn_where_turns_have_parts() {
    let ran = play("osbo -size=3 pass");
    let message = "move 1, `pass`: a die can be placed: passing is only for turns in which none can; a1c4,a2c4 is legal, for example\n";
    assert_eq!((ran.code, ran.errors.as_str()), (65, message));
    assert_eq!(play("osbo -size=3 a1c4,a2c4").code, 0, "the example is legal");
    assert!(play("osbo zzz").errors.ends_with("is legal, for example\n"));
}

#[test]
fn after_a_swap_seats_stay_colours() {
    let ran = play("obsidio -size=5 c3 swap --json --legal");
    assert_eq!(field(&ran.output, "seat"), ["null", "1", "2"]);
    assert_eq!(field(&ran.output, "move")[2], r#""swap""#);
    assert_eq!(field(&ran.output, "to_move"), ["[1]", "[2]", "[2]"]);
    assert!(ran.output.lines().last().expect("lines").ends_with(r#""words":[]}"#));
    assert!(last("obsidio -size=5 c3 --legal").ends_with(r#""words":["swap"]}"#));
    let resigned = last("obsidio -size=5 c3 swap resign");
    assert!(resigned.contains(r#""seat":2,"move":"resign""#) && resigned.contains(r#""winners":[1]"#));
    assert!(last("obsidio -size=5 c3 c2 swap").starts_with(r#"{"error":{"code":"illegal_move""#));
}

#[test]
fn the_last_of_several_may_play_on_until_resigning_too() {
    let line = "osbo -size=3 --players 3 resign resign k1c4,j2c4";
    let alone = play(&format!("{line} --json")).output;
    assert_eq!(field(&alone, "to_move"), ["[1]", "[2]", "[3]", "[3]"], "{alone}");
    assert!(!alone.contains(r#""over":true"#));
    let ended = last(&format!("{line} forfeit"));
    let expected = r#""to_move":[],"over":true,"result":{"winners":[3],"tie":false,"reason":"score","placings":[2,2,1]}}"#;
    assert!(ended.contains(r#""seat":3,"move":"forfeit","text":"Forfeit""#), "{ended}");
    assert!(ended.ends_with(expected), "{ended}");
    assert_eq!(play(&format!("{line} forfeit pass")).code, 65);
}

#[test]
fn others_end_with_the_last_but_one() {
    let osbo = last("osbo resign");
    assert!(osbo.contains(r#""position":"e5:o;e5:o - 2","to_move":[],"over":true"#), "{osbo}");
    assert!(osbo.contains(r#""winners":[2],"tie":false,"reason":"resignation""#), "{osbo}");
    let osbox = last("osbox --players 3 resign resign");
    assert!(osbox.contains(r#""winners":[3],"tie":false,"reason":"resignation""#), "{osbox}");
}
