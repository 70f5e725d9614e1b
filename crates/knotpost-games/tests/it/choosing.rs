//! Moves put together by pointing.

use knotpost_rules::{GameOptions, Position, Seed, Turn};

/// The positions of a game in which each turn is one of the legal moves.
fn positions(game: &dyn knotpost_rules::AnyGame) -> Vec<Box<dyn Position>> {
    let options = GameOptions::defaults(game.meta().options);
    let mut position = game.setup(&options, 2, &Seed::default());
    let mut seen = Vec::new();
    for turn in 0..12 {
        seen.push(position.clone_box());
        let moves = position.legal_moves();
        let Some(play) = moves.get((turn * 37 + 5) % moves.len().max(1)) else { break };
        position.play(Turn::Move(play)).unwrap();
    }
    seen
}

/// Points at one part after the other until the text is complete.
fn follow(position: &dyn Position, text: &str) -> bool {
    let mut begun = String::new();
    for _ in 0..20 {
        let choices = position.choices(&begun);
        if begun == text {
            return choices.is_complete;
        }
        let fitting = choices.next.iter().filter(|choice| text.starts_with(&choice.begun));
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { return false };
        assert!(choice.begun.len() > begun.len());
        begun.clone_from(&choice.begun);
    }
    false
}

#[test]
fn every_legal_move_is_reached_by_pointing() {
    for game in knotpost_games::registry().iter() {
        for position in positions(game) {
            for play in position.legal_moves() {
                assert!(
                    follow(position.as_ref(), &play),
                    "{} {} {play}",
                    game.meta().name,
                    position.position()
                );
            }
        }
    }
}

#[test]
fn what_is_complete_is_legal_and_what_is_pointed_at_is_in_view() {
    for game in knotpost_games::registry().iter() {
        for position in positions(game) {
            let view = position.view(knotpost_rules::Viewer::Spectator);
            let spots: Vec<&String> = view
                .panels
                .iter()
                .flat_map(|panel| {
                    panel.spots.iter().chain(panel.margins.iter().flat_map(|margin| &margin.labels))
                })
                .collect();
            let mut begun = vec![String::new()];
            for _ in 0..3 {
                let Some(text) = begun.pop() else { break };
                let choices = position.choices(&text);
                if choices.is_complete {
                    position.clone_box().play(Turn::Move(&text)).unwrap();
                }
                for choice in choices.next {
                    if let Some(name) = choice.kind.spot() {
                        assert!(spots.iter().any(|spot| *spot == name), "{} {name}", game.meta().name);
                    }
                    begun.push(choice.begun);
                }
            }
        }
    }
}

#[test]
fn what_no_move_begins_with_cannot_go_on() {
    for game in knotpost_games::registry().iter() {
        let position = game.setup(&GameOptions::defaults(game.meta().options), 2, &Seed::default());
        for text in ["z", "f999", ",", "1a:", "ä"] {
            let choices = position.choices(text);
            assert!(choices.next.is_empty() && !choices.is_complete, "{} {text}", game.meta().name);
        }
    }
}

#[test]
fn several_targets_are_claimed_by_pointing_at_one_after_the_other() {
    let registry = knotpost_games::registry();
    let game = registry.find("obsidio").unwrap();
    let options = GameOptions::defaults(game.meta().options);
    let rows = "........./.*.*.*.*./........./.*.*.*.*./........./.*.*.*.*./xxxxx..../x*x*x*.*./xxxxx....";
    let position = game.parse_position(&options, 2, &Seed::default(), &format!("{rows} 1 a1")).unwrap();
    let first = position.choices("b2");
    assert!(first.is_complete && first.next.iter().any(|choice| choice.begun == "b2,d2"), "{first:?}");
}
