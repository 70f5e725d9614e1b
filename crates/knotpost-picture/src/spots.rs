//! Links on a board: a frame for each spot that can be chosen; the style sheet of the page decides its look.

use crate::{
    geometry::{Area, at},
    knots::Grid,
    shapes,
};
use knotpost_rules::view::{Edge, Panel};

/// Reach of an entry beyond its frame, and within the board.
const BEYOND: f32 = 9.0;
const WITHIN: f32 = 15.0;

/// A link on a spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Name of the spot in the view.
    pub spot: String,
    /// Address; `None` for a spot that is already chosen.
    pub href: Option<String>,
    /// Label for screen readers: the effect of following the link.
    pub label: String,
    /// Effect of choosing the spot.
    pub target: Target,
}

/// Effect of choosing a spot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Places something.
    #[default]
    Place,
    /// Claims the spot.
    Claim,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub name: String,
    pub area: Area,
    /// The touch area.
    pub reach: Area,
}

/// Lists the named cells and entries of a panel; `beside` and `above` are the sizes of the margins for entries.
pub(crate) fn list(panel: &Panel, grid: Grid, [beside, above]: [f32; 2]) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (place, name) in panel.spots.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let (row, column) = panel.find(place);
        // A square within a hexagon.
        let inset = if shapes::is_of_hexagons(panel) { 0.1 } else { 0.0 };
        let reach = shapes::area(panel, grid, row, column).inset(grid.cell * inset);
        spots.push(Spot { name: name.clone(), area: reach.inset(grid.cell * 0.04), reach });
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
            let reach = match edge {
                Edge::Left => Area { left: area.left - BEYOND, width: area.width + BEYOND + WITHIN, ..area },
                Edge::Right => Area { left: area.left - WITHIN, width: area.width + BEYOND + WITHIN, ..area },
                Edge::Top => Area { top: area.top - BEYOND, height: area.height + BEYOND + WITHIN, ..area },
                Edge::Bottom => {
                    Area { top: area.top - WITHIN, height: area.height + BEYOND + WITHIN, ..area }
                }
            };
            spots.push(Spot { name: name.clone(), area: area.inset(1.0), reach });
        }
    }
    spots
}
