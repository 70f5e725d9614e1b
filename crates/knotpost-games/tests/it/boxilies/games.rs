//! Whole games: at random against the slow judge, on record, and counted to the end.

use super::slow::{self, SlowGame};
use crate::play::{given, place, play_all, start};
use knotpost_rules::{Position, Record, Scores, Seed, Turn};
use std::collections::BTreeMap;

const GAMES: [&str; 3] = [
    include_str!("../../data/boxilies_1.txt"),
    include_str!("../../data/boxilies_2.txt"),
    include_str!("../../data/boxilies_3.txt"),
];

/// A repeatable source of choices.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// A fresh game with a seed made of one byte.
fn start_with_seed(options: &str, byte: u8) -> Box<dyn Position> {
    let registry = knotpost_games::registry();
    let boxilies = registry.find("boxilies").unwrap();
    let options = boxilies.parse_options(&given(options), 2).unwrap();
    boxilies.setup(&options, 2, &Seed([byte; 32]))
}

#[track_caller]
fn assert_same(game: &dyn Position, judge: &SlowGame) {
    assert_eq!(game.position(), judge.write());
    assert_eq!(game.status().is_over(), judge.is_over(), "{}", judge.write());
    assert_eq!(game.scores(), Scores::Points(judge.scores().to_vec()), "{}", judge.write());
}

#[test]
fn random_games_agree_with_the_slow_judge() {
    let mut chance = Chance(1);
    for round in 0..45_u8 {
        let options = ["", "-deal=own", "-deal=open"][usize::from(round % 3)];
        let mut game = start_with_seed(options, round);
        let mut judge = SlowGame::read(&game.position());
        while !judge.is_over() {
            assert_same(game.as_ref(), &judge);
            let moves = game.legal_moves();
            if round < 6 {
                assert_eq!(moves, judge.legal_moves(), "{}", judge.write());
            }
            let mv = &moves[chance.below(moves.len())];
            let read = place("boxilies", options, 2, &game.position());
            assert_eq!(read.legal_moves(), moves, "{}", judge.write());
            assert!(judge.play(mv), "{mv} at {}", judge.write());
            game.play(Turn::Move(mv)).unwrap();
        }
        assert_same(game.as_ref(), &judge);
        assert!(game.legal_moves().is_empty());
    }
}

#[test]
fn any_stone_on_any_cell_is_judged_alike() {
    let mut chance = Chance(2);
    let names: Vec<String> = slow::all_stones().into_keys().collect();
    for byte in 0..10 {
        let mut game = start_with_seed("-deal=own", byte);
        let mut judge = SlowGame::read(&game.position());
        for _ in 0..300 {
            let (column, row) = (["a", "b", "c"][chance.below(3)], chance.below(3) + 1);
            let mv = format!("{}:{column}{row}:{}", names[chance.below(names.len())], chance.below(4));
            assert_eq!(game.play(Turn::Move(&mv)).is_ok(), judge.play(&mv), "{mv} at {}", judge.write());
            assert_eq!(game.position(), judge.write());
        }
    }
}

#[test]
fn recorded_games_end_as_they_did() {
    for text in GAMES {
        let record: Record = text.parse().unwrap();
        let mut game = start("boxilies", record.tag("Options").unwrap(), 2);
        let mut judge = SlowGame::read(&game.position());
        for mv in &record.moves {
            let played = game.play(Turn::from_word(&mv.text)).unwrap();
            assert_eq!(played.canonical, mv.text);
            assert!(judge.play(&mv.text), "{}", mv.number);
            assert_same(game.as_ref(), &judge);
        }
        assert!(game.status().is_over());
        assert_eq!(Some(game.position().as_str()), record.tag("Position"));
        assert_eq!(Some(format!("score {}", game.scores()).as_str()), record.tag("Termination"));
        assert_eq!(Some(game.result_by_scores().winners()[0].to_string().as_str()), record.tag("Result"));
        assert_eq!(record.to_string(), text);
    }
}

/// Final scores of seat 1 over all ways to play on, with how often each comes.
fn count_endings(game: &dyn Position, counts: &mut BTreeMap<String, u32>) {
    let moves = game.legal_moves();
    if moves.is_empty() {
        assert!(game.status().is_over());
        *counts.entry(game.scores().to_string()).or_default() += 1;
    }
    for mv in moves {
        let mut next = game.clone_box();
        next.play(Turn::Move(&mv)).unwrap();
        count_endings(next.as_ref(), counts);
    }
}

fn count_slow_endings(game: &SlowGame, counts: &mut BTreeMap<String, u32>) {
    if game.is_over() {
        *counts.entry(game.scores().map(|score| score.to_string()).join("-")).or_default() += 1;
        return;
    }
    for mv in game.legal_moves() {
        let mut next = game.clone();
        assert!(next.play(&mv));
        count_slow_endings(&next, counts);
    }
}

#[test]
fn all_ways_to_the_end_are_as_many_as_the_judge_finds() {
    let position = "13b1,25j2,14g0/22c1,.,21a3/.,23e0,. 2b,5m|4h,3a 1";
    let (mut counts, mut judged) = (BTreeMap::new(), BTreeMap::new());
    count_endings(place("boxilies", "", 2, position).as_ref(), &mut counts);
    count_slow_endings(&SlowGame::read(position), &mut judged);
    assert_eq!(counts, judged);
    // First: 2 stones on 3 cells, 4 ways each. Second: 4h lies 2 ways, 3a lies 4, on 2 cells. Then the other 4 ways.
    assert_eq!(counts.values().sum::<u32>(), 24 * 12 * 4);
}

#[test]
fn first_moves_are_as_many_as_stones_cells_and_ways() {
    let table = [
        ("-hand=1a,2b,3e,4j,5n", (4 + 4 + 4 + 1 + 4) * 9),
        ("-hand=2c,2c,4h,4h,4j", (2 + 2 + 1) * 9),
        ("-hand=5a,5a,5a,5a,5a", 4 * 9),
    ];
    for (options, count) in table {
        let mut game = start("boxilies", options, 2);
        assert_eq!(game.legal_moves().len(), count, "{options}");
        let example = game.example_move().unwrap();
        play_all(game.as_mut(), &example);
        assert_eq!(game.legal_moves().len(), count / 9 * 8, "{options}");
    }
}
