//! Limit of mails in an hour. Arithmetic over times and counts: knows neither the database nor the transport.

use std::collections::VecDeque;

use knotpost_model::Millis;

const HOUR_MS: i64 = 60 * 60_000;

/// Number of mails that may still be leased, so that in no hour more than a given number leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct HourlyLimit {
    /// Moments of leases in the last hour, and the number of mails of each.
    leased: VecDeque<(Millis, i64)>,
}

impl HourlyLimit {
    /// Number of mails, at most `wanted`, that may be leased now; `per_hour` 0: all. A mail may leave up to `delay_ms` after
    /// it was leased.
    pub(super) fn grant(&mut self, wanted: i64, per_hour: u32, delay_ms: i64, now: Millis) -> i64 {
        if per_hour == 0 {
            return wanted;
        }
        // A clock that was put back must not hold mails back for longer than an hour.
        let is_past = |at: Millis| at > now || now.since(at).0 >= HOUR_MS + delay_ms;
        self.leased.retain(|(at, _)| !is_past(*at));
        let left: i64 = self.leased.iter().map(|(_, mails)| mails).sum();
        wanted.min(i64::from(per_hour).saturating_sub(left)).max(0)
    }

    /// Records how many mails were leased.
    pub(super) fn record(&mut self, leased: usize, now: Millis) {
        if leased > 0 {
            self.leased.push_back((now, i64::try_from(leased).unwrap_or(i64::MAX)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_mails_are_leased_than_may_leave_in_an_hour() {
        let mut limit = HourlyLimit::default();
        let mut lease = |at: i64, wanted: i64| {
            let mails = limit.grant(wanted, 20, 30_000, Millis(at));
            limit.record(usize::try_from(mails).unwrap(), Millis(at));
            mails
        };
        let begin = 1_000_000;
        assert_eq!([lease(begin, 16), lease(begin + 5, 16), lease(begin + 10, 16)], [16, 4, 0]);
        let first_is_past = begin + HOUR_MS + 30_000;
        assert_eq!([lease(first_is_past - 1, 16), lease(first_is_past, 64)], [0, 16]);
        assert_eq!(lease(begin, 16), 16, "the clock was put back");
        assert_eq!(HourlyLimit::default().grant(64, 0, 30_000, Millis(begin)), 64);
    }
}
