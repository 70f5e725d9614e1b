//! Margins of a panel: owners, labels, and the arrow where the last move came in.

use crate::{
    geometry::{Area, Path, at},
    knots::Grid,
    lettering::{Anchor, Hand, Run, Weight},
    scene::{Colour, Paint, Scene},
    theme::Palette,
};
use knotpost_rules::view::{Edge, Margin, Panel, View};

pub(crate) const LABELS: [f32; 2] = [21.0, 19.0];
const OWNER: f32 = 13.0;
const LINE: f32 = 1.0;
const AWAY: f32 = 9.0;
const LABEL_HEIGHT: f32 = 7.4;
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
            let owned = if owner.is_empty() { 0.0 } else { OWNER };
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
    let frame = Area {
        left: grid.left,
        top: grid.top,
        width: panel.columns as f32 * grid.cell,
        height: panel.rows() as f32 * grid.cell,
    };
    for (line, label) in margin.labels.iter().enumerate() {
        let entered = margin.entered == Some(line);
        let along = (line as f32 + 0.5) * grid.cell;
        let (anchor, place) = match edge {
            Edge::Left => (Anchor::End, at(frame.left - AWAY, frame.top + along)),
            Edge::Right => (Anchor::Start, at(frame.right() + AWAY, frame.top + along)),
            Edge::Top => {
                (Anchor::Middle, at(frame.left + along, frame.top - AWAY - LABEL_HEIGHT / 2.0 + 0.5))
            }
            Edge::Bottom => {
                (Anchor::Middle, at(frame.left + along, frame.bottom() + AWAY + LABEL_HEIGHT / 2.0 - 0.5))
            }
        };
        let (weight, colour) =
            if entered { (Weight::Strong, palette.accent) } else { (Weight::Plain, palette.muted) };
        let hand = Hand { height: LABEL_HEIGHT, weight, colour };
        hand.write(scene, label, at(place.x, place.y + LABEL_HEIGHT / 2.0), anchor);
        if entered {
            draw_arrow(scene, edge, frame, along, palette);
        }
    }
    if let Some(line) = view.scores.iter().find(|line| !margin.owner.is_empty() && line.name == margin.owner)
    {
        draw_band(scene, edge, frame, palette.seat(line.seat.index()).0);
    }
    let owner = match view.player_of(margin.owner) {
        Some(player) => format!("{} {player}", margin.owner),
        None => margin.owner.to_owned(),
    };
    name_owner(scene, edge, &owner, frame, palette);
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

fn name_owner(scene: &mut Scene, edge: Edge, owner: &str, frame: Area, palette: &Palette) {
    let hand = Hand { height: 7.8, weight: Weight::Strong, colour: palette.ink };
    let away = AWAY + 14.5;
    let middle = frame.centre();
    let (place, run) = match edge {
        Edge::Left => (at(frame.left - away, middle.y), Run::Up),
        Edge::Right => (at(frame.right() + away, middle.y), Run::Down),
        Edge::Top => (at(middle.x, frame.top - LABELS[1] - 2.5), Run::Level),
        Edge::Bottom => (at(middle.x, frame.bottom() + LABELS[1] + 9.5), Run::Level),
    };
    let room = if matches!(edge, Edge::Left | Edge::Right) { frame.height } else { frame.width };
    hand.write_along(scene, &hand.shorten(owner, room), place, Anchor::Middle, run);
}
