//! Rule cases of Obsidio, one small diagram a sentence of the rules.

use crate::play::{place, play_all, start};
use knotpost_games::obsidio::{Obsidio, Shade};
use knotpost_rules::{Game, GameOptions, Outcome, Position, Seat, Seed, Status, Turn};
use std::{collections::BTreeSet, ops::ControlFlow};

const EMPTY: &str = "...../.*.*./...../.*.*./..... 1 -";

fn small(position: &str) -> Box<dyn Position> {
    place("obsidio", "-size=5", 2, position)
}

/// Plays one turn on a 5 x 5 board and compares gain and position.
#[track_caller]
fn case(before: &str, turn: &str, gain: u32, after: &str) {
    let mut game = small(before);
    let played = game.play(Turn::from_word(turn)).unwrap_or_else(|error| panic!("{before} {turn}: {error}"));
    assert_eq!((played.gain, game.position().as_str()), (gain, after), "{before} {turn}");
}

/// A turn that is refused with this clause; nothing changes.
#[track_caller]
fn refused(before: &str, turn: &str, clause: &str) {
    let mut game = small(before);
    let error = game.play(Turn::from_word(turn)).expect_err(turn);
    assert_eq!(error.to_string(), clause, "{before}");
    assert_eq!(game.position(), before);
}

/// Where a placement may start.
fn firsts(position: &str) -> String {
    let mut squares: Vec<String> =
        small(position).legal_moves().iter().map(|mv| mv.split(',').next().unwrap().to_owned()).collect();
    squares.dedup();
    squares.join(" ")
}

/// What follows a first token; `-` for nothing.
fn seconds(position: &str, first: &str) -> String {
    let moves = small(position).legal_moves();
    let begun = moves.iter().filter(|mv| mv.split(',').next() == Some(first));
    begun.map(|mv| mv.split_once(',').map_or("-", |(_, second)| second)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_turn_is_one_token_on_a_dark_cell() {
    case(EMPTY, "c3", 0, "...../.*.*./..x../.*.*./..... 2 c3");
    case("...../.*.*./..x../.*.*./..... 2 c3", "a3", 0, "...../.*.*./o.x../.*.*./..... 1 a3");
}

#[test]
fn a_turn_is_two_tokens_on_light_cells_in_the_order_given() {
    case(EMPTY, "a2,a4", 0, "...../x*.*./...../x*.*./..... 2 a4");
    case(EMPTY, "a4,a2", 0, "...../x*.*./...../x*.*./..... 2 a2");
}

#[test]
fn a_turn_claims_targets_with_four_own_tokens_around() {
    case("...../.*.*./.xx../.*.*./xx... 1 -", "b2", 1, "...../.*.*./.xx../.X.*./xx... 2 b2");
    case("...../.*.*./ooo../o*.*./..... 2 -", "b2", 1, "...../.*.*./ooo../oO.*./..... 1 b2");
    refused(
        "...../.*.*./.xo../.*.*./xx... 1 -",
        "b2",
        "b2 has only 3 of the four tokens of X around it that a claim needs",
    );
    refused(
        "...../.*.*./.xx../.*.*./xx... 2 -",
        "b2",
        "b2 has only 0 of the four tokens of O around it that a claim needs",
    );
}

#[test]
fn each_of_the_eight_neighbours_counts_and_nothing_else() {
    let around = ["a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"];
    for left_out in 0..around.len() {
        let mut rows = vec![vec!['.'; 5]; 5];
        // Everything but the neighbours of b2 is full of tokens, and of these any four.
        for (row, line) in rows.iter_mut().enumerate() {
            for (column, cell) in line.iter_mut().enumerate() {
                *cell = match (row % 2, column % 2) {
                    (1, 1) => '*',
                    _ if row <= 2 && column <= 2 => '.',
                    _ => 'x',
                };
            }
        }
        for offset in 0..4 {
            let square = around[(left_out + offset) % 8].as_bytes();
            rows[usize::from(square[1] - b'1')][usize::from(square[0] - b'a')] = 'x';
        }
        let lines: Vec<String> = rows.iter().rev().map(|row| row.iter().collect()).collect();
        let enough = format!("{} 1 -", lines.join("/"));
        assert!(small(&enough).play(Turn::Move("b2")).is_ok(), "{enough}");
        let square = around[left_out].as_bytes();
        rows[usize::from(square[1] - b'1')][usize::from(square[0] - b'a')] = 'o';
        let lines: Vec<String> = rows.iter().rev().map(|row| row.iter().collect()).collect();
        let few = format!("{} 1 -", lines.join("/"));
        assert!(small(&few).play(Turn::Move("b2")).is_err(), "{few}");
    }
}

#[test]
fn several_claims_are_made_in_order_and_one_need_not_claim_all() {
    let before = "xx.../x*.*./.xxx./.*.*x/...xx 1 a1";
    assert_eq!(firsts(before).split(' ').filter(|square| ["b4", "d2"].contains(square)).count(), 2);
    case(before, "b4,d2", 2, "xx.../xX.*./.xxx./.*.Xx/...xx 2 d2");
    case(before, "d2,b4", 2, "xx.../xX.*./.xxx./.*.Xx/...xx 2 b4");
    case(before, "b4", 1, "xx.../xX.*./.xxx./.*.*x/...xx 2 b4");
}

#[test]
fn claims_need_no_line_of_sight() {
    // From e1 the way to b4 is closed by d2.
    case("xx.../x*.*./.x.../.*.*./....o 1 e1", "b4", 1, "xx.../xX.*./.x.../.*.*./....o 2 b4");
}

#[test]
fn the_first_token_is_seen_from_the_last_one_over_empty_cells() {
    assert_eq!(firsts("...../.*.*./..x../.*.*./..... 2 c3"), "a3 b3 c1 c2 c4 c5 d3 e3");
    assert_eq!(firsts("...../.*.*./.ox../.*.*./..... 2 c3"), "c1 c2 c4 c5 d3 e3");
    assert_eq!(firsts("...../.*.*./x.o../.*.*./..... 2 a3"), "a1 a2 a4 a5 b3");
    assert_eq!(firsts("...../.*.*./...../.*.*./x.... 2 a1"), "a2 a3 a4 a5 b1 c1 d1 e1");
}

#[test]
fn targets_block_sight_claimed_or_not() {
    for target in ["*", "X", "O"] {
        let board = format!("...../.*.*./..x../.{target}.*./..... 2 c3");
        assert!(!firsts(&board).contains("a1") && !firsts(&board).contains("b2"), "{board}");
    }
    // Over the light diagonals sight runs free.
    assert_eq!(firsts("...../.*.*./...../.*.*./.x... 2 b1"), "a1 a2 c1 c2 d1 d3 e1 e4");
}

#[test]
fn a_claimed_target_sees_as_well() {
    assert_eq!(firsts("...../.*.*./xxx../xX.*./..... 2 b2"), "a1 b1 c1 c2");
}

#[test]
fn a_token_that_sees_nothing_leaves_the_start_free() {
    let free = "...../.*.*./oo.../x*.*./xo... 1 a1";
    assert_eq!(firsts(free), "a4 a5 b5 c1 c2 c3 c4 c5 d1 d3 d5 e1 e2 e3 e4 e5");
    case(free, "e5", 0, "....x/.*.*./oo.../x*.*./xo... 2 e5");
    assert_eq!(firsts(EMPTY).split(' ').count(), 21, "at the start any cell will do");
}

#[test]
fn one_seen_cell_is_enough_to_bind_whatever_its_shade() {
    // a1 sees a2 only, a light cell: a dark start elsewhere is out.
    assert_eq!(firsts("...../.*.*./o..../.*.*./xo... 1 a1"), "a2");
    // a2 sees a1 only, a dark cell: a pair elsewhere is out.
    assert_eq!(firsts("...../.*.*./oo.../x*.*./.o... 1 a2"), "a1");
}

#[test]
fn the_second_light_token_is_seen_from_the_first_and_does_not_touch_it() {
    assert_eq!(seconds(EMPTY, "c2"), "a4 c4 e4");
    assert_eq!(seconds("...../.*.*./..x../.*.*./..... 2 c3", "c2"), "a4 e4");
    assert_eq!(seconds("...../.*.*./.ox../.*.*./..... 2 c3", "c2"), "e4");
    let before = "...../.*.*./..x../.*.*./..... 2 c3";
    case(before, "c2,e4", 0, "...../.*.*o/..x../.*o*./..... 1 e4");
    refused(
        before,
        "c2,d3",
        "d3 touches c2: the second token goes on a light cell that the first one sees but does not touch",
    );
    refused(
        before,
        "c2,c4",
        "c4 is out of sight of c2: the second token goes on a light cell that the first one sees but does not touch",
    );
    // The second token need not be seen from the origin: e4 is not.
    assert!(!firsts(before).contains("e4"));
}

#[test]
fn the_second_light_token_is_compulsory_where_it_can_go() {
    refused(
        "...../.*.*./..x../.*.*./..... 2 c3",
        "c2",
        "a second light token is due, because c2 sees light cells it does not touch: for example c2,a4",
    );
}

#[test]
fn without_a_place_for_the_second_token_it_is_forfeited() {
    let before = "...../.*.*./.xxx./.*.*./..... 1 c3";
    assert_eq!(seconds(before, "c2"), "-");
    case(before, "c2", 0, "...../.*.*./.xxx./.*x*./..... 2 c2");
    refused(
        before,
        "c2,a4",
        "a4 is out of sight of c2: the second token goes on a light cell that the first one sees but does not touch",
    );
}

#[test]
fn the_second_seat_may_swap_instead_of_its_first_move_only() {
    let mut game = start("obsidio", "-size=5", 2);
    assert!(game.play(Turn::Swap).is_err() && game.legal_words().is_empty());
    play_all(game.as_mut(), "c3");
    assert_eq!(game.legal_words(), ["swap"]);
    let mut other = game.clone();
    let played = game.play(Turn::Swap).unwrap();
    assert_eq!((played.seat, played.canonical.as_str(), played.gain), (Seat::new(2).unwrap(), "swap", 0));
    assert_eq!(game.position(), "...../.*.*./..x../.*.*./..... 2 c3", "colours stay, players change places");
    assert!(game.legal_words().is_empty() && game.play(Turn::Swap).is_err());
    play_all(game.as_mut(), "c4,a2");
    assert_eq!(game.position(), "...../.*o*./..x../o*.*./..... 1 a2");
    play_all(other.as_mut(), "c1");
    let error = other.play(Turn::Swap).expect_err("too late");
    assert_eq!(error.to_string(), "only the second player may swap, and only instead of the first move");
    let mut placed = small("...../.*.*./..x../.*.*./..... 2 c3");
    assert!(placed.play(Turn::Swap).is_err(), "a game begun from a position has no swap");
}

#[test]
fn a_pass_is_played_only_when_nothing_else_is_left_and_keeps_the_origin() {
    let full = "ooooo/o*o*o/ooooo/o*o*o/ooooo 1 a3";
    assert_eq!(small(full).forced(), Some(Turn::Pass));
    assert_eq!((small(full).legal_words(), small(full).legal_moves().len()), (vec!["pass"], 0));
    case(full, "pass", 0, "ooooo/o*o*o/ooooo/o*o*o/ooooo 2 a3");
    case(full, "--", 0, "ooooo/o*o*o/ooooo/o*o*o/ooooo 2 a3");
    let clause = "nobody may pass who can place a token or claim a target";
    refused("ooooo/o*o*o/ooooo/o*o*o/ooooo 2 a3", "pass", clause);
    refused("ooooo/o*o*o/oo.oo/o*o*o/ooooo 1 a3", "pass", clause);
    refused(EMPTY, "pass", clause);
    assert_eq!(small(EMPTY).forced(), None);
}

fn won_by(position: &dyn Position) -> (u8, &'static str) {
    let Status::Over(Outcome { placings, reason }) = position.status() else { panic!("not over") };
    assert!(placings == [1, 2] || placings == [2, 1], "{placings:?}");
    assert_eq!(position.result_by_scores(), Outcome { placings, reason });
    (if placings[0] == 1 { 1 } else { 2 }, reason)
}

#[test]
fn a_majority_of_targets_wins_at_once() {
    let mut game = small("xxxxx/xX.X./xxx../x*.*./xxo.. 1 c1");
    play_all(game.as_mut(), "b2");
    assert_eq!(won_by(game.as_ref()), (1, "majority"));
    assert_eq!(game.position(), "xxxxx/xX.X./xxx../xX.*./xxo.. 2 b2");
    assert!(game.to_move().is_empty() && game.legal_moves().is_empty() && game.forced().is_none());
    let error = game.play(Turn::Move("e1")).expect_err("over");
    assert_eq!(error.to_string(), "the game is over: X has won");
    assert_eq!(game.play(Turn::Pass).expect_err("over").to_string(), "the game is over");
}

#[test]
fn a_list_of_claims_that_reaches_the_majority_early_is_played_whole() {
    let mut game = small("xxxxx/x*x*x/xxxxx/x*x*x/xxxx. 1 a1");
    assert_eq!(play_all(game.as_mut(), "d2,b4,b2,d4"), [4]);
    assert_eq!(game.scores().to_string(), "4-0");
    assert_eq!(won_by(game.as_ref()), (1, "majority"));
}

#[test]
fn an_even_split_goes_to_the_player_who_claimed_last() {
    let mut game = small("xxooo/xXoOo/xxooo/xOo*o/xxooo 1 a1");
    assert_eq!(game.forced(), Some(Turn::Pass));
    play_all(game.as_mut(), "pass d2");
    assert_eq!(won_by(game.as_ref()), (2, "majority"));
    let mut game = small("xxxxx/xXxOo/xxooo/xOo*x/xxxxx 1 a1");
    play_all(game.as_mut(), "d2");
    assert_eq!((game.scores().to_string().as_str(), won_by(game.as_ref())), ("2-2", (1, "last-claim")));
    assert_eq!(won_by(small(&game.position()).as_ref()), (1, "last-claim"));
    let reached = small("...../.X.O./...../.X.O./..... 1 -");
    assert_eq!(won_by(reached.as_ref()), (2, "last-claim"), "the seat before the one that would be next");
}

#[test]
fn each_size_has_its_majority() {
    for (size, targets, majority) in [(5, 4, 3), (7, 9, 5), (9, 16, 9), (11, 25, 13)] {
        let mut game = start("obsidio", &format!("-size={size}"), 2);
        let text = game.position();
        assert_eq!(text.matches('*').count(), targets);
        for count in 1..=targets {
            let claimed = text.replacen('*', "X", count);
            game = place("obsidio", &format!("-size={size}"), 2, &claimed);
            assert_eq!(game.status().is_over(), count >= majority, "{claimed}");
        }
    }
    assert_eq!(start("obsidio", "", 2).position().len(), 9 * 10 - 1 + 4, "nine is the usual size");
}

#[test]
fn there_are_no_draws_but_undo_swap_and_forced_passes() {
    use knotpost_rules::Ability;
    let registry = knotpost_games::registry();
    let abilities = registry.find("Obsidio").unwrap().meta().abilities;
    let has = [Ability::Pass, Ability::Swap, Ability::Draw, Ability::Undo].map(|one| abilities.has(one));
    assert_eq!(has, [true, true, false, true]);
}

#[test]
fn a_retired_seat_is_skipped() {
    let mut game = small(EMPTY);
    game.retire(Seat::FIRST);
    assert_eq!(game.next_seat().number(), 2);
    play_all(game.as_mut(), "c3");
    assert_eq!(game.next_seat().number(), 2);
}

#[test]
fn a_search_sees_several_claims_in_every_order() {
    let text =
        "........./.*.*.*.*./........./.*.*.*.*./........./.*.*.*.*./xxxxxxx../x*x*x*.*./xxxxxxx.. 1 a1";
    let options = GameOptions::defaults(Obsidio::meta().options);
    let game = Obsidio::parse_position(&options, 2, &Seed::default(), text).unwrap();
    let (mut claims, mut placements) = (BTreeSet::new(), BTreeSet::new());
    game.each_move(&mut |mv| {
        let is_claim = mv.squares()[0].shade() == Shade::Target;
        if is_claim {
            claims.insert(mv.to_string())
        } else {
            placements.insert(mv.to_string())
        };
        ControlFlow::Continue(())
    });
    let mut expected = BTreeSet::new();
    for first in ["b2", "d2", "f2"] {
        expected.insert(first.to_owned());
        for second in ["b2", "d2", "f2"].into_iter().filter(|second| *second != first) {
            expected.insert(format!("{first},{second}"));
            for third in ["b2", "d2", "f2"].into_iter().filter(|third| ![first, second].contains(third)) {
                expected.insert(format!("{first},{second},{third}"));
            }
        }
    }
    assert_eq!(claims, expected);
    let listed: BTreeSet<String> = game.legal_moves().iter().map(ToString::to_string).collect();
    assert_eq!(placements, listed.difference(&claims).cloned().collect());
}
