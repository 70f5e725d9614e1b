//! Time zones of players.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::Millis;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// Case-insensitive; `None`: unknown. Excludes files of the database that are no place.
    pub fn named(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let is_lived_in =
            !matches!(lower.as_str(), "posixrules" | "factory" | "localtime" | "local" | "unknown")
                && !["posix/", "right/", "etc/unknown"].iter().any(|start| lower.starts_with(start));
        if !is_lived_in {
            return None;
        }
        TimeZone::get(name).ok().map(Self)
    }

    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Local time with zone: `2026-11-20 11:00 CET`.
    pub fn show(&self, at: Millis) -> String {
        let timestamp = Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH);
        timestamp.to_zoned(self.0.clone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
    }

    /// Next time after `now` at which the local clock shows the full hour `hour`. If a day skips that hour,
    /// the end of the gap; if it has it twice, the first.
    pub fn next_hour(&self, hour: u8, now: Millis) -> Millis {
        let day = Millis(now.0.saturating_add(86_400_000));
        let Ok(timestamp) = Timestamp::from_millisecond(now.0) else { return day };
        let hour = i8::try_from(hour.min(23)).unwrap_or(0);
        let mut date = timestamp.to_zoned(self.0.clone()).date();
        // Three days suffice if a whole day is skipped.
        for _ in 0..3 {
            if let Ok(next) = date.at(hour, 0, 0, 0).to_zoned(self.0.clone()) {
                let next = next.timestamp().as_millisecond();
                if next > now.0 {
                    return Millis(next);
                }
            }
            let Ok(tomorrow) = date.checked_add(1.day()) else { return day };
            date = tomorrow;
        }
        day
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZoneDatabase;

    fn at(text: &str) -> Millis {
        Millis(text.parse::<Timestamp>().expect("a time").as_millisecond())
    }

    fn next(zone: &str, hour: u8, now: &str) -> String {
        Zone::named(zone).expect("a zone").next_hour(hour, at(now)).to_rfc3339()
    }

    #[test]
    fn zones_are_known_by_name_in_any_case() {
        assert_eq!(Zone::named("europe/vienna").expect("a zone").name(), "Europe/Vienna");
        assert_eq!(Zone::named("Europe/Atlantis"), None);
        assert_eq!(Zone::named("UTC").expect("a zone").name(), "UTC");
        let vienna = Zone::named("Europe/Vienna").expect("a zone");
        assert_eq!(vienna.show(at("2026-11-20T10:00:00Z")), "2026-11-20 11:00 CET");
        assert_eq!(Zone::utc().show(at("2026-11-20T10:00:00Z")), "2026-11-20 10:00 UTC");
    }

    /// Files of the time zone database that are no zone, and aliases.
    const NO_ZONES: [&str; 24] = [
        "",
        "+VERSION",
        "../zoneinfo/posixrules",
        "./posixrules",
        "/etc/localtime",
        "Africa",
        "Etc/Unknown",
        "Europe",
        "Europe/",
        "Europe/Vienna/",
        "Factory",
        "SECURITY",
        "iso3166.tab",
        "leap-seconds.list",
        "leapseconds",
        "local",
        "localtime",
        "posix/Europe/Vienna",
        "posixrules",
        "right/Europe/Vienna",
        "tzdata.zi",
        "unknown",
        "zone.tab",
        "zone1970.tab",
    ];

    /// Zones that look like no place.
    const ZONES: [&str; 11] = [
        "America/Argentina/ComodRivadavia",
        "CST6CDT",
        "Etc/GMT+5",
        "Europe/Kiev",
        "GB-Eire",
        "GMT",
        "GMT0",
        "NZ-CHAT",
        "UTC",
        "W-SU",
        "Zulu",
    ];

    #[test]
    fn files_of_the_database_that_are_no_zones_are_none_in_any_case() {
        let written = |name: &str| [name.to_owned(), name.to_lowercase(), name.to_uppercase()];
        for name in NO_ZONES.into_iter().flat_map(written) {
            assert_eq!(Zone::named(&name), None, "{name}");
        }
        for name in ZONES.into_iter().flat_map(written) {
            assert!(Zone::named(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn all_that_this_machine_has_beside_the_zones_of_the_program_are_places() {
        let known: Vec<String> =
            TimeZoneDatabase::bundled().available().map(|name| name.to_string()).collect();
        assert!(known.len() > 500, "{}", known.len());
        for name in jiff::tz::db().available().map(|name| name.to_string()) {
            let area = name.split_once('/').map_or("", |(area, _)| area);
            let is_place = known.iter().any(|zone| zone.starts_with(&format!("{area}/")));
            let is_zone = Zone::named(&name).is_some();
            assert!(!is_zone || known.contains(&name) || (!area.is_empty() && is_place), "{name}");
            assert!(is_zone || !known.contains(&name) || NO_ZONES.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn the_next_full_hour_is_today_or_tomorrow_but_never_now() {
        assert_eq!(next("UTC", 7, "2026-11-20T06:59:59Z"), "2026-11-20T07:00:00Z");
        assert_eq!(next("UTC", 7, "2026-11-20T07:00:00Z"), "2026-11-21T07:00:00Z");
        assert_eq!(next("Europe/Vienna", 7, "2026-11-20T10:00:00Z"), "2026-11-21T06:00:00Z");
        assert_eq!(next("America/New_York", 7, "2026-11-20T10:00:00Z"), "2026-11-20T12:00:00Z");
        assert_eq!(next("Asia/Kolkata", 0, "2026-11-20T10:00:00Z"), "2026-11-20T18:30:00Z");
    }

    #[test]
    fn an_hour_that_a_day_skips_or_repeats_comes_once() {
        // On 29 March 2026 the clock in Vienna goes from 2 to 3.
        assert_eq!(next("Europe/Vienna", 2, "2026-03-28T12:00:00Z"), "2026-03-29T01:00:00Z");
        assert_eq!(next("Europe/Vienna", 2, "2026-03-29T01:00:00Z"), "2026-03-30T00:00:00Z");
        // On 25 October 2026 it goes from 3 back to 2.
        assert_eq!(next("Europe/Vienna", 2, "2026-10-24T12:00:00Z"), "2026-10-25T00:00:00Z");
        assert_eq!(next("Europe/Vienna", 2, "2026-10-25T00:00:00Z"), "2026-10-26T01:00:00Z");
        // Samoa left out 30 December 2011.
        assert_eq!(next("Pacific/Apia", 7, "2011-12-29T20:00:00Z"), "2011-12-30T17:00:00Z");
    }
}
