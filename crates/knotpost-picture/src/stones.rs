//! Draws stones: arrows on four sides, a name, and the owner.

use crate::{
    geometry::{Area, Path, Point, at},
    knots::Grid,
    lettering::{Hand, Weight},
    scene::{Paint, Scene},
    theme::Palette,
};
use knotpost_rules::{
    Seat,
    view::{Fate, Panel, Piece},
};

/// A fraction of a cell, like the sizes below.
const ARROW: f32 = 0.135;
const STEP: f32 = 0.15;

pub(crate) fn draw(scene: &mut Scene, panel: &Panel, grid: Grid, palette: &Palette) {
    for (piece, area) in grid.cells(panel) {
        draw_stone(scene, piece, area, palette);
    }
}

fn draw_stone(scene: &mut Scene, piece: Piece, area: Area, palette: &Palette) {
    let Piece::Stone { name, sides, owner, fate } = piece else { return };
    let (strong, pale) = palette.seat(owner.index());
    let size = area.width;
    let body = area.inset(size * 0.045);
    let mut stone = Path::default();
    stone.rounded(body, size * 0.1);
    let (rim, width) = match fate {
        Fate::Placed | Fate::Captured => (palette.accent, 0.05),
        Fate::Stays | Fate::Removed => (strong, 0.025),
    };
    scene.paint(&stone, &[Paint::Fill(pale), Paint::line(rim, size * width)]);
    let mut arrows = Path::default();
    for (quarter, count) in sides.into_iter().enumerate() {
        for number in 0..count {
            let aside = (f32::from(number) - f32::from(count.saturating_sub(1)) / 2.0) * STEP;
            arrows.polygon(&arrow(body, quarter, aside));
        }
    }
    scene.fill(&arrows, palette.ink);
    let centre = area.centre();
    let hand = Hand { height: size * 0.135, weight: Weight::Strong, colour: palette.ink };
    hand.write_centred(scene, name, at(centre.x, centre.y - size * 0.115));
    match fate {
        Fate::Placed => draw_sign(scene, "*", body, palette),
        Fate::Captured => draw_sign(scene, "!", body, palette),
        Fate::Stays | Fate::Removed => {}
    }
    draw_badge(scene, owner, at(centre.x, centre.y + size * 0.12), size * 0.095, palette);
}

fn draw_sign(scene: &mut Scene, sign: &str, body: Area, palette: &Palette) {
    let radius = body.width * 0.115;
    let place = at(body.left + radius * 0.9, body.top + radius * 0.9);
    let mut disc = Path::default();
    disc.circle(place, radius);
    scene.fill(&disc, palette.accent);
    let hand = Hand { height: radius * 1.3, weight: Weight::Strong, colour: palette.badge };
    hand.write_centred(scene, sign, place);
}

/// Draws the owner's letter, on a disc for every second seat and on a square for the others.
pub(crate) fn draw_badge(scene: &mut Scene, seat: Seat, place: Point, size: f32, palette: &Palette) {
    let (strong, _) = palette.seat(seat.index());
    let mut badge = Path::default();
    if seat.index().is_multiple_of(2) {
        badge.circle(place, size * 1.08);
    } else {
        let area = Area { left: place.x - size, top: place.y - size, width: 2.0 * size, height: 2.0 * size };
        badge.rounded(area, size * 0.25);
    }
    scene.fill(&badge, strong);
    let hand = Hand { height: size * 1.15, weight: Weight::Strong, colour: palette.badge };
    let letter = char::from(b'@'.saturating_add(seat.number()));
    hand.write_centred(scene, letter.encode_utf8(&mut [0; 4]), place);
}

/// Points out over a side; sides are counted clockwise from the top.
fn arrow(body: Area, quarter: usize, aside: f32) -> [Point; 3] {
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
