//! Moves on ordinary boards, before there are tournaments and while their players have boards in two of them.

use super::spent::Meter;
use crate::harness::Place;
use crate::tournaments::club::Club;
use knotpost_model::BoardRef;

const FOUR: [&str; 4] = ["ann", "bob", "cyd", "dan"];
/// Moves of a game, whose last one is a resignation.
const MOVES: usize = 5;

/// Statements of each move of a board.
async fn statements(club: &Club, board: &BoardRef) -> Vec<usize> {
    let mut statements = Vec::new();
    for number in 1..=MOVES {
        club.app.work().await;
        let mover = club.mover(board).await.expect("it is played");
        let meter = Meter::start(&club.app);
        if number == MOVES {
            club.resign(board, &mover).await;
        } else {
            club.play_one(board).await;
        }
        statements.push(meter.stop(&club.app, 0, 0).statements);
    }
    statements
}

async fn ordinary(club: &Club) -> Vec<usize> {
    let page = club.app.post("osbox challenge -size=4 ann bob", "").await;
    assert_eq!(page.outcome(), "200 ok", "{}", page.text);
    let number = page.text.split("Board ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let number = number.and_then(|number| number.parse().ok()).expect("a number");
    statements(club, &BoardRef { game: "osbox".to_owned(), number }).await
}

#[tokio::test]
async fn an_ordinary_move_costs_no_statement_more_beside_tournaments() {
    let club = Club::open(Place::Sqlite, &FOUR).await;
    // The first game of two players also stores what later ones find.
    ordinary(&club).await;
    let before = ordinary(&club).await;
    let t1 = club.begin("-players=4", &FOUR).await;
    let t2 = club.announce_by("dir", "swiss", "-players=4").await.expect("announced").line.name;
    club.enter(t2, &FOUR).await;
    club.app.tick().await;
    assert_eq!(ordinary(&club).await, before, "statements of each move");
    let board = club.board_of(t1, "ann", "bob").await;
    println!("ordinary: {before:?}; on a board of a tournament: {:?}", statements(&club, &board).await);
}
