//! Moves as people type them in mail: with blanks, capitals, and marks added by phones and mail programs.
//!
//! Only text that is no move as written and is one without such marks is corrected; a valid move is never
//! reinterpreted.

/// Closing punctuation; not `?`, since `o1?` asks.
const ENDS: &[char] = &['.', ',', ';', '!', '…'];
/// Marks around emphasised, quoted or code text.
const MARKUP: &[char] = &['*', '_', '"', '\'', '`', '(', ')', '[', ']', '<', '>'];
/// Phrases before a move, in lower case.
const OPENINGS: &[&str] = &["my move is", "my move", "move", "i play", "i move", "mein zug", "zug"];
/// Bytes; a longer line is prose.
const LONGEST: usize = 200;

/// Corrects a text that is no move as written; `None`: it is one already, or stays none. `is_move` tests the
/// game's syntax.
pub(crate) fn forgive_move(text: &str, is_move: &dyn Fn(&str) -> bool) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST || is_move(text) {
        return None;
    }
    let bare = without_marks(text);
    let unopened = without_opening(bare);
    [bare, unopened]
        .into_iter()
        .flat_map(|words| [words.to_owned(), without_blanks(words), without_blanks(words).to_lowercase()])
        .find(|word| !word.is_empty() && is_move(word))
}

pub(crate) fn without_marks(text: &str) -> &str {
    text.trim_matches(|c: char| MARKUP.contains(&c) || c.is_whitespace())
        .trim_end_matches(|c: char| ENDS.contains(&c) || MARKUP.contains(&c) || c.is_whitespace())
}

fn without_opening(text: &str) -> &str {
    let rest_after = |opening: &&str| {
        let (head, rest) = text.split_at_checked(opening.len())?;
        let ends = rest.starts_with([' ', ':']);
        (ends && head.eq_ignore_ascii_case(opening)).then_some(rest)
    };
    let rest = OPENINGS.iter().find_map(rest_after).unwrap_or(text);
    without_marks(rest.trim_start_matches([' ', ':']))
}

/// Drops blanks beside commas and colons and between a letter and a following digit; others separate words.
fn without_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut words = text.split_whitespace();
    out.extend(words.next());
    for word in words {
        let (last, first) = (out.chars().next_back(), word.chars().next());
        let joins = |c: Option<char>| matches!(c, Some(',' | ':'));
        let is_cell = last.is_some_and(char::is_alphabetic) && first.is_some_and(|c| c.is_ascii_digit());
        if !joins(last) && !joins(first) && !is_cell {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::boards::board::parse_options;
    use knotpost_rules::Seed;

    fn meant(game: &str, text: &str) -> Option<String> {
        let registry = knotpost_games::registry();
        let game = registry.find(game).unwrap();
        let position = game.setup(&parse_options(game, "", 2).unwrap(), 2, &Seed::default());
        forgive_move(text, &|word| position.is_legal_syntax(word))
    }

    #[test]
    fn marks_blanks_and_capitals_around_a_move_are_forgiven() {
        for (game, text, play) in [
            ("osbox", "o1.", "o1"),
            ("osbox", "O1.", "O1"),
            ("osbox", "*o1*", "o1"),
            ("osbox", "_o1_", "o1"),
            ("osbox", "\"o1\"", "o1"),
            ("osbox", "'o1'!", "o1"),
            ("osbox", "o1!", "o1"),
            ("osbox", "o1,", "o1"),
            ("osbox", "o 1", "o1"),
            ("osbox", "O 12.", "O12"),
            ("osbox", "Move: o1", "o1"),
            ("osbox", "My move is f12.", "f12"),
            ("osbox", "(o1)", "o1"),
            ("osbo", "k2e4, a1e6", "k2e4,a1e6"),
            ("osbo", "k2e4 ,a1e6.", "k2e4,a1e6"),
            ("osbo", "*k2e4*", "k2e4"),
            ("obsidio", "c3.", "c3"),
            ("obsidio", "c 2, e 4", "c2,e4"),
            ("obsidio", "`C2, E4`", "C2,E4"),
        ] {
            assert_eq!(meant(game, text).as_deref(), Some(play), "{game}: {text}");
        }
    }

    #[test]
    fn what_may_mean_something_else_is_left_as_it_is() {
        for (game, text) in [
            ("osbox", "o1"),
            ("osbox", "o1?"),
            ("osbox", "o 1 2"),
            ("osbox", "o1 2"),
            ("osbox", "o1 o1"),
            ("osbox", "a fine move"),
            ("osbox", ""),
            ("osbox", "..."),
            ("osbo", "k2e4 a1e6"),
            ("osbo", "k2 e4"),
            ("obsidio", "c2 e4"),
            ("obsidio", "c2 or e4"),
        ] {
            assert_eq!(meant(game, text), None, "{game}: {text}");
        }
    }
}
