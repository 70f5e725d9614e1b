//! The text of a board mail that a template cannot lay out: board, move list, wrapped lines.

use knotpost_rules::Layout;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::render::STARS;
use knotpost_core::replies::{Answers, Heading, ListedMove, Seat, Sheet, Verdict};

/// Width of a mail.
pub(super) const WIDTH: usize = 72;
/// Width of a narrow board.
const NARROW: usize = 40;

/// The context of the board template: the sheet, and what is worded or set for its reader.
pub(super) fn sheet_context(sheet: &Sheet) -> Value {
    let to_move = match &sheet.verdict {
        Verdict::Turn(userid) => userid.as_str(),
        Verdict::Won { .. } | Verdict::Tie(_) => "",
    };
    let to_move = sheet.submitted.as_ref().map_or(to_move, |submitted| submitted.userid.as_str());
    let (board, move_table) = lay_out(sheet);
    context! {
        heading_word => heading_word(sheet.heading),
        notes => sheet.moment().iter().chain(&sheet.notes).map(|note| wrap_lines(note)).collect::<Vec<_>>(),
        to_move,
        speaker => sheet.spoken.first().map_or("", |spoken| spoken.who.as_str()),
        turn_line => sheet
            .submitted
            .as_ref()
            .map_or_else(|| sheet.verdict.to_string(), ToString::to_string),
        news => sheet.news().map(|news| wrap_lines(&news)),
        seat_lines => !sheet.seats.is_empty(),
        move_table,
        board,
        legend => sheet.legend().trim_end(),
        narrow => is_narrow(sheet),
        answers => answers_word(sheet.answers.as_ref()),
        own_move => match &sheet.answers {
            Some(Answers::Move(play) | Answers::Chat(Some(play))) => Some(play.as_str()),
            _ => None,
        },
        fixed_subject => sheet.fixed_subject,
        by_subject => sheet.by_subject,
        subscriber_line => wrapped("Subscribers: ", "             ", &sheet.subscribers.join(", ")),
        is_deal => sheet.chance.as_ref().is_some_and(|chance| chance.is_deal),
        export => sheet.number.map(|number| format!("{} export {number}", sheet.game)),
        stars => if is_narrow(sheet) { "*".repeat(NARROW) } else { STARS.to_owned() },
        ..Value::from(Serde(sheet))
    }
}

fn is_narrow(sheet: &Sheet) -> bool {
    sheet.drawing.layout() == Layout::Narrow
}

/// The text of a board mail in its reader's layout: what stands around a narrow board is narrow, too.
pub(super) fn set_sheet(sheet: &Sheet, text: &str) -> String {
    let (layout, board) = (sheet.drawing.layout(), sheet.drawing.text());
    match text.split_once(&*board) {
        Some((before, after)) => format!("{}{board}{}", layout.set(before), layout.set(after)),
        None => layout.set(text),
    }
}

/// The name in the template of the reply that a mail asks for; empty where a reply needs a password.
fn answers_word(answers: Option<&Answers>) -> &'static str {
    match answers {
        None => "",
        Some(Answers::Move(_)) => "move",
        Some(Answers::Confirm) => "confirm",
        Some(Answers::Proposal) => "proposal",
        Some(Answers::Talk) => "talk",
        Some(Answers::Rematch) => "rematch",
        Some(Answers::Chat(_)) => "chat",
    }
}

fn heading_word(heading: Heading) -> &'static str {
    match heading {
        Heading::New | Heading::Summary | Heading::Show => "Summary",
        Heading::Preview => "Preview",
        Heading::Puzzle => "Puzzle",
        Heading::Submit => "Submit",
        Heading::Chat => "Chat",
        Heading::Notification => "Notification",
        Heading::Nag => "Nag",
    }
}

/// Board and move list in the reader's layout.
fn lay_out(sheet: &Sheet) -> (String, String) {
    let board = sheet.drawing.text().into_owned();
    match sheet.drawing.layout() {
        Layout::Standard => (board, move_table(sheet, WIDTH)),
        Layout::Narrow => (board, move_table(sheet, NARROW)),
        Layout::Wide => (beside(&board, &move_table(sheet, WIDTH)), String::new()),
        Layout::List => (board, move_list(sheet)),
    }
}

/// Two blocks of lines next to each other.
fn beside(left: &str, right: &str) -> String {
    let width = left.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let rows = left.lines().count().max(right.lines().count());
    let line = |row| {
        let (left, right) = (left.lines().nth(row).unwrap_or(""), right.lines().nth(row).unwrap_or(""));
        format!("{left:<width$}{right}").trim_end().to_owned()
    };
    (0..rows).map(line).collect::<Vec<_>>().join("\n")
}

/// The moves in words, a line each, below the players of the sides.
fn move_list(sheet: &Sheet) -> String {
    let players = sheet.seats.iter().map(|seat| format!("{} plays {}.", seat.userid, seat.side));
    let moves = sheet.moves.iter().map(|made| {
        let seat = usize::try_from(made.seat - 1).ok().and_then(|seat| sheet.seats.get(seat));
        format!("Move {}, {}: {}", made.number, seat.map_or("", |seat| seat.side.as_str()), made.text)
    });
    players.chain(moves).collect::<Vec<_>>().join("\n")
}

/// The moves, each in the column of the seat that made it, under the names of sides and players; one move a line where
/// one does not fit into its column. A move is never cut.
fn move_table(sheet: &Sheet, line: usize) -> String {
    let most = column_width(sheet, line);
    if is_wide(sheet, most) {
        return format!("{}\n{}", name_table(sheet, line, most), listed_moves(sheet).join("\n"));
    }
    set_rows(sheet, &move_rows(sheet), most)
}

/// The most that a column of the move table may take in lines of this width.
fn column_width(sheet: &Sheet, line: usize) -> usize {
    line.saturating_sub(3) / sheet.seats.len().max(1)
}

/// True if a move of the list does not fit into a column of this width.
fn is_wide(sheet: &Sheet, most: usize) -> bool {
    sheet.moves.iter().any(|made| numbered(made).chars().count() + 1 > most)
}

/// A move as it stands in the table: `12 f9`.
fn numbered(made: &ListedMove) -> String {
    format!("{} {}", made.number, made.text)
}

/// The heads of the move table alone; a line a seat where a name would be cut.
fn name_table(sheet: &Sheet, line: usize, most: usize) -> String {
    let heads = head_rows(sheet);
    if heads.iter().flatten().all(|name| name.chars().count() < most) {
        return set_rows(sheet, &heads, most);
    }
    let names = |seat: &Seat| shortened(&format!("   {}  {}", seat.side, seat.userid), line);
    sheet.seats.iter().map(names).collect::<Vec<_>>().join("\n")
}

/// The moves one a line, each with the side that made it.
pub(super) fn listed_moves(sheet: &Sheet) -> Vec<String> {
    let side = |made: &ListedMove| {
        let seat = usize::try_from(made.seat - 1).ok().and_then(|seat| sheet.seats.get(seat));
        seat.map_or("", |seat| seat.side.as_str())
    };
    let longest = sheet.moves.iter().map(|made| made.number.to_string().len()).max().unwrap_or(0);
    let widest = sheet.moves.iter().map(|made| side(made).chars().count()).max().unwrap_or(0);
    let line =
        |made: &ListedMove| format!("   {:>longest$} {:<widest$}  {}", made.number, side(made), made.text);
    sheet.moves.iter().map(line).collect()
}

/// True if the page, too, shows the moves one a line: it does where the text does.
pub(super) fn has_listed_moves(sheet: &Sheet) -> bool {
    match sheet.drawing.layout() {
        Layout::Standard | Layout::Wide => is_wide(sheet, column_width(sheet, WIDTH)),
        Layout::Narrow => is_wide(sheet, column_width(sheet, NARROW)),
        Layout::List => false,
    }
}

/// Rows of entries in columns of one width.
fn set_rows(sheet: &Sheet, rows: &[Vec<String>], most: usize) -> String {
    let longest = sheet
        .seats
        .iter()
        .flat_map(|seat| [seat.side.chars().count(), seat.userid.chars().count()])
        .chain(sheet.moves.iter().map(|made| numbered(made).chars().count()).filter(|length| *length < most))
        .max()
        .unwrap_or(0);
    let width = (longest + 2).clamp(most.min(13), most);
    let cell = |text: &String| format!("{:<width$}", shortened(text, width - 1));
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("   {}", row.iter().map(cell).collect::<Vec<_>>().concat()).trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// The rows of that table: the sides, the players, then the moves, a round each. A board that is not begun yet has
/// no players but its sides.
pub(super) fn move_rows(sheet: &Sheet) -> Vec<Vec<String>> {
    let mut rows = head_rows(sheet);
    let heads = rows.len();
    let mut next_column = sheet.seats.len();
    for made in &sheet.moves {
        let column = usize::try_from(made.seat - 1).unwrap_or(0).min(sheet.seats.len().saturating_sub(1));
        if column < next_column || rows.len() == heads {
            rows.push(vec![String::new(); sheet.seats.len()]);
        }
        next_column = column + 1;
        if let Some(cell) = rows.last_mut().and_then(|row| row.get_mut(column)) {
            *cell = numbered(made);
        }
    }
    rows
}

/// The sides, and below them the players, unless the board is not begun: then they are nobody's, and named the same.
pub(super) fn head_rows(sheet: &Sheet) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = vec![sheet.seats.iter().map(|seat| seat.side.clone()).collect()];
    if sheet.number.is_some() {
        rows.push(sheet.seats.iter().map(|seat| seat.userid.clone()).collect());
    }
    rows
}

/// A long name is shortened to fit the table.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['~']).collect()
}

/// A text of several lines, each set into lines of a mail's width. Lines that begin with blanks are commands: they
/// stay as they are.
fn wrap_lines(text: &str) -> String {
    let wrap = |line: &str| if line.starts_with(' ') { line.to_owned() } else { wrapped("", "", line) };
    text.lines().map(wrap).collect::<Vec<_>>().join("\n")
}

/// Words set into lines of a mail's width, the first after `head`, the others after `indent`.
pub(super) fn wrapped(head: &str, indent: &str, words: &str) -> String {
    let mut lines = vec![head.to_owned()];
    let mut is_fresh = true;
    for word in words.split_whitespace() {
        let width = lines.last().map_or(0, |line| line.chars().count());
        if !is_fresh && width + 1 + word.chars().count() > WIDTH {
            lines.push(indent.to_owned());
            is_fresh = true;
        }
        if let Some(line) = lines.last_mut() {
            if !is_fresh {
                line.push(' ');
            }
            line.push_str(word);
        }
        is_fresh = false;
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_indented() {
        assert_eq!(wrapped("Legal: ", "   ", "a1 a2"), "Legal: a1 a2");
        let lines = wrapped("", "   ", &"abcde ".repeat(13));
        assert_eq!(lines, format!("{}\n   abcde", "abcde ".repeat(12).trim_end()));
        let note = format!("{}\n   as   it is", "abcde ".repeat(13));
        assert_eq!(wrap_lines(&note), format!("{}\nabcde\n   as   it is", "abcde ".repeat(12).trim_end()));
        let long = "x".repeat(100);
        assert_eq!(wrapped("", "   ", &format!("a {long} b")), format!("a\n   {long}\n   b"));
    }
}
