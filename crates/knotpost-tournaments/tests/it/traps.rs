//! The places of the rules that are easily misread, one test each.

use std::collections::BTreeSet;

use knotpost_tournaments::{NoPairing, Pairing, pair_round};

use crate::tie_breaks::record;

/// Pairs the next round of these rounds among players by number.
fn pair(rows: &[&str], present: &[usize], rounds: usize) -> Result<Pairing, NoPairing> {
    let mut record = record(rows);
    record.rounds = Some(rounds);
    let present: Vec<usize> = present.iter().map(|number| number - 1).collect();
    pair_round(&record, record.players[0].entries.len(), &present)
}

/// Boards by number, without colours.
fn meetings(pairing: &Pairing) -> BTreeSet<(usize, usize)> {
    pairing.boards.iter().map(|&(white, black)| (white.min(black) + 1, white.max(black) + 1)).collect()
}

#[test]
fn of_two_equal_wishes_the_higher_score_gets_its_colour() {
    let rows = ["3w=", "4w1", "1b=", "2b0"];
    let pairing = pair(&rows, &[1, 2], 9).unwrap();
    assert_eq!(pairing.boards, [(0, 1)], "both want black, and number 2 has more points");
}

#[test]
fn colours_run_over_games_that_were_played() {
    // Number 1 had white and then a forfeit with black: they want black, and strongly. Number 2 had white and black.
    let rows = ["3w1 4b+", "4w1 3b1", "1b0 2w0", "2b0 1w-"];
    let pairing = pair(&rows, &[1, 2], 9).unwrap();
    assert_eq!(pairing.boards, [(1, 0)]);
}

#[test]
fn floats_run_over_rounds() {
    // Number 3 floated one round ago, number 2 two rounds ago, number 1 earlier: number 1 floats.
    let rows = ["H Z Z", "Z H Z", "Z Z H", "Z Z Z"];
    assert_eq!(meetings(&pair(&rows, &[1, 2, 3, 4], 9).unwrap()), BTreeSet::from([(2, 3), (1, 4)]));
}

#[test]
fn an_absence_without_points_is_no_float() {
    let rows = ["F Z", "F Z", "H H", "Z Z"];
    assert_eq!(meetings(&pair(&rows, &[1, 2, 3, 4], 9).unwrap()), BTreeSet::from([(1, 3), (2, 4)]));
}

#[test]
fn a_forfeit_is_no_meeting() {
    assert!(pair(&["2w+", "1b-"], &[1, 2], 9).is_ok());
    assert_eq!(pair(&["2w1", "1b0"], &[1, 2], 9), Err(NoPairing));
}

#[test]
fn the_bye_goes_to_the_lowest_score() {
    let rows = ["2w1", "1b0", "4w1", "3b0", "H"];
    let bye = pair(&rows, &[1, 2, 3, 4, 5], 9).unwrap().bye;
    assert!(bye == Some(1) || bye == Some(3), "{bye:?}");
    // One of the two had it before.
    let rows = ["2w1 4b1", "1b0 3w0", "4w1 2b1", "3b0 1w0", "H U"];
    let bye = pair(&rows, &[1, 2, 3, 4, 5], 9).unwrap().bye;
    assert!(bye == Some(1) || bye == Some(3), "{bye:?}");
}

#[test]
fn of_equal_scores_the_bye_goes_to_the_fewest_rounds_without_a_game() {
    let rows = ["2w=", "1b=", "4w=", "3b=", "H"];
    let bye = pair(&rows, &[1, 2, 3, 4, 5], 9).unwrap().bye;
    assert!(bye.is_some_and(|bye| bye < 4), "{bye:?}");
}

#[test]
fn nobody_gets_a_second_bye_or_one_after_a_win_without_play() {
    for first in ["U", "F", "2w+"] {
        let rows = [first, if first == "2w+" { "1b-" } else { "Z" }, "Z"];
        let pairing = pair(&rows, &[1, 2, 3], 9).unwrap();
        assert_ne!(pairing.bye, Some(0), "{first}");
    }
    // Half a point is less than a win.
    assert_eq!(pair(&["H", "2w1", "3b1"], &[1], 9).unwrap().bye, Some(0));
}

#[test]
fn absolute_wishes_yield_for_topscorers_in_the_last_round_alone() {
    let rows = ["3w1 4w1", "4w1 3w1", "1b0 2b0", "2b0 1b0"];
    assert_eq!(pair(&rows, &[1, 2], 4), Err(NoPairing));
    assert!(pair(&rows, &[1, 2], 3).is_ok());
    assert_eq!(pair(&rows, &[3, 4], 3), Err(NoPairing), "these two have no points");
}

#[test]
fn in_the_first_round_colours_alternate_from_board_to_board() {
    let rows = ["", "", "", "", "", "", ""];
    let pairing = pair(&rows, &[1, 2, 3, 4, 5, 6], 5).unwrap();
    assert_eq!(pairing.boards, [(0, 3), (4, 1), (2, 5)]);
    // Number 2 is away: the engines count those who are there.
    let pairing = pair(&rows, &[1, 3, 4, 5, 6, 7], 5).unwrap();
    assert_eq!(pairing.boards, [(0, 4), (5, 2), (3, 6)]);
}

#[test]
fn nobody_to_pair_is_no_mistake() {
    assert_eq!(pair(&["", ""], &[], 5), Ok(Pairing::default()));
    assert_eq!(pair(&["", ""], &[2], 5).unwrap().bye, Some(1));
}
