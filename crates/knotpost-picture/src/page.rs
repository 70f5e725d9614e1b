//! The page layout: rows of panels, the roll, the standing. It must not know how pieces look.

use crate::{
    Faces, MOST_SHOWN, chessmen, gain,
    geometry::{Area, Path, Point, at},
    key,
    knots::{self, Grid},
    lettering::{Anchor, Hand, Weight},
    margins::{self, Bands},
    scene::{Paint, Scene},
    shapes, spots, stones,
    theme::Palette,
    tokens,
};
use knotpost_rules::{
    Seat,
    knot::Face,
    view::{Edge, Figure, Panel, Piece, ScoreLine, View},
};

/// Width of every page in its own units; all sizes are relative to it.
pub(crate) const WIDTH: f32 = 360.0;
const PAD: f32 = 10.0;
/// Space between panels, and between the parts of the page.
const SPACE: f32 = 12.0;
const TITLE: f32 = 18.0;
/// Smallest cell of panels side by side.
const LEAST_SHARED_CELL: f32 = 19.0;
const SCORE_LINE: f32 = 19.0;
/// For a web page, which leaves space around the picture by itself.
const ON_PAGES: Room = Room { pad: 1.0, most: 1.6 };
/// For a picture that stands alone.
const ALONE: Room = Room { pad: PAD, most: 1.0 };
const ROLLED: f32 = 34.0;
const SENTENCE: f32 = 17.0;
/// Pixels that a cell of dice, tokens or stones needs.
const DIE_PX: f32 = 46.0;
const TOKEN_PX: f32 = 38.0;
const STONE_PX: f32 = 60.0;

pub(crate) fn compose_die(face: Face, palette: &Palette) -> Scene {
    let mut scene = Scene::new(ROLLED);
    scene.height = ROLLED;
    let area = Area { left: 0.0, top: 0.0, width: ROLLED, height: ROLLED };
    knots::draw_die(&mut scene, face, area.inset(1.0), palette);
    scene
}

/// Recommended width in pixels, at most [`crate::MOST_SHOWN`]: wide enough to tell cells apart.
pub fn shown_width(view: &View) -> u16 {
    let needed = |shelf: &Shelf<'_>| {
        let cells = || shelf.panels.iter().flat_map(|panel| &panel.cells);
        let least = if shelf.panels.iter().all(|panel| panel.is_of_tokens()) {
            TOKEN_PX
        } else if cells().any(|piece| matches!(piece, Piece::Stone { .. })) {
            STONE_PX
        } else {
            DIE_PX
        };
        WIDTH * least / shelf.cell
    };
    let widest = arrange(&view.panels, ALONE).iter().map(needed).fold(WIDTH, f32::max);
    widest.ceil().min(f32::from(MOST_SHOWN)) as u16
}

/// Draws the entire view: board, roll, turn with standing, and faces on request.
pub(crate) fn compose(view: &View, palette: &Palette, faces: Faces) -> Scene {
    let (mut scene, mut top) = compose_boards(view, palette, ALONE);
    let heading = Hand { height: 8.5, weight: Weight::Strong, colour: palette.ink };
    if let Some(sentence) = view.tell_now() {
        let sentence = heading.shorten(&sentence, WIDTH - 2.0 * PAD);
        heading.write(&mut scene, &sentence, at(PAD, top + heading.height), Anchor::Start);
        top += SENTENCE;
    }
    top = finish(&mut scene, view, top, palette);
    if faces == Faces::Explained && !view.faces.is_empty() {
        let height = key::measure_faces(view.faces);
        let area = Area { left: PAD, top, width: WIDTH - 2.0 * PAD, height };
        rule_off(&mut scene, top, palette);
        key::draw_faces(&mut scene, view.faces, area, palette);
        top += height + SPACE;
    }
    close(scene, top, palette)
}

/// Draws as large as possible, without turn and standing: the surrounding page tells them.
pub(crate) fn compose_board(view: &View, palette: &Palette) -> Scene {
    let (scene, top) = compose_boards(view, palette, ON_PAGES);
    close(scene, top, palette)
}

#[derive(Clone, Copy, Debug)]
struct Room {
    pad: f32,
    /// Largest scale of a cell, as a factor of the usual size.
    most: f32,
}

fn compose_boards(view: &View, palette: &Palette, room: Room) -> (Scene, f32) {
    let mut scene = Scene::new(WIDTH);
    let mut top = PAD;
    let shelves = arrange(&view.panels, room);
    let first = shelves.first().map_or(PAD, Shelf::left);
    for shelf in &shelves {
        // A panel without margins, such as a hand, is aligned with the cells of the board.
        let left = if shelf.has_margins() { shelf.left() } else { first.min(shelf.left()) };
        top = draw_shelf(&mut scene, view, shelf, at(left, top), palette) + SPACE;
    }
    if !view.roll.is_empty() {
        top = draw_roll(&mut scene, view, top, palette) + SPACE;
    }
    (scene, top)
}

fn finish(scene: &mut Scene, view: &View, top: f32, palette: &Palette) -> f32 {
    if view.scores.is_empty() { top } else { draw_scores(scene, view, top, palette) + SPACE }
}

fn close(mut scene: Scene, top: f32, palette: &Palette) -> Scene {
    scene.height = (top - SPACE + PAD).ceil().max(2.0 * PAD);
    let mut page = Path::default();
    // A little more than the page, so that a height between two pixels leaves no line at the bottom.
    page.rectangle(Area { left: 0.0, top: 0.0, width: scene.width, height: scene.height + 1.0 });
    let drawn = std::mem::take(&mut scene.shapes);
    scene.fill(&page, palette.page);
    scene.shapes.extend(drawn);
    scene
}

fn rule_off(scene: &mut Scene, top: f32, palette: &Palette) {
    let mut rule = Path::default();
    rule.stroke(at(PAD, top), at(WIDTH - PAD, top));
    scene.stroke(&rule, palette.hairline, 1.0);
}

struct Shelf<'a> {
    panels: Vec<&'a Panel>,
    cell: f32,
}

impl<'a> Shelf<'a> {
    fn of(panels: Vec<&'a Panel>, Room { pad, most: scale }: Room) -> Self {
        let columns: f32 = panels.iter().map(|panel| shapes::extent(panel)[0]).sum();
        let bands: f32 = panels.iter().map(|panel| Bands::of(panel).across()).sum();
        let gaps = SPACE * (panels.len() as f32 - 1.0);
        let room = (WIDTH - 2.0 * pad - bands - gaps) / columns.max(1.0);
        let most = panels.iter().map(|panel| largest_cell(panel) * scale).fold(f32::INFINITY, f32::min);
        Self { cell: room.min(most), panels }
    }

    fn left(&self) -> f32 {
        let band = self.panels.first().map_or(0.0, |panel| Bands::of(panel).left);
        (WIDTH - self.width()) / 2.0 + band
    }

    fn has_margins(&self) -> bool {
        self.panels.iter().any(|panel| panel.margins.iter().any(|margin| !margin.labels.is_empty()))
    }

    fn width(&self) -> f32 {
        let panels = self.panels.iter();
        let widths = panels.map(|panel| Bands::of(panel).across() + shapes::extent(panel)[0] * self.cell);
        widths.sum::<f32>() + SPACE * (self.panels.len() as f32 - 1.0)
    }
}

fn largest_cell(panel: &Panel) -> f32 {
    let stones = panel.cells.iter().any(|piece| matches!(piece, Piece::Stone { .. }));
    match (panel.is_of_tokens(), stones || panel.cell_size.width > 5, panel.rows()) {
        (true, ..) => 44.0,
        (_, true, 1) => 50.0,
        (_, true, _) => 84.0,
        _ => 68.0,
    }
}

/// Puts two boards of dice side by side while their cells stay readable, and everything else one below the other.
fn arrange(panels: &[Panel], room: Room) -> Vec<Shelf<'_>> {
    // Beside hands there is less room for the board.
    let has_hands = panels.len() > 1 && panels.iter().any(|panel| panel.rows() == 1);
    let scale = |panel: &Panel| match (has_hands, panel.rows()) {
        (false, _) => room,
        (true, 1) => Room { most: room.most.min(1.25), ..room },
        (true, _) => Room { most: 1.0, ..room },
    };
    let alone = || panels.iter().map(|panel| Shelf::of(vec![panel], scale(panel))).collect::<Vec<_>>();
    let are_dice = panels
        .iter()
        .all(|panel| panel.cells.iter().all(|piece| matches!(piece, Piece::Empty | Piece::Die { .. })));
    if panels.len() < 2 || !are_dice {
        return alone();
    }
    let pairs = panels.chunks(2).map(|pair| Shelf::of(pair.iter().collect(), room));
    let mut shelves: Vec<Shelf<'_>> = pairs.collect();
    let smallest = shelves.iter().map(|shelf| shelf.cell).fold(f32::INFINITY, f32::min);
    if smallest < LEAST_SHARED_CELL {
        shelves = alone();
    }
    let shared = shelves.iter().map(|shelf| shelf.cell).fold(44.0 * room.most, f32::min);
    for shelf in &mut shelves {
        shelf.cell = shared;
    }
    shelves
}

/// Draws from left to right, the first panel's cells at `corner.x`; returns the top of the next row.
fn draw_shelf(scene: &mut Scene, view: &View, shelf: &Shelf<'_>, corner: Point, palette: &Palette) -> f32 {
    let hand = Hand { height: 8.5, weight: Weight::Strong, colour: palette.ink };
    let titled = shelf.panels.iter().any(|panel| !panel.title.trim().is_empty());
    let under_title = if titled { corner.y + TITLE } else { corner.y };
    let above = shelf.panels.iter().map(|panel| Bands::of(panel).top).fold(0.0, f32::max);
    let (mut left, mut bottom) = (corner.x, under_title);
    for (number, panel) in shelf.panels.iter().enumerate() {
        let bands = Bands::of(panel);
        if number > 0 {
            left += bands.left;
        }
        let grid = Grid { left, top: under_title + above, cell: shelf.cell };
        let frame = shapes::frame(panel, grid);
        let right = frame.right() + bands.right;
        let room = if number + 1 == shelf.panels.len() { WIDTH - PAD } else { right } - left;
        let title = hand.shorten(panel.title.trim(), room);
        hand.write(scene, &title, at(left, corner.y + hand.height + 1.0), Anchor::Start);
        draw_panel(scene, view, panel, grid, palette);
        let end = frame.bottom() + bands.bottom;
        bottom = bottom.max(end);
        if key::has_paths(panel) {
            let area = Area { left, top: end, width: room, height: key::LENGTHS };
            key::draw_lengths(scene, panel, area, palette);
            bottom = bottom.max(end + key::LENGTHS);
        }
        left = right + SPACE;
    }
    bottom
}

fn draw_panel(scene: &mut Scene, view: &View, panel: &Panel, grid: Grid, palette: &Palette) {
    let mut ground = Path::default();
    if !shapes::is_of_hexagons(panel) {
        ground.rectangle(shapes::frame(panel, grid));
    }
    let ground = scene.keep(ground.steps);
    scene.follow(ground, Paint::Fill(palette.board));
    if panel.is_of_tokens() {
        shapes::draw_ground(scene, panel, grid, palette);
    } else {
        draw_points(scene, panel, grid, palette);
    }
    tokens::draw(scene, panel, grid, palette);
    stones::draw(scene, panel, grid, palette);
    knots::draw_tiles(scene, panel, grid, palette);
    scene.follow(ground, Paint::line(palette.muted, 1.2));
    knots::draw_ribbons(scene, panel, grid, palette);
    gain::draw(scene, panel, view.news.as_ref().map_or(0, |news| news.gain), grid, palette);
    margins::draw(scene, view, panel, grid, palette);
    scene.push = find_push(panel, grid).or(scene.push);
    scene.spots.extend(spots::list(panel, grid, margins::LABELS));
}

fn find_push(panel: &Panel, grid: Grid) -> Option<(Area, Edge)> {
    let (first, last) = (*panel.moved.iter().min()?, *panel.moved.iter().max()?);
    let sides = [Edge::Left, Edge::Top, Edge::Right, Edge::Bottom];
    let edge = sides.into_iter().find(|edge| panel.margin(*edge).entered.is_some())?;
    let columns = panel.columns.max(1);
    let (from, to) = (grid.area(first / columns, first % columns), grid.area(last / columns, last % columns));
    let (width, height) = (to.right() - from.left, to.bottom() - from.top);
    Some((Area { left: from.left, top: from.top, width, height }, edge))
}

/// Draws dots where cells meet, so that an empty board shows its grid.
fn draw_points(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    let mut points = Path::default();
    for row in 1..panel.rows() {
        for column in 1..panel.columns {
            let Area { left, top, .. } = grid.area(row, column);
            points.dot(at(left, top));
        }
    }
    scene.stroke(&points, palette.hairline, 2.0 * (grid.cell * 0.03).max(0.9));
}

fn draw_roll(scene: &mut Scene, view: &View, top: f32, palette: &Palette) -> f32 {
    let heading = Hand { height: 8.5, weight: Weight::Strong, colour: palette.ink };
    let letters = Hand { height: 7.5, weight: Weight::Plain, colour: palette.ink };
    let name = Hand { height: 7.0, colour: palette.muted, ..letters };
    let words = view.tell_roll().unwrap_or_else(|| "The roll".to_owned());
    let words = heading.shorten(&words, WIDTH - 2.0 * PAD);
    heading.write(scene, &words, at(PAD, top + heading.height), Anchor::Start);
    let top = top + TITLE;
    let room = ((WIDTH - 2.0 * PAD) / view.roll.len() as f32).min(110.0);
    for (number, die) in view.roll.iter().enumerate() {
        let area = Area { left: PAD + number as f32 * room, top, width: ROLLED, height: ROLLED };
        knots::draw_die(scene, die.face, area, palette);
        let (x, middle) = (area.right() + 5.0, area.centre().y);
        let beside = room - ROLLED - 8.0;
        let name = Hand { height: name.height * (beside / name.measure(die.name)).min(1.0), ..name };
        name.write(scene, die.name, at(x, middle - 2.5), Anchor::Start);
        letters.write(scene, &die.letters, at(x, middle + 11.0), Anchor::Start);
    }
    top + ROLLED
}

type DrawMark = fn(&mut Scene, Seat, Point, f32, &Palette);

fn draw_scores(scene: &mut Scene, view: &View, top: f32, palette: &Palette) -> f32 {
    let pieces = || view.panels.iter().flat_map(|panel| &panel.cells);
    let has = |fits: fn(Figure) -> bool| {
        pieces().any(|piece| matches!(piece, Piece::Token { look, .. } if fits(look.figure)))
    };
    // Houses are told apart by their sides.
    let has_owner = |piece: &Piece| match piece {
        Piece::Token { owner: Some(_), look, .. } => !matches!(look.figure, Figure::Seeds(_)),
        _ => false,
    };
    let mark: Option<DrawMark> = if has(|figure| matches!(figure, Figure::Disc | Figure::Crowned)) {
        Some(tokens::draw_disc)
    } else if has(|figure| matches!(figure, Figure::Chess(_))) {
        Some(chessmen::draw_pawn)
    } else if pieces().any(|piece| matches!(piece, Piece::Stone { .. })) {
        Some(stones::draw_badge)
    } else if pieces().any(has_owner) {
        Some(tokens::draw_mark)
    } else {
        None
    };
    rule_off(scene, top, palette);
    for (number, line) in view.scores.iter().enumerate() {
        let base = top + (number as f32 + 1.0) * SCORE_LINE - 4.0;
        draw_score(scene, (line, &view.name_side(line)), base, mark, palette);
    }
    top + view.scores.len() as f32 * SCORE_LINE
}

fn draw_score(
    scene: &mut Scene,
    (line, side): (&ScoreLine, &str),
    base: f32,
    mark: Option<DrawMark>,
    palette: &Palette,
) {
    let name = Hand { height: 8.5, weight: Weight::Strong, colour: palette.ink };
    let role = Hand { height: 7.5, weight: Weight::Plain, colour: palette.muted };
    let score = Hand { height: 9.5, ..name };
    let mut left = PAD;
    if let Some(draw_mark) = mark {
        draw_mark(scene, line.seat, at(left + 5.0, base - 4.2), 5.0, palette);
        left += 17.0;
    }
    left += name.write(scene, &name.shorten(side, 190.0), at(left, base), Anchor::Start) + 9.0;
    let points = score.shorten(&line.score, WIDTH - PAD - left - 6.0);
    let right = WIDTH - PAD - score.measure(&points);
    score.write(scene, &points, at(right, base), Anchor::Start);
    if line.role.eq_ignore_ascii_case(line.name) {
        return;
    }
    role.write(scene, &role.shorten(&line.role, right - left - 8.0), at(left, base), Anchor::Start);
}
