//! Panels of tokens alone: one character a cell inside one frame, with the margins of all text boards.

use super::{
    Edge, Panel, Piece,
    text::{MARGIN, push_blanks, push_row_label},
};

/// The lines of the panel with its margins.
pub(super) fn draw(panel: &Panel) -> Vec<String> {
    let rule = format!("{:MARGIN$}+{}+", "", "-".repeat(2 * panel.columns + 1));
    let mut lines = label_columns(panel, Edge::Top);
    lines.push(rule.clone());
    lines.extend((0..panel.rows()).map(|row| {
        let mut line = String::with_capacity(rule.len() + MARGIN);
        push_row_label(&mut line, panel, Edge::Left, row);
        line.push_str("| ");
        line.extend((0..panel.columns).flat_map(|column| [sign(panel.cell(row, column)), ' ']));
        line.push('|');
        push_row_label(&mut line, panel, Edge::Right, row);
        line
    }));
    lines.push(rule);
    lines.extend(label_columns(panel, Edge::Bottom));
    lines
}

const fn sign(piece: Piece) -> char {
    match piece {
        Piece::Token { sign, .. } => sign,
        _ => ' ',
    }
}

/// The labels above or below the columns, between them and the frame the arrow of the last move.
fn label_columns(panel: &Panel, edge: Edge) -> Vec<String> {
    let margin = panel.margin(edge);
    if margin.labels.is_empty() {
        return Vec::new();
    }
    let spread = |signs: &mut dyn Iterator<Item = &str>| {
        let mut line = String::with_capacity(MARGIN + 2 * panel.columns + 2);
        push_blanks(&mut line, MARGIN + 1);
        for sign in signs {
            line.push(' ');
            line.push_str(sign);
        }
        line
    };
    let label = |column: usize| margin.labels.get(column).map_or(" ", String::as_str);
    let mut lines = vec![spread(&mut (0..panel.columns).map(label))];
    if let Some(entered) = margin.entered {
        let arrow = if edge == Edge::Top { "v" } else { "^" };
        let arrows = (0..panel.columns).map(|column| if column == entered { arrow } else { " " });
        lines.push(spread(&mut { arrows }));
    }
    if edge == Edge::Bottom {
        lines.reverse();
    }
    lines
}
