//! `vacation`: time off without reminders and losses on time.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use knotpost_commands::Vacation;
use serde_json::json;

use crate::app::App;
use crate::boards::time::DAY;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, Period, Span, most_within};
use knotpost_storage::{ReadTx, StoreError, UserRow, VacationRow, WriteTx};

/// Vacation in any [`YEAR`].
const MOST_DAYS: i64 = 30;
/// Tolerance of the yearly sum, so that a vacation ended at once costs no day.
const GRACE: i64 = 3_600_000;
const YEAR: Span = Span(365 * DAY.0);

/// Shows, begins, extends, shortens or ends a vacation, which always begins now.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    wanted: Vacation,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let zone = time_zone(tx, &user).await?;
    let taken = tx.vacations(user.id, now.plus(-YEAR.0)).await?;
    let present = taken.iter().find(|row| row.until_at > now).copied();
    let before: Vec<Period> = taken
        .iter()
        .filter(|row| row.until_at <= now)
        .map(|row| Period::new(row.from_at, row.until_at))
        .collect();
    let from = present.map_or(now, |row| row.from_at);
    let until = match wanted {
        Vacation::Show => present.map(|row| row.until_at),
        Vacation::Off => None,
        Vacation::Days(days) => Some(now.plus(i64::from(days) * DAY.0)),
        Vacation::Until { year, month, day } => Some(midnight(year, month, day, &zone, now)?),
    };
    if let Some(until) = until.filter(|_| wanted != Vacation::Show) {
        check_budget(&before, from, until, now)?;
    }
    let ended = present.is_some() && until.is_none();
    if wanted != Vacation::Show && (until.is_some() || ended) {
        let until_at = until.unwrap_or(now);
        tx.set_vacation(&VacationRow { user_id: user.id, from_at: from, until_at }).await?;
        tx.make_due(user.id, now).await?;
    }
    let mut periods = before;
    periods.push(Period::new(from, until.unwrap_or(if present.is_some() { now } else { from })));
    let facts = json!({
        "userid": user.userid,
        "until": until.map(|until| readable(until, &zone)),
        "ended": ended,
        "days_left": days_left(&periods, until.unwrap_or(now)),
    });
    let reply = Reply::said("vacation", facts);
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}

async fn time_zone(tx: &mut ReadTx, user: &UserRow) -> Result<TimeZone, StoreError> {
    let name = tx.preference(user.id, "", "timezone").await?;
    Ok(name.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC))
}

fn midnight(year: u16, month: u8, day: u8, zone: &TimeZone, now: Millis) -> Result<Millis, Refusal> {
    let shown = format!("{year:04}-{month:02}-{day:02}");
    let date = i16::try_from(year)
        .ok()
        .zip(i8::try_from(month).ok().zip(i8::try_from(day).ok()))
        .and_then(|(year, (month, day))| Date::new(year, month, day).ok())
        .and_then(|date| date.to_zoned(zone.clone()).ok());
    match date.map(|date| Millis(date.timestamp().as_millisecond())) {
        Some(until) if until > now => Ok(until),
        Some(_) => Err(Refusal::new(Code::BadValue, format!("{shown} has begun already"))
            .hint("A vacation until a date ends when that day begins; name a day to come.")),
        None => Err(Refusal::new(Code::BadValue, format!("`{shown}` is no day that can be reached"))),
    }
}

fn check_budget(before: &[Period], from: Millis, until: Millis, now: Millis) -> Result<(), Refusal> {
    let mut periods = before.to_vec();
    periods.push(Period::new(from, until));
    if most_within(&periods, YEAR).0 <= MOST_DAYS * DAY.0 + GRACE {
        return Ok(());
    }
    periods.pop();
    periods.push(Period::new(from, now));
    let left = days_left(&periods, now);
    let days = if left == 1 { "1 day".to_owned() } else { format!("{left} days") };
    Err(Refusal::new(
        Code::BadValue,
        format!("that is more vacation than the {MOST_DAYS} days you may take in any 365"),
    )
    .hint(format!("From now on you may take {days}.")))
}

/// Whole days that can be added after vacations of which the last ends at `end`.
fn days_left(periods: &[Period], end: Millis) -> i64 {
    let fits = |days: &i64| {
        let more = Period::new(end, end.plus(days * DAY.0));
        let with: Vec<Period> = periods.iter().copied().chain([more]).collect();
        most_within(&with, YEAR).0 <= MOST_DAYS * DAY.0 + GRACE
    };
    (0..=MOST_DAYS).rev().find(fits).unwrap_or(0)
}

fn readable(at: Millis, zone: &TimeZone) -> String {
    let timestamp = Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH);
    let name = zone.iana_name().unwrap_or("UTC");
    format!("{} {name}", timestamp.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> Millis {
        Millis(day * DAY.0)
    }

    #[test]
    fn what_is_left_counts_every_year_that_the_days_would_lie_in() {
        let taken = [Period::new(day(100), day(120))];
        assert_eq!(days_left(&taken, day(130)), 10);
        assert_eq!(days_left(&taken, day(454)), 10);
        assert_eq!(days_left(&taken, day(455)), 30, "old days leave the year as new ones come");
        assert_eq!(days_left(&[], day(1)), 30);
    }

    #[test]
    fn a_day_begins_where_the_user_lives() {
        let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
        let until = midnight(2026, 12, 24, &berlin, Millis(0)).expect("a day to come");
        assert_eq!(until.to_readable(), "2026-12-23 23:00 UTC");
        assert_eq!(readable(until, &berlin), "2026-12-24 00:00 Europe/Berlin");
        assert!(midnight(2026, 12, 24, &berlin, until).is_err());
    }
}
