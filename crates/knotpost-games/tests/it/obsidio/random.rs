//! Engine and slow model side by side over random games and random words.

use super::slow::SlowBoard;
use crate::play::start;
use knotpost_rules::{Position, Status, Turn};
use proptest::prelude::*;

/// A repeatable choice.
fn choose(chance: &mut u64, count: usize) -> usize {
    *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*chance >> 33) as usize % count
}

#[track_caller]
fn agree(game: &dyn Position, slow: &SlowBoard) {
    assert_eq!(game.position(), slow.write());
    assert_eq!(game.legal_moves(), slow.legal(), "{}", slow.write());
    let winner = match game.status() {
        Status::Over(outcome) => Some(usize::from(outcome.winners()[0].number())),
        Status::ToAct(_) => None,
    };
    assert_eq!(winner, slow.winner(), "{}", slow.write());
    let stuck = winner.is_none() && slow.legal().is_empty();
    assert_eq!(game.legal_words().contains(&"pass"), stuck, "{}", slow.write());
}

/// A game of random turns; gives how many it had.
fn play_game(size: u32, mut chance: u64) -> usize {
    let mut game = start("obsidio", &format!("-size={size}"), 2);
    let mut slow = SlowBoard::read(&game.position());
    for turn in 0.. {
        agree(game.as_ref(), &slow);
        let moves = slow.legal();
        if slow.winner().is_some() {
            return turn;
        }
        // Every second time all claims at once, in a random order, when there are several.
        let mut claims: Vec<String> = moves.iter().filter(|mv| is_claim(mv)).cloned().collect();
        let mv = match moves.len() {
            0 => "pass".to_owned(),
            _ if claims.len() > 1 && choose(&mut chance, 2) == 0 => {
                let turn = choose(&mut chance, claims.len());
                claims.rotate_left(turn);
                claims.join(",")
            }
            count => moves[choose(&mut chance, count)].clone(),
        };
        game.play(Turn::from_word(&mv)).unwrap_or_else(|error| panic!("{} {mv}: {error}", slow.write()));
        slow.play(&mv);
    }
    0
}

/// Letters with an even place in the alphabet and even digits have even codes.
pub(super) fn is_claim(mv: &str) -> bool {
    let ends = [mv.bytes().next(), mv.bytes().last()];
    !mv.contains(',') && ends.into_iter().flatten().all(|byte| byte.is_multiple_of(2))
}

#[test]
fn random_games_agree_with_the_slow_model() {
    for (size, games) in [(5, 60), (7, 12), (9, 3), (11, 1)] {
        for game in 1..=games {
            let turns = play_game(size, game * 7919);
            assert!(turns >= 5, "a game of {turns} turns on {size}");
        }
    }
}

/// Words that look like moves: one to three squares of a small board.
fn word() -> impl Strategy<Value = String> {
    let square = (b'a'..=b'e', 1_u8..=5).prop_map(|(letter, number)| format!("{}{number}", letter as char));
    proptest::collection::vec(square, 1..4).prop_map(|squares| squares.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn words_are_accepted_exactly_when_the_slow_model_does(
        turns in 0_usize..24,
        chance in any::<u64>(),
        words in proptest::collection::vec(word(), 40),
    ) {
        let mut chance = chance;
        let mut game = start("obsidio", "-size=5", 2);
        let mut slow = SlowBoard::read(&game.position());
        for _ in 0..turns {
            let moves = slow.legal();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choose(&mut chance, moves.len())].clone();
            game.play(Turn::Move(&mv)).unwrap();
            slow.play(&mv);
        }
        for word in words {
            let accepted = game.clone_box().play(Turn::Move(&word)).is_ok();
            prop_assert_eq!(accepted, slow.is_legal(&word), "{} {}", slow.write(), word);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let mut game = start("obsidio", "", 2);
        let _ = game.play(Turn::Move(&text));
    }

    #[test]
    fn accepted_positions_print_as_they_were(rows in "([.*xoXO]{5}/){4}[.*xoXO]{5}", tail in " [12] ([a-f][0-6]|-)") {
        let registry = knotpost_games::registry();
        let obsidio = registry.find("obsidio").unwrap();
        let options = obsidio.parse_options(&crate::play::given("-size=5"), 2).unwrap();
        let mut signs: Vec<char> = rows.chars().collect();
        // Bring the letters to where they belong, or hardly any text would be a position.
        for place in [7, 9, 19, 21] {
            signs[place] = match signs[place] { 'x' => 'X', 'o' => 'O', '.' => '*', sign => sign };
        }
        for (place, sign) in signs.iter_mut().enumerate() {
            if ![7, 9, 19, 21].contains(&place) {
                *sign = match *sign { 'X' => 'x', 'O' => 'o', '*' => '.', sign => sign };
            }
        }
        let text = signs.into_iter().collect::<String>() + &tail;
        if let Ok(game) = obsidio.parse_position(&options, 2, &knotpost_rules::Seed::default(), &text) {
            prop_assert_eq!(game.position(), text);
            let _ = (game.status(), game.legal_moves(), game.view(knotpost_rules::Viewer::Spectator).to_string());
        }
    }
}
