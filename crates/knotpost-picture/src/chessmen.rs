//! Draws chessmen, light for seat 1 and dark for seat 2, and the kings of checkers.

use crate::{
    geometry::{Path, Point, at},
    scene::{Paint, Scene},
    theme::Palette,
    tokens,
};
use knotpost_rules::{Seat, view::Chessman};

type Outline = &'static [(f32, f32)];

/// The right half of a figure from the foot up, around the centre of a cell that is 1 wide; the left one mirrors it.
const PAWN: Outline = &[(0.24, 0.38), (0.24, 0.29), (0.1, 0.02), (0.17, -0.03)];
const BISHOP: Outline = &[(0.26, 0.38), (0.26, 0.29), (0.09, 0.2), (0.17, 0.06), (0.17, -0.06), (0.0, -0.3)];
const ROOK: Outline = &[
    (0.28, 0.38),
    (0.28, 0.28),
    (0.19, 0.22),
    (0.17, -0.12),
    (0.26, -0.18),
    (0.26, -0.37),
    (0.15, -0.37),
    (0.15, -0.28),
    (0.06, -0.28),
    (0.06, -0.37),
];
const QUEEN: Outline =
    &[(0.26, 0.38), (0.26, 0.29), (0.2, 0.2), (0.34, -0.24), (0.17, -0.02), (0.12, -0.34), (0.0, -0.06)];
const KING: Outline =
    &[(0.26, 0.38), (0.26, 0.29), (0.19, 0.2), (0.31, 0.0), (0.25, -0.14), (0.1, -0.17), (0.0, -0.08)];
/// All of the figure, which looks to the left.
const KNIGHT: Outline = &[
    (-0.26, 0.38),
    (0.28, 0.38),
    (0.28, 0.28),
    (0.2, 0.1),
    (0.22, -0.12),
    (0.13, -0.29),
    (0.02, -0.4),
    (-0.03, -0.3),
    (-0.14, -0.24),
    (-0.3, 0.0),
    (-0.25, 0.09),
    (-0.15, 0.06),
    (-0.04, 0.01),
    (-0.03, 0.08),
    (-0.2, 0.28),
    (-0.26, 0.3),
];
const CROWN: Outline = &[(0.42, 0.36), (0.52, -0.3), (0.22, 0.02), (0.0, -0.42)];

/// Draws a chessman into a cell of this width.
pub(crate) fn draw(
    scene: &mut Scene,
    (man, seat): (Chessman, Seat),
    place: Point,
    width: f32,
    palette: &Palette,
) {
    let (body, line) = palette.man(seat.index());
    let paint = [Paint::line(line, width * 0.07), Paint::Fill(body)];
    let on = |(x, y): (f32, f32)| place + at(x, y) * width;
    let mut figure = Path::default();
    let mut balls: &[(f32, f32, f32)] = &[];
    match man {
        Chessman::Pawn => (figure, balls) = (mirror(PAWN, on), &[(0.0, -0.15, 0.14)]),
        Chessman::Knight => _ = figure.polygon(&KNIGHT.iter().copied().map(on).collect::<Vec<_>>()),
        Chessman::Bishop => (figure, balls) = (mirror(BISHOP, on), &[(0.0, -0.34, 0.06)]),
        Chessman::Rook => figure = mirror(ROOK, on),
        Chessman::Queen => {
            balls = &[(0.34, -0.26, 0.05), (0.12, -0.36, 0.05), (-0.12, -0.36, 0.05), (-0.34, -0.26, 0.05)];
            figure = mirror(QUEEN, on);
        }
        Chessman::King => figure = mirror(KING, on),
    }
    for (x, y, radius) in balls {
        figure.circle(on((*x, *y)), radius * width);
    }
    scene.paint(&figure, &paint);
    let mut lines = Path::default();
    match man {
        Chessman::King => {
            lines.stroke(on((0.0, -0.13)), on((0.0, -0.4))).stroke(on((-0.1, -0.3)), on((0.1, -0.3)));
            scene.stroke(&lines, line, width * 0.11);
            scene.stroke(&lines, body, width * 0.045);
        }
        Chessman::Bishop => {
            lines.stroke(on((0.0, -0.12)), on((0.0, 0.04))).stroke(on((-0.07, -0.05)), on((0.07, -0.05)));
            scene.stroke(&lines, line, width * 0.035);
        }
        Chessman::Knight => {
            lines.dot(on((-0.05, -0.16)));
            scene.stroke(&lines, line, width * 0.07);
        }
        Chessman::Pawn | Chessman::Rook | Chessman::Queen => {}
    }
}

/// Draws a pawn of the seat, twice `size` wide, beside its name.
pub(crate) fn draw_pawn(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    draw(scene, (Chessman::Pawn, seat), place, size * 2.6, palette);
}

/// Draws a disc of the seat with a crown, twice `size` wide.
pub(crate) fn draw_crowned(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    tokens::draw_plain_disc(scene, seat, place, size, palette);
    let colour = if seat == Seat::FIRST { palette.badge } else { palette.seat(seat.index()).0 };
    scene.fill(&mirror(CROWN, |(x, y)| place + at(x, y) * size), colour);
}

fn mirror(half: Outline, on: impl Fn((f32, f32)) -> Point) -> Path {
    let left = half.iter().rev().map(|(x, y)| (-x, *y));
    let corners: Vec<Point> = half.iter().copied().chain(left).map(on).collect();
    let mut figure = Path::default();
    figure.polygon(&corners);
    figure
}
