//! The kit for games of stones, where no game of ours shows it.

use knotpost_rules::{
    Seat,
    kit::{Chains, Grid, Names, Place, Shift, other},
    view::Shape,
};

fn place(name: &str) -> Place {
    name.parse().expect(name)
}

#[test]
fn cells_are_read_in_either_order_and_case_and_printed_in_one() {
    for (typed, printed) in [("f6", "f6"), ("6F", "f6"), ("F6", "f6"), ("26z", "z26"), ("a10", "a10")] {
        assert_eq!(place(typed).to_string(), printed);
    }
    for wrong in ["", "f", "6", "f0", "f06", "f666", "ff6", "f-6", "f6f", "\u{e9}6", "f\u{660}"] {
        assert!(wrong.parse::<Place>().is_err(), "{wrong}");
    }
    for (typed, printed) in [("e2-e3", "e2-e3"), ("E2E3", "e2-e3"), ("a10b11", "a10-b11"), ("2e-3e", "e2-e3")]
    {
        assert_eq!(typed.parse::<Shift>().expect(typed).to_string(), printed);
    }
    for wrong in ["", "e2", "e2-", "-e3", "e2--e3", "e2-e3-e4", "e2e3e4", "e2 e3"] {
        assert!(wrong.parse::<Shift>().is_err(), "{wrong}");
    }
}

#[test]
fn every_cell_has_a_name_of_its_own_by_which_it_is_found() {
    let shapes = [Shape::Square, Shape::Slanted, Shape::Triangle, Shape::Hexagon, Shape::Points];
    for (shape, bits) in shapes.into_iter().flat_map(|shape| (0..8).map(move |bits| (shape, bits))) {
        let names = Names { lettered_rows: bits & 1 > 0, from_below: bits & 2 > 0, without_i: bits & 4 > 0 };
        let grid = Grid::new(shape, 19, 19, names);
        for cell in grid.cells().iter() {
            assert_eq!(grid.find(grid.name(cell)), Some(cell), "{shape:?} {names:?}");
        }
        assert_eq!(
            grid.find(place("i3")).is_some(),
            grid.cells().iter().any(|cell| grid.name(cell) == place("i3"))
        );
    }
}

#[test]
fn the_corners_of_a_board_are_told() {
    let corners = |shape, names| Grid::new(shape, 5, 5, names).corners();
    let lettered = Names { lettered_rows: true, ..Names::default() };
    assert_eq!(corners(Shape::Square, Names::default()), "a1 and e5");
    assert_eq!(corners(Shape::Slanted, Names::default()), "a1 and e5");
    assert_eq!(corners(Shape::Triangle, Names::default()), "a5, e1 and e5");
    assert_eq!(corners(Shape::Hexagon, lettered), "a1, a3, c1, c5, e3 and e5");
    let go = Names { without_i: true, from_below: true, ..Names::default() };
    assert_eq!(Grid::new(Shape::Points, 19, 19, go).corners(), "a1 and t19");
}

/// Plays stones of the first seat; whether the last one closes a ring.
fn closes(shape: Shape, cells: &str) -> bool {
    let mut grid = Grid::new(shape, 9, 9, Names { lettered_rows: true, ..Names::default() });
    let (mut chains, mut closed) = (Chains::default(), false);
    for cell in cells.split(' ') {
        assert!(!closed, "{cell} comes after the ring");
        let cell = grid.find(place(cell)).expect("a cell");
        grid.put(cell, Seat::FIRST);
        closed = chains.closes_ring(&grid, cell);
        chains.join(&grid, cell, 0);
    }
    closed
}

#[test]
fn a_ring_runs_around_a_cell_whatever_is_there() {
    let around = "d4 d5 e6 f6 f5 e4";
    assert!(closes(Shape::Hexagon, around), "around an empty cell");
    assert!(closes(Shape::Hexagon, &format!("e5 {around}")), "around a stone of the same seat");
    assert!(!closes(Shape::Hexagon, "d4 d5 e6 f6 f5"), "five are none");
    assert!(!closes(Shape::Hexagon, "e5 d4 d5 e4"), "a lump is none");
    assert!(!closes(Shape::Hexagon, "a1 a2 b1 b2"), "nor is one in a corner");
    assert!(closes(Shape::Hexagon, "d4 d5 d6 e7 f8 g8 g7 g6 f5 e4"), "around several cells");
}

#[test]
fn what_chains_touch_is_known_in_whatever_order_their_stones_come() {
    let mut grid = Grid::new(Shape::Slanted, 5, 5, Names::default());
    let mut chains = Chains::default();
    for (name, marks, touched) in [("a1", 1, 1), ("c1", 2, 2), ("e1", 4, 4), ("d1", 0, 6), ("b1", 8, 15)] {
        let cell = grid.find(place(name)).unwrap();
        grid.put(cell, other(Seat::FIRST));
        assert_eq!(chains.join(&grid, cell, marks), touched, "{name}");
    }
}
