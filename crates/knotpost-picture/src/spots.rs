//! Links upon a board: for each spot that can be chosen a frame that leads somewhere. What choosing means is not known
//! here; how frames look is left to the style sheet of the page around the picture.

use crate::{
    geometry::{Area, at},
    knots::Grid,
};
use knotpost_rules::view::{Edge, Panel};

/// What a spot leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The spot, as the view calls it.
    pub spot: String,
    /// Where to; `None` for a spot that is chosen already.
    pub href: Option<String>,
    /// What happens, for those who do not see the spot.
    pub label: String,
}

/// A spot on the page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub name: String,
    pub area: Area,
}

/// The cells and entries of a panel that have names. `beside` and `above` are the rooms for entries.
pub(crate) fn list(panel: &Panel, grid: Grid, [beside, above]: [f32; 2]) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (place, name) in panel.spots.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let Some(row) = place.checked_div(panel.columns) else { continue };
        let area = grid.area(row, place % panel.columns).inset(grid.cell * 0.04);
        spots.push(Spot { name: name.clone(), area });
    }
    if !panel.spots.is_empty() {
        return spots;
    }
    let (width, height) = (panel.columns as f32 * grid.cell, panel.rows() as f32 * grid.cell);
    for edge in [Edge::Left, Edge::Top, Edge::Right, Edge::Bottom] {
        for (line, name) in panel.margin(edge).labels.iter().enumerate() {
            let along = line as f32 * grid.cell;
            let (corner, across, down) = match edge {
                Edge::Left => (at(grid.left - beside, grid.top + along), beside, grid.cell),
                Edge::Right => (at(grid.left + width, grid.top + along), beside, grid.cell),
                Edge::Top => (at(grid.left + along, grid.top - above), grid.cell, above),
                Edge::Bottom => (at(grid.left + along, grid.top + height), grid.cell, above),
            };
            let area = Area { left: corner.x, top: corner.y, width: across, height: down };
            spots.push(Spot { name: name.clone(), area: area.inset(1.0) });
        }
    }
    spots
}
