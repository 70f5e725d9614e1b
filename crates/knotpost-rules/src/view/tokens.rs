//! Compact panels: one character a cell inside one frame, with the margins of all text boards. Rows lie as their shape
//! says, half a cell being one character.

use super::{
    Edge, EdgePart, Panel, Piece, Shape, houses,
    text::{MARGIN, push_blanks, push_row_label},
};
use crate::seat::Seat;

/// Margin characters where the blanks around the arrow are left out.
const TIGHT_MARGIN: usize = MARGIN - 2;

/// The lines of the panel with its margins.
pub(super) fn draw(panel: &Panel, tight: bool) -> Vec<String> {
    if panel.shape == Shape::Houses {
        return houses::draw(panel, tight);
    }
    let margin = if tight { TIGHT_MARGIN } else { MARGIN };
    let last = panel.rows().saturating_sub(1);
    let [left, top, right] = [Edge::Left, Edge::Top, Edge::Right].map(|edge| panel.margin(edge).owner);
    let mut lines = Vec::new();
    lines.extend(name_owners(panel, 0, margin, [left, top, right]));
    lines.extend(label_columns(panel, Edge::Top, margin));
    let is_framed = panel.shape != Shape::Edges;
    lines.extend(is_framed.then(|| rule(panel, 0, margin)));
    let links = draw_links(panel);
    for row in 0..panel.rows() {
        if let Some(between) = row.checked_sub(1).and_then(|above| links.get(2 * above + 1)) {
            let gap = " ".repeat(margin);
            lines.push(format!("{gap}|{}|", between.iter().collect::<String>()));
        }
        let mut line = " ".repeat(panel.indent(row));
        push_row_label(&mut line, panel, Edge::Left, row, tight);
        push_cells(&mut line, panel, row, links.get(2 * row).map_or(&[], Vec::as_slice));
        push_row_label(&mut line, panel, Edge::Right, row, tight);
        lines.push(line);
    }
    lines.extend(is_framed.then(|| rule(panel, last, margin)));
    lines.extend(label_columns(panel, Edge::Bottom, margin));
    lines.extend(name_owners(panel, last, margin, ["", panel.margin(Edge::Bottom).owner, ""]));
    lines
}

/// The signs of links, two lines a row of cells and two signs a cell: the middle of a link stands for it, and strokes lead
/// there from its ends where nothing else is. No two links have the same middle unless they cross.
fn draw_links(panel: &Panel) -> Vec<Vec<char>> {
    let Some(links) = &panel.links else { return Vec::new() };
    let mut signs = vec![vec![' '; 2 * panel.columns + 1]; 2 * panel.rows()];
    let mut set = |line: usize, at: usize, sign: char| {
        if let Some(slot) = signs.get_mut(line).and_then(|line| line.get_mut(at)) {
            *slot = sign;
        }
    };
    let ends = |(from, to, _): &(usize, usize, Seat)| {
        let (upper, lower) = (panel.find(*from.min(to)), panel.find(*from.max(to)));
        let (left, right) = (upper.1.min(lower.1), upper.1.max(lower.1));
        let middle = (upper.0 + lower.0, left + right + 1);
        let stroke = if lower.1 > upper.1 { '\\' } else { '/' };
        (upper, lower, middle, right - left > lower.0 - upper.0, stroke)
    };
    for (upper, lower, _, is_flat, stroke) in links.iter().map(ends) {
        let aside =
            |(row, column): (usize, usize), right: bool| (2 * row, 2 * column + 2 * usize::from(right));
        if is_flat {
            let ((above, first), (below, last)) = (aside(upper, stroke == '\\'), aside(lower, stroke == '/'));
            set(above, first, '-');
            set(below, last, '-');
        } else {
            set(2 * upper.0 + 1, 2 * upper.1 + 1, '|');
            set((2 * lower.0).saturating_sub(1), 2 * lower.1 + 1, '|');
        }
    }
    for (_, _, (line, at), _, stroke) in links.iter().map(ends) {
        set(line, at, stroke);
    }
    signs
}

/// Adds the cells of a row between their frame, with the signs of links between them; those of the last move stand in
/// brackets where no link does.
fn push_cells(line: &mut String, panel: &Panel, row: usize, links: &[char]) {
    let (start, count) = (panel.start(row), panel.cells_in(row));
    let mut signs = vec![' '; 2 * count + 1];
    for (column, pair) in signs.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let is_star = panel.stars.contains(&(start + column));
        let empty = match (panel.shape, Panel::edge_part(row, column)) {
            (Shape::Edges, EdgePart::Dot) => '+',
            (Shape::Edges, EdgePart::Box) => ' ',
            _ if is_star => '+',
            _ if panel.is_dark(row, column) => ':',
            _ => '.',
        };
        pair[1] = sign(panel.cell(row, column), empty);
        let (across, down) = panel.lines_at(row, column);
        if across.is_some_and(|first| first < column) {
            pair[0] = '-';
        }
        if panel.cell(row, column) == Piece::Hole && (across.is_some() || down) {
            pair[1] = if across.is_some() { '-' } else { '|' };
        }
    }
    if panel.shape == Shape::Edges {
        // An edge reaches from dot to dot.
        for at in (0..signs.len()).rev().filter(|at| signs.get(*at) == Some(&'-')).collect::<Vec<_>>() {
            for beside in [at - 1, at + 1] {
                if let Some(sign) = signs.get_mut(beside) {
                    *sign = '-';
                }
            }
        }
    }
    for place in panel.last.iter().filter_map(|place| place.checked_sub(start)).filter(|place| *place < count)
    {
        for (at, bracket) in [(2 * place, '('), (2 * place + 2, ')')] {
            if let Some(sign) = signs.get_mut(at) {
                *sign = bracket;
            }
        }
    }
    for (sign, link) in signs.iter_mut().zip(links).filter(|(_, link)| **link != ' ') {
        *sign = *link;
    }
    line.push(side(panel, row, |row| panel.indent(row)));
    line.extend(signs);
    line.push(side(panel, row, |row| panel.indent(row) + 2 * panel.cells_in(row)));
}

const fn sign(piece: Piece, empty: char) -> char {
    match piece {
        Piece::Token { sign, .. } => sign,
        Piece::Hole => ' ',
        _ => empty,
    }
}

/// The frame at an end of a row, by where that end lies in the rows above and below.
fn side(panel: &Panel, row: usize, end: impl Fn(usize) -> usize) -> char {
    if panel.shape == Shape::Edges {
        return ' ';
    }
    let (above, below) = (row.checked_sub(1), Some(row + 1).filter(|below| *below < panel.rows()));
    let before = above.map(|above| end(row).cmp(&end(above)));
    let after = below.map(|below| end(below).cmp(&end(row)));
    match (before.or(after), after.or(before)) {
        (Some(std::cmp::Ordering::Less), Some(std::cmp::Ordering::Less)) => '/',
        (Some(std::cmp::Ordering::Greater), Some(std::cmp::Ordering::Greater)) => '\\',
        _ => '|',
    }
}

/// The frame above the first row or below the last one.
fn rule(panel: &Panel, row: usize, margin: usize) -> String {
    let blanks = margin + panel.indent(row);
    format!("{:blanks$}+{}+", "", "-".repeat(2 * panel.cells_in(row) + 1))
}

/// The owners of the sides, over the ends and the middle of a row.
fn name_owners(panel: &Panel, row: usize, margin: usize, [left, middle, right]: [&str; 3]) -> Option<String> {
    if [left, middle, right].iter().all(|owner| owner.is_empty()) {
        return None;
    }
    let width = 2 * margin + 2 * panel.cells_in(row) + 3;
    let room = width.saturating_sub(left.len() + right.len());
    Some(format!("{}{left}{middle:^room$}{right}", " ".repeat(panel.indent(row))))
}

/// The labels above or below the columns, between them and the frame the arrow of the last move. A label that would touch
/// the one before it is left out.
fn label_columns(panel: &Panel, edge: Edge, margin: usize) -> Vec<String> {
    let labels = panel.margin(edge);
    if labels.labels.is_empty() {
        return Vec::new();
    }
    let row = if edge == Edge::Top { 0 } else { panel.rows().saturating_sub(1) };
    let first = margin + panel.indent(row) + 2;
    let spread = |sign: &dyn Fn(usize) -> &'static str, labels: &[String]| {
        let mut line = String::with_capacity(first + 2 * panel.columns);
        for column in 0..panel.cells_in(row) {
            let at = first + 2 * column;
            let word = labels.get(column).map_or_else(|| sign(column), String::as_str);
            if !word.is_empty() && line.len() < at {
                let room = at - line.len();
                push_blanks(&mut line, room);
                line.push_str(word);
            }
        }
        line
    };
    let mut lines = vec![spread(&|_| "", &labels.labels)];
    if let Some(entered) = labels.entered {
        let arrow = if edge == Edge::Top { "v" } else { "^" };
        lines.push(spread(&|column| if column == entered { arrow } else { "" }, &[]));
    }
    if edge == Edge::Bottom {
        lines.reverse();
    }
    lines
}
