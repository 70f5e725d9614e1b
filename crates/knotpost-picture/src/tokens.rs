//! Draws tokens: pavements, counters, targets, and the marks that distinguish seats without colours.

use crate::{
    chessmen,
    geometry::{Area, Path, Point, at},
    knots::Grid,
    lettering::{Hand, Weight},
    scene::{Colour, Paint, Scene},
    shapes,
    theme::Palette,
};
use knotpost_rules::{
    Seat,
    view::{Edge, Figure, Ground, Look, Panel, Piece, Shape as Arrangement, Sight},
};

pub(crate) fn draw(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let tokens: Vec<(char, Option<Seat>, Look, Area)> = shapes::cells(panel, grid)
        .filter_map(|(piece, area)| match piece {
            Piece::Token { sign, owner, look } => Some((sign, owner, look, area)),
            _ => None,
        })
        .collect();
    for (ground, colour) in [(Ground::Light, palette.light_cell), (Ground::Dark, palette.dark_cell)] {
        let mut cells = Path::default();
        for (.., area) in tokens.iter().filter(|(.., look, _)| look.ground == ground) {
            cells.rectangle(*area);
        }
        scene.fill(&cells, colour);
    }
    let mut seen = Path::default();
    for (.., area) in tokens.iter().filter(|(.., look, _)| look.sight == Sight::Seen) {
        seen.circle(area.centre(), grid.cell * 0.09);
    }
    scene.fill(&seen, palette.accent);
    mark_last(scene, panel, grid, palette);
    if panel.shape == Arrangement::Edges {
        draw_edges(scene, panel, grid, palette);
    }
    draw_links(scene, panel, grid, palette);
    for (sign, owner, look, area) in tokens {
        match look.figure {
            // Edges are drawn before what lies between them.
            Figure::Nothing | Figure::Line => {}
            Figure::Counter => draw_counter(scene, owner, area, palette),
            Figure::Target => draw_target(scene, owner, area, palette),
            Figure::Disc => {
                let seat = owner.unwrap_or(Seat::FIRST);
                // A box is as wide as two places.
                let size = if panel.shape == Arrangement::Edges { 0.6 } else { 0.38 };
                draw_disc(scene, seat, area.centre(), area.width * size, palette);
            }
            Figure::Crowned => {
                let seat = owner.unwrap_or(Seat::FIRST);
                chessmen::draw_crowned(scene, seat, area.centre(), area.width * 0.38, palette);
            }
            Figure::Chess(man) => {
                let seat = owner.unwrap_or(Seat::FIRST);
                chessmen::draw(scene, (man, seat), area.centre(), area.width, palette);
            }
            Figure::Blocked => {
                let mut block = Path::default();
                block.rounded(area.inset(area.width * 0.16), area.width * 0.1);
                scene.fill(&block, palette.trace);
            }
            Figure::Seeds(seeds) => draw_house(scene, seeds, area, palette),
            Figure::Sign => {
                let hand = Hand { height: area.height * 0.5, weight: Weight::Strong, colour: palette.ink };
                hand.write_centred(scene, sign.encode_utf8(&mut [0; 4]), area.centre());
            }
        }
    }
}

/// Draws the drawn edges, and the boxes in the colours of their owners.
fn draw_edges(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let mut edges = Path::default();
    for (place, piece) in panel.cells.iter().enumerate() {
        let Piece::Token { owner, .. } = *piece else { continue };
        let Some(seat) = owner else {
            shapes::edge(&mut edges, panel, grid, place);
            continue;
        };
        let (row, column) = panel.find(place);
        let mut filled = Path::default();
        filled.rectangle(shapes::area(panel, grid, row, column).inset(grid.cell * -0.4));
        scene.fill(&filled, palette.seat(seat.index()).1);
    }
    scene.stroke(&edges, palette.ink, grid.cell * 0.22);
}

/// Draws links from centre to centre, those of the second seat with a light core, below the pieces.
fn draw_links(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let centre = |place: usize| {
        let (row, column) = panel.find(place);
        shapes::area(panel, grid, row, column).centre()
    };
    for (from, to, seat) in panel.links.iter().flatten() {
        let (strong, _) = palette.seat(seat.index());
        let mut link = Path::default();
        link.stroke(centre(*from), centre(*to));
        scene.stroke(&link, strong, grid.cell * 0.26);
        if *seat != Seat::FIRST {
            scene.stroke(&link, palette.tile, grid.cell * 0.1);
        }
    }
}

/// Marks the cells of the last move, or the last token's: the intersection of the lines marked in both margins.
fn mark_last(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let area = |place: usize| {
        let (row, column) = panel.find(place);
        shapes::area(panel, grid, row, column)
    };
    let mut marked = Path::default();
    // A frame would hide the beginning of an arrow.
    let left = panel.arrow.map(|[from, _]| from);
    for place in panel.last.iter().filter(|place| Some(**place) != left) {
        if panel.shape == Arrangement::Edges {
            shapes::edge(&mut marked, panel, grid, *place);
        } else {
            shapes::outline(&mut marked, panel, area(*place), 0.06);
        }
    }
    let width = if panel.shape == Arrangement::Edges { 0.42 } else { 0.1 };
    scene.stroke(&marked, palette.accent, grid.cell * width);
    if let Some([from, to]) = panel.arrow {
        draw_arrow(scene, area(from).centre(), area(to).centre(), grid.cell, palette);
    }
    let lines = (panel.margin(Edge::Left).entered, panel.margin(Edge::Top).entered);
    if let (Some(row), Some(column)) = lines {
        let mut frame = Path::default();
        frame.rectangle(grid.area(row, column).inset(grid.cell * 0.05));
        scene.stroke(&frame, palette.accent, grid.cell * 0.08);
    }
}

/// Draws the way of the last move, up to the frame of the cell where it ended.
fn draw_arrow(scene: &mut Scene, from: Point, to: Point, cell: f32, palette: &Palette) {
    let length = from.distance(to).max(0.01);
    let ahead = (to - from) * (1.0 / length);
    let aside = at(-ahead.y, ahead.x) * (cell * 0.13);
    let edge = 0.5 / ahead.x.abs().max(ahead.y.abs()).max(0.5);
    let tip = to + ahead * (cell * -edge);
    let base = tip + ahead * (cell * -0.25);
    let mut line = Path::default();
    line.stroke(from, base);
    scene.stroke(&line, palette.accent, cell * 0.08);
    let mut head = Path::default();
    head.polygon(&[tip, base + aside, base + aside * -1.0]);
    scene.fill(&head, palette.accent);
}

/// Solid with a cross for seat 1, hollow for seat 2; twice `size` wide.
pub(crate) fn draw_disc(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    if seat == Seat::FIRST {
        draw_plain_disc(scene, seat, place, size, palette);
        let mut cross = Path::default();
        let on = |x: f32, y: f32| place + at(x, y) * (size * 0.4);
        cross.stroke(on(-1.0, -1.0), on(1.0, 1.0)).stroke(on(1.0, -1.0), on(-1.0, 1.0));
        scene.stroke(&cross, palette.badge, size * 0.22);
    } else {
        draw_plain_disc(scene, seat, place, size, palette);
    }
}

/// A disc as [`draw_disc`] draws it, without the cross.
pub(crate) fn draw_plain_disc(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    let (strong, _) = palette.seat(seat.index());
    let mut disc = Path::default();
    if seat == Seat::FIRST {
        disc.circle(place, size);
        scene.paint(&disc, &[Paint::Fill(strong), Paint::line(palette.rim, size * 0.1)]);
    } else {
        disc.circle(place, size * 0.83);
        let rim = Paint::line(palette.rim, size * 0.44);
        scene.paint(&disc, &[Paint::Fill(palette.tile), rim, Paint::line(strong, size * 0.34)]);
    }
}

/// Draws a pit with the number of its seeds; an empty one is a pit alone.
fn draw_house(scene: &mut Scene, seeds: u8, area: Area, palette: &Palette) {
    let mut pit = Path::default();
    pit.circle(area.centre(), area.width * 0.38);
    scene.paint(&pit, &[Paint::Fill(palette.tile), Paint::line(palette.muted, area.width * 0.04)]);
    if seeds > 0 {
        let hand = Hand { height: area.height * 0.3, weight: Weight::Strong, colour: palette.ink };
        hand.write_centred(scene, &seeds.to_string(), area.centre());
    }
}

fn draw_counter(scene: &mut Scene, owner: Option<Seat>, area: Area, palette: &Palette) {
    let (place, size) = (area.centre(), area.width * 0.25);
    match owner {
        Some(seat) => draw_mark(scene, seat, place, size, palette),
        None => draw_figure(scene, Shape::Disc, place, size, [palette.loose, palette.rim]),
    }
}

/// Draws a pit, with the mark of the seat that has won it.
fn draw_target(scene: &mut Scene, owner: Option<Seat>, area: Area, palette: &Palette) {
    let (place, size) = (area.centre(), area.width);
    let mut pit = Path::default();
    let Some(seat) = owner else {
        pit.circle(place, size * 0.33);
        scene.paint(&pit, &[Paint::Fill(palette.board), Paint::line(palette.muted, size * 0.055)]);
        let mut eye = Path::default();
        eye.circle(place, size * 0.1);
        scene.fill(&eye, palette.muted);
        return;
    };
    let (strong, _) = palette.seat(seat.index());
    pit.rounded(area.inset(size * 0.07), size * 0.2);
    scene.paint(&pit, &[Paint::Fill(strong), Paint::line(palette.rim, size * 0.04)]);
    draw_figure(scene, Shape::of(seat), place, size * 0.22, [palette.tile, strong]);
}

/// Twice `size` wide.
pub(crate) fn draw_mark(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    let (strong, _) = palette.seat(seat.index());
    draw_figure(scene, Shape::of(seat), place, size, [strong, palette.rim]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Cross,
    Ring,
    Square,
    Triangle,
    Disc,
}

impl Shape {
    const fn of(seat: Seat) -> Self {
        match seat.number() % 4 {
            1 => Self::Cross,
            2 => Self::Ring,
            3 => Self::Square,
            _ => Self::Triangle,
        }
    }
}

fn draw_figure(scene: &mut Scene, shape: Shape, place: Point, size: f32, [colour, rim]: [Colour; 2]) {
    let on = |x: f32, y: f32| place + at(x, y) * size;
    let edge = (size * 0.14).max(0.5);
    let mut path = Path::default();
    match shape {
        Shape::Cross => {
            path.stroke(on(-0.72, -0.72), on(0.72, 0.72)).stroke(on(0.72, -0.72), on(-0.72, 0.72));
        }
        Shape::Ring => {
            path.circle(place, size * 0.76);
        }
        Shape::Square => {
            path.polygon(&[on(-0.8, -0.8), on(0.8, -0.8), on(0.8, 0.8), on(-0.8, 0.8)]);
        }
        Shape::Triangle => {
            path.polygon(&[on(0.0, -0.95), on(0.95, 0.8), on(-0.95, 0.8)]);
        }
        Shape::Disc => {
            path.circle(place, size * 0.9);
        }
    }
    if matches!(shape, Shape::Cross | Shape::Ring) {
        scene.paint(&path, &[Paint::line(rim, size * 0.46 + 2.0 * edge), Paint::line(colour, size * 0.46)]);
    } else {
        scene.paint(&path, &[Paint::Fill(colour), Paint::line(rim, edge)]);
    }
}
