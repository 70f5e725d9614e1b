//! Report files, read and written.

use knotpost_tournaments::{
    Chances, Colour, Entry, KeptApart, Points, Record, random_tournament, read_trf, write_trf,
};
use proptest::prelude::*;

const SMALL: &str = "012 Club\n\
    001    1      ann                               1700                             2.0    1     2 w 1     3 b +  0000 - H\n\
    001    2      bob                               1600                             1.0    2     1 b 0  0000 - U\n\
    001    3      eve                               1500                             0.0    3  0000 - Z     1 w -  0000 - F\n";

#[test]
fn a_file_says_what_everybody_did() {
    let record = read_trf(SMALL).unwrap();
    assert_eq!(record.title, "Club");
    assert_eq!(record.players[0].name, "ann");
    assert_eq!(record.players[1].rating, 1600);
    assert_eq!(record.points_before(0, 3).to_string(), "2.5");
    assert_eq!(record.players[1].entries[1], Entry::PairingBye);
    assert!(record.players[0].entries[1].is_paired() && record.players[0].entries[1].met().is_none());
    assert_eq!(record.players[2].entries[2], Entry::FullBye);
}

#[test]
fn every_kind_of_line_end_is_read() {
    let record = read_trf(SMALL).unwrap();
    assert_eq!(read_trf(&SMALL.replace('\n', "\r")).unwrap(), record);
    assert_eq!(read_trf(&SMALL.replace('\n', "\r\n")).unwrap(), record);
}

#[test]
fn both_sets_of_header_lines_are_understood() {
    let old = format!("XXR 5\nXXC rank black1\nXXP 1 3\nBBW  3.0\nBBD  1.0\nBBU  2.0\n{SMALL}");
    let new = format!(
        "142 5\n152 B\n260          1    3\n162 W 3.0    D 1.0    P 2.0\n192 FIDE_DUTCH_2026\n{SMALL}"
    );
    let record = read_trf(&old).unwrap();
    assert_eq!(read_trf(&new).unwrap(), record);
    assert_eq!(record.rounds, Some(5));
    assert_eq!(record.first_colour, Some(Colour::Black));
    assert_eq!(record.kept_apart, [KeptApart { players: vec![0, 2], rounds: None }]);
    assert_eq!(record.scoring.win, Points::from_tenths(30));
    assert_eq!(record.points_before(1, 3), Points::from_tenths(20));
}

#[test]
fn absences_of_the_next_round_can_stand_in_a_line_of_their_own() {
    let record = read_trf(&format!("{SMALL}240 H 003    2\n")).unwrap();
    assert_eq!(record.players[1].entries[2], Entry::HalfBye);
}

#[test]
fn a_bad_line_is_named() {
    for (text, line) in [
        ("012 x\n001 none\n", 2),
        ("XXR many\n", 1),
        ("152 green\n", 1),
        ("192 FIDE_DUBOV\n", 1),
        ("162 Q 1.0\n", 1),
        ("BBW\n", 1),
        ("BBW 400000000.0\n", 1),
        ("XXP 7\n", 1),
        ("240 Q 001 1\n", 1),
    ] {
        assert_eq!(read_trf(text).unwrap_err().line, line, "{text}");
    }
    let many: Vec<String> = (1..=1001).map(|number| format!("001 {number:>4}\n")).collect();
    assert_eq!(read_trf(&many.concat()).unwrap_err().line, 1001);
    let broken = |from: &str, to: &str| read_trf(&SMALL.replacen(from, to, 1)).unwrap_err().line;
    assert_eq!(broken("2 w 1", "9 w 1"), 2);
    assert_eq!(broken("2 w 1", "2 w ?"), 2);
    assert_eq!(broken("2 w 1", "2 - 1"), 2);
    assert_eq!(broken("2 w 1", "3 w 1"), 2, "the other does not say so");
    assert_eq!(broken("2 w 1", "1 w 1"), 2, "nobody meets themselves");
    assert_eq!(broken("0000 - U", "0000 - 1"), 3);
    assert_eq!(broken("001    2", "001    1"), 3);
}

fn check_written(record: &Record) {
    let text = write_trf(record);
    assert!(text.ends_with("\r\n"));
    assert_eq!(&read_trf(&text).unwrap(), record);
}

proptest! {
    #[test]
    fn a_written_file_says_the_same_when_it_is_read(
        players in 2_usize..40, rounds in 1_usize..7, seed: u64, forfeits in 0_u32..30, byes in 0_u32..30,
    ) {
        check_written(&random_tournament(players, rounds, seed, Chances { draws: 30, forfeits, byes }));
    }

    #[test]
    fn no_text_is_too_strange_to_be_read(text in "(001|240|260|162|XXP|[0-9X]{3})[ -~\r\n]{0,200}") {
        let _ = read_trf(&text);
    }
}

#[test]
fn points_and_groups_that_are_not_usual_are_written() {
    let mut record = random_tournament(8, 3, 1, Chances::default());
    record.kept_apart = vec![
        KeptApart { players: vec![0, 5], rounds: None },
        KeptApart { players: vec![1, 2, 7], rounds: Some(1..=2) },
    ];
    record.scoring.win = Points::from_tenths(30);
    check_written(&record);
    record.scoring.forfeit_loss = Points::from_tenths(5);
    check_written(&record);
}

#[test]
fn the_columns_are_those_of_the_format() {
    let record = random_tournament(4, 1, 3, Chances { draws: 0, forfeits: 0, byes: 0 });
    let text = write_trf(&record);
    let line = text.lines().find(|line| line.starts_with("001")).unwrap();
    assert_eq!(&line[4..8], "   1");
    assert_eq!(&line[14..21], "player1");
    assert_eq!(line[48..52].trim(), record.players[0].rating.to_string());
    assert_eq!(line[80..84].trim().len(), 3);
    assert_eq!(line.len(), 99);
    for header in ["XXR 1", "142 1", "192 FIDE_DUTCH"] {
        assert!(text.lines().any(|line| line == header), "{header}");
    }
    let colour = if record.first_colour == Some(Colour::White) {
        ["XXC white1", "152 W"]
    } else {
        ["XXC black1", "152 B"]
    };
    assert!(colour.iter().all(|header| text.lines().any(|line| &line == header)));
}
