//! Sources of settings: the file, overridden by the environment.
//!
//! A variable is parsed as its key's type: text stays text even if it looks like a number. No message repeats
//! a value that may be a secret.

use std::ffi::OsString;
use std::path::Path;

use toml::{Table, Value};

use super::{Config, ConfigError, DEFAULT_FILE, Warning};

pub(super) const PREFIX: &str = "KNOTPOST_";
pub(super) const SEPARATOR: &str = "__";

/// Merges file (`file`, or `knotpost.toml` if it exists) and environment. Unusable settings get their
/// defaults and an error each.
pub(super) fn read(
    file: Option<&Path>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> (Config, Vec<ConfigError>) {
    let mut problems = Vec::new();
    let settings = read_tables(file, environment, &mut problems).unwrap_or_else(|error| {
        problems.push(error);
        Config::default()
    });
    (settings, problems)
}

fn read_tables(
    file: Option<&Path>,
    environment: impl Iterator<Item = (OsString, OsString)>,
    problems: &mut Vec<ConfigError>,
) -> Result<Config, ConfigError> {
    let defaults = Table::try_from(Config::default()).map_err(|error| refuse(&error))?;
    let mut settings = Table::new();
    if let Some((name, text)) = read_file(file)? {
        let told = |error: String| ConfigError::Read(format!("{name}: {error}"));
        settings = parse(&text).map_err(told)?;
        problems.extend(fit_all(&mut settings, &defaults).into_iter().map(told));
        problems.extend(drop_unusable(&mut settings).into_iter().map(told));
    }
    let mut warnings = Vec::new();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        let Some((section, key)) = name[PREFIX.len()..].split_once(SEPARATOR) else {
            warnings.extend(warn_of(name, &defaults));
            continue;
        };
        let (section, key) = (section.to_ascii_lowercase(), key.to_ascii_lowercase());
        let like = defaults.get(&section).and_then(|section| section.get(&key));
        let value = value.to_str().ok_or_else(|| "must be text in UTF-8".to_owned());
        let fitted = value.and_then(|text| fit(Value::String(text.to_owned()), like));
        let place = settings.entry(section.as_str()).or_insert_with(|| Value::Table(Table::new()));
        match (place, fitted) {
            (Value::Table(place), Ok(value)) => drop(place.insert(key, value)),
            (_, fitted) => {
                let error = fitted.err().unwrap_or_else(|| "there is no such section".to_owned());
                problems.push(ConfigError::Read(format!("{section}.{key}: {error} (variable {name})")));
            }
        }
    }
    problems.extend(drop_unusable(&mut settings).iter().map(refuse));
    let mut settings: Config = settings.try_into().map_err(|error| refuse(&one_line(&error)))?;
    settings.warnings = warnings;
    Ok(settings)
}

fn drop_unusable(settings: &mut Table) -> Vec<String> {
    if settings.clone().try_into::<Config>().is_ok() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    settings.retain(|section, values| {
        let bare = if values.is_table() { Value::Table(Table::new()) } else { values.clone() };
        let problem = refusal(section, bare);
        if let (None, Value::Table(values)) = (&problem, &mut *values) {
            values.retain(|key, value| {
                let alone = Table::from_iter([(key.to_owned(), value.clone())]);
                let problem = refusal(section, Value::Table(alone));
                problems.extend(problem.clone());
                problem.is_none()
            });
        }
        problems.extend(problem.clone());
        problem.is_none()
    });
    problems
}

fn refusal(name: &str, value: Value) -> Option<String> {
    let alone = Table::from_iter([(name.to_owned(), value)]);
    alone.try_into::<Config>().err().map(|error| one_line(&error))
}

fn refuse(error: &impl ToString) -> ConfigError {
    ConfigError::Read(format!("the environment: {}", error.to_string()))
}

/// Name and text of the file; `None`: absent and not asked for.
fn read_file(file: Option<&Path>) -> Result<Option<(String, String)>, ConfigError> {
    let path = file.unwrap_or(Path::new(DEFAULT_FILE));
    if !path.is_file() {
        return match file {
            Some(file) => Err(ConfigError::Missing(file.to_owned())),
            None => Ok(None),
        };
    }
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some((name, text))),
        Err(error) => Err(ConfigError::Read(format!("{name}: {error}"))),
    }
}

/// Errors name the line but do not repeat it: it may hold a password.
fn parse(text: &str) -> Result<Table, String> {
    text.parse::<Table>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })
}

fn one_line(error: &toml::de::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Converts every value to its key's type; removes those that do not fit, with an error each.
fn fit_all(settings: &mut Table, defaults: &Table) -> Vec<String> {
    let mut problems = Vec::new();
    for (section, values) in settings.iter_mut() {
        let (Value::Table(values), Some(defaults)) = (values, defaults.get(section)) else { continue };
        values.retain(|key, value| {
            let given = std::mem::replace(value, Value::Boolean(false));
            match fit(given, defaults.get(key)) {
                Ok(fitted) => *value = fitted,
                Err(error) => {
                    problems.push(format!("{section}.{key}: {error}"));
                    return false;
                }
            }
            true
        });
    }
    problems
}

/// Converts to the type of `like`, if known; text may stand for numbers, lists and pairs.
fn fit(value: Value, like: Option<&Value>) -> Result<Value, String> {
    let text = match (&value, like) {
        (Value::String(text), _) => text,
        // A mode may be a number; its own type validates it.
        (Value::Integer(_), Some(Value::String(default))) if is_mode(default) => return Ok(value),
        (Value::Array(_) | Value::Table(_), _) | (_, None) => return Ok(value),
        (_, Some(Value::String(_))) => return Err("must be text, in quotes".to_owned()),
        _ => return Ok(value),
    };
    let word = text.trim();
    match like {
        Some(Value::Integer(_)) => match word.parse() {
            Ok(number) => Ok(Value::Integer(number)),
            Err(_) => Err("must be a whole number".to_owned()),
        },
        Some(Value::Float(_)) => match word.parse() {
            Ok(number) => Ok(Value::Float(number)),
            Err(_) => Err("must be a number".to_owned()),
        },
        Some(Value::Boolean(_)) => match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(Value::Boolean(true)),
            "false" | "no" | "off" | "0" => Ok(Value::Boolean(false)),
            _ => Err("must be true or false".to_owned()),
        },
        Some(Value::Array(_)) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            Ok(Value::Array(words.map(|word| Value::String(word.to_owned())).collect()))
        }
        Some(Value::Table(_)) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            let pair = |word: &str| {
                let (name, value) = word.split_once('=')?;
                Some((name.trim().to_owned(), Value::String(value.trim().to_owned())))
            };
            let pairs: Option<Table> = words.map(pair).collect();
            pairs.map(Value::Table).ok_or_else(|| "must be pairs such as name=value".to_owned())
        }
        _ => Ok(value),
    }
}

/// Only modes show as four digits with a leading zero.
fn is_mode(default: &str) -> bool {
    default.len() == 4 && default.starts_with('0') && default.bytes().all(|digit| digit.is_ascii_digit())
}

/// Warns of a variable with a single underscore between section and key.
fn warn_of(name: &str, defaults: &Table) -> Option<Warning> {
    let rest = name[PREFIX.len()..].to_ascii_lowercase();
    let meant = defaults.iter().find_map(|(section, values)| {
        let key = rest.strip_prefix(section.as_str())?.strip_prefix('_')?;
        values.get(key).map(|_| (section, key))
    });
    let (section, key) = meant.or_else(|| {
        let (section, key) = rest.split_once('_')?;
        defaults.get_key_value(section).map(|(section, _)| (section, key))
    })?;
    let mend = format!(
        "between section and key stand two underscores, {PREFIX}{}{SEPARATOR}{}",
        section.to_ascii_uppercase(),
        key.to_ascii_uppercase()
    );
    Some(Warning::new(name, format!("the variable {name} is no setting"), mend))
}
