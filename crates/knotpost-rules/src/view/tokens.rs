//! Panels of tokens alone: one character a cell inside one frame, with the margins of all text boards.

use super::{
    Edge, Panel, Piece,
    text::{MARGIN, row_label},
};

/// The lines of the panel with its margins.
pub(super) fn draw(panel: &Panel) -> Vec<String> {
    let rule = format!("{:MARGIN$}+{}+", "", "-".repeat(2 * panel.columns + 1));
    let mut lines = label_columns(panel, Edge::Top);
    lines.push(rule.clone());
    lines.extend((0..panel.rows()).map(|row| {
        let [left, right] = [Edge::Left, Edge::Right].map(|edge| row_label(panel, edge, row));
        let cells = (0..panel.columns).flat_map(|column| [sign(panel.cell(row, column)), ' ']);
        format!("{left}| {}|{right}", cells.collect::<String>())
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
    let spread = |sign: &dyn Fn(usize) -> String| {
        let signs: Vec<String> = (0..panel.columns).map(sign).collect();
        format!("{:MARGIN$}  {}", "", signs.join(" "))
    };
    let mut lines =
        vec![spread(&|column| margin.labels.get(column).map_or_else(|| " ".to_owned(), Clone::clone))];
    if let Some(entered) = margin.entered {
        let arrow = if edge == Edge::Top { "v" } else { "^" };
        lines.push(spread(&|column| if column == entered { arrow } else { " " }.to_owned()));
    }
    if edge == Edge::Bottom {
        lines.reverse();
    }
    lines
}
