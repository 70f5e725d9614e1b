//! A user's deadlines as a calendar (iCalendar, RFC 5545): an event for each board whose clock runs for the user, and for
//! each round of a tournament in which they have boards, with a reminder a day before.
//!
//! The UID of an event is the board at that move, or the round. It begins at the deadline and, without an end, ends there (section
//! 3.6.1). All times of events are in UTC, which calendar programs convert; descriptions tell the user's own time.

use super::{Source, text};
use knotpost_core::boards::LastMoment;
use knotpost_core::queries::{RoundEnd, Waiting};
use knotpost_model::{Millis, TournamentForm};

/// Bytes of a line, without its break (section 3.1).
const WIDTH: usize = 75;

pub(crate) fn write_calendar(
    source: &Source<'_>,
    running: &[(Waiting, LastMoment)],
    rounds: &[RoundEnd],
) -> String {
    let mut lines = Lines::default();
    lines.put("BEGIN", "VCALENDAR");
    lines.put("VERSION", "2.0");
    lines.put("PRODID", "-//Knotpost//Deadlines//EN");
    lines.put("CALSCALE", "GREGORIAN");
    let name = format!("{}: deadlines of {}", source.server, source.userid);
    // The property of RFC 7986, and its older equivalent.
    lines.put_text("NAME", &name);
    lines.put_text("X-WR-CALNAME", &name);
    lines.put("REFRESH-INTERVAL;VALUE=DURATION", "PT1H");
    for (waiting, end) in running {
        write_event(&mut lines, source, waiting, *end);
    }
    for round in rounds {
        write_round(&mut lines, source, round);
    }
    lines.put("END", "VCALENDAR");
    lines.0
}

fn write_event(lines: &mut Lines, source: &Source<'_>, waiting: &Waiting, end: LastMoment) {
    let board = &waiting.summary;
    let name = text::name(waiting);
    let against = text::against(board, source.userid);
    let since = waiting.zone.show(waiting.since);
    lines.put("BEGIN", "VEVENT");
    let (game, number, ply) = (&board.game, board.number, waiting.board.entries.len());
    lines.put_text("UID", &format!("deadline-{game}-{number}-{ply}@{}", source.domain));
    lines.put("DTSTAMP", &utc(waiting.since));
    lines.put("DTSTART", &utc(end.at));
    lines.put_text("SUMMARY", &format!("{name}: time is up{against}"));
    let about = format!(
        "It has been your turn on {name}{against} since {since}.\n{}",
        text::until(end, &waiting.zone)
    );
    lines.put_text("DESCRIPTION", &about);
    lines.put("URL", &source.page_of(board));
    lines.put_text("CATEGORIES", waiting.board.title());
    end_event(lines, &format!("{name}{against}: a day is left for your move"));
}

fn write_round(lines: &mut Lines, source: &Source<'_>, end: &RoundEnd) {
    let (tournament, round) = (end.tournament, end.round);
    let word = if end.form == TournamentForm::League { "season" } else { "round" };
    let name = format!("Tournament {tournament} {}", end.title);
    lines.put("BEGIN", "VEVENT");
    lines.put_text("UID", &format!("deadline-{tournament}-{round}@{}", source.domain));
    lines.put("DTSTAMP", &utc(end.started));
    lines.put("DTSTART", &utc(end.deadline));
    lines.put_text("SUMMARY", &format!("{name}: {word} {round} ends"));
    let boards = match end.boards {
        1 => "One of your boards is not over.".to_owned(),
        boards => format!("{boards} of your boards are not over."),
    };
    let at = end.zone.show(end.deadline);
    let about = format!("{boards}\nA board that is not over on {at} goes to whoever has used less time.");
    lines.put_text("DESCRIPTION", &about);
    lines.put("URL", &format!("{}/tournaments/{tournament}", source.url));
    lines.put_text("CATEGORIES", end.game);
    end_event(lines, &format!("{name}: a day is left in {word} {round}"));
}

/// Writes the rest of an event, with the words of its reminder.
fn end_event(lines: &mut Lines, reminder: &str) {
    lines.put("TRANSP", "TRANSPARENT");
    lines.put("BEGIN", "VALARM");
    lines.put("ACTION", "DISPLAY");
    lines.put_text("DESCRIPTION", reminder);
    lines.put("TRIGGER", "-P1D");
    lines.put("END", "VALARM");
    lines.put("END", "VEVENT");
}

/// `20261211T100000Z` (section 3.3.5).
fn utc(at: Millis) -> String {
    at.to_rfc3339().replace(['-', ':'], "")
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    /// Takes a value that is not text: constants, times, addresses.
    fn put(&mut self, name: &str, value: &str) {
        let line = [name, ":", value].concat();
        let mut width = 0;
        for sign in line.chars().filter(|sign| !sign.is_control()) {
            if width + sign.len_utf8() > WIDTH {
                self.0.push_str("\r\n ");
                width = 1;
            }
            self.0.push(sign);
            width += sign.len_utf8();
        }
        self.0.push_str("\r\n");
    }

    /// Escapes text (section 3.3.11).
    fn put_text(&mut self, name: &str, text: &str) {
        let mut value = String::with_capacity(text.len());
        for sign in text.chars() {
            match sign {
                '\n' => value.push_str("\\n"),
                '\\' | ';' | ',' => value.extend(['\\', sign]),
                _ => value.push(sign),
            }
        }
        self.put(name, &value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_between_signs_and_put_together_again() {
        for sign in ["a", "ä", "€", "🎲"] {
            let text = sign.repeat(200);
            let mut lines = Lines::default();
            lines.put("SUMMARY", &text);
            assert!(lines.0.ends_with("\r\n"));
            let parts: Vec<&str> = lines.0.trim_end().split("\r\n").collect();
            assert!(parts.len() > 2 && parts.iter().all(|part| part.len() <= WIDTH), "{parts:?}");
            assert!(parts.iter().skip(1).all(|part| part.starts_with(' ')));
            assert_eq!(lines.0.replace("\r\n ", ""), format!("SUMMARY:{text}\r\n"));
        }
    }

    #[test]
    fn no_text_breaks_out_of_its_line() {
        let mut lines = Lines::default();
        lines.put_text("SUMMARY", "a;b,c\\n\r\nEND:VEVENT\u{0}\u{85}");
        assert_eq!(lines.0, "SUMMARY:a\\;b\\,c\\\\n\\nEND:VEVENT\r\n");
        let mut lines = Lines::default();
        lines.put("URL", "http://x\r\nEND:VEVENT");
        assert_eq!(lines.0, "URL:http://xEND:VEVENT\r\n");
    }

    #[test]
    fn times_are_in_utc() {
        assert_eq!(utc(Millis(1_763_640_000_000)), "20251120T120000Z");
    }
}
