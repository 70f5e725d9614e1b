//! Places of the cells of a panel on the page: rows as its shape says, cells as squares or as hexagons that stand on a
//! corner.

use crate::{
    geometry::{Area, Path, Point, at},
    knots::Grid,
    scene::Scene,
    theme::Palette,
};
use knotpost_rules::view::{Edge, EdgePart, Ground, Panel, Piece, Shape};

/// From the centre of a hexagon one cell wide to a corner, and from a row of hexagons to the next.
const CORNER: f32 = 0.577_35;
const ROW: f32 = 0.866_03;

/// True if the cells are hexagons.
pub(crate) const fn is_of_hexagons(panel: &Panel) -> bool {
    matches!(panel.shape, Shape::Slanted | Shape::Triangle | Shape::Hexagon)
}

/// Width and height in cells.
pub(crate) fn extent(panel: &Panel) -> [f32; 2] {
    let rows = panel.rows() as f32;
    if is_of_hexagons(panel) {
        [panel.half_columns() as f32 / 2.0, (rows - 1.0) * ROW + 2.0 * CORNER]
    } else {
        [panel.columns as f32, rows]
    }
}

/// The square around the centre of a cell.
pub(crate) fn area(panel: &Panel, grid: Grid, row: usize, column: usize) -> Area {
    if !is_of_hexagons(panel) {
        return grid.area(row, column);
    }
    let Grid { left, top, cell } = grid;
    let across = panel.indent(row) as f32 / 2.0 + column as f32;
    let down = row as f32 * ROW + CORNER - 0.5;
    Area { left: left + across * cell, top: top + down * cell, width: cell, height: cell }
}

/// Every cell with its row, its place in the row and its area.
pub(crate) fn cells(panel: &Panel, grid: Grid) -> impl Iterator<Item = (Piece, Area)> {
    let places = (0..panel.rows()).flat_map(|row| (0..panel.cells_in(row)).map(move |column| (row, column)));
    places.map(move |(row, column)| (panel.cell(row, column), area(panel, grid, row, column)))
}

/// The outline of a cell around its area, drawn smaller by a part of its width.
pub(crate) fn outline(path: &mut Path, panel: &Panel, area: Area, inset: f32) {
    if is_of_hexagons(panel) {
        path.polygon(&[0, 1, 2, 3, 4, 5].map(|number| corner(area.inset(area.width * inset), number)));
    } else {
        path.rectangle(area.inset(area.width * inset));
    }
}

/// A corner of a hexagon, counted clockwise from the top.
fn corner(area: Area, number: usize) -> Point {
    let (across, down) = match number % 6 {
        0 => (0.0, -CORNER),
        1 => (0.5, -CORNER / 2.0),
        2 => (0.5, CORNER / 2.0),
        3 => (0.0, CORNER),
        4 => (-0.5, CORNER / 2.0),
        _ => (-0.5, -CORNER / 2.0),
    };
    area.centre() + at(across, down) * area.width
}

/// The ground of a compact panel: tiles, or lines that cross.
pub(crate) fn draw_ground(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let width = (grid.cell * 0.03).max(0.6);
    if panel.chequered {
        for (colour, dark) in [(palette.light_cell, false), (palette.dark_cell, true)] {
            let mut squares = Path::default();
            let places =
                (0..panel.rows()).flat_map(|row| (0..panel.columns).map(move |column| (row, column)));
            for (row, column) in places.filter(|(row, column)| panel.is_dark(*row, *column) == dark) {
                squares.rectangle(area(panel, grid, row, column));
            }
            scene.fill(&squares, colour);
        }
        return;
    }
    let mut lines = Path::default();
    if panel.shape == Shape::Points {
        let centre = |row, column| area(panel, grid, row, column).centre();
        let (bottom, right) = (panel.rows().saturating_sub(1), panel.columns.saturating_sub(1));
        let place = |place: usize| {
            let (row, column) = panel.find(place);
            centre(row, column)
        };
        if panel.lines.is_empty() {
            for row in 0..=bottom {
                lines.stroke(centre(row, 0), centre(row, right));
            }
            for column in 0..=right {
                lines.stroke(centre(0, column), centre(bottom, column));
            }
        }
        for [from, to] in &panel.lines {
            lines.stroke(place(*from), place(*to));
        }
        scene.stroke(&lines, palette.trace, width);
        let mut stars = Path::default();
        let points = panel.cells.iter().enumerate().filter(|(_, piece)| **piece != Piece::Hole);
        let points = points
            .map(|(place, _)| place)
            .filter(|place| !panel.lines.is_empty() || panel.stars.contains(place));
        for point in points {
            stars.circle(place(point), grid.cell * 0.09);
        }
        return scene.fill(&stars, palette.trace);
    }
    if panel.shape == Shape::Edges || panel.links.is_some() {
        draw_dots(scene, panel, grid, palette);
        return;
    }
    let is_plain = |piece: &Piece| match piece {
        Piece::Token { look, .. } => look.ground == Ground::Plain,
        _ => true,
    };
    for (_, area) in cells(panel, grid).filter(|(piece, _)| is_plain(piece)) {
        outline(&mut lines, panel, area, 0.0);
    }
    if is_of_hexagons(panel) {
        scene.fill(&lines, palette.board);
    }
    scene.stroke(&lines, palette.trace, width);
}

/// Dots with faint edges between them, or the holes for linked pieces.
fn draw_dots(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let (mut edges, mut dots) = (Path::default(), Path::default());
    for (place, piece) in panel.cells.iter().enumerate() {
        let (row, column) = panel.find(place);
        let centre = area(panel, grid, row, column).centre();
        match (panel.shape, Panel::edge_part(row, column)) {
            (Shape::Edges, EdgePart::Dot) => _ = dots.circle(centre, grid.cell * 0.2),
            (Shape::Edges, _) => edge(&mut edges, panel, grid, place),
            _ if *piece == Piece::Empty => _ = dots.circle(centre, grid.cell * 0.1),
            _ => {}
        }
    }
    scene.stroke(&edges, palette.hairline, (grid.cell * 0.06).max(0.6));
    scene.fill(&dots, palette.muted);
}

/// The line of an edge from dot to dot; nothing for a place that is no edge.
pub(crate) fn edge(path: &mut Path, panel: &Panel, grid: Grid, place: usize) {
    let (row, column) = panel.find(place);
    let centre = area(panel, grid, row, column).centre();
    let half = match Panel::edge_part(row, column) {
        EdgePart::Across => at(grid.cell, 0.0),
        EdgePart::Down => at(0.0, grid.cell),
        EdgePart::Dot | EdgePart::Box => return,
    };
    path.stroke(centre - half, centre + half);
}

/// All of the panel.
pub(crate) fn frame(panel: &Panel, grid: Grid) -> Area {
    let [width, height] = extent(panel).map(|cells| cells * grid.cell);
    Area { left: grid.left, top: grid.top, width, height }
}

/// The cell of a line beside a side.
pub(crate) fn beside(panel: &Panel, grid: Grid, edge: Edge, line: usize) -> Area {
    let (row, column) = match edge {
        Edge::Left => (line, 0),
        Edge::Top => (0, line),
        Edge::Right => (line, panel.cells_in(line).saturating_sub(1)),
        Edge::Bottom => (panel.rows().saturating_sub(1), line),
    };
    area(panel, grid, row, column)
}

/// The corners along a side of a slanted board.
pub(crate) fn side(panel: &Panel, grid: Grid, edge: Edge) -> Vec<Point> {
    let (lines, corners): (usize, &[usize]) = match edge {
        Edge::Top => (panel.columns, &[5, 0, 1]),
        Edge::Bottom => (panel.columns, &[4, 3, 2]),
        Edge::Left => (panel.rows(), &[5, 4]),
        Edge::Right => (panel.rows(), &[1, 2]),
    };
    let cells = (0..lines).map(|line| beside(panel, grid, edge, line));
    cells.flat_map(|area| corners.iter().map(move |number| corner(area, *number))).collect()
}
