//! Progress of long tasks: a bar on a terminal, an occasional line elsewhere.

use std::io::{IsTerminal as _, Write as _};

/// Pieces of work below which no report is worth it.
const WORTH_TELLING: u64 = 100;
const LINES: u64 = 20;
const WIDTH: usize = 40;

pub(super) struct Progress {
    unit: &'static str,
    is_terminal: bool,
    shown: Option<(&'static str, u64)>,
}

impl Progress {
    pub(super) fn of(unit: &'static str) -> Self {
        Self { unit, is_terminal: std::io::stderr().is_terminal(), shown: None }
    }

    pub(super) fn show(&mut self, part: &'static str, done: u64, total: u64) {
        if total < WORTH_TELLING {
            return;
        }
        let steps = if self.is_terminal { 1000 } else { LINES };
        let step = done.saturating_mul(steps) / total;
        if self.shown == Some((part, step)) {
            return;
        }
        let is_new = self.shown.is_none_or(|(shown, _)| shown != part);
        self.shown = Some((part, step));
        let text = format!("{part}{done} of {total} {}", self.unit);
        let mut errors = std::io::stderr().lock();
        // A reader who closed the stream does not want it.
        let _ = if self.is_terminal {
            let filled = usize::try_from(step).unwrap_or(0) * WIDTH / 1000;
            let end = if done == total { "\n" } else { "" };
            write!(errors, "\r[{:<WIDTH$}] {text}{end}", "#".repeat(filled)).and_then(|()| errors.flush())
        } else if is_new && step == 0 {
            // The first pieces are not worth a line.
            Ok(())
        } else {
            writeln!(errors, "{text}")
        };
    }
}
