//! Draws what the last move won.

use crate::{
    geometry::{Area, Path, at},
    knots::Grid,
    lettering::{Hand, Weight},
    scene::Scene,
    theme::Palette,
};
use knotpost_rules::view::{Fate, Panel, Piece};

pub(crate) fn draw(scene: &mut Scene, panel: &Panel, gain: u32, grid: Grid, palette: &Palette) {
    let is_removed = |(piece, _): &(Piece, Area)| matches!(piece, Piece::Die { fate: Fate::Removed, .. });
    let removed: Vec<Area> = grid.cells(panel).filter(is_removed).map(|(_, area)| area).collect();
    if gain == 0 || removed.is_empty() {
        return;
    }
    let sum = removed.iter().map(|area| area.centre()).fold(at(0.0, 0.0), |sum, centre| sum + centre);
    let middle = sum * (1.0 / removed.len() as f32);
    let words = format!("+{gain}");
    let hand =
        Hand { height: (grid.cell * 0.3).clamp(7.0, 15.0), weight: Weight::Strong, colour: palette.page };
    let (width, height) = (hand.measure(&words) + hand.height * 1.2, hand.height * 2.0);
    let mut badge = Path::default();
    let area = Area { left: middle.x - width / 2.0, top: middle.y - height / 2.0, width, height };
    badge.rounded(area, height / 2.0);
    scene.class = Some("gain");
    scene.fill(&badge, palette.win);
    hand.write_centred(scene, &words, middle);
    scene.class = None;
}
