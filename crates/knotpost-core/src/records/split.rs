//! Splitting of a text into records.

/// Records with their first lines. A record begins with a tag after moves, or with a second `[Game …]`;
/// brackets inside comments are ignored.
pub(super) fn split(text: &str) -> Vec<(usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut starts = Vec::new();
    let (mut has_moves, mut has_game, mut in_comment, mut offset) = (true, false, false, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = line.trim_start();
        if !in_comment && start.starts_with('[') {
            let names_game = start.starts_with("[Game ") || start.starts_with("[Game\t");
            if has_moves || (names_game && has_game) {
                starts.push((index + 1, offset));
                (has_moves, has_game) = (false, false);
            }
            has_game |= names_game;
        } else if in_comment || !start.is_empty() {
            if starts.is_empty() {
                starts.push((index + 1, offset));
            }
            has_moves = true;
            in_comment = ends_in_comment(line, in_comment);
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([text.len()]);
    starts.iter().zip(ends).filter_map(|((line, start), end)| Some((*line, text.get(*start..end)?))).collect()
}

fn ends_in_comment(line: &str, mut open: bool) -> bool {
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if open => drop(chars.next()),
            '{' => open = true,
            '}' => open = false,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_told_apart_wherever_brackets_stand() {
        let text = "[Game \"a\"]\n\n1. x {a\n[Game \"no\"]\n\\} [}\n2. y\n\n[Game \"b\"]\n[Mood \"c\"]\n[Game \"d\"]\n1. z\n";
        let parts: Vec<(usize, &str)> =
            split(text).into_iter().map(|(line, part)| (line, part.lines().next().unwrap_or(""))).collect();
        assert_eq!(parts, [(1, "[Game \"a\"]"), (8, "[Game \"b\"]"), (10, "[Game \"d\"]")]);
        assert_eq!(split("\n\n"), []);
        assert_eq!(split("\n1. x\n[Game \"a\"]").len(), 2);
    }
}
