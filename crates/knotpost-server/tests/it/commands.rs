//! Every way in which an acting command fails: status, code, and that nothing is changed by it.

use crate::harness::{Place, TestApp};

/// What is sent, and what comes of it. Where several things are wrong, the first in the order of the
/// checks answers: words, game, board, password, over, playing here, number, turn, move.
const FAILURES: &[(&str, &str)] = &[
    ("", "400 unknown_command"),
    ("frobnicate", "400 unknown_command"),
    ("osbox", "400 unknown_command"),
    ("signup ann", "400 wrong_arguments"),
    ("signup ann other-secret ann@ann.example", "409 userid_taken"),
    ("signup ANN other-secret ann@ann.example", "409 userid_taken"),
    ("signup a other-secret ann@ann.example", "422 bad_value"),
    ("signup osbox other-secret ann@ann.example", "422 bad_value"),
    ("signup dora short dora@dora.example", "422 bad_value"),
    ("signup dora dora-secret", "400 wrong_arguments"),
    ("add ann wrong-secret more@ann.example", "401 bad_credentials"),
    ("change password ann wrong-secret new-secret", "401 bad_credentials"),
    ("change address ann wrong-secret new@ann.example", "401 bad_credentials"),
    ("hex challenge ann bob", "404 unknown_game"),
    ("osbox challenge ann", "422 player_count"),
    ("osbox challenge ann bob cyd ann bob", "422 player_count"),
    ("osbox challenge ann nobody", "422 invalid_challenge"),
    ("osbox challenge ann bob -size=13", "422 bad_option"),
    ("osbox challenge ann bob -colour=red", "422 bad_option"),
    ("osbox move 101 ann ann-secret", "400 wrong_arguments"),
    ("hex move 999 nobody wrong-secret f1", "404 unknown_game"),
    ("osbox move 999 nobody wrong-secret f1", "404 no_such_board"),
    ("osbox move 101 nobody ann-secret f1", "401 bad_credentials"),
    ("osbox move 101 ann ANN-secret f1", "401 bad_credentials"),
    ("osbox move 101 cyd cyd-secret f1#7", "403 not_a_player"),
    ("osbox move 101 bob bob-secret f99#7", "409 wrong_move_number"),
    ("osbox move 101 bob bob-secret f99", "409 not_your_turn"),
    ("osbox move 101 ann ann-secret f99", "422 illegal_move"),
    ("osbox move 101 ann ann-secret nonsense", "422 illegal_move"),
    ("osbox move 101 ann ann-secret pass", "422 not_supported"),
    ("osbox swap 101 ann ann-secret", "422 not_supported"),
    ("osbox move 101 ann ann-secret undo", "409 conflict"),
    ("osbox move 101 ann ann-secret accept", "409 nothing_proposed"),
    ("osbox move 101 bob bob-secret reject", "409 nothing_proposed"),
    ("osbox move 101 cyd cyd-secret propose", "403 not_a_player"),
    ("osbox move 101 bob bob-secret propose#7", "409 wrong_move_number"),
    ("osbox resign 101 cyd cyd-secret", "403 not_a_player"),
    ("osbox chat 101 ann ann-secret", "400 wrong_arguments"),
    ("osbox show 999", "404 no_such_board"),
    ("osbox show nobody", "404 no_such_user"),
    ("osbox show", "422 too_much_mail"),
    ("osbox preview 101 f99", "422 illegal_move"),
    ("osbox preview 101#9 f1", "422 bad_value"),
];

#[tokio::test]
async fn failures_have_their_code_and_change_nothing() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob", "cyd"]).await;
    app.post("osbox challenge ann bob", "").await;
    let before = app.tables().await;
    let mut wrong = Vec::new();
    for (line, expected) in FAILURES {
        let outcome = app.post(line, "").await.outcome();
        if outcome != *expected {
            wrong.push(format!("{line}: {outcome}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(app.tables().await, before);
}
