//! What players decide: legal, repeatable, without knowing the stream of the board, and never missing a win.

use super::{after, options, think};
use knotpost_rules::{AnyGame, OptionKind, Seed, Status, Turn};

/// Every player, and how often the search asks whether to stop.
const PLAYERS: [&str; 14] =
    ["1", "2", "3", "4", "5", "6", "7", "8", "random", "greedy", "uct:40", "nodes:300", "time:1", "nodes:1"];
/// 64 nodes each.
const ASKS: u32 = 2;

/// The smallest board, which is quick to search.
fn smallest(game: &dyn AnyGame) -> String {
    let size = game.meta().options.iter().find(|spec| spec.name == "size");
    match size.map(|spec| &spec.kind) {
        Some(OptionKind::Number { min, .. }) => format!("-size={min}"),
        Some(OptionKind::Choice(words)) => format!("-size={}", words[0]),
        _ => String::new(),
    }
}

/// Every game with each number of players.
fn each_game(check: impl Fn(&dyn AnyGame, usize)) {
    for game in knotpost_games::registry().iter() {
        for players in game.meta().players.clone() {
            check(game, players);
        }
    }
}

#[test]
fn decisions_are_legal_and_the_same_for_two_true_streams() {
    each_game(|game, players| {
        let name = game.meta().name;
        let options = options(game, &smallest(game), players);
        for turns in [0, 3] {
            let position = after(game, &options, players, turns, &Seed::default());
            if position.status().is_over() {
                continue;
            }
            let text = position.position();
            let twin = |byte| game.parse_position(&options, players, &Seed([byte; 32]), &text).unwrap();
            // Four dice have tens of thousands of placements, and `greedy` tries them all.
            let quick = |player: &&str| players < 4 || *player != "greedy";
            for player in PLAYERS.into_iter().filter(quick) {
                let seed = Seed([turns as u8; 32]);
                let decide = |byte| think(twin(byte).as_ref(), name, player, &seed, ASKS).expect("an answer");
                let answer = decide(1);
                assert_eq!(answer, decide(2), "{name} {text} {player}");
                let played = twin(1).play(Turn::from_word(&answer.turn)).expect("legal");
                assert_eq!(played.canonical, answer.turn, "{name} {text} {player}");
                assert_eq!(answer.line[0], answer.turn);
                assert_eq!(answer.values.len(), players);
                assert!(answer.values.iter().all(|value| (0.0..=1.0).contains(value)), "{answer:?}");
            }
        }
    });
}

#[test]
fn another_seed_gives_other_decisions_where_chance_is_asked() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbox").unwrap();
    let position = game.setup(&options(game, "", 2), 2, &Seed::default());
    let turns: std::collections::HashSet<String> = (0..20)
        .map(|byte| think(position.as_ref(), "osbox", "random", &Seed([byte; 32]), ASKS).unwrap().turn)
        .collect();
    assert!(turns.len() > 10, "{turns:?}");
}

#[test]
fn levels_vary_among_equal_moves_by_the_seed() {
    let registry = knotpost_games::registry();
    for name in ["osbox", "boxilies"] {
        let game = registry.find(name).unwrap();
        let position = game.setup(&options(game, "", 2), 2, &Seed::default());
        for level in ["6", "7", "8"] {
            let turns: std::collections::HashSet<String> = (0..8)
                .map(|byte| think(position.as_ref(), name, level, &Seed([byte; 32]), ASKS).unwrap().turn)
                .collect();
            assert!(turns.len() > 4, "{name} {level}: {turns:?}");
        }
    }
}

#[test]
fn a_level_that_errs_takes_points_that_are_there() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbox").unwrap();
    let options = options(game, "", 2);
    let position = game.parse_position(&options, 2, &Seed::default(), "..a./be../..nb/..c. 1 0-0").unwrap();
    let most = position
        .legal_moves()
        .iter()
        .map(|mv| position.clone_box().play(Turn::Move(mv)).unwrap().gain)
        .max()
        .unwrap();
    assert!(most > 0);
    for byte in 0..12 {
        let answer = think(position.as_ref(), "osbox", "nodes:1:1000", &Seed([byte; 32]), ASKS).unwrap();
        let gain = position.clone_box().play(Turn::from_word(&answer.turn)).unwrap().gain;
        assert_eq!(gain, most, "{}", answer.turn);
    }
}

#[test]
fn a_four_is_answered() {
    let registry = knotpost_games::registry();
    let game = registry.find("gomoku").unwrap();
    let mut position = game.setup(&options(game, "", 2), 2, &Seed::default());
    for turn in ["h8", "h7", "h9", "c3", "h10", "d12", "h11"] {
        position.play(Turn::from_word(turn)).unwrap();
    }
    for seed in 0..4 {
        let answer = think(position.as_ref(), "gomoku", "6", &Seed([seed; 32]), u32::MAX).unwrap();
        assert_eq!(answer.turn, "h12");
    }
}

#[test]
fn a_turn_that_can_be_put_together_in_millions_of_ways_is_decided() {
    let registry = knotpost_games::registry();
    let game = registry.find("dots").unwrap();
    let (closed, open, left) = ("|o|o|o|o|o|", "|.|.|.|.|.|", "..|o|o|o|o|");
    let (line, gaps) = ("+-+-+-+-+-+", "+.+.+.+.+.+");
    let rows = [gaps, open, line, left, line, left, line, closed, line, open, gaps].join("/");
    let position =
        game.parse_position(&options(game, "-size=5", 2), 2, &Seed::default(), &format!("{rows} 1")).unwrap();
    for player in ["1", "greedy", "8"] {
        let answer = think(position.as_ref(), "dots", player, &Seed::default(), ASKS).unwrap();
        assert!(
            position.clone_box().play(Turn::from_word(&answer.turn)).is_ok(),
            "{player}: {}",
            answer.turn
        );
    }
}

#[test]
fn a_position_that_is_over_has_no_answer() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbox").unwrap();
    let over = game.parse_position(&options(game, "-size=2", 2), 2, &Seed::default(), "ee/ee 2 7-5").unwrap();
    assert!(
        PLAYERS
            .into_iter()
            .all(|player| think(over.as_ref(), "osbox", player, &Seed::default(), 9).is_none())
    );
    assert!(think(over.as_ref(), "osbo", "1", &Seed::default(), 9).is_none(), "another game");
}

/// Positions in which a move ends the game in favour of the player on turn.
const WON: [(&str, &str, &str); 2] =
    [("osbox", "-size=2", "e./ee 1 7-5"), ("obsidio", "-size=5", "oo.../xXxXx/xxxx./x*x*./xx... 1 a1")];

#[test]
fn a_win_at_once_is_never_missed() {
    let registry = knotpost_games::registry();
    for (name, typed, text) in WON {
        let game = registry.find(name).unwrap();
        let options = options(game, typed, 2);
        let position =
            game.parse_position(&options, 2, &Seed::default(), text).unwrap_or_else(|e| panic!("{e}"));
        let mover = position.next_seat();
        for player in ["1", "2", "3", "5", "8", "nodes:1"] {
            for byte in 0..12 {
                let answer =
                    think(position.as_ref(), name, player, &Seed([byte; 32]), ASKS).expect("an answer");
                let mut next = position.clone_box();
                next.play(Turn::from_word(&answer.turn)).expect("legal");
                let Status::Over(outcome) = next.status() else {
                    panic!("{name} {player} plays {}", answer.turn)
                };
                assert_eq!(outcome.winners(), [mover], "{name} {player} plays {}", answer.turn);
                assert!(answer.proven, "{name} {player}");
            }
        }
    }
}

#[test]
fn a_stopped_search_says_so() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbox").unwrap();
    let position = game.setup(&options(game, "", 2), 2, &Seed::default());
    let cut = think(position.as_ref(), "osbox", "8", &Seed::default(), 2).unwrap();
    assert!(cut.cut && cut.nodes <= 200, "{cut:?}");
    assert!(!think(position.as_ref(), "osbox", "nodes:500", &Seed::default(), u32::MAX).unwrap().cut);
}
