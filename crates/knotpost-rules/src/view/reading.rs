//! A board in words, for screen readers: every cell by its coordinates, nothing that has to be seen.

use super::{Edge, Fate, Margin, Panel, Piece, Shape, View, houses::count_seeds};
use crate::{
    knot::{Face, Side},
    seat::Seat,
};

/// Columns of a line.
const WIDTH: usize = 72;

/// Panels and scores in words.
pub(super) fn read_view(view: &View) -> String {
    let mut lines = Vec::new();
    for panel in &view.panels {
        lines.extend(read_panel(panel, view));
        lines.push(String::new());
    }
    for line in &view.scores {
        let role = if line.role.is_empty() { String::new() } else { format!(" ({})", line.role) };
        let score = if line.score.is_empty() { String::new() } else { format!(": {}", line.score) };
        lines.push(format!("{}{score}{role}", view.name_side(line)));
    }
    lines.join("\n").trim_end_matches('\n').to_owned()
}

/// The faces by the sides at which they are open.
pub(super) fn list_faces() -> String {
    let line = |face: &Face| format!("   {}: open {}", face.letter(), open_sides(*face));
    let lines: Vec<String> = Face::ALL.iter().map(line).collect();
    format!("The faces, by the sides at which they are open:\n{}", lines.join("\n"))
}

/// The faces by the sides at which they are open, in a sentence.
pub(super) fn tell_faces() -> String {
    let words: Vec<String> =
        Face::ALL.iter().map(|face| format!("{}: {}", face.letter(), open_sides(*face))).collect();
    format!("The faces, by the sides at which they are open: {}.", words.join("; "))
}

fn read_panel(panel: &Panel, view: &View) -> Vec<String> {
    let mut lines = Vec::new();
    let title = panel.title.trim().trim_end_matches(':');
    let name = if title.is_empty() { "The board".to_owned() } else { title.to_owned() };
    lines.push(format!("{name}: {}.", panel.tell_shape()));
    lines.extend(read_owners(panel));
    if panel.shape == Shape::Houses {
        lines.extend(read_houses(panel));
    } else if panel.shape == Shape::Edges {
        lines.extend(read_edges(panel, view));
    } else if panel.is_of_tokens() {
        lines.extend(panel.tell_owners());
        lines.extend(read_tokens(panel, view));
    } else {
        lines.extend(read_pieces(panel, view));
    }
    lines.extend(read_entry(panel).or_else(|| panel.tell_last()));
    lines
}

/// The owner of each side, and what is written along it, where that is not a coordinate.
fn read_owners(panel: &Panel) -> Vec<String> {
    let sides = [
        (Edge::Left, "left side, from the top"),
        (Edge::Top, "upper side, from the left"),
        (Edge::Right, "right side, from the top"),
        (Edge::Bottom, "lower side, from the left"),
    ];
    let line = |(edge, words): (Edge, &str)| {
        let Margin { owner, labels, .. } = panel.margin(edge);
        let entries =
            if panel.is_of_tokens() || is_lettered(panel) { String::new() } else { labels.join(" ") };
        let belongs = if owner.is_empty() { String::new() } else { format!(" ({owner})") };
        (!entries.is_empty()).then(|| format!("Entries of the {words}{belongs}: {entries}"))
    };
    sides.into_iter().filter_map(line).collect()
}

/// True if columns carry letters and rows numbers, as on a chess board.
fn is_lettered(panel: &Panel) -> bool {
    let columns = &panel.margin(Edge::Top).labels;
    let letter = |label: &String| label.chars().all(|sign| sign.is_ascii_alphabetic());
    !columns.is_empty() && columns.iter().all(letter)
}

/// The game's own name for the cell; else its row from the top and column from the left.
pub(super) fn name_cell(panel: &Panel, place: usize) -> String {
    if let (Shape::Triangle | Shape::Hexagon, Some(name)) = (panel.shape, panel.spots.get(place)) {
        return name.clone();
    }
    let (row, column) = (place / panel.columns.max(1), place % panel.columns.max(1));
    if panel.shape == Shape::Houses {
        let Margin { owner, labels, .. } = panel.margin(if row == 0 { Edge::Top } else { Edge::Bottom });
        return format!("{} of {owner}", labels.get(column).map_or("a house", String::as_str));
    }
    let label = |edge, index: usize| panel.margin(edge).labels.get(index).cloned().unwrap_or_default();
    if is_lettered(panel) {
        return format!("{}{}", label(Edge::Top, column), label(Edge::Left, row));
    }
    if panel.rows() == 1 {
        return format!("Place {}", column + 1);
    }
    format!("Row {}, column {}", row + 1, column + 1)
}

fn read_pieces(panel: &Panel, view: &View) -> Vec<String> {
    let lines: Vec<String> = panel
        .cells
        .iter()
        .enumerate()
        .filter_map(|(place, piece)| {
            Some(format!("{}: {}", name_cell(panel, place), read_piece(*piece, view)?))
        })
        .collect();
    match (lines.is_empty(), panel.cells.iter().any(|piece| matches!(piece, Piece::Empty))) {
        (true, _) => vec!["All cells are empty.".to_owned()],
        (false, true) => lines.into_iter().chain(["All other cells are empty.".to_owned()]).collect(),
        (false, false) => lines,
    }
}

fn read_piece(piece: Piece, view: &View) -> Option<String> {
    match piece {
        Piece::Empty | Piece::Hole => None,
        Piece::Die { face, fate: Fate::Removed } => {
            Some(format!("empty; the last move took die {} off", face.letter()))
        }
        Piece::Die { face, fate } => {
            Some(format!("die {}, open {}{}", face.letter(), open_sides(face), fate_words(fate)))
        }
        Piece::Token { sign, .. } => Some(sign.to_string()),
        Piece::Stone { name, sides: [up, right, down, left], owner, fate } => Some(format!(
            "stone {name} of {}: {up} up, {right} right, {down} down, {left} left{}",
            name_seat(view, owner),
            fate_words(fate)
        )),
    }
}

fn fate_words(fate: Fate) -> &'static str {
    match fate {
        Fate::Placed => "; placed last",
        Fate::Captured => "; captured by the last move",
        Fate::Stays | Fate::Removed => "",
    }
}

fn open_sides(face: Face) -> String {
    let words = [(Side::North, "up"), (Side::East, "right"), (Side::South, "down"), (Side::West, "left")];
    let open: Vec<&str> =
        words.into_iter().filter(|(side, _)| face.is_open(*side)).map(|(_, word)| word).collect();
    open.join(", ")
}

fn name_seat(view: &View, seat: Seat) -> &'static str {
    view.scores.iter().find(|line| line.seat == seat).map_or("a player", |line| line.name)
}

/// The cells of each sign, signs in the order in which they are met; no empty cells.
fn read_tokens(panel: &Panel, view: &View) -> Vec<String> {
    type Group = (char, Option<Seat>, Option<&'static str>, Vec<String>);
    let mut groups: Vec<Group> = Vec::new();
    for (place, piece) in panel.cells.iter().enumerate() {
        let Piece::Token { sign, owner, look } = *piece else { continue };
        let cell = name_cell(panel, place);
        match groups.iter_mut().find(|(known, ..)| *known == sign) {
            Some((.., cells)) => cells.push(cell),
            None => groups.push((sign, owner, look.figure.word(), vec![cell])),
        }
    }
    groups.sort_by_key(|(_, owner, word, _)| (owner.is_none(), word.and(*owner).map(Seat::index)));
    let mut lines = Vec::new();
    for (sign, owner, word, cells) in groups {
        let heading = match (word, owner.map(|seat| name_seat(view, seat))) {
            (Some(word), Some(side)) => format!("{side}, {word}:"),
            (Some(word), None) => format!("Cells {word}:"),
            (None, Some(side)) => format!("Sign {sign} of {side}:"),
            (None, None) => format!("Sign {sign}:"),
        };
        lines.extend(fill(&heading, &cells));
    }
    let rest = if lines.is_empty() { "All cells are empty." } else { "All other cells are empty." };
    lines.extend(panel.cells.contains(&Piece::Empty).then(|| rest.to_owned()));
    for (seat, links) in panel.name_links() {
        lines.extend(fill(&format!("Links of {}:", name_seat(view, seat)), &links));
    }
    lines
}

/// The drawn lines, and the boxes of each owner; neither free lines nor open boxes.
fn read_edges(panel: &Panel, view: &View) -> Vec<String> {
    let (mut drawn, mut boxes): (Vec<String>, Vec<(Seat, Vec<String>)>) = (Vec::new(), Vec::new());
    for (place, piece) in panel.cells.iter().enumerate() {
        let Piece::Token { owner, .. } = *piece else { continue };
        let name = name_cell(panel, place);
        match (owner, boxes.iter_mut().find(|(known, _)| Some(*known) == owner)) {
            (None, _) => drawn.push(name),
            (_, Some((_, names))) => names.push(name),
            (Some(seat), None) => boxes.push((seat, vec![name])),
        }
    }
    if drawn.is_empty() {
        return vec!["No line is drawn.".to_owned()];
    }
    boxes.sort_by_key(|(seat, _)| seat.index());
    let mut lines = fill("Lines drawn:", &drawn);
    for (seat, names) in boxes {
        lines.extend(fill(&format!("Boxes of {}:", name_seat(view, seat)), &names));
    }
    let all = panel.rows() * panel.columns / 2;
    lines.extend((drawn.len() < all).then(|| "All other lines are free.".to_owned()));
    lines
}

/// The houses of each side that hold seeds, from its `a` on.
fn read_houses(panel: &Panel) -> Vec<String> {
    let mut lines = Vec::new();
    for (row, edge) in [(panel.rows().saturating_sub(1), Edge::Bottom), (0, Edge::Top)] {
        let Margin { owner, labels, .. } = panel.margin(edge);
        let seeds = (0..panel.columns).map(|column| count_seeds(panel.cell(row, column)));
        let mut houses: Vec<(&String, u8)> =
            labels.iter().zip(seeds).filter_map(|(label, seeds)| Some((label, seeds?))).collect();
        houses.sort_unstable();
        let words: Vec<String> = houses.iter().map(|(label, seeds)| format!("{label} {seeds},")).collect();
        lines.extend(fill(&format!("Houses of {owner}:"), &words));
        if let Some(line) = lines.last_mut() {
            *line = match line.strip_suffix(',') {
                Some(words) => format!("{words}."),
                None => format!("{line} none."),
            };
        }
    }
    let has_empty = panel.cells.iter().any(|piece| count_seeds(*piece).is_none());
    lines.extend(has_empty.then(|| "All other houses are empty.".to_owned()));
    lines
}

/// Words after a heading, in lines of a mail's width.
fn fill(heading: &str, words: &[String]) -> Vec<String> {
    let mut lines = vec![heading.to_owned()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("   {word}")),
        }
    }
    lines
}

/// The entry of the last move.
fn read_entry(panel: &Panel) -> Option<String> {
    let row =
        [Edge::Left, Edge::Right].into_iter().find_map(|edge| Some((edge, panel.margin(edge).entered?)));
    let column =
        [Edge::Top, Edge::Bottom].into_iter().find_map(|edge| Some((edge, panel.margin(edge).entered?)));
    let label =
        |(edge, line): (Edge, usize)| panel.margin(edge).labels.get(line).cloned().unwrap_or_default();
    match (row, column) {
        (Some(row), Some(column)) => Some(format!("The last move was at {}{}.", label(column), label(row))),
        (Some(entry), None) | (None, Some(entry)) => {
            Some(format!("The last move came in at entry {}.", label(entry)))
        }
        (None, None) => None,
    }
}
