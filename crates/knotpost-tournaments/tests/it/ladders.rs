//! Ladders and leagues.

use knotpost_tournaments::{Finisher, Ladder, next_season};
use proptest::prelude::*;

#[test]
fn a_challenger_who_wins_takes_the_place_and_those_between_go_down() {
    let mut ladder = Ladder::new(["ann", "bob", "cid", "dan", "eve"]);
    ladder.win(&"dan", &"bob");
    assert_eq!(ladder.places(), ["ann", "dan", "bob", "cid", "eve"]);
    ladder.win(&"ann", &"eve");
    assert_eq!(ladder.place(&"ann"), Some(1), "who stands above gains nothing");
    ladder.leave(&"dan");
    ladder.win(&"eve", &"dan");
    assert_eq!(ladder.places(), ["ann", "bob", "cid", "eve"]);
    ladder.enter("bob");
    ladder.enter("dan");
    assert_eq!(ladder.places(), ["ann", "bob", "cid", "eve", "dan"]);
}

#[test]
fn the_window_counts_places_above() {
    let ladder = Ladder::new(1..=6);
    assert!(ladder.is_within(&5, &2, 3) && ladder.is_within(&5, &4, 3));
    assert!(!ladder.is_within(&5, &1, 3) && !ladder.is_within(&5, &5, 3) && !ladder.is_within(&2, &5, 3));
    assert!(!ladder.is_within(&9, &1, 3));
}

proptest! {
    #[test]
    fn games_lose_nobody_and_move_nobody_else_by_more_than_one(games in proptest::collection::vec((0_usize..9, 0_usize..9), 0..40)) {
        let mut ladder = Ladder::new(0..9);
        for (challenger, challenged) in games {
            let before = ladder.clone();
            ladder.win(&challenger, &challenged);
            for player in 0..9 {
                let (was, is) = (before.place(&player).unwrap(), ladder.place(&player).unwrap());
                prop_assert!(player == challenger || is == was || is == was + 1);
            }
            prop_assert!(ladder.place(&challenger) <= before.place(&challenger));
        }
    }
}

fn division(players: &str) -> Vec<Finisher<char>> {
    // A capital letter plays no more.
    players.chars().map(|player| Finisher { player, stays: player.is_lowercase() }).collect()
}

fn season(finished: &[&str], newcomers: &str, size: usize) -> Vec<String> {
    let finished: Vec<Vec<Finisher<char>>> = finished.iter().map(|players| division(players)).collect();
    let newcomers: Vec<char> = newcomers.chars().collect();
    next_season(&finished, &newcomers, size, 2)
        .into_iter()
        .map(|players| players.into_iter().collect())
        .collect()
}

#[test]
fn the_first_go_up_and_the_last_go_down() {
    assert_eq!(season(&["abcdef", "ghijkl", "mnopqr"], "", 6), ["abcdgh", "efijmn", "klopqr"]);
}

#[test]
fn gaps_are_filled_with_the_best_of_the_division_below() {
    assert_eq!(season(&["aBCdef", "ghijkl", "mnopqr"], "", 6), ["adghef", "ijmnkl", "opqr"]);
    assert_eq!(
        season(&["abcdeF", "ghijkl"], "", 6),
        ["abcdgh", "eijkl"],
        "who leaves from the last places counts among them"
    );
}

#[test]
fn newcomers_start_in_the_last_division() {
    assert_eq!(season(&[], "abcdefgh", 6), ["abcdefgh"], "two would be too few for a division");
    assert_eq!(season(&[], "abcdefghij", 6), ["abcdef", "ghij"]);
    assert_eq!(season(&["abcd", "efgh"], "xy", 4), ["abef", "cdghxy"]);
}

#[test]
fn a_last_division_of_fewer_than_four_is_joined_with_the_one_above() {
    assert_eq!(season(&["abcdef", "ghijKL"], "", 6).len(), 2);
    assert_eq!(season(&["abcdef", "ghIJKL"], "", 6), ["abcdghef"]);
}

proptest! {
    #[test]
    fn a_season_loses_nobody(sizes in proptest::collection::vec(0_usize..9, 0..5), leaving: u64, newcomers in 0_usize..20, moving in 0_usize..4) {
        let mut number = 0;
        let finished: Vec<Vec<Finisher<usize>>> = sizes
            .iter()
            .map(|&size| {
                (0..size)
                    .map(|_| {
                        number += 1;
                        Finisher { player: number, stays: leaving >> (number % 64) & 1 == 0 }
                    })
                    .collect()
            })
            .collect();
        let new: Vec<usize> = (1000..1000 + newcomers).collect();
        let next = next_season(&finished, &new, 8, moving);
        let mut players: Vec<usize> = next.iter().flatten().copied().collect();
        players.sort_unstable();
        let mut expected: Vec<usize> =
            finished.iter().flatten().filter(|one| one.stays).map(|one| one.player).chain(new).collect();
        expected.sort_unstable();
        prop_assert_eq!(players, expected);
        for (at, division) in next.iter().enumerate() {
            prop_assert!(at + 1 == next.len() || division.len() >= 8, "only the last division may be short: {:?}", next);
            prop_assert!(division.len() >= 4 || next.len() == 1);
        }
    }
}
