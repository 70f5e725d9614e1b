//! Stones: arrows on four sides, a name, and whose they are.

use crate::{
    geometry::{Area, Path, at},
    knots::Grid,
    lettering::{Hand, Weight},
    scene::Scene,
    theme::Palette,
    tokens,
};
use knotpost_rules::view::{Fate, Panel, Piece};

/// Measures as parts of a cell.
const ARROW: f32 = 0.12;
const STEP: f32 = 0.145;

/// Draws the stones of the panel.
pub(crate) fn draw(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    for row in 0..panel.rows() {
        for column in 0..panel.columns {
            let piece = panel.cell(row, column);
            if matches!(piece, Piece::Stone { .. }) {
                draw_stone(scene, piece, grid.area(row, column), palette);
            }
        }
    }
}

fn draw_stone(scene: &mut Scene, piece: Piece, area: Area, palette: &Palette) {
    let Piece::Stone { name, sides, owner, fate } = piece else { return };
    let (strong, pale) = palette.seat(owner.index());
    let size = area.width;
    let body = area.inset(size * 0.045);
    let mut stone = Path::default();
    stone.rounded(body, size * 0.1);
    scene.fill(stone.clone(), pale);
    let rim = if fate == Fate::Placed { palette.accent } else { strong };
    scene.stroke(stone, rim, size * if fate == Fate::Placed { 0.05 } else { 0.025 });
    let mut arrows = Path::default();
    for (quarter, count) in sides.into_iter().enumerate() {
        for number in 0..count {
            let aside = (f32::from(number) - f32::from(count.saturating_sub(1)) / 2.0) * STEP;
            arrows.polygon(&arrow(body, quarter, aside));
        }
    }
    scene.fill(arrows, palette.ink);
    let centre = area.centre();
    let hand = Hand { height: size * 0.135, weight: Weight::Strong, colour: palette.ink };
    hand.write_centred(scene, name, at(centre.x, centre.y - size * 0.1));
    tokens::draw_mark(scene, owner, at(centre.x, centre.y + size * 0.125), size * 0.085, palette);
}

/// An arrow head that points out over a side, counted clockwise from the top.
fn arrow(body: Area, quarter: usize, aside: f32) -> [crate::geometry::Point; 3] {
    let (size, centre) = (body.width, body.centre());
    let (tip, base) = (size * (0.5 - 0.055), size * (0.5 - 0.055 - ARROW));
    let corners = [
        (aside * size, -tip),
        (aside * size + size * ARROW / 2.0, -base),
        (aside * size - size * ARROW / 2.0, -base),
    ];
    corners.map(|(x, y)| {
        let (x, y) = match quarter % 4 {
            0 => (x, y),
            1 => (-y, x),
            2 => (-x, -y),
            _ => (y, -x),
        };
        centre + at(x, y)
    })
}
