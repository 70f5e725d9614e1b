//! What a player says with a command: free text of limited length.

/// The longest comment that is kept, in characters.
const MAX_COMMENT: usize = 8000;

const CUT: &str = "\n[The rest was cut off: a comment may have 8000 characters.]";

/// Cuts a comment to 8000 characters and says so at its end.
pub fn limit_comment(text: &str) -> String {
    match text.char_indices().nth(MAX_COMMENT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}{CUT}", text.get(..end).unwrap_or_default().trim_end()),
    }
}
