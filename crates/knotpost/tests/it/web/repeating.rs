//! Moves that are sent again over HTTP.

use serde_json::{Value, json};

use super::program::{basic, call};
use super::tell;

tell! {
    a_move_sent_again_is_told_to_be_there_and_not_made_twice,
    what_only_resembles_a_move_that_was_made_is_judged_as_new,
    the_last_move_of_a_game_can_be_sent_again,
}

mod stories {
    use super::*;
    use crate::harness::{Page, Place, TestApp};

    async fn playing(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbox challenge -size=3 ann bob", "").await;
        app
    }

    async fn play(app: &TestApp, userid: &str, body: Value) -> Page {
        call(app, &basic(userid), "POST", "/api/v1/boards/osbox/101/moves", &body).await
    }

    pub(super) async fn a_move_sent_again_is_told_to_be_there_and_not_made_twice(place: Place) {
        let app = playing(place).await;
        let first = play(&app, "ann", json!({ "move": "f1", "number": 1, "comment": "Hello." })).await;
        assert_eq!((first.status.as_u16(), &first.json()["repeated"]), (200, &Value::Null), "{}", first.text);
        app.work().await;
        app.letters();
        // With its number and without, written in other ways, and in all ways in.
        for body in [
            json!({ "move": "f1", "number": 1 }),
            json!({ "move": "f1" }),
            json!({ "move": "F1", "comment": "Hello." }),
        ] {
            let again = play(&app, "ann", body).await;
            let told = again.json();
            assert_eq!((again.status.as_u16(), &told["repeated"]), (200, &true.into()), "{}", again.text);
            assert_eq!((&told["ok"], &told["ply"], &told["played"]), (&true.into(), &1.into(), &true.into()));
        }
        for line in ["osbox move 101 ann ann-secret f1", "osbox move 101 ann ann-secret f1#1"] {
            let again = app.post(line, "Hello.").await;
            assert_eq!(
                (again.outcome().as_str(), &again.json()["repeated"]),
                ("200 ok", &true.into()),
                "{line}"
            );
            assert_eq!(again.json()["boards"][0]["number"], 101);
            let text = again.json()["replies"][0]["text"].as_str().unwrap().to_owned();
            assert!(text.contains("It is bob's turn"), "{text}");
        }
        // The number says which one also when the game has gone on.
        assert_eq!(play(&app, "bob", json!({ "move": "e7" })).await.json()["repeated"], Value::Null);
        assert_eq!(play(&app, "ann", json!({ "move": "f1", "number": 1 })).await.json()["repeated"], true);
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["ply"], board["moves"].as_array().unwrap().len()), (&2.into(), 2));
        app.work().await;
        assert_eq!(app.letters().len(), 2, "bob's move is mailed, nothing else");
    }

    pub(super) async fn what_only_resembles_a_move_that_was_made_is_judged_as_new(place: Place) {
        let app = playing(place).await;
        assert_eq!(play(&app, "ann", json!({ "move": "f1" })).await.status, 200);
        for (userid, body, outcome) in [
            ("ann", json!({ "move": "f2" }), "409 not_your_turn"),
            ("ann", json!({ "move": "f2", "number": 1 }), "409 wrong_move_number"),
            ("ann", json!({ "move": "f1", "number": 2 }), "409 not_your_turn"),
            ("ann", json!({ "move": "f1", "number": 3 }), "409 wrong_move_number"),
            ("bob", json!({ "move": "f1", "number": 1 }), "409 wrong_move_number"),
            ("cyd", json!({ "move": "f1", "number": 1 }), "403 not_a_player"),
            ("cyd", json!({ "move": "f1" }), "403 not_a_player"),
        ] {
            assert_eq!(play(&app, userid, body.clone()).await.outcome(), outcome, "{userid} {body}");
        }
        assert_eq!(play(&app, "bob", json!({ "move": "e7" })).await.status, 200);
        // On turn and without a number the same words are a new move.
        let new = play(&app, "ann", json!({ "move": "f1" })).await;
        assert_eq!((new.status.as_u16(), &new.json()["repeated"]), (200, &Value::Null), "{}", new.text);
        assert_eq!(new.json()["ply"], 3);
        let page = app.post("osbox move 101 ann wrong-secret f1", "").await;
        assert_eq!(page.outcome(), "401 bad_credentials");
    }

    pub(super) async fn the_last_move_of_a_game_can_be_sent_again(place: Place) {
        let app = playing(place).await;
        let moves = "j2 a8 d5 m12 i3 g11 i1 h11 m1 n10 h5 l8 d2 l12 o1 d11";
        for (index, word) in moves.split(' ').enumerate() {
            let userid = if index % 2 == 0 { "ann" } else { "bob" };
            assert_eq!(play(&app, userid, json!({ "move": word })).await.status, 200, "{word}");
        }
        for body in [json!({ "move": "d11" }), json!({ "move": "d11", "number": 16 })] {
            let again = play(&app, "bob", body).await;
            assert_eq!(
                (again.status.as_u16(), &again.json()["repeated"]),
                (200, &true.into()),
                "{}",
                again.text
            );
        }
        assert_eq!(play(&app, "bob", json!({ "move": "l12" })).await.outcome(), "409 game_over");
    }
}
