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
