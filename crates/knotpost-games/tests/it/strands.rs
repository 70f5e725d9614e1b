//! Knots: the fast engine against the slow judge, and the published check values.

use crate::{
    play::{place, start},
    slow::{self, SlowBoard, SlowRules},
};
use knotpost_rules::{
    Scores, Turn,
    knot::{Face, Knotwork, Place, Run, Shape},
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Kinds of closed paths the fast engine finds over the whole board: length, and whether thin.
fn fast_paths(rows: &str) -> BTreeSet<(usize, bool)> {
    let mut work = Knotwork::default();
    let lines: Vec<&str> = rows.split('/').collect();
    for (row, line) in (1..).zip(&lines) {
        for (column, letter) in (1..).zip(line.chars()) {
            if let Some(face) = Face::from_letter(letter) {
                work.put(Place::new(row, column), face);
            }
        }
    }
    let size = lines.len() as u8;
    let mut paths = BTreeSet::new();
    for row in 1..=size {
        let run = Run::between(Place::new(row, 1), Place::new(row, size));
        work.closed_paths(run, |path| {
            paths.insert((path.length as usize, path.shape == Shape::Thin));
        });
    }
    paths
}

/// The longest closed path of a board in the slow judge.
fn longest(rows: &str) -> usize {
    SlowBoard::read(rows).closed_paths().iter().map(|path| path.strands).max().unwrap_or(0)
}

/// All ways to fill `size` x `size` cells so that every open edge is matched, as position rows.
fn closed_fillings(size: usize) -> impl Iterator<Item = String> {
    let edges = 2 * size * (size - 1);
    (0u32..1 << edges).map(move |choice| {
        let open = |index: usize| choice >> index & 1 == 1;
        let across = |row: usize, column: usize| row * (size - 1) + column;
        let down = |row: usize, column: usize| size * (size - 1) + row * size + column;
        let letter = |row: usize, column: usize| {
            let north = row > 0 && open(down(row - 1, column));
            let east = column + 1 < size && open(across(row, column));
            let south = row + 1 < size && open(down(row, column));
            let west = column > 0 && open(across(row, column - 1));
            let mask = [north, east, south, west];
            let fits = |face: &&Face| {
                knotpost_rules::knot::Side::ALL
                    .iter()
                    .zip(mask)
                    .all(|(side, open)| face.is_open(*side) == open)
            };
            Face::ALL.iter().find(fits).map_or('.', |face| face.letter())
        };
        let rows = (0..size).map(|row| (0..size).map(|column| letter(row, column)).collect::<String>());
        rows.collect::<Vec<_>>().join("/")
    })
}

#[test]
fn longest_path_on_two_by_two_is_six_among_all_boards() {
    let cells: Vec<char> = ('a'..='o').chain(['.']).collect();
    let best = (0..16usize.pow(4)).map(|number| {
        let cell = |shift: u32| cells[number >> shift & 15];
        let rows = format!("{}{}/{}{}", cell(0), cell(4), cell(8), cell(12));
        fast_paths(&rows).last().map_or(0, |path| path.0)
    });
    assert_eq!(best.max(), Some(6));
    assert_eq!(closed_fillings(2).map(|rows| longest(&rows)).max(), Some(6));
}

/// An open edge that meets nothing ends the two strands beside it and touches no closed path; closing it changes no
/// closed path that was there. So boards whose edges all match contain the longest one.
#[test]
fn longest_path_on_three_by_three_is_twenty() {
    assert_eq!(closed_fillings(3).map(|rows| longest(&rows)).max(), Some(20));
}

#[test]
fn six_loop_beats_two_loops_of_four_on_a_square() {
    assert_eq!(fast_paths("jg/ih"), BTreeSet::from([(4, false)]));
    let lengths: Vec<usize> =
        SlowBoard::read("jg/ih").closed_paths().iter().map(|path| path.strands).collect();
    assert_eq!(lengths, [4, 4]);
    let mut game = place("osbox", "-size=2", 2, ".g/ih 1 0-0");
    assert_eq!(game.play(Turn::Move("j1")).unwrap().gain, 8);
    assert_eq!(fast_paths("aa/ih"), BTreeSet::from([(6, false)]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn fast_game_agrees_with_the_slow_judge(
        size in 2u8..=6,
        choices in 0u8..8,
        wanted in prop::collection::vec((0usize..15, 0u32..1000), 1..90),
    ) {
        let rules = SlowRules { capture: choices & 1 == 0, thin: choices & 2 != 0, by_dice: choices & 4 != 0 };
        let mut options = format!("-size={size} -any_side");
        options.push_str(if rules.capture { "" } else { " -no_capture" });
        options.push_str(if rules.thin { " -thin_knots" } else { "" });
        options.push_str(if rules.by_dice { " -score=dice" } else { "" });
        let mut fast = start("osbox", &options, 2);
        let mut slow = SlowBoard::read(fast.position().split(' ').next().unwrap());
        let mut points = [0, 0];
        for (turn, (face, entry)) in wanted.into_iter().enumerate() {
            if fast.status().is_over() {
                prop_assert!(!slow.write().contains('.'));
                break;
            }
            let letter = Face::ALL[face].letter();
            // Mostly near the corner, so that knots close.
            let letter = if entry % 3 == 0 { ['j', 'g', 'i', 'h', 'o'][face % 5] } else { letter };
            let entry = 1 + entry % (4 * u32::from(size));
            let before = fast.position();
            let gain = slow::play(&mut slow, rules, letter, entry as i32);
            let seat = fast.next_seat();
            if let Ok(played) = fast.play(Turn::Move(&format!("{letter}{entry}"))) {
                prop_assert_eq!(Some(played.gain), gain, "{} {}{}", before, letter, entry);
                points[seat.index()] += played.gain;
            } else {
                prop_assert_eq!(gain, None, "{} {}{}", &before, letter, entry);
                prop_assert_eq!(fast.position(), before);
            }
            let position = fast.position();
            prop_assert_eq!(position.split(' ').next().unwrap(), slow.write(), "turn {}", turn);
            prop_assert_eq!(fast.scores(), Scores::Points(points.to_vec()));
        }
    }

    #[test]
    fn path_lengths_agree_on_random_boards(cells in prop::collection::vec(0usize..20, 25)) {
        let letter = |cell: usize| Face::ALL.get(cell).map_or('o', |face| face.letter());
        let rows: Vec<String> = cells.chunks(5).map(|row| row.iter().map(|cell| letter(*cell)).collect()).collect();
        let rows = rows.join("/");
        let paths = SlowBoard::read(&rows).closed_paths();
        prop_assert!(paths.iter().all(|path| path.strands == path.passes));
        let slow: BTreeSet<_> = paths.iter().map(|path| (path.strands, path.is_thin())).collect();
        prop_assert_eq!(fast_paths(&rows), slow);
    }

    #[test]
    fn any_text_is_refused_or_read_without_harm(text in "\\PC{0,12}", line in "[a-o./ 0-9-]{0,24}") {
        let mut game = start("osbox", "", 2);
        let _ = game.play(Turn::from_word(&text));
        let registry = knotpost_games::registry();
        let osbox = registry.find("osbox").unwrap();
        let options = osbox.parse_options(&[], 2).unwrap();
        for text in [&text, &line] {
            if let Ok(read) = osbox.parse_position(&options, 2, &knotpost_rules::Seed::default(), text) {
                prop_assert_eq!(&read.position(), text);
            }
        }
    }
}

#[test]
fn thin_knot_of_the_worked_example_has_two_crossings() {
    assert_eq!(fast_paths("db/.."), BTreeSet::from([(2, true)]));
}
