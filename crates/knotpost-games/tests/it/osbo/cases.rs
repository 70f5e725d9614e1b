//! Rule cases of Osbo, one small diagram a sentence of the rules.

use crate::play::{given, place, play_all, start};
use knotpost_rules::{Outcome, Position, Scores, Seat, Seed, Status, Turn};

/// Plays a move and compares the designs.
#[track_caller]
fn case(options: &str, players: usize, before: &str, mv: &str, after: &str) {
    let mut game = place("osbo", options, players, before);
    let played = game.play(Turn::from_word(mv)).unwrap_or_else(|error| panic!("{before} {mv}: {error}"));
    assert_eq!(played.gain, 0);
    assert_eq!(game.position().split(' ').next(), Some(after), "{before} {mv}");
}

/// A move that is refused with this clause; nothing changes.
#[track_caller]
fn refused(options: &str, players: usize, before: &str, mv: &str, clause: &str) {
    let mut game = place("osbo", options, players, before);
    let error = game.play(Turn::from_word(mv)).expect_err(mv);
    assert_eq!(error.to_string(), clause);
    assert_eq!(game.position(), before);
}

fn quota(options: &str, players: usize, position: &str) -> (u32, u32) {
    let steps = place("osbo", options, players, position).steps("").unwrap().unwrap();
    assert_eq!((steps.quota[0].0, steps.quota[1].0), ("dice", "designs"));
    (steps.quota[0].1, steps.quota[1].1)
}

#[test]
fn every_design_begins_with_a_crossing_in_the_middle_of_the_grid() {
    for (options, designs) in [("", "e5:o;e5:o"), ("-size=3", "c3:o;c3:o"), ("-size=8", "h8:o;h8:o")] {
        assert_eq!(start("osbo", options, 2).position().split(' ').next(), Some(designs));
    }
}

#[test]
fn as_many_dice_are_rolled_as_there_are_seats_in_the_order_of_the_stream() {
    // The first words of the zero seed leave 0, 0, 0, 5 when divided by six: three tips and a crossing.
    for (players, roll) in [(2, "tt"), (3, "ttt"), (4, "tttx")] {
        let game = start("osbo", "", players);
        assert!(game.position().ends_with(&format!(" {roll} 1")), "{}", game.position());
        assert_eq!(game.roll().as_deref(), Some(roll));
    }
    let mut game = start("osbo", "", 2);
    play_all(game.as_mut(), "c1e4,c2e4");
    assert!(game.position().ends_with(" tx 2"), "{}", game.position());
}

#[test]
fn the_roll_of_a_position_comes_before_the_stream() {
    let mut game = place("osbo", "", 2, "e5:o;e5:o bx 2");
    play_all(game.as_mut(), "k1e6,o2e6");
    assert_eq!(game.position(), "e6:k/o;e6:o/o tt 1".to_owned());
}

#[test]
fn a_passed_turn_uses_its_dice() {
    let mut game = place("osbo", "-size=3", 2, "b3:dob;b3:db xx 1");
    assert_eq!(game.forced(), Some(Turn::Pass));
    assert_eq!((game.legal_moves(), game.legal_words()), (vec![], vec!["pass"]));
    game.play(Turn::Pass).unwrap();
    assert!(game.position().ends_with(" tt 2"), "{}", game.position());
}

#[test]
fn worked_example_crossing_outgrows_the_window_and_branch_does_not() {
    refused(
        "",
        2,
        "e6:e/o/e/m;e5:o bx 1",
        "o1e7,n2e4",
        "o1e7: the open top edge of o would take design 1 out of its 5 x 5 window",
    );
    case("", 2, "e6:e/o/e/m;e5:o bx 1", "k1e7,o2e6", "e7:k/e/o/e/m;e6:o/o");
}

#[test]
fn a_die_needs_an_empty_cell_with_an_open_neighbour_and_matching_edges() {
    let before = "e5:o;e5:o ct 1";
    refused("", 2, before, "a1e5,h2f5", "a1e5: a die lies on e5 of design 1 already");
    refused("", 2, before, "a1f6,h2f5", "a1f6: no die next to f6 of design 1 is open towards it");
    refused(
        "",
        2,
        before,
        "c1e6,h2f5",
        "c1e6: face c is closed at its bottom edge, where its neighbour is open",
    );
    refused(
        "",
        2,
        "d5:jo;e5:o ct 1",
        "g1d4,a2e6",
        "g1d4: face g is closed at its top edge, where its neighbour is open",
    );
    refused(
        "",
        2,
        "d5:do/.c;e5:o ct 1",
        "a1e3,a2e6",
        "a1e3: no die next to e3 of design 1 is open towards it",
    );
    refused(
        "",
        2,
        "e6:j./ob;e5:o bc 1",
        "k1f6,h2f5",
        "k1f6: face k is open at its bottom edge, where its neighbour is closed",
    );
}

#[test]
fn later_dice_may_lean_on_earlier_ones() {
    case("", 2, "e5:o;e6:a/c ct 1", "g1f5,c1f4", "e5:og/.c;e6:a/c");
    refused("", 2, "e5:o;e6:a/c ct 1", "c1f4,g1f5", "c1f4: no die next to f4 of design 1 is open towards it");
}

#[test]
fn dice_must_be_those_of_the_roll() {
    refused(
        "",
        2,
        "e5:o;e5:o ct 1",
        "k1e6,a2e6",
        "k1e6 needs a branch, and the dice left of this roll are corner, tip",
    );
    refused(
        "",
        2,
        "e5:o;e5:o ct 1",
        "a1e6,b2f5",
        "b2f5 needs a tip, and the dice left of this roll are corner",
    );
    refused(
        "",
        2,
        "e5:o;e5:o ct 1",
        "a1e6,h2f5,c2e4",
        "c2e4 needs a tip, and the dice left of this roll are none",
    );
    refused("", 2, "e5:o;e5:o ct 1", "a3e6,h2f5", "a3e6 names design 3, and this board has designs 1 to 2");
    refused("", 2, "e5:o;e5:o ct 1", "a1e10,h2f5", "a1e10 is off the grid, which runs from a1 to i9");
    refused("", 2, "e5:o;e5:o ct 1", "a1z5,h2f5", "a1z5 is off the grid, which runs from a1 to i9");
}

#[test]
fn as_many_dice_as_possible_then_as_many_designs_as_possible() {
    let before = "e5:o;e5:o ct 1";
    assert_eq!(quota("", 2, before), (2, 2));
    refused(
        "",
        2,
        before,
        "a1e6",
        "2 of the dice can be placed this turn, so all of them must be, and not just 1",
    );
    refused(
        "",
        2,
        before,
        "a1e6,g1f5",
        "2 designs can get dice this turn, so the dice must be spread over as many, and not over 1",
    );
    // A lone open end in a full window takes one tip and nothing else.
    assert_eq!(quota("-size=3", 2, "b3:dfb;b3:df tx 1"), (1, 1));
    assert_eq!(quota("-size=3", 2, "b3:dfb;b3:df ct 1"), (2, 1));
    assert_eq!(quota("-size=3", 2, "b3:dfb;b3:df tt 1"), (1, 1));
    case("-size=3", 2, "b3:dfb;b3:df tx 1", "b2d3", "b3:dfb;b3:dfb");
}

#[test]
fn passing_is_only_for_turns_in_which_nothing_fits() {
    refused(
        "",
        2,
        "e5:o;e5:o ct 1",
        "pass",
        "a die can be placed: passing is only for turns in which none can",
    );
    refused("", 2, "e6:a/c;e6:a/c - 1", "pass", "the game is over: no design has an open edge left");
    refused("", 2, "e6:a/c;e6:a/c - 1", "c1e5", "the game is over: no design has an open edge left");
    refused("", 2, "e5:o;e5:o ct 1", "swap", "swapping is not part of this game");
}

#[test]
fn moves_are_read_in_either_case_with_optional_colons() {
    for spelling in ["g1f5,c2e4", "G1F5,C2E4", "g:1f5,C:2e4"] {
        let mut game = place("osbo", "", 2, "e5:o;e5:o ct 1");
        assert_eq!(game.play(Turn::Move(spelling)).unwrap().canonical, "g1f5,c2e4");
    }
    for text in [
        "",
        ",",
        "g1f5,",
        "g1",
        "g0f5",
        "gf5",
        "p1f5",
        "g1f05",
        "g1f",
        "g1f5 ,c2e4",
        "a1a1,a1a1,a1a1,a1a1,a1a1",
    ] {
        assert!(!start("osbo", "", 2).is_legal_syntax(text), "{text}");
    }
}

#[test]
fn longest_paths_win_compared_one_by_one() {
    let outcome = |position: &str, players| match place("osbo", "-size=3", players, position).status() {
        Status::Over(outcome) => outcome,
        Status::ToAct(_) => panic!("{position} is not over"),
    };
    // One path of six beats two of four.
    let game = place("osbo", "-size=3", 2, "c3:jg/ih;c3:aa/ih - 1");
    assert_eq!(game.scores(), Scores::Paths(vec![vec![4, 4], vec![6]]));
    assert_eq!(
        outcome("c3:jg/ih;c3:aa/ih - 1", 2),
        Outcome { placings: [2, 1].into_iter().collect(), reason: "score" }
    );
    assert_eq!(outcome("c3:a/c;b3:db - 2", 2).placings, [1, 1]);
    assert_eq!(outcome("c3:a/c;b4:db/db;c3:a/c - 2", 3).placings, [2, 1, 2]);
}

#[test]
fn a_retired_seat_may_win_but_loses_a_tie() {
    let seat = |number| Seat::new(number).unwrap();
    let mut game = place("osbo", "-size=3", 3, "c3:a/c;b3:db;c3:o bbb 1");
    game.retire(seat(1));
    assert_eq!((game.next_seat(), game.roll().as_deref()), (seat(2), Some("ttt")));
    assert_eq!(game.result_by_scores().placings, [2, 1, 3]);
    game.retire(seat(3));
    assert_eq!(game.roll().as_deref(), Some("ttt"), "a roll stays when another seat leaves");
    assert_eq!(game.status(), Status::ToAct(seat(2)));
    game.retire(seat(2));
    assert_eq!(game.result_by_scores().placings, [2, 1, 3], "the last to leave has stayed to the end");
    let mut game = place("osbo", "-size=3", 2, "c3:jg/ih;b3:df tt 2");
    game.retire(seat(1));
    play_all(game.as_mut(), "b2d3");
    assert_eq!(
        game.status(),
        Status::Over(Outcome { placings: [1, 2].into_iter().collect(), reason: "score" })
    );
    assert_eq!(game.position(), "c3:jg/ih;b3:dfb - 2");
}

#[test]
fn cells_for_tips_alone_fill_themselves_on_demand() {
    // Once d3 is closed, d4 can open to nothing but its left neighbour: its other sides leave the window.
    case("-size=3", 2, "c4:j/o;b3:df tt 1", "b1d3,b2d3", "c4:j./ob;b3:dfb");
    case("-size=3 -auto_tips", 2, "c4:j/o;b3:df tt 1", "b1d3,b2d3", "c4:jb/ob;b3:dfb");
}

#[test]
fn sealed_positions_play_one_turn_and_never_draw() {
    let registry = knotpost_games::registry();
    let osbo = registry.find("osbo").unwrap();
    let options = osbo.parse_options(&given("-size=4"), 2).unwrap();
    let preview = |seed: [u8; 32]| {
        let mut game = osbo.parse_position(&options, 2, &Seed(seed), "d4:o;d4:o ct 1").unwrap();
        game.seal_chance();
        play_all(game.as_mut(), "g1e4,c2d3");
        game
    };
    let game = preview([7; 32]);
    assert_eq!(game.position(), "d4:og;d4:o/c ? 2");
    assert_eq!(game.position(), preview([8; 32]).position());
    assert_eq!((game.roll(), game.forced(), game.legal_words()), (None, None, vec![]));
    refused("-size=4", 2, "d4:og;d4:o/c ? 2", "a1d5,a2d5", "the dice of this turn are not rolled yet");
    refused("-size=4", 2, "d4:og;d4:o/c ? 2", "pass", "the dice of this turn are not rolled yet");
    assert_eq!(game.steps("").unwrap().unwrap().next, Vec::<String>::new());
}

#[test]
fn parts_spell_the_move_so_far_and_end_when_it_is_complete() {
    let game = place("osbo", "-size=3", 2, "b3:dfb;b3:df tx 1");
    assert_eq!(game.steps("").unwrap().unwrap().next, ["b2d3"]);
    assert_eq!(game.steps("b2d3").unwrap().unwrap().next, Vec::<String>::new());
    let game = place("osbo", "", 2, "e5:o;e5:o ct 1");
    let next = game.steps("g1f5").unwrap().unwrap().next;
    assert_eq!(next, ["g1f5,a2e6", "g1f5,b2f5", "g1f5,c2e4", "g1f5,d2d5"]);
    assert!(game.steps("x").is_err() && game.steps("a1e9").is_err());
}

#[test]
fn wrong_positions_are_refused_with_a_reason() {
    let registry = knotpost_games::registry();
    let osbo = registry.find("osbo").unwrap();
    let options = osbo.parse_options(&given("-size=3"), 2).unwrap();
    let lines = [
        "",
        "c3:o;c3:o tt",
        "c3:o tt 1",
        "c3:o;c3:o;c3:o tt 1",
        "c3:o;c3:o t 1",
        "c3:o;c3:o ttt 1",
        "c3:o;c3:o tb 1",
        "c3:o;c3:o TT 1",
        "c3:o;c3:o - 1",
        "c3:a/c;c3:a/c tt 1",
        "c3:o;c3:o tt 3",
        "c3:o;c3:o tt +1",
        "c3:o;c3:o  1",
        "C3:o;c3:o tt 1",
        "c6:o;c3:o tt 1",
        "f3:o;c3:o tt 1",
        "c3;c3:o tt 1",
        "c3:;c3:o tt 1",
        "c3:.;c3:o tt 1",
        "b3:.o;c3:o tt 1",
        "c3:O;c3:o tt 1",
        "c3:p;c3:o tt 1",
        "c3:oo/o;c3:o tt 1",
        "c3:oo;c3:o tt 1",
        "a1:o;c3:o tt 1",
        "e5:oo;c3:o tt 1",
        "a5:ffff;c3:o tt 1",
        "\u{e9}3:o;c3:o tt 1",
    ];
    let table: Vec<String> = lines
        .iter()
        .map(|text| {
            let read = osbo.parse_position(&options, 2, &Seed::default(), text);
            let error = read.map(|position: Box<dyn Position>| position.position()).expect_err(text);
            format!("{text:?}: {error}")
        })
        .collect();
    insta::assert_snapshot!("position_errors_osbo", table.join("\n"));
}
