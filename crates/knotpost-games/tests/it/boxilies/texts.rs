//! Options, position strings and moves as text.

use super::slow::all_stones;
use crate::play::{given, start};
use knotpost_games::boxilies::{Boxilies, BoxiliesMove};
use knotpost_rules::{AnyGame, Kind, Position, PositionError, Seed, Turn};
use proptest::prelude::*;

fn options(typed: &str) -> Result<String, String> {
    let registry = knotpost_games::registry();
    let parsed = registry.find("boxilies").unwrap().parse_options(&given(typed), 2);
    parsed.map(|options| options.to_string()).map_err(|error| error.to_string())
}

fn read(text: &str) -> Result<Box<dyn Position>, PositionError> {
    let kind = Kind::<Boxilies>::default();
    let options = kind.parse_options(&[], 2).unwrap();
    kind.parse_position(&options, 2, &Seed::default(), text)
}

#[test]
fn options_are_printed_in_table_order_without_defaults() {
    let table = [
        ("", ""),
        ("-deal=same", ""),
        ("-D=OWN", "-deal=own"),
        ("-deal=open", "-deal=open"),
        ("-hand=1A,2b,3E,4j,5N", "-hand=1a,2b,3e,4j,5n"),
        ("--h=5n,5n,1a,5n,5n", "-hand=5n,5n,1a,5n,5n"),
    ];
    for (typed, canonical) in table {
        assert_eq!(options(typed).as_deref(), Ok(canonical), "{typed}");
    }
}

#[test]
fn wrong_options_are_refused_with_the_list_of_valid_ones() {
    let lines = [
        "-deal",
        "-deal=both",
        "-hand",
        "-hand=",
        "-hand=1a,2b,3e,4j",
        "-hand=1a,2b,3e,4j,5n,1a",
        "-hand=1a,2b,3e,4j,5o",
        "-hand=1a,2b,3e,4j,",
        "-hand=-",
        "-deal=own -hand=1a,2b,3e,4j,5n",
        "-hand=1a,2b,3e,4j,5n -deal=same",
        "-deal=own -deal=own",
        "-size=3",
    ];
    let table: Vec<String> =
        lines.iter().map(|line| format!("{line}: {}", options(line).expect_err(line))).collect();
    insta::assert_snapshot!("option_errors", table.join("\n"));
}

#[test]
fn boxilies_is_for_two() {
    let registry = knotpost_games::registry();
    let boxilies = registry.find("boxilies").unwrap();
    for players in [1, 3] {
        assert!(boxilies.parse_options(&[], players).is_err());
    }
}

#[test]
fn wrong_positions_are_refused_with_a_reason() {
    let lines = [
        "",
        ".,.,./.,.,./.,.,. 1a|1a",
        ".,.,./.,.,./.,.,. 1a|1a 1 0-0",
        ".,.,./.,.,./.,.,.  1a|1a 1",
        ".,.,./.,.,. 1a|1a 1",
        ".,.,./.,./.,.,. 1a|1a 1",
        ".,.,./.,.,.,./.,.,. 1a|1a 1",
        ".,.,./.,11a4,./.,.,. 1a|1a 1",
        ".,.,./.,11a,./.,.,. 1a|1a 1",
        ".,.,./.,31a0,./.,.,. 1a|1a 1",
        ".,.,./.,11b0,./.,.,. 1a|1a 1",
        ".,.,./.,\u{e9}1b0,./.,.,. 1a|1a 1",
        ".,.,./.,,./.,.,. 1a|1a 1",
        ".,.,./.,.,./.,.,. 1a 1",
        ".,.,./.,.,./.,.,. 1a|1a|1a 1",
        ".,.,./.,.,./.,.,. 1a|1b 1",
        ".,.,./.,.,./.,.,. 1a| 1",
        ".,.,./.,.,./.,.,. 1a,1a,1a,1a,1a,1a|- 1",
        ".,.,./.,.,./.,.,. 1a|1a 0",
        ".,.,./.,.,./.,.,. 1a|1a 3",
        ".,.,./.,.,./.,.,. 1a|1a +1",
    ];
    let table: Vec<String> = lines
        .iter()
        .map(|text| format!("{text:?}: {}", read(text).map(|game| game.position()).expect_err(text)))
        .collect();
    insta::assert_snapshot!("position_errors", table.join("\n"));
}

#[test]
fn positions_have_one_spelling_in_lower_case_with_the_fewest_turns() {
    let own = "12c1,.,./.,24j0,./.,.,13b1 5n,1a|- 1";
    assert_eq!(read(own).unwrap().position(), own);
    for (from, to) in [("12c1", "12C1"), ("12c1", "12c3"), ("24j0", "24j2"), ("5n", "5N"), ("1a", "1A")] {
        assert!(read(&own.replace(from, to)).is_err(), "{to}");
    }
}

/// A cell with a canonical stone, or an empty one.
fn any_cell() -> impl Strategy<Value = String> {
    let stone = (1..=2_u8, prop::sample::select(all_stones().into_keys().collect::<Vec<_>>()), 0..4_u8);
    let placed = stone.prop_map(|(owner, stone, turns)| {
        let symmetric = ["2c", "4h", "4j"].iter().position(|name| *name == stone);
        let turns = match symmetric {
            Some(2) => 0,
            Some(_) => turns & 1,
            None => turns,
        };
        format!("{owner}{stone}{turns}")
    });
    prop_oneof![Just(".".to_owned()), placed]
}

fn any_hand() -> impl Strategy<Value = String> {
    let names = all_stones().into_keys().collect::<Vec<_>>();
    let hand = prop::collection::vec(prop::sample::select(names), 0..=5);
    hand.prop_map(|stones| if stones.is_empty() { "-".to_owned() } else { stones.join(",") })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_position_survives_a_round_trip(
        cells in prop::collection::vec(any_cell(), 9), first in any_hand(), second in any_hand(), seat in 1..=2_u8,
    ) {
        let rows: Vec<String> = cells.chunks(3).map(|row| row.join(",")).collect();
        let text = format!("{} {first}|{second} {seat}", rows.join("/"));
        let mut game = read(&text).unwrap();
        prop_assert_eq!(game.position(), text);
        prop_assert_eq!(game.status().is_over(), game.legal_moves().is_empty());
        if let Some(mv) = game.example_move() {
            game.play(Turn::Move(&mv)).unwrap();
        }
    }

    #[test]
    fn any_text_is_a_position_or_an_error(text in "[.,/|1-5a-n 0-]{0,60}|\\PC{0,40}") {
        if let Ok(game) = read(&text) {
            prop_assert_eq!(read(&game.position()).unwrap().position(), game.position());
        }
    }

    #[test]
    fn any_text_is_a_move_or_an_error(text in "[0-6][a-o]:[a-d][0-4](:[0-4])?|[a-c1-5:]{0,9}|\\PC{0,12}") {
        if let Ok(mv) = text.parse::<BoxiliesMove>() {
            prop_assert_eq!(mv.to_string().parse::<BoxiliesMove>().unwrap(), mv);
        }
        let _ = start("boxilies", "", 2).play(Turn::Move(&text));
    }
}
