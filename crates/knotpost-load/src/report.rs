//! The report printed at the end: a table of counts, and times.

use std::fmt;
use std::time::Duration;

/// Named counts, and broken rules.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(String, String)>,
    broken: Vec<String>,
}

impl Report {
    #[expect(clippy::needless_pass_by_value, reason = "numbers and words, as they come")]
    pub(crate) fn row(&mut self, name: impl Into<String>, value: impl ToString) {
        self.rows.push((name.into(), value.to_string()));
    }

    /// Records a broken rule.
    pub(crate) fn broken(&mut self, what: impl Into<String>) {
        self.broken.push(what.into());
    }

    /// Records a broken rule unless the condition holds.
    pub(crate) fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(what());
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.broken.is_empty()
    }
}

/// The number of broken rules that are printed one by one.
const MOST: usize = 25;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &self.rows {
            writeln!(f, "{name:<width$}  {value:>9}")?;
        }
        for what in self.broken.iter().take(MOST) {
            writeln!(f, "BROKEN: {what}")?;
        }
        if self.broken.len() > MOST {
            writeln!(f, "BROKEN: … and {} more", self.broken.len() - MOST)?;
        }
        write!(f, "{}", if self.is_sound() { "every rule held" } else { "RULES WERE BROKEN" })
    }
}

/// The durations of many operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The given percentile, in milliseconds.
    pub(crate) fn percentile(&mut self, percent: usize) -> f64 {
        self.0.sort_unstable();
        let index = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let mut times = Times::default();
        (1..=100).rev().for_each(|ms| times.push(Duration::from_millis(ms)));
        assert!((times.percentile(50) - 51.0).abs() < 1e-9);
        assert!((times.percentile(99) - 100.0).abs() < 1e-9);
        assert!(Times::default().percentile(50).abs() < 1e-9);
    }

    #[test]
    fn a_broken_rule_is_told() {
        let mut report = Report::default();
        report.row("mails", 3);
        assert!(report.is_sound() && report.to_string().ends_with("every rule held"));
        report.expect(false, || "one was lost".to_owned());
        assert!(!report.is_sound() && report.to_string().contains("BROKEN: one was lost"));
    }
}
