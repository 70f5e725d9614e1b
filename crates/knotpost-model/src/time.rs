use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Unix time in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl From<i64> for Millis {
    fn from(millis: i64) -> Self {
        Self(millis)
    }
}

impl Millis {
    #[must_use]
    pub fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Zero if the clock went back.
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0).max(0))
    }

    /// RFC 3339 in UTC to the second, e.g. `2026-11-20T10:00:00Z`.
    pub fn to_rfc3339(self) -> String {
        self.format("%Y-%m-%dT%H:%M:%SZ")
    }

    /// For players, in UTC: `2026-11-20 10:00 UTC`.
    pub fn to_readable(self) -> String {
        self.format("%Y-%m-%d %H:%M UTC")
    }

    /// Parses a date (its start in UTC) or an RFC 3339 time, seconds optional.
    pub fn read(text: &str) -> Option<Self> {
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Some(Self(moment.as_millisecond()));
        }
        let date: jiff::civil::Date = text.parse().ok()?;
        Some(Self(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond()))
    }

    /// In UTC, from 1 to 366.
    pub fn day_of_year(self) -> u16 {
        let timestamp = Timestamp::from_millisecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        timestamp.to_zoned(TimeZone::UTC).day_of_year().unsigned_abs()
    }

    fn format(self, pattern: &str) -> String {
        let timestamp = Timestamp::from_millisecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        timestamp.to_zoned(TimeZone::UTC).strftime(pattern).to_string()
    }
}

/// Milliseconds, never negative.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Span(pub i64);

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        Self(spans.map(|span| span.0).sum())
    }
}

impl Span {
    /// Two largest units: `20 d 23 h`, `5 h 2 min`.
    pub fn to_short(self) -> String {
        let minutes = self.0 / 60_000;
        match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
            (0, 0, minutes) => format!("{} min", minutes.max(1)),
            (0, hours, minutes) => format!("{hours} h {minutes} min"),
            (days, hours, _) => format!("{days} d {hours} h"),
        }
    }
}

/// `d days, hh:mm:ss`
impl Span {
    /// Roughly, in one unit: `5 hours`.
    pub fn in_words(self) -> String {
        let minutes = self.0 / 60_000;
        let (count, unit) = match minutes {
            ..1 => return "a moment".to_owned(),
            1..60 => (minutes, "minute"),
            60..2880 => (minutes / 60, "hour"),
            _ => (minutes / 1440, "day"),
        };
        format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        write!(f, "{days} days, {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let noon = Millis(1_763_640_000_000);
        assert_eq!(noon.to_rfc3339(), "2025-11-20T12:00:00Z");
        assert_eq!(noon.to_readable(), "2025-11-20 12:00 UTC");
        assert_eq!(Millis::read("2025-11-20T12:00:00Z"), Some(noon));
        assert_eq!(Millis::read("2025-11-20T12:00Z"), Some(noon));
        assert_eq!(Millis::read("2025-11-20"), Some(noon.plus(-12 * 3_600_000)));
        assert_eq!(Millis::read("yesterday"), None);
    }

    #[test]
    fn spans_are_written_as_days_and_clock_time_and_never_negative() {
        assert_eq!(Span(93_784_000).to_string(), "1 days, 02:03:04");
        assert_eq!(Millis(5).since(Millis(9)), Span(0));
    }

    #[test]
    fn short_spans_have_their_two_largest_units() {
        let minutes = |minutes: i64| Span(minutes * 60_000).to_short();
        assert_eq!(minutes((20 * 24 + 23) * 60 + 59), "20 d 23 h");
        assert_eq!(minutes(5 * 60 + 12), "5 h 12 min");
        assert_eq!(minutes(12), "12 min");
        assert_eq!(minutes(0), "1 min");
    }
}
