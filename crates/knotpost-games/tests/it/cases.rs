//! Rule cases of Osbox, one small diagram a sentence of the rules.

use crate::play::{place, play_all, start};
use knotpost_rules::{Outcome, Position, Rejected, Seat, Status, Turn};

/// Plays one move and compares gain and position.
#[track_caller]
fn case(options: &str, players: usize, before: &str, mv: &str, gain: u32, after: &str) {
    let mut game = place("osbox", options, players, before);
    let played = game.play(Turn::Move(mv)).unwrap_or_else(|error| panic!("{before} {mv}: {error}"));
    assert_eq!((played.gain, game.position().as_str()), (gain, after), "{before} {mv}");
}

/// A move that is refused with this clause; nothing changes.
#[track_caller]
fn refused(options: &str, players: usize, before: &str, mv: &str, clause: &str) {
    let mut game = place("osbox", options, players, before);
    let error = game.play(Turn::from_word(mv)).expect_err(mv);
    assert_eq!(error.to_string(), clause);
    assert_eq!(game.position(), before);
}

#[test]
fn entries_count_left_right_top_bottom() {
    let empty = ".../.../... 1 0-0";
    let sized = "-size=3 -any_side";
    let cells = [
        "o../.../...",
        ".../o../...",
        ".../.../o..",
        "..o/.../...",
        ".../..o/...",
        ".../.../..o",
        "o../.../...",
        ".o./.../...",
        "..o/.../...",
        ".../.../o..",
        ".../.../.o.",
        ".../.../..o",
    ];
    for (entry, rows) in (1..).zip(cells) {
        case(sized, 2, empty, &format!("o{entry}"), 0, &format!("{rows} 2 0-0"));
    }
}

#[test]
fn a_push_shifts_the_run_up_to_the_first_gap() {
    case("", 2, "abc./..../..../.... 1 0-0", "o1", 0, "oabc/..../..../.... 2 0-0");
    case("", 2, "ab.c/..../..../.... 1 0-0", "e1", 0, "eabc/..../..../.... 2 0-0");
    case("", 2, ".abc/..../..../.... 1 0-0", "o1", 0, "oabc/..../..../.... 2 0-0");
    case("", 2, "a.b./..../..../.... 1 0-0", "o1", 0, "oab./..../..../.... 2 0-0");
    case("", 2, "a.bc/..../..../.... 1 0-0", "o5", 0, "abco/..../..../.... 2 0-0");
    case("", 2, "..../..../a.../c... 2 0-0", "e13", 0, "..../a.../c.../e... 1 0-0");
    case("", 2, "c.../..../a.../.... 2 0-0", "e9", 0, "e.../c.../a.../.... 1 0-0");
}

#[test]
fn the_whole_move_is_one_word_in_either_case_with_an_optional_colon() {
    for spelling in ["f2", "F2", "f:2", "F:2"] {
        let mut game = start("osbox", "-size=2", 2);
        let played = game.play(Turn::Move(spelling)).unwrap();
        assert_eq!((played.canonical.as_str(), played.text.as_str()), ("f2", "f2"));
    }
}

#[test]
fn what_is_no_move_is_told_apart_from_what_is_forbidden() {
    for text in [
        "", "f", "2", "p1", "f02", "f+2", "f 2", "f:", "f::2", "f2x", "f999", "ff2", "f-2", "\u{fc}2",
        "f\u{664}",
    ] {
        let error = start("osbox", "", 2).play(Turn::Move(text)).expect_err(text);
        assert!(matches!(error, Rejected::Syntax(_)), "{text}");
        assert!(
            error.to_string().ends_with("a move is a face a to o and an entry number, such as d2 or d:2")
        );
    }
    let error = start("osbox", "", 2).play(Turn::Move("f255")).expect_err("no such entry");
    assert!(matches!(error, Rejected::Illegal(_)));
}

#[test]
fn an_entry_must_exist_be_owned_and_have_room() {
    refused("-size=2", 2, "../.. 1 0-0", "f9", "there is no entry 9: this board has entries 1 to 8");
    refused(
        "-size=2",
        2,
        "../.. 1 0-0",
        "f0",
        "`f0` is not a move: a move is a face a to o and an entry number, such as d2 or d:2",
    );
    refused(
        "-size=2",
        2,
        "../.. 1 0-0",
        "f5",
        "entry 5 is not on a side of Horz, who pushes from left and right",
    );
    refused(
        "-size=2",
        2,
        "../.. 2 0-0",
        "f4",
        "entry 4 is not on a side of Vert, who pushes from top and bottom",
    );
    refused(
        "-size=2",
        2,
        "ff/.. 1 0-0",
        "f1",
        "the line behind entry 1 is full: a push needs an empty cell in it",
    );
    refused("-size=2", 2, "ff/ff 1 0-0", "f1", "the game is over: the board is full");
    refused("", 2, "..../..../..../.... 1 0-0", "pass", "passing is not part of this game");
    refused("", 2, "..../..../..../.... 1 0-0", "swap", "swapping is not part of this game");
}

#[test]
fn with_three_players_nobody_owns_the_bottom() {
    for (seat, owned) in [(1, 1), (2, 5), (3, 3)] {
        for entry in [1, 3, 5, 7] {
            let mut game = place("osbox", "-size=2", 3, &format!("../.. {seat} 0-0-0"));
            assert_eq!(game.play(Turn::Move(&format!("f{entry}"))).is_ok(), entry == owned, "{seat} {entry}");
        }
    }
    case("-size=2 -any_side", 3, "../.. 1 0-0-0", "f7", 0, "../f. 2 0-0-0");
    case("-size=2", 4, "../.. 4 0-0-0-0", "f8", 0, "../.f 1 0-0-0-0");
}

#[test]
fn only_paths_through_pushed_dice_are_closed_by_the_move() {
    // The square of corners is closed already; a push that touches none of its dice leaves it alone.
    case("", 2, "jg../ih../..../.... 1 0-0", "o4", 0, "jg../ih../..../o... 2 0-0");
    case("", 2, ".jg./.ih./..../.... 1 0-0", "a1", 0, "ajg./.ih./..../.... 2 0-0");
    case("-no_capture", 2, "jg../ih../..../.... 1 0-0", "o5", 0, "jg.o/ih../..../.... 2 0-0");
}

#[test]
fn two_paths_through_the_same_dice_both_score() {
    case("", 2, ".g../ih../..../.... 1 0-0", "j1", 8, "..../..../..../.... 2 8-0");
}

#[test]
fn one_long_path_scores_its_crossings() {
    case("-size=2", 2, ".a/ih 1 0-0", "a1", 6, "../.. 2 6-0");
}

#[test]
fn dice_count_scores_each_die_once() {
    case("-size=2 -score=dice", 2, ".g/ih 1 0-0", "j1", 4, "../.. 2 4-0");
    case("-size=2 -score=dice -no_capture", 2, ".g/ih 1 0-0", "j1", 4, "jg/ih 2 4-0");
}

#[test]
fn thin_knots_score_only_on_demand_and_leave_then() {
    case("", 2, ".b../..../..../.... 1 0-0", "d1", 0, "db../..../..../.... 2 0-0");
    case("-thin_knots", 2, ".b../..../..../.... 1 0-0", "d1", 2, "..../..../..../.... 2 2-0");
    case("-thin_knots -no_capture", 2, ".b../..../..../.... 1 0-0", "d1", 2, "db../..../..../.... 2 2-0");
    case("", 2, "a.../..../..../.... 2 0-0", "a9", 0, "a.../a.../..../.... 1 0-0");
}

#[test]
fn without_capture_a_knot_scores_again_when_it_is_pushed() {
    case("-no_capture", 2, "jg../ih../..../.... 1 8-0", "o2", 0, "jg../oih./..../.... 2 8-0");
    case("-no_capture -size=3", 2, ".g./ih./... 1 0-0", "j1", 8, "jg./ih./... 2 8-0");
}

#[test]
fn a_full_board_ends_the_game_and_the_highest_score_wins() {
    let mut game = place("osbox", "-size=2", 2, "jg/i. 1 3-5");
    play_all(game.as_mut(), "h4");
    assert_eq!(game.status(), Status::ToAct(Seat::new(2).unwrap()), "the full square was a knot and left");
    let mut game = place("osbox", "-size=2", 2, "e./ee 1 3-5");
    play_all(game.as_mut(), "e3");
    let outcome = Outcome { placings: [2, 1].into_iter().collect(), reason: "score" };
    assert_eq!(game.status(), Status::Over(outcome));
    assert_eq!(game.position(), "ee/ee 2 3-5");
    assert!(game.to_move().is_empty() && game.legal_moves().is_empty());
}

#[test]
fn seats_with_the_top_score_share_the_tie() {
    let game = place("osbox", "-size=2", 4, "ee/ee 1 5-2-5-0");
    let Status::Over(outcome) = game.status() else { panic!("full") };
    assert_eq!(outcome.placings, [1, 3, 1, 4]);
    assert!(outcome.is_tie());
    assert_eq!(outcome.winners().iter().map(|seat| seat.number()).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn a_retired_seat_is_skipped_and_cannot_win_but_keeps_its_score() {
    let mut game = place("osbox", "-size=2", 3, "../.. 2 1-9-0");
    game.retire(Seat::new(2).unwrap());
    assert_eq!(game.next_seat().number(), 3);
    assert_eq!(game.position(), "../.. 3 1-9-0");
    play_all(game.as_mut(), "f3 f2");
    assert_eq!(game.next_seat().number(), 3);
    assert_eq!(game.result_by_scores().placings, [1, 3, 2]);
}

#[test]
fn faces_may_be_pushed_by_any_seat_at_any_time() {
    let legal = start("osbox", "-size=2", 2).legal_moves();
    assert_eq!(legal.len(), 60);
    assert_eq!((legal[0].as_str(), legal[59].as_str()), ("a1", "o4"));
}

fn position_error(options: &str, players: usize, text: &str) -> String {
    let registry = knotpost_games::registry();
    let osbox = registry.find("osbox").unwrap();
    let options = osbox.parse_options(&crate::play::given(options), players).unwrap();
    let read = osbox.parse_position(&options, players, &knotpost_rules::Seed::default(), text);
    read.map(|position: Box<dyn Position>| position.position()).expect_err(text).to_string()
}

#[test]
fn wrong_positions_are_refused_with_a_reason() {
    let lines = [
        "../..",
        "../.. 1",
        "../.. 1 0-0 x",
        "../../.. 1 0-0",
        ".../.. 1 0-0",
        ".p/.. 1 0-0",
        "../.. 0 0-0",
        "../.. 3 0-0",
        "../.. +1 0-0",
        "../.. 1 0",
        "../.. 1 0-0-0",
        "../.. 1 00-0",
        "../.. 1 -1-0",
        "../..  1 0-0",
        "../.. 1 4294967296-0",
        "\u{e9}./.. 1 0-0",
        "",
    ];
    let table: Vec<String> =
        lines.iter().map(|text| format!("{text:?}: {}", position_error("-size=2", 2, text))).collect();
    insta::assert_snapshot!("position_errors", table.join("\n"));
}
