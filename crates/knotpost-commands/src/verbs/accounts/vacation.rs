//! `vacation`: time off.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::{Vacation, read_count};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Vacation,
    scope: Scope::Server,
    words: &["vacation"],
    synonyms: &[],
    syntax: &["vacation userid password [days|YYYY-MM-DD|off]"],
    meaning: "take time off, in days or until a date; nobody reminds you meanwhile. Nothing more: show it",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "vacation {userid} PASSWORD 14",
};

const MOST_DAYS: u32 = 30;

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 3)?;
    Ok(Command::Vacation { who: args.who(0)?, until: read_vacation(args)? })
}

fn read_vacation(args: &Args<'_>) -> Result<Vacation, ParseError> {
    let Ok(word) = args.word(2) else { return Ok(Vacation::Show) };
    if word.eq_ignore_ascii_case("off") {
        return Ok(Vacation::Off);
    }
    if let Some(days) = read_count(word).filter(|days| (1..=MOST_DAYS).contains(days)) {
        return Ok(Vacation::Days(days));
    }
    read_date(word).ok_or_else(|| {
        let shown = args.show(word);
        let message =
            format!("`{shown}` is no vacation: say 1 to {MOST_DAYS} days, a date as YYYY-MM-DD, or `off`");
        args.fail(ErrorCode::BadValue, message)
    })
}

fn read_date(word: &str) -> Option<Vacation> {
    let mut parts = word.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let year = u16::try_from(read_count(year)?).ok()?;
    let month = u8::try_from(read_count(month)?).ok()?;
    let day = u8::try_from(read_count(day)?).ok()?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(Vacation::Until { year, month, day })
}
