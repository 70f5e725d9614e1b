//! The text board: panels framed with `+`, `-`, `|`, knots drawn with `#`, removed dice with `.`.

use super::{
    CellSize, Edge, Fate, Panel, Piece, View,
    layout::{GAP, beside},
};
use crate::{
    knot::{Face, Side},
    seat::Seat,
};
use std::{fmt, sync::LazyLock};

/// The widest line that mail programs show unbroken.
pub(super) const WIDTH: usize = 72;
/// Margin characters left and right of the frame: a label of two, blank, arrow, blank.
pub(super) const MARGIN: usize = 5;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = Vec::new();
        for row in in_rows(&self.panels) {
            lines.extend(beside(&row));
            lines.push(String::new());
        }
        lines.extend(draw_scores(self, WIDTH));
        let mut text = String::with_capacity(lines.len() * WIDTH);
        for line in lines {
            text.push_str(line.trim_end());
            text.push('\n');
        }
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

/// The standing, a line a seat, with the players unless that makes lines too long.
pub(super) fn draw_scores(view: &View, most: usize) -> Vec<String> {
    let named: Vec<String> = view.scores.iter().map(|line| view.name_side(line)).collect();
    let lines = set_scores(view, &named);
    if lines.iter().all(|line| line.chars().count() <= most) {
        return lines;
    }
    set_scores(view, &view.scores.iter().map(|line| line.name.to_owned()).collect::<Vec<_>>())
}

fn set_scores(view: &View, names: &[String]) -> Vec<String> {
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let longest = view.scores.iter().map(|line| line.score.len()).max().unwrap_or(0);
    let gap = if longest == 0 { "" } else { "  " };
    let draw = |(line, name): (&super::ScoreLine, &String)| {
        let role = if line.role.is_empty() { String::new() } else { format!("  ({})", line.role) };
        let score = match line.score.parse::<u32>() {
            Ok(points) => format!("{points:>longest$}"),
            Err(_) => format!("{:<longest$}", line.score),
        };
        format!("{:MARGIN$}{name:<widest$}{gap}{score}{role}", "")
    };
    view.scores.iter().zip(names).map(draw).collect()
}

/// The lines of one panel with its margins.
pub(super) fn draw_panel(panel: &Panel) -> Vec<String> {
    let mut lines = Vec::new();
    if !panel.title.is_empty() {
        lines.push(panel.title.clone());
    }
    if panel.is_of_tokens() {
        lines.extend(super::tokens::draw(panel, false));
        return lines;
    }
    lines.extend(name_owners(
        [Edge::Left, Edge::Top, Edge::Right].map(|edge| panel.margin(edge).owner),
        panel,
    ));
    lines.extend(label_columns(panel, Edge::Top));
    frame(panel, &mut lines);
    lines.extend(label_columns(panel, Edge::Bottom));
    lines.extend(name_owners(["", panel.margin(Edge::Bottom).owner, ""], panel));
    lines
}

/// The owners of the sides, over the places of those sides; nothing where a side has none.
fn name_owners([left, middle, right]: [&str; 3], panel: &Panel) -> Option<String> {
    if [left, middle, right].iter().all(|owner| owner.is_empty()) {
        return None;
    }
    let width = panel.columns * (panel.cell_size.width + 1) + 1 + 2 * MARGIN - left.len() - right.len();
    Some(format!("{left}{middle:^width$}{right}"))
}

/// Adds the label of a row with the arrow of the last entry, as wide as the margin.
pub(super) fn push_row_label(line: &mut String, panel: &Panel, edge: Edge, row: usize, tight: bool) {
    let margin = panel.margin(edge);
    let label = margin.labels.get(row).map_or("", String::as_str);
    let room = 2_usize.saturating_sub(label.chars().count());
    let blank = if tight { "" } else { " " };
    let push_arrow = |line: &mut String, sign: char| {
        line.push_str(blank);
        line.push(if margin.entered == Some(row) { sign } else { ' ' });
        line.push_str(blank);
    };
    if edge == Edge::Left {
        push_blanks(line, room);
        line.push_str(label);
        push_arrow(line, '>');
    } else {
        push_arrow(line, '<');
        line.push_str(label);
        push_blanks(line, room);
    }
}

/// The labels above or below the columns, with a line for the arrow of the last entry where it came in here.
fn label_columns(panel: &Panel, edge: Edge) -> Vec<String> {
    let margin = panel.margin(edge);
    if margin.labels.is_empty() {
        return Vec::new();
    }
    let spread = |cells: Vec<&str>| {
        let mut line = String::with_capacity(WIDTH);
        push_blanks(&mut line, MARGIN + 1);
        for cell in cells {
            push_centred(&mut line, cell, panel.cell_size.width + 1);
        }
        line
    };
    let labels = spread(margin.labels.iter().map(String::as_str).collect());
    let Some(entered) = margin.entered else { return vec![labels] };
    let arrow = if edge == Edge::Top { "v" } else { "^" };
    let arrows =
        spread((0..panel.columns).map(|column| if column == entered { arrow } else { "" }).collect());
    if edge == Edge::Top { vec![labels, arrows] } else { vec![arrows, labels] }
}

/// Adds the framed grid with the labels of its rows.
fn frame(panel: &Panel, lines: &mut Vec<String>) {
    let (rows, height) = (panel.rows(), panel.cell_size.height);
    let room = panel.columns * (panel.cell_size.width + 1) + 1 + 2 * MARGIN;
    for row in 0..=rows {
        let mut line = String::with_capacity(room);
        push_blanks(&mut line, MARGIN);
        draw_rule(&mut line, panel, row);
        lines.push(line);
        if row == rows {
            break;
        }
        for within in 0..height {
            let mut line = String::with_capacity(room);
            let labelled = within == height / 2;
            if labelled {
                push_row_label(&mut line, panel, Edge::Left, row, false);
            } else {
                push_blanks(&mut line, MARGIN);
            }
            draw_interiors(&mut line, panel, row, within);
            if labelled {
                push_row_label(&mut line, panel, Edge::Right, row, false);
            }
            lines.push(line);
        }
    }
}

/// Adds the rule above `row`, or the lowest one.
fn draw_rule(line: &mut String, panel: &Panel, row: usize) {
    let outer = row == 0 || row == panel.rows();
    let width = panel.cell_size.width;
    for column in 0..panel.columns {
        line.push(corner(panel.cell(row, column)));
        let above = if row == 0 { Piece::Empty } else { panel.cell(row - 1, column) };
        let below = panel.cell(row, column);
        let dash = if outer || is_solid(above) || is_solid(below) { '-' } else { ' ' };
        let middle = mark_midpoint((above, Side::South), (below, Side::North)).unwrap_or(dash);
        line.extend((0..width).map(|place| if place == width / 2 { middle } else { dash }));
    }
    line.push('+');
}

/// The grid point at the top left of a cell.
const fn corner(piece: Piece) -> char {
    let (Piece::Die { fate, .. } | Piece::Stone { fate, .. }) = piece else { return '+' };
    match fate {
        Fate::Placed => '*',
        Fate::Captured => '!',
        Fate::Stays | Fate::Removed => '+',
    }
}

/// Adds one of the lines through the cells of `row`, with the bars between them.
fn draw_interiors(line: &mut String, panel: &Panel, row: usize, within: usize) {
    let size = panel.cell_size;
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
            draw_piece(line, right, within, size);
        }
    }
}

/// True if frame is drawn around a piece.
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

/// Adds one line of a cell's interior.
fn draw_piece(line: &mut String, piece: Piece, within: usize, size: CellSize) {
    let CellSize { width, height } = size;
    match piece {
        Piece::Token { sign, .. } if within == height / 2 => {
            push_centred(line, sign.encode_utf8(&mut [0; 4]), width);
        }
        Piece::Empty | Piece::Hole | Piece::Token { .. } => push_blanks(line, width),
        Piece::Die { face, fate: Fate::Stays | Fate::Placed | Fate::Captured } => {
            push_centred(line, draw_face(face, within), width);
        }
        Piece::Die { face, fate: Fate::Removed } => {
            push_centred(line, &draw_face(face, within).replace('#', "."), width);
        }
        Piece::Stone { name, sides, owner, .. } => draw_stone(line, (name, owner), sides, within, size),
    }
}

/// Adds one line of a stone: its numbers at their sides, name and owner in the middle.
fn draw_stone(
    line: &mut String,
    (name, owner): (&str, Seat),
    [north, east, south, west]: [u8; 4],
    within: usize,
    size: CellSize,
) {
    let CellSize { width, height } = size;
    let mut text = String::with_capacity(width);
    let digit = |number: u8| char::from(b'0' + number % 10);
    match within {
        0 => text.push(digit(north)),
        last if last + 1 == height => text.push(digit(south)),
        middle if middle == height / 2 => {
            text.push(digit(west));
            let mut middle = name.to_owned();
            middle.push(owner_mark(owner));
            push_centred(&mut text, &middle, width.saturating_sub(4));
            text.push(digit(east));
        }
        _ => {}
    }
    push_centred(line, &text, width);
}

pub(super) fn push_blanks(line: &mut String, count: usize) {
    line.extend(std::iter::repeat_n(' ', count));
}

/// Adds words in the middle of `width` characters; an odd blank stands behind them.
fn push_centred(line: &mut String, words: &str, width: usize) {
    let room = width.saturating_sub(words.chars().count());
    push_blanks(line, room / 2);
    line.push_str(words);
    push_blanks(line, room - room / 2);
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
pub fn draw_faces() -> &'static str {
    static FACES: LazyLock<String> = LazyLock::new(|| draw_faces_in(8));
    &FACES
}

/// All faces with their letters, in rows.
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
