//! Whole games on record: played again, and judged again by the slow model.

use crate::{
    play::start,
    slow::{self, SlowBoard, SlowRules},
};
use knotpost_rules::{Position, Record, Turn};

const GAMES: [&str; 4] = [
    include_str!("../data/osbox_1.txt"),
    include_str!("../data/osbox_2.txt"),
    include_str!("../data/osbox_3.txt"),
    include_str!("../data/osbox_4.txt"),
];

/// Plays a record through the engine and the slow model; gives the position it ends in.
fn replay(record: &Record) -> Box<dyn Position> {
    let options = record.tag("Options").unwrap();
    let players = record.tag("Players").unwrap().split(' ').count();
    let mut game = start("osbox", options, players);
    let rules = SlowRules {
        capture: !options.contains("no_capture"),
        thin: options.contains("thin_knots"),
        by_dice: options.contains("score=dice"),
    };
    let mut board = SlowBoard::read(game.position().split(' ').next().unwrap());
    for mv in &record.moves {
        let played =
            game.play(Turn::from_word(&mv.text)).unwrap_or_else(|error| panic!("{}: {error}", mv.number));
        let (letter, entry) = mv.text.split_at(1);
        let gain = slow::play(&mut board, rules, letter.chars().next().unwrap(), entry.parse().unwrap());
        assert_eq!(gain, Some(played.gain), "move {}", mv.number);
        assert_eq!(game.position().split(' ').next(), Some(board.write().as_str()), "move {}", mv.number);
    }
    game
}

#[test]
fn recorded_games_end_as_they_did() {
    for text in GAMES {
        let record: Record = text.parse().unwrap();
        let game = replay(&record);
        assert_eq!(Some(game.position().as_str()), record.tag("Position"));
        assert_eq!(Some(format!("score {}", game.scores()).as_str()), record.tag("Termination"));
        let winners: Vec<String> =
            game.result_by_scores().winners().iter().map(ToString::to_string).collect();
        assert_eq!(Some(winners.join(",").as_str()), record.tag("Result"));
        assert!(game.status().is_over());
        assert_eq!(record.to_string(), text);
    }
}

/// Writes the games above anew; run it by hand after a change of the rules and read what it wrote.
#[test]
#[ignore = "writes test data"]
fn write_recorded_games() {
    let boards = [
        ("", 2),
        ("-size=3 -no_capture", 2),
        ("-size=5 -thin_knots -score=dice", 4),
        ("-size=4 -any_side", 3),
    ];
    for (number, (options, players)) in (1..).zip(boards) {
        let mut game = start("osbox", options, players);
        let mut chance = number as u64 * 7919;
        let mut record = Record::default();
        while !game.status().is_over() {
            let moves = game.legal_moves();
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let text = moves[(chance >> 33) as usize % moves.len()].clone();
            game.play(Turn::Move(&text)).unwrap();
            let number = record.moves.len() as u32 + 1;
            record.moves.push(knotpost_rules::record::RecordMove {
                number,
                text,
                auto: false,
                comment: None,
            });
        }
        let winners: Vec<String> =
            game.result_by_scores().winners().iter().map(ToString::to_string).collect();
        let tags = [
            ("Game", "osbox".to_owned()),
            ("Options", options.to_owned()),
            ("Players", ["ann", "bob", "cleo", "dan"][..players].join(" ")),
            ("Result", winners.join(",")),
            ("Termination", format!("score {}", game.scores())),
            ("Position", game.position()),
        ];
        record.tags = tags.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let path = format!("{}/tests/data/osbox_{number}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, record.to_string()).unwrap();
    }
}
