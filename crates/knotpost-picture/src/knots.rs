//! Draws knot dice: tiles with ribbons that cross over and under each other.

use crate::{
    geometry::{Area, Cubic, Path, Point, at},
    scene::{Colour, Paint, Scene},
    theme::Palette,
    weave::{Ribbon, Weave},
};
use knotpost_rules::{
    Seat,
    knot::{Face, Side},
    view::{Fate, Panel, Piece},
};

/// Width of a ribbon; like the sizes below, a fraction of a cell.
pub(crate) const RIBBON: f32 = 0.185;
const RIM: f32 = 0.026;
const GAP: f32 = 0.05;
const BRIDGE: f32 = 0.205;
/// The colour of a bridge reaches a little farther than its rim, so that there is no visible seam.
const OVERLAP: f32 = 0.012;
/// Distance of a loose end from its edge; the two ends of a lone tip stop earlier, so that they stay apart.
const STUMP: f32 = 0.225;
const TIP_STUMP: f32 = 0.27;
const THREAD: f32 = 0.06;
const THREAD_WIDTH: f32 = 0.032;
const TRACE: f32 = 0.06;
const KNOT_TRACE: f32 = 0.085;
/// In units of the page.
const LEAST_RIM: f32 = 0.55;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub left: f32,
    pub top: f32,
    pub cell: f32,
}

impl Grid {
    pub(crate) fn area(self, row: usize, column: usize) -> Area {
        let Self { left, top, cell } = self;
        Area { left: left + column as f32 * cell, top: top + row as f32 * cell, width: cell, height: cell }
    }

    /// The pieces of a panel, row by row, and their places.
    pub(crate) fn cells(self, panel: &Panel) -> impl Iterator<Item = (Piece, Area)> {
        (0..panel.rows())
            .flat_map(|row| (0..panel.columns).map(move |column| (row, column)))
            .map(move |(row, column)| (panel.cell(row, column), self.area(row, column)))
    }
}

pub(crate) fn draw_ribbons(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let removed = |piece| match piece {
        Piece::Die { face, fate: Fate::Removed } => Some(face),
        _ => None,
    };
    if panel.cells.iter().any(|piece| removed(*piece).is_some()) {
        draw_traces(scene, &Weave::of(panel, removed), panel.closer, grid, palette);
    }
    draw_weave(scene, &Weave::of(panel, Piece::live_face), panel.closer, grid, palette);
}

pub(crate) fn draw_die(scene: &mut Scene, face: Face, area: Area, palette: &Palette) {
    let cells = vec![Piece::Die { face, fate: Fate::Stays }];
    let panel = Panel { columns: 1, cells, ..Panel::default() };
    let grid = Grid { left: area.left, top: area.top, cell: area.width };
    let mut tile = Path::default();
    tile.rounded(area, area.width * 0.12);
    scene.paint(&tile, &[Paint::Fill(palette.tile), Paint::line(palette.muted, 0.8)]);
    draw_weave(scene, &Weave::of(&panel, Piece::live_face), None, grid, palette);
}

pub(crate) fn draw_tiles(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let is_moved = |index: usize| panel.moved.contains(&index);
    for ground in [palette.ghost, palette.tile, palette.fresh] {
        let mut tiles = Path::default();
        for (index, (piece, area)) in grid.cells(panel).enumerate() {
            let its = match piece {
                Piece::Die { fate: Fate::Removed, .. } => palette.ghost,
                Piece::Die { fate: Fate::Placed, .. } => palette.fresh,
                Piece::Die { .. } if is_moved(index) => palette.fresh,
                Piece::Die { .. } => palette.tile,
                _ => continue,
            };
            if its == ground {
                tiles.rectangle(area);
            }
        }
        scene.fill(&tiles, ground);
    }
    let (mut borders, mut corners) = (Path::default(), Path::default());
    for (piece, area) in grid.cells(panel) {
        if piece.live_face().is_some() {
            borders.rectangle(area);
        }
        if matches!(piece, Piece::Die { fate: Fate::Placed, .. }) {
            let size = area.width * 0.2;
            let Area { left, top, .. } = area;
            corners.polygon(&[at(left, top), at(left + size, top), at(left, top + size)]);
        }
    }
    scene.stroke(&borders, palette.hairline, 0.8);
    scene.fill(&corners, palette.accent);
}

/// Draws the lines left by removed dice: closed paths in their colours, with a rim, each as one line that can be drawn
/// once round.
fn draw_traces(scene: &mut Scene, weave: &Weave, closer: Option<Seat>, grid: Grid, palette: &Palette) {
    scene.class = Some("trace");
    if let Some(open) = Layers::of(weave, grid).ribbons.first() {
        scene.stroke(open, palette.trace, (TRACE * grid.cell).max(LEAST_RIM));
    }
    scene.class = Some("trace knot");
    let width = KNOT_TRACE * grid.cell;
    let rim = (RIM * grid.cell).max(LEAST_RIM);
    for (number, path) in weave.paths.iter().enumerate() {
        let colour = palette.woven(closer, number).0;
        let lines = [Paint::line(palette.rim, width + 2.0 * rim), Paint::line(colour, width)];
        scene.paint(&draw_round(weave, path, grid), &lines);
    }
    scene.class = None;
}

/// The line of a closed path, whose ribbons are given in the order in which it runs.
fn draw_round(weave: &Weave, path: &[usize], grid: Grid) -> Path {
    let strands: Vec<Strand> = path
        .iter()
        .filter_map(|ribbon| weave.ribbons.get(*ribbon))
        .map(|ribbon| Strand::of(*ribbon, grid))
        .collect();
    let [Some(first), Some(second)] = [strands.first(), strands.get(1)] else { return Path::default() };
    let gap = |place: Point, strand: &Strand| {
        let [one, other] = strand.ends().map(|end| end.distance(place));
        one.min(other)
    };
    // The first strand runs towards the second.
    let [start, end] = first.ends();
    let mut place = if gap(end, second) <= gap(start, second) { start } else { end };
    let mut curves = Vec::new();
    for strand in &strands {
        let forward: Vec<Cubic> = strand.curves().collect();
        let [start, end] = strand.ends().map(|end| end.distance(place));
        if start <= end {
            curves.extend(forward);
        } else {
            curves.extend(forward.into_iter().rev().map(Cubic::reversed));
        }
        place = curves.last().map_or(place, |curve| curve.0[3]);
    }
    let mut line = Path::default();
    line.curves(curves);
    line
}

fn draw_weave(scene: &mut Scene, weave: &Weave, closer: Option<Seat>, grid: Grid, palette: &Palette) {
    let rim = (RIM * grid.cell).max(LEAST_RIM);
    let ribbon = RIBBON * grid.cell;
    let layers = Layers::of(weave, grid);
    let colour = |layer: usize| match layer.checked_sub(1) {
        Some(path) => palette.woven(closer, path).0,
        None => palette.loose,
    };
    let ribbons: Vec<_> = layers.ribbons.into_iter().map(|path| scene.keep(path.steps)).collect();
    for (layer, stroke) in ribbons.iter().enumerate() {
        // Open ribbons are cut off straight, so that their ends are seen.
        let around = ribbon + 2.0 * rim;
        let paint = if layer == 0 { Paint::flat } else { Paint::line };
        scene.follow(*stroke, paint(palette.rim, around));
    }
    fray_ends(scene, weave, grid, palette);
    for (layer, stroke) in ribbons.into_iter().enumerate() {
        let paint = if layer == 0 { Paint::flat } else { Paint::line };
        scene.follow(stroke, paint(colour(layer), ribbon));
    }
    let bridges: Vec<_> = layers.bridges.into_iter().map(|path| scene.keep(path.steps)).collect();
    let gap = Paint::flat(palette.tile, ribbon + 2.0 * (rim + GAP * grid.cell));
    for paint in [gap, Paint::flat(palette.rim, ribbon + 2.0 * rim)] {
        for stroke in &bridges {
            scene.follow(*stroke, paint);
        }
    }
    for (layer, path) in layers.covers.iter().enumerate() {
        scene.paint(path, &[Paint::flat(colour(layer), ribbon)]);
    }
    mark_paths(scene, weave, closer, grid, palette);
}

fn fray_ends(scene: &mut Scene, weave: &Weave, grid: Grid, palette: &Palette) {
    let mut threads = Path::default();
    for ribbon in &weave.ribbons {
        let strand = Strand::of(*ribbon, grid);
        let ends = [(ribbon.start.is_loose, strand.first.reversed()), (ribbon.end.is_loose, strand.last())];
        for (_, Cubic([.., handle, end])) in ends.into_iter().filter(|(is_loose, _)| *is_loose) {
            let length = handle.distance(end);
            if length <= 0.0 {
                continue;
            }
            let out = (end - handle) * (grid.cell / length);
            let across = at(-out.y, out.x);
            let root = end - out * RIM;
            for side in [-1.0, 0.0, 1.0] {
                let from = root + across * (side * RIBBON * 0.33);
                threads.stroke(from, from + out * (RIM + THREAD));
            }
        }
    }
    if !threads.steps.is_empty() {
        scene.stroke(&threads, palette.muted, (THREAD_WIDTH * grid.cell).max(LEAST_RIM));
    }
}

struct Layers {
    ribbons: Vec<Path>,
    bridges: Vec<Path>,
    /// The bridges once more, a little longer.
    covers: Vec<Path>,
}

impl Layers {
    fn of(weave: &Weave, grid: Grid) -> Self {
        let mut ribbons = vec![Path::default(); weave.lengths.len() + 1];
        let mut bridges = ribbons.clone();
        let layer = |ribbon: &Ribbon| ribbon.path.map_or(0, |path| path + 1);
        let strands: Vec<Strand> = weave.ribbons.iter().map(|ribbon| Strand::of(*ribbon, grid)).collect();
        for (ribbon, strand) in weave.ribbons.iter().zip(&strands) {
            if let Some(path) = ribbons.get_mut(layer(ribbon)) {
                path.curves(strand.curves());
            }
        }
        let mut covers = bridges.clone();
        for crossing in &weave.crossings {
            let over = crossing.above.first().and_then(|ribbon| weave.ribbons.get(*ribbon));
            let layer = over.map_or(0, layer);
            for (paths, length) in [(&mut bridges, BRIDGE), (&mut covers, BRIDGE + OVERLAP)] {
                let [one, other] = crossing.above.map(|ribbon| {
                    let back = strands.get(ribbon)?.last().reversed();
                    Some(back.cut(back.reach(length * grid.cell))[0])
                });
                if let (Some(one), Some(other), Some(path)) = (one, other, paths.get_mut(layer)) {
                    path.curves([one.reversed(), other]);
                }
            }
        }
        Self { ribbons, bridges, covers }
    }
}

/// The centre line of a strand: one curve, or two where it turns back.
#[derive(Clone, Copy, Debug)]
struct Strand {
    first: Cubic,
    second: Option<Cubic>,
}

impl Strand {
    /// Runs from side to side, cut short at loose ends.
    fn of(ribbon: Ribbon, grid: Grid) -> Self {
        let mut strand = Self::in_unit(ribbon.start.side, ribbon.end.side);
        let stump = if ribbon.start.side == ribbon.end.side { TIP_STUMP } else { STUMP };
        if ribbon.start.is_loose {
            strand.first = strand.first.cut(strand.first.reach(stump))[1];
        }
        if ribbon.end.is_loose {
            let last = strand.second.as_mut().unwrap_or(&mut strand.first);
            let back = last.reversed();
            *last = back.cut(back.reach(stump))[1].reversed();
        }
        let Area { left, top, width, .. } = grid.area(ribbon.row, ribbon.column);
        strand.map(|point| at(left, top) + point * width)
    }

    /// In a cell of size 1; leaves and arrives at 45 degrees, so that it continues smoothly in the next cell.
    fn in_unit(start: Side, end: Side) -> Self {
        let north = at(0.5, 0.0);
        let (first, second) = match (end as usize + 4 - start as usize) % 4 {
            1 => (Cubic::line(north, at(1.0, 0.5)), None),
            2 => (Cubic([north, at(0.84, 0.34), at(0.84, 0.66), at(0.5, 1.0)]), None),
            3 => (
                Cubic([north, at(0.75, 0.25), at(0.87, 0.59), at(0.73, 0.73)]),
                Some(Cubic([at(0.73, 0.73), at(0.59, 0.87), at(0.25, 0.75), at(0.0, 0.5)])),
            ),
            _ => (
                Cubic([north, at(0.79, 0.29), at(0.83, 0.79), at(0.5, 0.79)]),
                Some(Cubic([at(0.5, 0.79), at(0.17, 0.79), at(0.21, 0.29), north])),
            ),
        };
        Self { first, second }.map(|point| turn(point, start))
    }

    fn map(self, change: impl Fn(Point) -> Point) -> Self {
        Self { first: self.first.map(&change), second: self.second.map(|second| second.map(&change)) }
    }

    fn curves(self) -> impl Iterator<Item = Cubic> {
        [Some(self.first), self.second].into_iter().flatten()
    }

    fn ends(self) -> [Point; 2] {
        [self.first.0[0], self.last().0[3]]
    }

    fn last(self) -> Cubic {
        self.second.unwrap_or(self.first)
    }

    /// The midpoint, and the direction there as a unit vector.
    fn middle(self) -> Option<(Point, Point)> {
        let before = if self.second.is_some() { self.first } else { self.first.cut(0.5)[0] };
        let Cubic([_, _, handle, place]) = before;
        let length = handle.distance(place);
        (length > 0.0).then(|| (place, (place - handle) * (1.0 / length)))
    }
}

/// Rotates the unit cell so that its upper side becomes `side`.
fn turn(Point { x, y }: Point, side: Side) -> Point {
    match side {
        Side::North => at(x, y),
        Side::East => at(1.0 - y, x),
        Side::South => at(1.0 - x, 1.0 - y),
        Side::West => at(y, 1.0 - x),
    }
}

/// Marks the middle of each strand of a closed path, so that paths differ without colours too; the first path has no mark.
fn mark_paths(scene: &mut Scene, weave: &Weave, closer: Option<Seat>, grid: Grid, palette: &Palette) {
    let width = RIBBON * grid.cell;
    for path in (0..weave.lengths.len()).filter(|path| !path.is_multiple_of(4)) {
        let (_, colour): (Colour, Colour) = palette.woven(closer, path);
        let mut marks = Path::default();
        for ribbon in weave.ribbons.iter().filter(|ribbon| ribbon.path == Some(path)) {
            let Some((place, heading)) = Strand::of(*ribbon, grid).middle() else { continue };
            add_mark(&mut marks, path, (place, heading), width);
        }
        scene.fill(&marks, colour);
    }
}

/// Marks a closed path where a ribbon of this width runs.
pub(crate) fn add_mark(marks: &mut Path, path: usize, (place, heading): (Point, Point), width: f32) {
    match path % 4 {
        1 => {
            marks.circle(place, width * 0.26);
        }
        2 => {
            let step = heading * (width * 0.42);
            marks.circle(place - step, width * 0.2).circle(place + step, width * 0.2);
        }
        3 => {
            let (long, wide) = (heading * (width * 0.62), at(-heading.y, heading.x) * (width * 0.24));
            marks.polygon(&[place - long, place - wide, place + long, place + wide]);
        }
        _ => {}
    }
}
