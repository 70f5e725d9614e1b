//! Rule cases of Boxilies, one small diagram a sentence of the rules.

use super::slow;
use crate::play::{place, play_all, start};
use knotpost_games::boxilies::{Lie, Stone};
use knotpost_rules::{Outcome, Rejected, Scores, Seat, Status, Turn};

/// Plays one move and compares the position.
#[track_caller]
fn case(before: &str, mv: &str, after: &str) {
    let mut game = place("boxilies", "", 2, before);
    let played = game.play(Turn::Move(mv)).unwrap_or_else(|error| panic!("{before} {mv}: {error}"));
    assert_eq!((played.gain, game.position().as_str()), (0, after), "{before} {mv}");
}

/// A move that is refused with this clause; nothing changes.
#[track_caller]
fn refused(before: &str, mv: &str, clause: &str) {
    let mut game = place("boxilies", "", 2, before);
    let error = game.play(Turn::from_word(mv)).expect_err(mv);
    assert_eq!(error.to_string(), clause);
    assert_eq!(game.position(), before);
}

#[test]
fn names_run_down_the_largest_turns_of_each_total() {
    let ours: Vec<(String, [u32; 4])> = Stone::all()
        .map(|stone| (stone.name().to_owned(), Lie::new(stone, 0).arrows().map(u32::from)))
        .collect();
    let judged: Vec<(String, [u32; 4])> = slow::all_stones().into_iter().collect();
    assert_eq!(ours, judged);
    let totals = (0..7).map(|total| Stone::of_total(total).len());
    assert_eq!(totals.collect::<Vec<_>>(), [0, 1, 3, 5, 10, 14, 0]);
    let spelled = [
        ("1a", [1, 0, 0, 0]),
        ("2a", [2, 0, 0, 0]),
        ("2b", [1, 1, 0, 0]),
        ("2c", [1, 0, 1, 0]),
        ("3a", [3, 0, 0, 0]),
        ("3b", [2, 1, 0, 0]),
        ("3c", [2, 0, 1, 0]),
        ("3d", [2, 0, 0, 1]),
        ("3e", [1, 1, 1, 0]),
    ];
    for (name, arrows) in spelled {
        assert_eq!(Lie::new(Stone::from_name(name).unwrap(), 0).arrows(), arrows, "{name}");
    }
}

#[test]
fn a_clockwise_quarter_brings_north_to_east() {
    let stone = Stone::from_name("3B").unwrap();
    let turned = [[2, 1, 0, 0], [0, 2, 1, 0], [0, 0, 2, 1], [1, 0, 0, 2]];
    for (turns, arrows) in (0..).zip(turned) {
        assert_eq!(Lie::new(stone, turns).arrows(), arrows);
    }
}

#[test]
fn turns_of_symmetric_stones_are_the_smallest_equal_ones() {
    for (name, arrows) in slow::all_stones() {
        let stone = Stone::from_name(&name).unwrap();
        for turns in 0..4_u8 {
            let lie = Lie::new(stone, turns);
            let shown = slow::turn(arrows, u32::from(turns));
            assert_eq!(lie.arrows().map(u32::from), shown, "{name} {turns}");
            let fewest = (0..4).find(|quarters| slow::turn(arrows, *quarters) == shown).unwrap();
            assert_eq!(u32::from(lie.turns()), fewest, "{name} {turns}");
        }
    }
    case(".,.,./.,.,./.,.,. 4j|1a 1", "4j:b2:3", ".,.,./.,14j0,./.,.,. -|1a 2");
    case(".,.,./.,.,./.,.,. 2c|1a 1", "2c:b2:3", ".,.,./.,12c1,./.,.,. -|1a 2");
    case(".,.,./.,.,./.,.,. 4h|1a 1", "4h:b2:2", ".,.,./.,14h0,./.,.,. -|1a 2");
}

#[test]
fn a_placed_stone_belongs_to_the_mover_and_leaves_the_hand() {
    case(".,.,./.,.,./.,.,. 1a,3b|1a,3b 1", "3b:c2:1", ".,.,./.,.,13b1/.,.,. 1a|1a,3b 2");
    case(".,.,./.,.,./.,.,. 1a|1a,3b 2", "3b:a3", "23b0,.,./.,.,./.,.,. 1a|1a 1");
    case(".,.,./.,.,./.,.,. 2a,1a,2a,1a|- 1", "2a:c1:0", ".,.,./.,.,./.,.,12a0 1a,2a,1a|- 2");
}

#[test]
fn strictly_more_arrows_on_the_common_side_capture() {
    // Two against one from each side, then one against one, then one against two.
    case(".,21a2,./.,.,./.,.,. 2a|1a 1", "2a:b2:0", ".,11a2,./.,12a0,./.,.,. -|1a 2");
    case(".,.,./.,.,21a3/.,.,. 2a|1a 1", "2a:b2:1", ".,.,./.,12a1,11a3/.,.,. -|1a 2");
    case(".,.,./.,.,./.,21a0,. 2a|1a 1", "2a:b2:2", ".,.,./.,12a2,./.,11a0,. -|1a 2");
    case(".,.,./21a1,.,./.,.,. 2a|1a 1", "2a:b2:3", ".,.,./11a1,12a3,./.,.,. -|1a 2");
    case(".,21a2,./.,.,./.,.,. 1a|1a 1", "1a:b2:0", ".,21a2,./.,11a0,./.,.,. -|1a 2");
    case(".,22a2,./.,.,./.,.,. 1a|1a 1", "1a:b2:0", ".,22a2,./.,11a0,./.,.,. -|1a 2");
    case(".,21a0,./.,.,./.,.,. 1a|1a 1", "1a:b2:0", ".,11a0,./.,11a0,./.,.,. -|1a 2");
}

#[test]
fn the_newcomer_is_never_captured() {
    case(".,25a2,./.,.,./.,.,. 1a|1a 1", "1a:b2:2", ".,25a2,./.,11a2,./.,.,. -|1a 2");
}

#[test]
fn several_neighbours_fall_at_once_but_no_diagonal_one() {
    case(
        "21a0,21a0,21a0/21a0,.,21a3/21a0,21a2,21a0 4j|1a 1",
        "4j:b2:0",
        "21a0,11a0,21a0/11a0,14j0,21a3/21a0,11a2,21a0 -|1a 2",
    );
}

#[test]
fn captured_stones_capture_nothing_further() {
    // The captured 5a points at a bare side beyond it.
    case(".,.,./.,25a0,./.,.,. 1a|1a 1", "1a:a2:1", ".,.,./11a1,15a0,./.,.,. -|1a 2");
    case(".,21a0,./.,25a0,./.,.,. 1a|1a 1", "1a:a2:1", ".,21a0,./11a1,15a0,./.,.,. -|1a 2");
}

#[test]
fn own_neighbours_stay_and_the_rim_has_no_other_side() {
    case(".,.,./.,11a0,./.,.,. 4j|1a 1", "4j:a2:0", ".,.,./14j0,11a0,./.,.,. -|1a 2");
    case(".,.,21a0/21a0,.,./.,.,. 5a|1a 1", "5a:a3:3", "15a3,.,21a0/21a0,.,./.,.,. -|1a 2");
    case(".,.,./21a0,.,./.,.,. 5a|1a 1", "5a:c3:1", ".,.,15a1/21a0,.,./.,.,. -|1a 2");
    case("21a0,.,./.,.,./.,.,. 5a|1a 1", "5a:a1:2", "21a0,.,./.,.,./15a2,.,. -|1a 2");
}

#[test]
fn both_seats_capture_alike() {
    case(".,11a2,./.,.,./.,.,. 1a|2a 2", "2a:b2:0", ".,21a2,./.,22a0,./.,.,. 1a|- 1");
}

#[test]
fn what_is_no_move_is_told_apart_from_what_is_forbidden() {
    for text in [
        "",
        "3b",
        "3b:",
        "3b:c2:",
        "3bc2",
        "3b:c4",
        "3b:d1",
        "3f:a1",
        "6a:a1",
        "0a:a1",
        "5o:a1",
        "3b:c2:4",
        "3b:c2:-1",
        "3b:c2:01",
        "3b:c2:1:0",
        "3b c2",
        "c2:3b",
        ":c2",
        "3b::1",
        "3\u{df}:c2",
        "\u{ff13}b:c2",
    ] {
        let error = start("boxilies", "", 2).play(Turn::Move(text)).expect_err(text);
        assert!(matches!(error, Rejected::Syntax(_)), "{text}");
    }
    let error = start("boxilies", "", 2).play(Turn::Move("3b:c2:5")).expect_err("five turns").to_string();
    assert_eq!(
        error,
        "`3b:c2:5` is not a move: a move is a stone 1a to 5n, a cell a1 to c3 and 0 to 3 quarter turns, such as 3b:c2:1"
    );
}

#[test]
fn spellings_of_a_move_have_one_canonical_form() {
    for spelling in ["3b:c2", "3B:C2", "3b:c2:0", "3B:c2:0"] {
        let mut game = start("boxilies", "-hand=3b,3b,3b,3b,3b", 2);
        let played = game.play(Turn::Move(spelling)).unwrap();
        assert_eq!((played.canonical.as_str(), played.text.as_str()), ("3b:c2:0", "3b:c2:0"));
    }
    let played = start("boxilies", "-hand=4j,3b,3b,3b,3b", 2).play(Turn::Move("4j:a1:2")).unwrap();
    assert_eq!(played.canonical, "4j:a1:0");
}

#[test]
fn forbidden_moves_name_the_rule() {
    let before = ".,.,./.,11a0,./.,.,. 2b,5n|1a,2b 2";
    refused(before, "5n:a1", "Second does not hold stone 5n: the stones in that hand are 1a,2b");
    refused(before, "1a:b2:3", "b2 already holds a stone: a stone goes on an empty cell");
    refused(before, "pass", "passing is not part of this game");
    refused(before, "swap", "there is no swap on this board: it is an option, -swap");
    let full = "11a0,11a0,11a0/11a0,11a0,21a0/21a0,21a0,21a0 -|2b 2";
    refused(full, "2b:a1:0", "the game is over: all nine cells hold a stone");
    let bare = ".,.,./.,11a0,./.,.,. -|2b 1";
    refused(bare, "2b:a1:0", "the game is over: First has no stone left to place");
}

#[test]
fn the_ninth_stone_ends_the_game_and_more_stones_win() {
    let mut game = place("boxilies", "", 2, "11a0,21a0,11a0/21a0,11a0,21a0/11a0,21a0,. 1a|2b 1");
    assert_eq!(game.status(), Status::ToAct(Seat::FIRST));
    play_all(game.as_mut(), "1a:c1:2");
    assert_eq!(
        game.status(),
        Status::Over(Outcome { placings: [1, 2].into_iter().collect(), reason: "score" })
    );
    assert_eq!(game.position(), "11a0,21a0,11a0/21a0,11a0,21a0/11a0,21a0,11a2 -|2b 2");
    assert_eq!(game.scores(), Scores::Points(vec![5, 4]));
    assert!(game.to_move().is_empty() && game.legal_moves().is_empty() && game.example_move().is_none());
}

#[test]
fn the_first_player_places_five_stones_and_the_second_four() {
    let mut game = start("boxilies", "-hand=4j,4j,4j,4j,4j", 2);
    play_all(game.as_mut(), "4j:a1 4j:a2 4j:a3 4j:b1 4j:b2 4j:b3 4j:c1 4j:c2 4j:c3");
    assert_eq!(game.position(), "14j0,24j0,14j0/24j0,14j0,24j0/14j0,24j0,14j0 -|4j 2");
    assert_eq!(game.result_by_scores().winners(), [Seat::FIRST]);
}

#[test]
fn a_retired_seat_is_skipped_and_cannot_win() {
    let mut game = place("boxilies", "", 2, ".,11a0,./.,11a0,./.,.,. 1a,2a|1a,2b 1");
    game.retire(Seat::FIRST);
    assert_eq!(game.next_seat().number(), 2);
    play_all(game.as_mut(), "1a:a1");
    assert_eq!(game.next_seat().number(), 2);
    assert_eq!(game.result_by_scores().placings, [2, 1]);
    play_all(game.as_mut(), "2b:a2");
    assert!(game.status().is_over(), "nobody has a stone to place");
}

#[test]
fn the_second_seat_may_swap_instead_of_its_first_move_where_the_option_says_so() {
    let mut plain = start("boxilies", "-hand=1a,2b,3b,4j,5n", 2);
    play_all(plain.as_mut(), "1a:b2");
    let error = plain.play(Turn::Swap).expect_err("no option");
    assert_eq!(error.to_string(), "there is no swap on this board: it is an option, -swap");
    assert!(plain.legal_words().is_empty());

    let mut game = start("boxilies", "-hand=1a,2b,3b,4j,5n -swap", 2);
    assert!(game.play(Turn::Swap).is_err() && game.legal_words().is_empty());
    play_all(game.as_mut(), "1a:b2");
    assert_eq!(game.legal_words(), ["swap"]);
    let after = ".,.,./.,11a0,./.,.,. 2b,3b,4j,5n|1a,2b,3b,4j,5n 2";
    assert_eq!(game.position(), after);
    let mut other = game.clone();
    let played = game.play(Turn::Swap).unwrap();
    assert_eq!((played.seat, played.canonical.as_str(), played.gain), (Seat::new(2).unwrap(), "swap", 0));
    assert_eq!(game.position(), after, "stones and hands stay, players change places");
    assert!(game.legal_words().is_empty() && game.play(Turn::Swap).is_err());
    play_all(other.as_mut(), "2b:a1");
    let error = other.play(Turn::Swap).expect_err("too late");
    assert_eq!(error.to_string(), "only the second player may swap, and only instead of the first move");
    let mut placed = place("boxilies", "-swap", 2, after);
    assert!(placed.play(Turn::Swap).is_err(), "a game begun from a position has no swap");
}
