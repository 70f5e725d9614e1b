//! Whole games of Osbo on record, played again.

use crate::play::start;
use knotpost_rules::{Position, Record, Turn};

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
