//! Figures of several rounds: rates, times, and the ratio of sides that ran in the same minute, which is the result.

use std::fmt;
use std::time::Duration;

use crate::report::Times;

/// The program measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Server,
    Floor,
    Peer,
}

/// One round of one side.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) count: usize,
    pub(super) elapsed: Duration,
    pub(super) times: Times,
}

impl Figures {
    /// A count in a given time, without the time of each.
    pub(super) fn of(count: usize, elapsed: Duration) -> Self {
        Self { count, elapsed, times: Times::default() }
    }

    fn rate(&self) -> f64 {
        self.count as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// All rounds of one measurement.
#[derive(Debug)]
pub(super) struct Sides {
    name: String,
    rates: [Vec<f64>; 3],
    times: [Times; 3],
    drains: Vec<f64>,
}

const NAMES: [(Side, &str); 3] = [(Side::Server, "server"), (Side::Floor, "floor"), (Side::Peer, "peer")];

impl Sides {
    pub(super) fn new(name: String) -> Self {
        Self { name, rates: Default::default(), times: Default::default(), drains: Vec::new() }
    }

    pub(super) fn push(&mut self, side: Side, figures: Figures) {
        let index = side as usize;
        if let (Some(rates), Some(times)) = (self.rates.get_mut(index), self.times.get_mut(index)) {
            rates.push(figures.rate());
            times.append(figures.times);
        }
    }

    /// How long after the last answer the last mail was sent.
    pub(super) fn push_drain(&mut self, elapsed: Duration) {
        self.drains.push(elapsed.as_secs_f64());
    }

    fn rates(&self, side: Side) -> &[f64] {
        self.rates.get(side as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// The ratios of the rounds in which both took part.
    fn ratios(&self, other: Side) -> Vec<f64> {
        self.rates(Side::Server).iter().zip(self.rates(other)).map(|(ours, theirs)| ours / theirs).collect()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(middle)) {
        (0, Some(upper)) => f64::midpoint(*upper, sorted.get(middle - 1).copied().unwrap_or(*upper)),
        (_, Some(value)) => *value,
        (_, None) => 0.0,
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for (side, name) in NAMES {
            let rates = self.rates(side);
            if rates.is_empty() {
                continue;
            }
            write!(f, "  {name:<7}{:>8.0} a second", median(rates))?;
            let mut times = Times::default();
            if let Some(all) = self.times.get(side as usize) {
                times.append(all.clone());
            }
            if times.len() > 0 {
                let [p50, p95, p99] = [50, 95, 99].map(|percent| times.percentile(percent));
                write!(f, "   p50 {p50:.2}  p95 {p95:.2}  p99 {p99:.2} ms")?;
            }
            writeln!(f)?;
        }
        for (side, name) in [(Side::Floor, "floor"), (Side::Peer, "peer")] {
            let mut ratios = self.ratios(side);
            ratios.sort_unstable_by(f64::total_cmp);
            if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
                let middle = median(&ratios);
                writeln!(
                    f,
                    "  server/{name} {middle:.2} (least {least:.2}, most {most:.2}, {} pairs)",
                    ratios.len()
                )?;
            }
        }
        if !self.drains.is_empty() {
            writeln!(f, "  mails out all sent {:.2} s after the last move", median(&self.drains))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs_and_told_by_their_median() {
        let mut sides = Sides::new("moves".to_owned());
        for (ours, theirs) in [(10, 20), (30, 30), (10, 40)] {
            sides.push(Side::Server, Figures::of(ours, Duration::from_secs(1)));
            sides.push(Side::Floor, Figures::of(theirs, Duration::from_secs(1)));
        }
        let told = sides.to_string();
        assert!(told.contains("server/floor 0.50 (least 0.25, most 1.00, 3 pairs)"), "{told}");
        assert!(told.contains("server       10 a second"), "{told}");
    }
}
