//! Boards in words.

use crate::boards;
use knotpost_picture::{Link, Target, describe, linked_svg, summarize};
use knotpost_rules::view::{Figure, Look, Margin, Panel, Piece, Shape};
use knotpost_rules::{Cast, View};

#[test]
fn boards_are_read_row_by_row() {
    let readings: Vec<String> = boards::many()
        .into_iter()
        .filter(|(name, _)| !name.ends_with("largest") && !name.ends_with("late"))
        .map(|(name, view)| format!("{name}\n{}\n", describe(&view)))
        .collect();
    insta::assert_snapshot!("readings", readings.join("\n"));
}

#[test]
fn a_summary_tells_the_turn_the_standing_and_the_last_move() {
    let view = boards::capture();
    let players = ["ann", "bob"].map(str::to_owned).to_vec();
    let cast = Cast { players, ..view.cast.clone() };
    assert_eq!(
        summarize(&view.with_cast(cast)),
        "It is bob's turn. Standing: Horz ann 8; Vert bob 0. Horz closes a knot of 8: +8. \
         The last die came in at 2. The board follows as text."
    );
}

/// Two rows of three houses; the lower ones are pointed at.
fn houses() -> View {
    let house = |seeds| Piece::Token {
        sign: '.',
        owner: None,
        look: Look { figure: Figure::Seeds(seeds), ..Look::default() },
    };
    let margin = |owner, labels: [&str; 3]| Margin {
        owner,
        labels: labels.map(str::to_owned).to_vec(),
        ..Margin::default()
    };
    let panel = Panel {
        shape: Shape::Houses,
        columns: 3,
        cells: [2, 0, 1, 0, 12, 0].map(house).to_vec(),
        spots: ["", "", "", "a", "b", "c"].map(str::to_owned).to_vec(),
        last: vec![3],
        margins: [
            Margin::default(),
            margin("North", ["c", "b", "a"]),
            Margin::default(),
            margin("South", ["a", "b", "c"]),
        ],
        ..Panel::default()
    };
    View { panels: vec![panel], ..View::default() }
}

#[test]
fn houses_are_read_by_their_owners_and_those_of_the_mover_can_be_chosen() {
    assert_eq!(
        describe(&houses()),
        "Board: 2 rows by 3 columns. Houses of North: c 2, a 1. Houses of South: b 12. \
         The last move was on a of South."
    );
    let link = |spot: &str| Link {
        spot: spot.to_owned(),
        href: Some(format!("/{spot}")),
        label: spot.to_owned(),
        target: Target::Place,
    };
    let drawn = linked_svg(&houses(), "Houses", &[link("b"), link("d")]);
    assert!(drawn.contains("href=\"/b\"") && !drawn.contains("href=\"/d\""), "{drawn}");
}
