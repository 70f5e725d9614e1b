//! The output at the end: a table of counts, and figures of what ran by turns.

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
    pub(crate) fn of(time: Duration) -> Self {
        Self(vec![time])
    }

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

/// One round of one side.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) count: usize,
    pub(crate) elapsed: Duration,
    pub(crate) times: Times,
}

impl Figures {
    /// A count in a given time, without the time of each.
    pub(crate) fn of(count: usize, elapsed: Duration) -> Self {
        Self { count, elapsed, times: Times::default() }
    }
}

/// All rounds of one side.
#[derive(Debug)]
struct Side {
    name: String,
    rates: Vec<f64>,
    /// The 99th percentile of each round.
    p99s: Vec<f64>,
    times: Times,
}

/// Measurements by turns. Of machines with fast and slow hours the result is the ratio of rounds in the same minute:
/// of the first side to each other one.
#[derive(Debug)]
pub(crate) struct Comparison {
    title: String,
    sides: Vec<Side>,
}

impl Comparison {
    pub(crate) fn new(title: String) -> Self {
        Self { title, sides: Vec::new() }
    }

    pub(crate) fn push(&mut self, name: &str, mut figures: Figures) {
        let (rate, p99) =
            (figures.count as f64 / figures.elapsed.as_secs_f64().max(1e-9), figures.times.percentile(99));
        if let Some(side) = self.sides.iter_mut().find(|side| side.name == name) {
            side.rates.push(rate);
            side.p99s.push(p99);
            side.times.append(figures.times);
        } else {
            let (rates, p99s) = (vec![rate], vec![p99]);
            self.sides.push(Side { name: name.to_owned(), rates, p99s, times: figures.times });
        }
    }
}

/// The median, the least and the greatest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    let middle = values.len() / 2;
    let median = if values.len().is_multiple_of(2) {
        f64::midpoint(at(middle.saturating_sub(1)), at(middle))
    } else {
        at(middle)
    };
    [median, at(0), at(values.len().saturating_sub(1))]
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for side in &self.sides {
            let [rate, ..] = spread(side.rates.clone());
            write!(f, "  {:<9}{rate:>8.0} a second", side.name)?;
            let mut times = side.times.clone();
            if times.len() > 0 {
                let [p50, p95, p99] = [50, 95, 99].map(|percent| times.percentile(percent));
                write!(f, "   p50 {p50:.2}  p95 {p95:.2}  p99 {p99:.2} ms")?;
            }
            writeln!(f)?;
        }
        let Some((first, others)) = self.sides.split_first() else { return Ok(()) };
        for other in others {
            let values = |of: fn(&Side) -> &[f64]| {
                let pairs = of(first).iter().zip(of(other)).filter(|(_, theirs)| **theirs > 0.0);
                pairs.map(|(ours, theirs)| ours / theirs).collect::<Vec<_>>()
            };
            for (what, ratios) in [("rate", values(|side| &side.rates)), ("p99", values(|side| &side.p99s))] {
                if ratios.is_empty() {
                    continue;
                }
                let (pairs, [median, least, most]) = (ratios.len(), spread(ratios));
                writeln!(
                    f,
                    "  {}/{} {what} {median:.2} (least {least:.2}, most {most:.2}, {pairs} pairs)",
                    first.name, other.name
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs_and_told_by_their_median() {
        let mut sides = Comparison::new("moves".to_owned());
        for (ours, theirs) in [(10, 20), (30, 30), (10, 40)] {
            sides.push("server", Figures::of(ours, Duration::from_secs(1)));
            sides.push("peer", Figures::of(theirs, Duration::from_secs(1)));
        }
        let told = sides.to_string();
        assert!(told.contains("server/peer rate 0.50 (least 0.25, most 1.00, 3 pairs)"), "{told}");
        assert!(told.contains("server         10 a second") && !told.contains("p99"), "{told}");
    }

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
