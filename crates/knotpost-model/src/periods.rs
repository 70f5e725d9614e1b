//! Arithmetic of periods and pauses.

use super::{Millis, Span};

/// Half-open: `from` is included, `until` is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    pub from: Millis,
    pub until: Millis,
}

impl Period {
    pub fn new(from: Millis, until: Millis) -> Self {
        Self { from, until: until.max(from) }
    }

    pub fn span(self) -> Span {
        self.until.since(self.from)
    }

    pub fn overlap(self, other: Self) -> Span {
        self.until.min(other.until).since(self.from.max(other.from))
    }
}

/// Uncounted periods, sorted and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses(Vec<Period>);

impl FromIterator<Period> for Pauses {
    /// Merges touching periods, so that nothing is deducted twice.
    fn from_iter<I: IntoIterator<Item = Period>>(periods: I) -> Self {
        let mut periods: Vec<Period> = periods.into_iter().filter(|period| period.span().0 > 0).collect();
        periods.sort_unstable();
        let mut joined: Vec<Period> = Vec::with_capacity(periods.len());
        for period in periods {
            match joined.last_mut() {
                Some(last) if period.from <= last.until => last.until = last.until.max(period.until),
                _ => joined.push(period),
            }
        }
        Self(joined)
    }
}

impl Pauses {
    /// Time without the pauses; zero if `until` is before `from`.
    pub fn counted(&self, from: Millis, until: Millis) -> Span {
        let whole = Period::new(from, until);
        let paused: Span = self.0.iter().map(|pause| pause.overlap(whole)).sum();
        Span(whole.span().0.saturating_sub(paused.0))
    }

    /// Earliest time by which `span` has been counted since `from`.
    pub fn reach(&self, from: Millis, span: Span) -> Millis {
        let (mut at, mut left) = (from, span.0);
        for pause in self.0.iter().filter(|pause| pause.until > from) {
            let until_pause = pause.from.since(at).0;
            if until_pause >= left {
                break;
            }
            left -= until_pause;
            at = pause.until;
        }
        at.plus(left)
    }
}

/// Maximum of `periods`, which are disjoint, within any window of this length.
pub fn most_within(periods: &[Period], window: Span) -> Span {
    // The maximum is at a window that begins or ends with a period.
    let starts = periods.iter().flat_map(|period| [period.from, period.until.plus(-window.0)]);
    starts
        .map(|start| {
            let stretch = Period::new(start, start.plus(window.0));
            periods.iter().map(|period| period.overlap(stretch)).sum::<Span>()
        })
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn period(from: i64, until: i64) -> Period {
        Period::new(Millis(from), Millis(until))
    }

    fn pauses(periods: &[(i64, i64)]) -> Pauses {
        periods.iter().map(|(from, until)| period(*from, *until)).collect()
    }

    #[test]
    fn pauses_are_taken_off_once_however_they_overlap() {
        let pauses = pauses(&[(10, 20), (15, 30), (30, 35), (50, 60), (60, 40)]);
        assert_eq!(pauses.counted(Millis(0), Millis(100)), Span(65));
        assert_eq!(pauses.counted(Millis(12), Millis(34)), Span(0));
        assert_eq!(pauses.counted(Millis(34), Millis(36)), Span(1));
        assert_eq!(pauses.counted(Millis(80), Millis(70)), Span(0));
    }

    #[test]
    fn a_span_is_reached_after_the_pauses_in_between() {
        let pauses = pauses(&[(10, 20), (50, 60)]);
        assert_eq!(pauses.reach(Millis(0), Span(10)), Millis(10), "not a moment later than needed");
        assert_eq!(pauses.reach(Millis(0), Span(11)), Millis(21));
        assert_eq!(pauses.reach(Millis(15), Span(1)), Millis(21));
        assert_eq!(pauses.reach(Millis(70), Span(5)), Millis(75));
    }

    #[test]
    fn the_fullest_stretch_may_lie_between_two_periods() {
        let periods = [period(0, 30), period(360, 390)];
        assert_eq!(most_within(&periods, Span(365)), Span(35));
        assert_eq!(most_within(&periods[..1], Span(365)), Span(30));
        assert_eq!(most_within(&[], Span(365)), Span(0));
    }

    proptest! {
        #[test]
        fn what_is_reached_is_what_is_counted(
            ends in prop::collection::vec((0_i64..500, 0_i64..80), 0..8),
            from in 0_i64..500,
            span in 1_i64..500,
        ) {
            let pauses: Pauses = ends.iter().map(|(from, long)| period(*from, from + long)).collect();
            let reached = pauses.reach(Millis(from), Span(span));
            prop_assert_eq!(pauses.counted(Millis(from), reached), Span(span));
            prop_assert_eq!(pauses.counted(Millis(from), reached.plus(-1)), Span(span - 1));
        }

        #[test]
        fn no_stretch_is_fuller_than_the_fullest(
            gaps in prop::collection::vec((0_i64..60, 1_i64..40), 1..6),
            start in -100_i64..400,
        ) {
            let mut at = 0;
            let periods: Vec<Period> = gaps.iter().map(|(gap, long)| {
                let from = at + gap;
                at = from + long;
                period(from, at)
            }).collect();
            let stretch = period(start, start + 100);
            let there: i64 = periods.iter().map(|period| period.overlap(stretch).0).sum();
            prop_assert!(there <= most_within(&periods, Span(100)).0);
        }
    }
}
