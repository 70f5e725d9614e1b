//! A board in words, for screen readers.

use crate::weave::Weave;
use knotpost_rules::Seat;
use knotpost_rules::knot::{Face, Side};
use knotpost_rules::view::{Edge, Fate, Figure, Panel, Piece, Shape, Sight, View};
use std::fmt::Write;

/// Describes the view in sentences, as the text alternative of a picture (`alt`).
pub fn describe(view: &View) -> String {
    let mut sentences: Vec<String> = view.panels.iter().flat_map(|panel| read_panel(panel, view)).collect();
    if !view.roll.is_empty() {
        let dice: Vec<String> =
            view.roll.iter().map(|die| format!("{} ({})", die.name, die.letters)).collect();
        sentences.push(format!("Rolled: {}.", dice.join(", ")));
    }
    sentences.extend(read_standing(view));
    sentences.extend(view.tell_now());
    sentences.join(" ")
}

/// Describes turn, standing and last move, for a picture beside which the board stands as text.
pub fn summarize(view: &View) -> String {
    let last = view.news.as_ref().map(ToString::to_string);
    let entered = view.panels.iter().find_map(read_last);
    let parts = [view.tell_now(), read_standing(view), last, entered];
    let parts = parts.into_iter().flatten().chain(["The board follows as text.".to_owned()]);
    parts.collect::<Vec<_>>().join(" ")
}

fn read_standing(view: &View) -> Option<String> {
    let scores: Vec<String> =
        view.scores.iter().map(|line| format!("{} {}", view.name_side(line), line.score)).collect();
    let has_figures = view.scores.iter().any(|line| !line.score.is_empty());
    has_figures.then(|| format!("Standing: {}.", scores.join("; ")))
}

fn read_panel(panel: &Panel, view: &View) -> Vec<String> {
    let mut sentences = Vec::new();
    let title = panel.title.trim().trim_end_matches(':');
    let name = if title.is_empty() { "Board" } else { title };
    sentences.push(format!("{name}: {}.", panel.tell_shape()));
    if panel.is_of_tokens() && panel.shape != Shape::Houses {
        sentences.extend(panel.tell_owners());
    }
    let columns: Vec<String> = (0..panel.columns).map(|column| column_name(panel, column)).collect();
    let rows = (0..panel.rows()).filter_map(|row| read_row(panel, row, &columns));
    sentences.extend(rows);
    if !panel.cells.iter().any(|piece| read_piece(&mut String::new(), *piece)) {
        sentences.push("It is empty.".to_owned());
    }
    for (seat, links) in panel.name_links() {
        let owner = view.scores.iter().find(|line| line.seat == seat).map_or("a player", |line| line.name);
        sentences.push(format!("Links of {owner}: {}.", links.join(", ")));
    }
    sentences.extend(read_paths(panel));
    sentences.extend(read_last(panel));
    sentences
}

fn read_row(panel: &Panel, row: usize, columns: &[String]) -> Option<String> {
    let mut words = row_name(panel, row);
    let (name, mut between) = (words.len(), ": ");
    for (column, label) in columns.iter().enumerate() {
        let before = words.len();
        // Columns of rows that differ in length have no letter in common.
        let own = match panel.shape {
            Shape::Houses => panel.margin(row_edge(row)).labels.get(column),
            _ if panel.cells_in(row) != panel.columns => panel.spots.get(panel.start(row) + column),
            _ => None,
        };
        for part in [between, own.map_or(label, String::as_str), " "] {
            words.push_str(part);
        }
        if read_piece(&mut words, panel.cell(row, column)) {
            between = ", ";
        } else {
            words.truncate(before);
        }
    }
    words.push('.');
    (words.len() > name + 1).then_some(words)
}

fn read_paths(panel: &Panel) -> Option<String> {
    let lengths: Vec<String> =
        Weave::of(panel, Piece::live_face).lengths.iter().map(u32::to_string).collect();
    match lengths.as_slice() {
        [] => None,
        [only] => Some(format!("One closed path of length {only}.")),
        several => Some(format!("{} closed paths of lengths {}.", several.len(), several.join(", "))),
    }
}

fn read_last(panel: &Panel) -> Option<String> {
    let label = |edge: Edge| {
        let margin = panel.margin(edge);
        margin.labels.get(margin.entered?).cloned()
    };
    match (label(Edge::Left), label(Edge::Top)) {
        (Some(row), Some(column)) => Some(format!("The last token lies on {column}{row}.")),
        (Some(entry), _) | (_, Some(entry)) => Some(format!("The last die came in at {entry}.")),
        _ => {
            let Some(entry) = label(Edge::Right).or_else(|| label(Edge::Bottom)) else {
                return panel.tell_last();
            };
            Some(format!("The last die came in at {entry}."))
        }
    }
}

/// The side of a row of houses.
const fn row_edge(row: usize) -> Edge {
    if row == 0 { Edge::Top } else { Edge::Bottom }
}

/// Labels that agree on both sides are coordinates; otherwise rows and columns are numbered.
fn row_name(panel: &Panel, row: usize) -> String {
    if panel.shape == Shape::Houses {
        return format!("Houses of {}", panel.margin(row_edge(row)).owner);
    }
    let [left, right] = [Edge::Left, Edge::Right].map(|edge| panel.margin(edge).labels.get(row));
    match left.filter(|_| left == right) {
        Some(label) => format!("Row {label}"),
        None => format!("Row {} from the top", row + 1),
    }
}

fn column_name(panel: &Panel, column: usize) -> String {
    let [top, bottom] = [Edge::Top, Edge::Bottom].map(|edge| panel.margin(edge).labels.get(column));
    top.filter(|_| top == bottom).cloned().unwrap_or_else(|| (column + 1).to_string())
}

fn read_piece(words: &mut String, piece: Piece) -> bool {
    match piece {
        Piece::Die { face, fate } => {
            words.push_str("die ");
            words.push(face.letter());
            match fate {
                Fate::Stays => {}
                Fate::Placed => words.push_str(" (new)"),
                Fate::Captured => words.push_str(" (captured)"),
                Fate::Removed => words.push_str(" (taken off)"),
            }
        }
        Piece::Token { sign, owner, look } => match (look.figure, owner) {
            (Figure::Nothing, _) if look.sight == Sight::Seen => words.push_str("in sight"),
            (Figure::Nothing | Figure::Seeds(0), _) => return false,
            (Figure::Target, None) => words.push_str("target"),
            (Figure::Target, Some(_)) => {
                words.push_str("target of ");
                words.push(sign);
            }
            (Figure::Seeds(seeds), _) => {
                let _ = write!(words, "{seeds}");
            }
            (Figure::Line, _) => words.push_str("line"),
            (Figure::Crowned, _) => {
                let _ = write!(words, "king of {}", sign.to_ascii_lowercase());
            }
            (Figure::Chess(man), Some(Seat::FIRST)) => {
                let _ = write!(words, "white {}", man.word());
            }
            (Figure::Chess(man), _) => {
                let _ = write!(words, "black {}", man.word());
            }
            (Figure::Blocked, _) => words.push_str("blocked"),
            (Figure::Counter | Figure::Disc | Figure::Sign, _) => words.push(sign),
        },
        Piece::Stone { name, sides: [north, east, south, west], owner, fate } => {
            let new = match fate {
                Fate::Placed => ", new",
                Fate::Captured => ", just captured",
                Fate::Stays | Fate::Removed => "",
            };
            let _ = write!(
                words,
                "stone {name} of seat {owner} (up {north}, right {east}, down {south}, left {west}{new})"
            );
        }
        _ => return false,
    }
    true
}

/// Names the open edges of a face.
pub fn name_face(face: Face) -> String {
    let names = [(Side::North, "up"), (Side::East, "right"), (Side::South, "down"), (Side::West, "left")];
    let open: Vec<&str> =
        names.into_iter().filter(|(side, _)| face.sides() & side.bit() != 0).map(|(_, name)| name).collect();
    let kind = match open.as_slice() {
        [_] => "tip",
        ["up", "down"] | ["right", "left"] => "straight",
        [_, _] => "corner",
        [_, _, _] => "branch",
        _ => "crossing",
    };
    format!("{kind}, open {}", open.join(", "))
}
