//! Errors and warnings in the log: counts for the metrics, and the latest error for administrators.

use std::collections::VecDeque;
use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, PoisonError};

use knotpost_core::admin::LoggedErrors;
use knotpost_model::Millis;
use knotpost_platform::clock::{Clock as _, SystemClock};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

const HOUR_MS: i64 = 3_600_000;
/// The present hour, which has begun, and the 24 before it.
const HOURS: i64 = 25;
const LONGEST: usize = 300;

static TALLY: Mutex<Tally> = Mutex::new(Tally { hours: VecDeque::new(), latest: None });

pub(crate) fn logged_errors() -> LoggedErrors {
    lock().at(SystemClock.now())
}

/// Sets the counters to zero, so that the first error is seen to be more than before.
pub(super) fn report_start() {
    for level in ["error", "warn"] {
        metrics::counter!("knotpost_log_lines_total", "level" => level).increment(0);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Tally> {
    TALLY.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Tally {
    hours: VecDeque<(i64, i64)>,
    latest: Option<(Millis, String)>,
}

impl Tally {
    fn add(&mut self, now: Millis, line: String) {
        let hour = now.0.div_euclid(HOUR_MS);
        match self.hours.back_mut() {
            Some((last, count)) if *last == hour => *count += 1,
            _ => self.hours.push_back((hour, 1)),
        }
        self.hours.retain(|(counted, _)| hour - counted < HOURS);
        self.latest = Some((now, line));
    }

    fn at(&self, now: Millis) -> LoggedErrors {
        let hour = now.0.div_euclid(HOUR_MS);
        let recent = self.hours.iter().filter(|(counted, _)| hour - counted < HOURS);
        LoggedErrors { last_day: recent.map(|(_, count)| count).sum(), latest: self.latest.clone() }
    }
}

pub(super) struct CountLines;

impl<S: Subscriber> Layer<S> for CountLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        match *event.metadata().level() {
            Level::ERROR => {
                metrics::counter!("knotpost_log_lines_total", "level" => "error").increment(1);
                let mut line = Line::default();
                event.record(&mut line);
                lock().add(SystemClock.now(), line.to_text());
            }
            Level::WARN => {
                metrics::counter!("knotpost_log_lines_total", "level" => "warn").increment(1);
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct Line {
    message: String,
    error: String,
}

impl Line {
    fn to_text(&self) -> String {
        let text = match (self.message.as_str(), self.error.as_str()) {
            (message, "") => message.to_owned(),
            ("", error) => error.to_owned(),
            (message, error) => format!("{message}: {error}"),
        };
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = match field.name() {
            "message" => &mut self.message,
            "error" => &mut self.error,
            _ => return,
        };
        text.clear();
        let _ = write!(text, "{value:?}");
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn errors_of_the_last_day_are_counted_and_the_latest_is_shown() {
        let mut tally = Tally { hours: VecDeque::new(), latest: None };
        let at = |hours: i64| Millis(1_700_000_000_000 + hours * HOUR_MS);
        assert_eq!(tally.at(at(0)), LoggedErrors::default());
        for hours in [0, 0, 5, 24] {
            tally.add(at(hours), format!("after {hours} hours"));
        }
        assert_eq!(tally.at(at(24)).last_day, 4);
        assert_eq!(tally.at(at(25)).last_day, 2, "those of the first hour are older than a day");
        tally.add(at(30), "after 30 hours".to_owned());
        assert_eq!(tally.hours.len(), 2, "older hours are dropped");
        let latest = tally.at(at(31)).latest;
        assert_eq!(latest, Some((at(30), "after 30 hours".to_owned())));
    }

    #[test]
    fn an_error_of_the_log_is_noted_in_one_line() {
        let before = lock().at(SystemClock.now()).last_day;
        tracing::subscriber::with_default(tracing_subscriber::registry().with(CountLines), || {
            tracing::info!("nothing");
            tracing::warn!("little");
            tracing::error!(
                error = "the disk\nis full",
                board = "osbox 101",
                "the inbox cannot be worked on"
            );
        });
        let noted = lock().at(SystemClock.now());
        assert_eq!(noted.last_day, before + 1);
        assert_eq!(noted.latest.unwrap().1, "the inbox cannot be worked on: the disk is full");
    }
}
