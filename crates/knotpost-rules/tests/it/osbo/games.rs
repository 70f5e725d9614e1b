//! Whole games of Osbo on record, played again.

use crate::play::start;
use knotpost_rules::{Position, Record, Turn, record::RecordMove};

const GAMES: [&str; 3] = [
    include_str!("../../data/osbo_1.txt"),
    include_str!("../../data/osbo_2.txt"),
    include_str!("../../data/osbo_3.txt"),
];

fn finish(record: &mut Record, game: &dyn Position, rolls: &[String]) {
    let winners: Vec<String> = game.result_by_scores().winners().iter().map(ToString::to_string).collect();
    record.tags.extend(
        [
            ("Rolls", rolls.join(" ")),
            ("Result", winners.join(",")),
            ("Termination", format!("score {}", game.scores())),
            ("Position", game.position()),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
}

#[test]
fn recorded_games_end_as_they_did() {
    for text in GAMES {
        let record: Record = text.parse().unwrap();
        let players = record.tag("Players").unwrap().split(' ').count();
        let mut game = start("osbo", record.tag("Options").unwrap(), players);
        let mut rolls = Vec::new();
        for mv in &record.moves {
            rolls.extend(game.roll());
            assert_eq!(game.forced().is_some(), mv.auto, "move {}", mv.number);
            game.play(Turn::from_word(&mv.text)).unwrap_or_else(|error| panic!("{}: {error}", mv.number));
        }
        assert!(game.status().is_over());
        let mut again = Record { tags: record.tags[..3].to_vec(), moves: record.moves.clone() };
        finish(&mut again, game.as_ref(), &rolls);
        assert_eq!(again.to_string(), text);
    }
}

/// Writes the games above anew; run it by hand after a change of the rules and read what it wrote.
#[test]
#[ignore = "writes test data"]
fn write_recorded_games() {
    for (number, (options, players)) in (1..).zip([("-size=3", 2), ("-size=4 -auto_tips", 3), ("", 4)]) {
        let mut game = start("osbo", options, players);
        let mut chance = number * 7919_u64;
        let mut record = Record::default();
        let mut rolls = Vec::new();
        while !game.status().is_over() {
            rolls.extend(game.roll());
            let auto = game.forced().is_some();
            let mut text = String::new();
            loop {
                let next = game.steps(&text).unwrap().unwrap().next;
                chance =
                    chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let Some(step) = next.get((chance >> 33) as usize % next.len().max(1)) else { break };
                text.clone_from(step);
            }
            if text.is_empty() {
                "pass".clone_into(&mut text);
            }
            game.play(Turn::from_word(&text)).unwrap();
            let number = record.moves.len() as u32 + 1;
            record.moves.push(RecordMove { number, text, auto, comment: None });
        }
        let tags = [
            ("Game", "osbo".to_owned()),
            ("Options", options.to_owned()),
            ("Players", ["ann", "bob", "cleo", "dan"][..players].join(" ")),
        ];
        record.tags = tags.map(|(name, value)| (name.to_owned(), value)).to_vec();
        finish(&mut record, game.as_ref(), &rolls);
        let path = format!("{}/tests/data/osbo_{number}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, record.to_string()).unwrap();
    }
}
