//! The text board: panels framed with `+`, `-`, `|`, knots drawn with `#`, removed dice with `.`.

use super::{
    CellSize, Edge, Fate, Panel, Piece, View,
    layout::{GAP, beside},
};
use crate::{
    knot::{Face, Side},
    seat::Seat,
};
use std::fmt;

/// The widest line that mail programs show unbroken.
const WIDTH: usize = 72;
/// Margin characters left and right of the frame: a label of two, blank, arrow, blank.
pub(super) const MARGIN: usize = 5;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = Vec::new();
        for row in in_rows(&self.panels) {
            lines.extend(beside(&row));
            lines.push(String::new());
        }
        lines.extend(draw_scores(self));
        let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
        f.write_str(text.trim_end_matches('\n'))
    }
}

/// The panels as rows of blocks: boards side by side as long as they fit into a mail, all else in a row of its own.
fn in_rows(panels: &[Panel]) -> Vec<Vec<Vec<String>>> {
    let mut rows: Vec<Vec<Vec<String>>> = Vec::new();
    let mut after_board = false;
    for panel in panels {
        let block = draw_panel(panel);
        let has_labels = panel.margins.iter().any(|margin| !margin.labels.is_empty());
        match rows.last_mut().filter(|row| after_board && has_labels && fits(row, &block)) {
            Some(row) => row.push(block),
            None => rows.push(vec![block]),
        }
        after_board = has_labels;
    }
    rows
}

fn fits(row: &[Vec<String>], block: &[String]) -> bool {
    let widest =
        |block: &[String]| block.iter().map(|line| line.trim_end().chars().count()).max().unwrap_or(0);
    row.iter().map(|block| widest(block) + GAP.len()).sum::<usize>() + widest(block) <= WIDTH
}

/// The standing, a line a seat.
pub(super) fn draw_scores(view: &View) -> Vec<String> {
    let widest = view.scores.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let longest = view.scores.iter().map(|line| line.score.len()).max().unwrap_or(0);
    let draw = |line: &super::ScoreLine| {
        let role = if line.role.is_empty() { String::new() } else { format!("  ({})", line.role) };
        format!("{:MARGIN$}{:<widest$}  {:>longest$}{role}", "", line.name, line.score)
    };
    view.scores.iter().map(draw).collect()
}

/// The lines of one panel with its margins.
pub(super) fn draw_panel(panel: &Panel) -> Vec<String> {
    let mut lines = Vec::new();
    if !panel.title.is_empty() {
        lines.push(panel.title.clone());
    }
    if panel.is_of_tokens() {
        lines.extend(super::tokens::draw(panel));
        return lines;
    }
    lines.extend(name_owners(
        [Edge::Left, Edge::Top, Edge::Right].map(|edge| panel.margin(edge).owner),
        panel,
    ));
    lines.extend(label_columns(panel, Edge::Top));
    for (number, line) in frame(panel).into_iter().enumerate() {
        let height = panel.cell_size.height;
        let (row, within) = (number / (height + 1), number % (height + 1));
        if within == height / 2 + 1 {
            let [left, right] = [Edge::Left, Edge::Right].map(|edge| row_label(panel, edge, row));
            lines.push(format!("{left}{line}{right}"));
        } else {
            lines.push(format!("{:MARGIN$}{line}", ""));
        }
    }
    lines.extend(label_columns(panel, Edge::Bottom));
    lines.extend(name_owners(["", panel.margin(Edge::Bottom).owner, ""], panel));
    lines
}

/// Who owns the sides, over the places of those sides; nothing where nobody does.
fn name_owners([left, middle, right]: [&str; 3], panel: &Panel) -> Option<String> {
    if [left, middle, right].iter().all(|owner| owner.is_empty()) {
        return None;
    }
    let width = panel.columns * (panel.cell_size.width + 1) + 1 + 2 * MARGIN - left.len() - right.len();
    Some(format!("{left}{middle:^width$}{right}"))
}

/// The label of a row with the arrow of the last entry, as wide as the margin.
pub(super) fn row_label(panel: &Panel, edge: Edge, row: usize) -> String {
    let margin = panel.margin(edge);
    let label = margin.labels.get(row).map_or("", String::as_str);
    let entered = margin.entered == Some(row);
    match edge {
        Edge::Left => format!("{label:>2} {} ", if entered { '>' } else { ' ' }),
        _ => format!(" {} {label:<2}", if entered { '<' } else { ' ' }),
    }
}

/// The labels above or below the columns, with a line for the arrow of the last entry where it came in here.
fn label_columns(panel: &Panel, edge: Edge) -> Vec<String> {
    let margin = panel.margin(edge);
    if margin.labels.is_empty() {
        return Vec::new();
    }
    let spread = |cells: Vec<&str>| {
        let cells: Vec<String> =
            cells.iter().map(|cell| format!("{cell:^0$}", panel.cell_size.width + 1)).collect();
        format!("{:MARGIN$} {}", "", cells.concat())
    };
    let labels = spread(margin.labels.iter().map(String::as_str).collect());
    let Some(entered) = margin.entered else { return vec![labels] };
    let arrow = if edge == Edge::Top { "v" } else { "^" };
    let arrows =
        spread((0..panel.columns).map(|column| if column == entered { arrow } else { "" }).collect());
    if edge == Edge::Top { vec![labels, arrows] } else { vec![arrows, labels] }
}

/// The framed grid without margins.
fn frame(panel: &Panel) -> Vec<String> {
    let (rows, height) = (panel.rows(), panel.cell_size.height);
    let mut lines = Vec::with_capacity(rows * (height + 1) + 1);
    for row in 0..=rows {
        lines.push(draw_rule(panel, row));
        if row < rows {
            lines.extend((0..height).map(|within| draw_interiors(panel, row, within)));
        }
    }
    lines
}

/// The rule above `row`, or the lowest one.
fn draw_rule(panel: &Panel, row: usize) -> String {
    let outer = row == 0 || row == panel.rows();
    let width = panel.cell_size.width;
    let mut line = String::new();
    for column in 0..panel.columns {
        line.push(corner(panel.cell(row, column)));
        let above = if row == 0 { Piece::Empty } else { panel.cell(row - 1, column) };
        let below = panel.cell(row, column);
        let dash = if outer || is_solid(above) || is_solid(below) { '-' } else { ' ' };
        let middle = mark_midpoint((above, Side::South), (below, Side::North)).unwrap_or(dash);
        line.extend((0..width).map(|place| if place == width / 2 { middle } else { dash }));
    }
    line.push('+');
    line
}

/// The grid point at the top left of a cell.
const fn corner(piece: Piece) -> char {
    let (Piece::Die { fate, .. } | Piece::Stone { fate, .. }) = piece else { return '+' };
    if matches!(fate, Fate::Placed) { '*' } else { '+' }
}

/// One of the lines through the cells of `row`, with the bars between them.
fn draw_interiors(panel: &Panel, row: usize, within: usize) -> String {
    let (mut line, size) = (String::new(), panel.cell_size);
    for column in 0..=panel.columns {
        let left = if column == 0 { Piece::Empty } else { panel.cell(row, column - 1) };
        let right = panel.cell(row, column);
        let outer = column == 0 || column == panel.columns;
        let bar = if outer || is_solid(left) || is_solid(right) { '|' } else { ' ' };
        let mark = if within == size.height / 2 {
            mark_midpoint((left, Side::East), (right, Side::West))
        } else {
            None
        };
        line.push(mark.unwrap_or(bar));
        if column < panel.columns {
            line.push_str(&draw_piece(right, within, size));
        }
    }
    line
}

/// Whether frame is drawn around a piece.
const fn is_solid(piece: Piece) -> bool {
    !matches!(piece, Piece::Empty | Piece::Die { fate: Fate::Removed, .. })
}

/// The sign between two cells: `#` if a live die is open there, `.` if only a removed one was.
fn mark_midpoint(one: (Piece, Side), other: (Piece, Side)) -> Option<char> {
    let open = |(piece, side): (Piece, Side)| match piece {
        Piece::Die { face, fate } if face.is_open(side) => Some(fate),
        _ => None,
    };
    match (open(one), open(other)) {
        (None, None) => None,
        (Some(Fate::Removed) | None, Some(Fate::Removed) | None) => Some('.'),
        _ => Some('#'),
    }
}

/// One line of a cell's interior.
fn draw_piece(piece: Piece, within: usize, size: CellSize) -> String {
    let CellSize { width, height } = size;
    let centred = |text: &str| format!("{text:^width$}");
    match piece {
        Piece::Token { sign, .. } if within == height / 2 => centred(sign.encode_utf8(&mut [0; 4])),
        Piece::Empty | Piece::Token { .. } => " ".repeat(width),
        Piece::Die { face, fate: Fate::Stays | Fate::Placed } => centred(draw_face(face, within)),
        Piece::Die { face, fate: Fate::Removed } => centred(draw_face(face, within)).replace('#', "."),
        Piece::Stone { name, sides, owner, .. } => {
            draw_stone(&format!("{name}{}", owner_mark(owner)), sides, within, size)
        }
    }
}

/// One line of a stone: its numbers at their sides, name and owner in the middle.
fn draw_stone(middle: &str, [north, east, south, west]: [u8; 4], within: usize, size: CellSize) -> String {
    let CellSize { width, height } = size;
    let text = match within {
        0 => north.to_string(),
        last if last + 1 == height => south.to_string(),
        line if line == height / 2 => format!("{west}{middle:^0$}{east}", width.saturating_sub(4)),
        _ => String::new(),
    };
    format!("{text:^width$}")
}

/// The letter of a seat: `A` for the first one.
fn owner_mark(seat: Seat) -> char {
    char::from(b'@' + seat.number())
}

/// The interior of a face: top, middle, bottom line.
pub(crate) fn draw_face(face: Face, within: usize) -> &'static str {
    let lines = match face.letter() {
        'a' => ["     ", " ### ", " # # "],
        'b' => ["###  ", "  #  ", "###  "],
        'c' => [" # # ", " ### ", "     "],
        'd' => ["  ###", "  #  ", "  ###"],
        'e' => [" # # ", " # # ", " # # "],
        'f' => ["#####", "     ", "#####"],
        'g' => ["#### ", "   # ", "## # "],
        'h' => ["## # ", "   # ", "#### "],
        'i' => [" # ##", " #   ", " ####"],
        'j' => [" ####", " #   ", " # ##"],
        'k' => ["#####", "     ", "## ##"],
        'l' => ["## # ", "   # ", "## # "],
        'm' => ["## ##", "     ", "#####"],
        'n' => [" # ##", " #   ", " # ##"],
        _ => ["## ##", "     ", "## ##"],
    };
    lines.get(within).copied().unwrap_or("     ")
}

/// All faces with their letters, two rows of them.
pub(crate) fn draw_faces() -> String {
    draw_faces_in(8)
}

/// All faces with their letters, so many in a row.
pub(super) fn draw_faces_in(columns: usize) -> String {
    let draw_row = |faces: &[Face]| {
        let join = |cells: Vec<String>| format!("   {}", cells.join("   ").trim_end());
        let mut lines = vec![join(faces.iter().map(|face| format!("{:^5}", face.letter())).collect())];
        let drawn = |within| join(faces.iter().map(|face| draw_face(*face, within).to_owned()).collect());
        lines.extend((0..3).map(drawn));
        lines.join("\n")
    };
    Face::ALL.chunks(columns.max(1)).map(draw_row).collect::<Vec<_>>().join("\n\n")
}
