//! Preferences and their values.

use super::Args;
use crate::error::{ErrorCode, ParseError};
use crate::suggest::{Found, one_of, resolve_prefix};
use crate::value::{Setting, read_count};

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// One of these words.
    Word(&'static [&'static str]),
    Hour,
    /// A name of the time zone database.
    Zone,
}

const SETTINGS: [(&str, Takes); 15] = [
    ("mail", Takes::Word(&["text", "both"])),
    ("board", Takes::Word(&["standard", "wide", "narrow", "list"])),
    ("subject", Takes::Word(&["turn", "fixed"])),
    ("moves", Takes::Word(&["all", "mine", "digest"])),
    ("digest", Takes::Hour),
    ("nags", Takes::Word(&["on", "off"])),
    ("broadcasts", Takes::Word(&["on", "off"])),
    ("puzzle", Takes::Word(&["on", "off"])),
    ("messages", Takes::Word(&["on", "off"])),
    ("confirm", Takes::Word(&["on", "off"])),
    ("timezone", Takes::Zone),
    ("computer", Takes::Word(&["on", "off"])),
    ("keys", Takes::Word(&["on", "off"])),
    ("favourite", Takes::Word(&["on", "off"])),
    ("bot", Takes::Word(&["on", "off"])),
];

const DEFAULT: &str = "default";

pub(crate) fn is_preference(name: &str) -> bool {
    SETTINGS.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// Reads `name=value` words from an index on, with or without dashes.
pub(crate) fn read_settings(args: &Args<'_>, from: usize) -> Result<Vec<Setting>, ParseError> {
    let mut settings = Vec::new();
    for word in args.texts(from) {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        settings.push(read_setting(args, name, value)?);
    }
    for option in args.options {
        settings.push(read_setting(args, option.name, option.value)?);
    }
    args.few(settings, "preferences")
}

fn read_setting(args: &Args<'_>, name: &str, value: Option<&str>) -> Result<Setting, ParseError> {
    let Found::One((name, takes)) =
        resolve_prefix(name, 1, SETTINGS.map(|(name, takes)| (name, (name, takes))))
    else {
        let names = SETTINGS.map(|(name, takes)| format!("{name}={}", describe(takes)));
        let message = format!("there is no preference `{}`, only {}", args.show_name(name), names.join(", "));
        return Err(args.fail(ErrorCode::BadOption, message));
    };
    let value = value.unwrap_or_default();
    let read = match takes {
        _ if value.eq_ignore_ascii_case(DEFAULT) => Some(DEFAULT.to_owned()),
        Takes::Word(words) => {
            words.iter().find(|word| word.eq_ignore_ascii_case(value)).map(|word| (*word).to_owned())
        }
        Takes::Hour => read_count(value).filter(|hour| *hour < 24).map(|hour| hour.to_string()),
        Takes::Zone => is_zone(value).then(|| value.to_owned()),
    };
    let message = || format!("`{name}` takes {}, not `{}`", describe(takes), args.show(value));
    let value = read.ok_or_else(|| args.fail(ErrorCode::BadValue, message()))?;
    Ok(Setting { name, value })
}

fn describe(takes: Takes) -> String {
    match takes {
        Takes::Word(words) => one_of(words),
        Takes::Hour => "an hour from 0 to 23".to_owned(),
        Takes::Zone => "a place such as Europe/Vienna".to_owned(),
    }
}

/// True for the shape of a time zone name; the database decides whether it exists.
fn is_zone(word: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    (2..=40).contains(&word.len())
        && word.chars().all(allowed)
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.split('/').all(|part| !part.is_empty())
}
