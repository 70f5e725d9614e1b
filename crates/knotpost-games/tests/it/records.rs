//! Game records survive the way through text.

use knotpost_rules::{Record, Seed, record::RecordMove};
use proptest::prelude::*;

const RECORD: &str = r#"[Game "osbox"]
[Board "123"]
[Options "-size=5"]
[Players "ann bob"]
[Mood "said \"fine\" \\o/"]
[Result "*"]

1. d2 2. f12 {well {played\}} 3. o5 {auto} 4. pass {auto} {and more}
"#;

#[test]
fn a_record_reads_and_prints_the_same() {
    let record: Record = RECORD.parse().unwrap();
    assert_eq!(record.to_string(), RECORD);
    assert_eq!(record.tag("Mood"), Some("said \"fine\" \\o/"));
    let texts: Vec<&str> = record.moves.iter().map(|mv| mv.text.as_str()).collect();
    assert_eq!(texts, ["d2", "f12", "o5", "pass"]);
    assert_eq!(record.moves[1].comment.as_deref(), Some("well {played}"));
    assert_eq!(record.moves.iter().map(|mv| mv.auto).collect::<Vec<_>>(), [false, false, true, true]);
}

#[test]
fn a_record_of_dice_carries_its_chance_and_what_nobody_knows() {
    let text = format!(
        "[Game \"osbo\"]\n[Seed \"{}\"]\n[Rolls \"cx bt st\"]\n[Round_2 \"\"]\n[Rolls \"again\"]\n[Result \"1,3\"]\n\n\
         1. k2e4,a1e6 2. pass {{auto}} 3. resign {{gone\\nfor good \\}} \\\\}}\n",
        Seed([0xab; 32])
    );
    let record: Record = text.parse().unwrap();
    assert_eq!(record.tag("Seed").unwrap().parse::<Seed>(), Ok(Seed([0xab; 32])));
    assert_eq!(record.tag("Rolls"), Some("cx bt st"));
    assert_eq!(record.tag("Round_2"), Some(""));
    assert_eq!(record.tag("Elo"), None);
    assert_eq!(record.moves[2].comment.as_deref(), Some("gone\nfor good } \\"));
    assert_eq!(record.to_string(), text);
}

#[test]
fn only_a_bare_word_is_the_mark_of_the_server() {
    let read = |text: &str| {
        let record: Record = text.parse().unwrap();
        assert_eq!(record.to_string().parse(), Ok(record.clone()), "{text}");
        (record.moves[0].auto, record.moves[0].comment.clone())
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(read("1. d2{auto}"), (true, None));
    assert_eq!(read("1. d2 {\\auto}"), (false, said("auto")));
    assert_eq!(read("1. d2 {auto }"), (false, said("auto ")));
    assert_eq!(read("1. d2 {auto} {auto}"), (true, said("auto")));
    assert_eq!(read("1. d2 {x} {auto}"), (false, said("x\nauto")));
    assert_eq!(read("1. d2 {}"), (false, said("")));
}

#[test]
fn tags_on_one_line_and_foreign_line_ends_are_read() {
    let record: Record = "\u{feff}[Game \"osbox\"]  [Board \"1\"]\r\n\r\n1. d2\r\n2. f9".parse().unwrap();
    assert_eq!((record.tags.len(), record.moves.len()), (2, 2));
    assert_eq!("".parse::<Record>().unwrap(), Record::default());
}

#[test]
fn broken_records_are_refused_with_a_reason() {
    let table = [
        ("[Game osbox]", "line 1 is not a tag like [Game \"osbox\"]"),
        ("[Game \"a\"]\n[x", "line 2 is not a tag like [Game \"osbox\"]"),
        ("1. d2 {open", "a comment is not closed"),
        ("{first} 1. d2", "a comment stands before the first move"),
        ("d2 f12", "`d2` stands where the number of a move should be"),
        ("1. d2 2.", "move 2 is missing"),
    ];
    for (text, reason) in table {
        assert_eq!(text.parse::<Record>().expect_err(text).to_string(), reason);
    }
}

prop_compose! {
    fn any_move()(number in 1u32..9999, text in "[a-z][a-z0-9:,]{0,9}", auto: bool, comment in prop::option::of("\\PC{0,30}|auto|a\nb"))
        -> RecordMove {
        RecordMove { number, text, auto, comment }
    }
}

proptest! {
    #[test]
    fn every_record_survives_a_round_trip(
        tags in prop::collection::vec(("[A-Z][a-z]{0,8}", "\\PC{0,30}|a\nb"), 0..6),
        moves in prop::collection::vec(any_move(), 0..20),
    ) {
        let record = Record { tags, moves };
        prop_assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
    }

    #[test]
    fn any_text_is_a_record_or_an_error(text in "\\PC{0,80}|[\\[\\]{}\"\\\\ a1.\n]{0,40}") {
        let _ = text.parse::<Record>();
    }
}
