//! Houses of seeds: numbers in a frame, the letters of each row on its own side.

use super::{Edge, Figure, Panel, Piece, text::MARGIN};
use std::fmt::Write as _;

/// Characters between two bars: brackets of the last move around two digits.
const WIDTH: usize = 4;

/// The lines of the panel with its margins.
pub(super) fn draw(panel: &Panel, tight: bool) -> Vec<String> {
    let before = " ".repeat(if tight { 0 } else { MARGIN });
    let rule = format!("{before}+{}", format!("{}+", "-".repeat(WIDTH)).repeat(panel.columns));
    let label = |edge: Edge| {
        let mut line = format!("{before} ");
        for label in &panel.margin(edge).labels {
            let _ = write!(line, "{label:^room$}", room = WIDTH + 1);
        }
        line
    };
    let owner = |edge: Edge| {
        let owner = panel.margin(edge).owner;
        (!owner.is_empty()).then(|| format!("{before}{owner:^room$}", room = rule.len() - before.len()))
    };
    let row = |row: usize| {
        let cells: String = (0..panel.columns).map(|column| house(panel, row, column)).collect();
        [format!("{before}|{cells}"), rule.clone()]
    };
    let mut lines: Vec<String> = owner(Edge::Top).into_iter().collect();
    lines.extend([label(Edge::Top), rule.clone()]);
    lines.extend((0..panel.rows()).flat_map(row));
    lines.push(label(Edge::Bottom));
    lines.extend(owner(Edge::Bottom));
    lines
}

/// A house with the bar behind it; an empty one is a point, those of the last move stand in brackets.
fn house(panel: &Panel, row: usize, column: usize) -> String {
    let number =
        count_seeds(panel.cell(row, column)).map_or_else(|| ".".to_owned(), |seeds| seeds.to_string());
    let is_last = panel.last.contains(&(panel.start(row) + column));
    let shown = if is_last { format!("({number})") } else { number };
    format!("{shown:^WIDTH$}|")
}

/// The seeds of a house that is not empty.
pub(super) fn count_seeds(piece: Piece) -> Option<u8> {
    match piece {
        Piece::Token { look, .. } => match look.figure {
            Figure::Seeds(seeds) => Some(seeds).filter(|seeds| *seeds > 0),
            _ => None,
        },
        _ => None,
    }
}
