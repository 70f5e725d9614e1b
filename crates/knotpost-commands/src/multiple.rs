//! Lines of a mail with several commands.

use crate::error::{ErrorCode, ParseError};
use crate::verbs::Verb;

/// Lines carried out.
pub const MAX_LINES: usize = 50;

/// Command lines of a body: without blank, comment (`#`) and quoted (`>`) lines, up to a signature line. More
/// than fifty are an error.
pub fn command_lines(body: &str) -> Result<Vec<&str>, ParseError> {
    let lines: Vec<&str> = body
        .lines()
        .take_while(|line| !is_signature(line))
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '>']))
        .take(MAX_LINES + 1)
        .collect();
    if lines.len() > MAX_LINES {
        let message = format!("one mail takes at most {MAX_LINES} commands");
        return Err(ParseError {
            verb: Some(Verb::Multiple),
            ..ParseError::new(ErrorCode::TooLarge, message)
        });
    }
    Ok(lines)
}

/// `-- ` alone; some programs strip the blank at its end.
fn is_signature(line: &str) -> bool {
    line.trim_end_matches(['\r', ' ', '\u{a0}']) == "--"
}
