//! Whole games of Obsidio on record: played again, and judged again by the slow model.

use super::slow::SlowBoard;
use crate::play::start;
use knotpost_rules::{Position, Record, Turn};

const GAMES: [&str; 4] = [
    include_str!("../../data/obsidio_1.txt"),
    include_str!("../../data/obsidio_2.txt"),
    include_str!("../../data/obsidio_3.txt"),
    include_str!("../../data/obsidio_4.txt"),
];

/// Plays a record through the engine and the slow model; gives the position it ends in.
fn replay(record: &Record) -> Box<dyn Position> {
    let mut game = start("obsidio", record.tag("Options").unwrap(), 2);
    let mut slow = SlowBoard::read(&game.position());
    for mv in &record.moves {
        assert_eq!(mv.auto, game.forced().is_some(), "move {}", mv.number);
        let known = ["pass", "swap"].contains(&mv.text.as_str()) || slow.is_legal(&mv.text);
        assert!(known, "move {}", mv.number);
        game.play(Turn::from_word(&mv.text)).unwrap_or_else(|error| panic!("{}: {error}", mv.number));
        slow.play(&mv.text);
        assert_eq!(game.position(), slow.write(), "move {}", mv.number);
    }
    game
}

#[test]
fn recorded_games_end_as_they_did() {
    for text in GAMES {
        let record: Record = text.parse().unwrap();
        let game = replay(&record);
        assert!(game.status().is_over());
        assert_eq!(Some(game.position().as_str()), record.tag("Position"));
        let outcome = game.result_by_scores();
        assert_eq!(Some(format!("{} {}", outcome.reason, game.scores()).as_str()), record.tag("Termination"));
        assert_eq!(Some(outcome.winners()[0].to_string().as_str()), record.tag("Result"));
        assert_eq!(record.to_string(), text);
    }
    assert!(
        GAMES.iter().any(|text| text.contains("last-claim"))
            && GAMES.iter().any(|text| text.contains("swap"))
    );
}
