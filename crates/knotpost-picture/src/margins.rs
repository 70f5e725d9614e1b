//! Margins of a panel: owners, labels, and the arrow where the last move came in.

use crate::{
    geometry::{Area, Path, at},
    knots::Grid,
    lettering::{Anchor, Hand, Run, Weight},
    scene::{Colour, Paint, Scene},
    shapes,
    theme::Palette,
};
use knotpost_rules::view::{Edge, Margin, Panel, Shape, View};

pub(crate) const LABELS: [f32; 2] = [21.0, 19.0];
const OWNER: f32 = 13.0;
const LINE: f32 = 1.0;
const AWAY: f32 = 9.0;
const LABEL_HEIGHT: f32 = 7.4;
/// Most of a cell that a label is high, so that those of rows of hexagons do not touch.
const LABEL_PART: f32 = 0.6;
const BAND: f32 = 2.6;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Bands {
    pub(crate) fn of(panel: &Panel) -> Self {
        let band = |edge: Edge, labels: f32| {
            let Margin { owner, labels: words, .. } = panel.margin(edge);
            // Beside a slanted board there is room for the owners anyway.
            let beside = panel.shape == Shape::Slanted && matches!(edge, Edge::Left | Edge::Right);
            let owned = if owner.is_empty() || beside { 0.0 } else { OWNER };
            owned + if words.is_empty() { LINE } else { labels }
        };
        let [beside, above] = LABELS;
        Self {
            left: band(Edge::Left, beside),
            top: band(Edge::Top, above),
            right: band(Edge::Right, beside),
            bottom: band(Edge::Bottom, above),
        }
    }

    pub(crate) fn across(self) -> f32 {
        self.left + self.right
    }
}

pub(crate) fn draw(scene: &mut Scene, view: &View, panel: &Panel, grid: Grid, palette: &Palette) {
    for edge in [Edge::Left, Edge::Top, Edge::Right, Edge::Bottom] {
        draw_edge(scene, view, panel, (edge, grid), palette);
    }
}

fn draw_edge(scene: &mut Scene, view: &View, panel: &Panel, (edge, grid): (Edge, Grid), palette: &Palette) {
    let margin = panel.margin(edge);
    let frame = shapes::frame(panel, grid);
    for (line, label) in margin.labels.iter().enumerate() {
        let entered = margin.entered == Some(line);
        let along = (line as f32 + 0.5) * grid.cell;
        let cell = shapes::beside(panel, grid, edge, line);
        let centre = cell.centre();
        let (anchor, place) = match edge {
            Edge::Left => (Anchor::End, at(cell.left - AWAY, centre.y)),
            Edge::Right => (Anchor::Start, at(cell.right() + AWAY, centre.y)),
            Edge::Top => (Anchor::Middle, at(centre.x, frame.top - AWAY - LABEL_HEIGHT / 2.0 + 0.5)),
            Edge::Bottom => (Anchor::Middle, at(centre.x, frame.bottom() + AWAY + LABEL_HEIGHT / 2.0 - 0.5)),
        };
        let (weight, colour) =
            if entered { (Weight::Strong, palette.accent) } else { (Weight::Plain, palette.muted) };
        let height = LABEL_HEIGHT.min(grid.cell * LABEL_PART);
        let hand = Hand { height, weight, colour };
        hand.write(scene, label, at(place.x, place.y + height / 2.0), anchor);
        if entered {
            draw_arrow(scene, edge, frame, along, palette);
        }
    }
    if let Some(line) = view.scores.iter().find(|line| !margin.owner.is_empty() && line.name == margin.owner)
    {
        let colour = palette.seat(line.seat.index()).0;
        if panel.shape == Shape::Slanted {
            let mut band = Path::default();
            band.polyline(&shapes::side(panel, grid, edge));
            scene.stroke(&band, colour, BAND);
        } else {
            draw_band(scene, edge, frame, colour);
        }
    }
    let owner = match view.player_of(margin.owner) {
        Some(player) => format!("{} {player}", margin.owner),
        None => margin.owner.to_owned(),
    };
    name_owner(scene, panel, (edge, grid), &owner, palette);
}

fn draw_band(scene: &mut Scene, edge: Edge, frame: Area, colour: Colour) {
    let away = BAND / 2.0 + 0.4;
    let (left, right, top, bottom) = (frame.left, frame.right(), frame.top, frame.bottom());
    let (from, to) = match edge {
        Edge::Left => (at(left - away, top), at(left - away, bottom)),
        Edge::Right => (at(right + away, top), at(right + away, bottom)),
        Edge::Top => (at(left, top - away), at(right, top - away)),
        Edge::Bottom => (at(left, bottom + away), at(right, bottom + away)),
    };
    let mut band = Path::default();
    band.stroke(from, to);
    scene.paint(&band, &[Paint::flat(colour, BAND)]);
}

fn draw_arrow(scene: &mut Scene, edge: Edge, frame: Area, along: f32, palette: &Palette) {
    let (near, far, half) = (1.8, 7.0, 3.4);
    let corner = |away: f32, aside: f32| match edge {
        Edge::Left => at(frame.left - away, frame.top + along + aside),
        Edge::Right => at(frame.right() + away, frame.top + along - aside),
        Edge::Top => at(frame.left + along - aside, frame.top - away),
        Edge::Bottom => at(frame.left + along + aside, frame.bottom() + away),
    };
    let mut arrow = Path::default();
    arrow.polygon(&[corner(near, 0.0), corner(far, half), corner(far, -half)]);
    scene.fill(&arrow, palette.accent);
}

fn name_owner(scene: &mut Scene, panel: &Panel, (edge, grid): (Edge, Grid), owner: &str, palette: &Palette) {
    let hand = Hand { height: 7.8, weight: Weight::Strong, colour: palette.ink };
    let away = AWAY + 14.5;
    let frame = shapes::frame(panel, grid);
    let middle = frame.centre();
    let (place, run) = match edge {
        Edge::Left if panel.shape == Shape::Slanted => {
            let cell = shapes::beside(panel, grid, edge, panel.rows().saturating_sub(1));
            let owner = hand.shorten(owner, cell.left - frame.left - away);
            hand.write(scene, &owner, at(frame.left - AWAY, cell.centre().y + 4.0), Anchor::Start);
            return;
        }
        Edge::Right if panel.shape == Shape::Slanted => {
            let cell = shapes::beside(panel, grid, edge, 0);
            let owner = hand.shorten(owner, frame.right() - cell.right() - away);
            hand.write(scene, &owner, at(frame.right() + AWAY, cell.centre().y + 4.0), Anchor::End);
            return;
        }
        Edge::Left => (at(frame.left - away, middle.y), Run::Up),
        Edge::Right => (at(frame.right() + away, middle.y), Run::Down),
        Edge::Top => (at(middle.x, frame.top - LABELS[1] - 2.5), Run::Level),
        Edge::Bottom => (at(middle.x, frame.bottom() + LABELS[1] + 9.5), Run::Level),
    };
    let room = if matches!(edge, Edge::Left | Edge::Right) { frame.height } else { frame.width };
    hand.write_along(scene, &hand.shorten(owner, room), place, Anchor::Middle, run);
}
