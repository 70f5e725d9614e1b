//! Times of a board in its mails.

use serde::{Deserialize, Serialize};

use crate::boards::time::{has_own_limits, length, waiting_since};
use crate::boards::{Board, Standing, TimeLimits, time_used};
use crate::replies::{Heading, Style};
use knotpost_model::{Millis, Span};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeFacts {
    pub started: String,
    pub last_move: Option<String>,
    pub until: String,
    pub ended: bool,
    pub limits: Option<String>,
    pub used: Vec<(String, String)>,
    pub total: String,
}

/// Times if relevant: at the end, with limits of its own, in a reminder.
pub(crate) fn times(board: &Board, heading: Heading, style: &Style, now: Millis) -> Option<TimeFacts> {
    let over = matches!(board.standing(), Standing::Over(_));
    (over || has_own_limits(&board.row) || heading == Heading::Nag).then(|| time_facts(board, style, now))
}

fn time_facts(board: &Board, style: &Style, now: Millis) -> TimeFacts {
    let used = time_used(board, now);
    let ended = matches!(board.standing(), Standing::Over(_));
    let until = if ended { waiting_since(board) } else { now };
    TimeFacts {
        started: style.show_time(board.row.started_at),
        last_move: board.entries.last().map(|entry| style.show_time(entry.row.at)),
        until: style.show_time(until),
        ended,
        limits: has_own_limits(&board.row).then(|| sentence(board.timing.limits)),
        total: used.iter().copied().sum::<Span>().to_string(),
        used: board
            .seats
            .iter()
            .zip(&used)
            .map(|(row, used)| (row.userid.clone(), used.to_string()))
            .collect(),
    }
}

fn sentence(limits: TimeLimits) -> String {
    let mut words = format!("reminder after {}, loss after {}", length(limits.nag), length(limits.forfeit));
    if let Some(total) = limits.total {
        words.push_str(",\n           ");
        words.push_str(&length(total));
        words.push_str(" for all moves of a player");
    }
    words
}
