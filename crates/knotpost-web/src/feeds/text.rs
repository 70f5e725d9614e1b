//! The texts of feeds about a board.

use knotpost_core::boards::{LastMoment, TimeUp};
use knotpost_core::queries::{BoardSummary, Waiting, last_move};
use knotpost_model::Zone;

const MOST_SPOKEN: usize = 1000;

/// `Osbox 101`.
pub(super) fn name(waiting: &Waiting) -> String {
    format!("{} {}", waiting.board.title(), waiting.summary.number)
}

/// ` against bob, cyd`; empty for a single player.
pub(super) fn against(board: &BoardSummary, userid: &str) -> String {
    let mut others: Vec<&str> = Vec::new();
    for player in board.players() {
        if player != userid && !others.contains(&player) {
            others.push(player);
        }
    }
    if others.is_empty() { String::new() } else { format!(" against {}", others.join(", ")) }
}

/// Writes the last move, its comment, the board in words, and the deadline: one paragraph each.
pub(super) fn tell(waiting: &Waiting) -> Vec<String> {
    let board = &waiting.board;
    let made = board.entries.len();
    let last = last_move(board).map(|line| {
        format!("Move {made}, by {} on {}: {}.", line.userid, waiting.zone.show(*line.at), line.text)
    });
    let spoken = waiting.spoken.as_ref().map(|spoken| format!("{}: {}", spoken.who, shorten(&spoken.text)));
    let reading = knotpost_picture::describe(&board.view_for(knotpost_rules::Viewer::Spectator));
    let end = match waiting.last_moment {
        Some(end) => until(end, &waiting.zone),
        None => "No time runs at the moment.".to_owned(),
    };
    let first = last.unwrap_or_else(|| "No move has been made yet.".to_owned());
    [Some(first), spoken, Some(reading), Some(end)].into_iter().flatten().collect()
}

pub(super) fn until(end: LastMoment, zone: &Zone) -> String {
    let at = zone.show(end.at);
    match end.up {
        TimeUp::Move => format!("Without a move the game is lost on {at}."),
        TimeUp::Total => format!("The time for all moves is used up on {at}: then the game is lost."),
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MOST_SPOKEN) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_comments_are_cut_between_signs() {
        assert_eq!(shorten("short"), "short");
        let long = "ä".repeat(MOST_SPOKEN + 1);
        assert_eq!(shorten(&long).chars().count(), MOST_SPOKEN + 2);
    }
}
