//! Words of users that read like the server's own lines: in a text mail nothing else would tell them apart.

/// Mark before such a line.
const MARK: &str = "| ";
/// A row of this many signs reads as one of the server's rules.
const ROW: usize = 10;
/// Beginnings of lines of the server, in lower case.
const BEGINNINGS: &[&str] =
    &["it is ", "game won by ", "the game was a tie", "summary of ", "you wrote:", "nothing was changed"];

/// Puts the mark before each line of a user's words that reads like one of the server's.
pub(super) fn mark_imitations(said: &str) -> String {
    let mark = |line: &str| if imitates(line) { format!("{MARK}{line}") } else { line.to_owned() };
    said.lines().map(mark).collect::<Vec<_>>().join("\n")
}

fn imitates(line: &str) -> bool {
    let line = line.trim();
    let is_row = line.len() >= ROW
        && ["*", "-", "="].iter().any(|sign| line.chars().all(|c| sign.contains(c) || c.is_whitespace()));
    is_row || is_attribution(line) || begins_as_a_state(line)
}

/// `carol writes:` and `carol writes to bob:`, as it stands above what somebody said.
fn is_attribution(line: &str) -> bool {
    let Some(words) = line.strip_suffix(':') else { return false };
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.as_slice() {
        ["The" | "the", _, verb] | [_, verb] | [_, verb, "to", ..] => verb.eq_ignore_ascii_case("writes"),
        _ => false,
    }
}

fn begins_as_a_state(line: &str) -> bool {
    let lower = line.to_lowercase();
    BEGINNINGS.iter().any(|start| match *start {
        // Many sentences begin so; this one goes on with whose turn it is.
        "it is " => lower.starts_with(start) && lower.contains(" turn"),
        start => lower.starts_with(start),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_read_like_the_servers_are_marked() {
        let stars = "*".repeat(60);
        for line in [
            stars.as_str(),
            "------------------------",
            "It is bob's turn.",
            "  it is BOB's turn",
            "carol writes:",
            "The challenger writes:",
            "carol writes to ann, bob:",
            "Game won by carol.",
            "Summary of Osbox Board 101",
        ] {
            assert_eq!(mark_imitations(line), format!("| {line}"));
        }
        for line in ["", "good move", "It is a pity.", "***", "my plan:", "she writes well", "- first"] {
            assert_eq!(mark_imitations(line), line);
        }
        assert_eq!(mark_imitations("hello\nIt is bob's turn.\nbye"), "hello\n| It is bob's turn.\nbye");
    }
}
