//! The facts of a game must fit together: each of them is read by another part of the server, which trusts that the
//! others agree.

use super::{Broken, ensure};
use crate::{Ability, Meta, OptionKind, OptionSpec, Seat};

/// Columns of a mail.
const WIDTH: usize = 72;
/// Columns of a name in lists of games, which title and summary follow.
const LONGEST_NAME: usize = 12;

/// Checks everything that can be said without playing.
///
/// # Errors
/// The first contradiction.
pub fn check_meta(meta: &Meta) -> Result<(), Broken> {
    check_words(meta)?;
    check_seats(meta)?;
    for spec in meta.options {
        check_option(spec).map_err(|broken| format!("option `{}` {broken}", spec.name))?;
    }
    check_option_names(meta.options)?;
    check_presets(meta)
}

/// Names and sentences have the form in which they are printed.
fn check_words(meta: &Meta) -> Result<(), Broken> {
    ensure(is_word(meta.name), || format!("the name `{}` is not one word in lower case", meta.name))?;
    for alias in meta.aliases {
        ensure(is_word(alias), || format!("the alias `{alias}` is not one word in lower case"))?;
        ensure(*alias != meta.name, || format!("the alias `{alias}` names the game twice"))?;
    }
    ensure((1..=3).contains(&meta.weight), || format!("a weight of {} is not 1, 2 or 3", meta.weight))?;
    ensure(meta.length > 0, || "a usual game has no moves".to_owned())?;
    ensure(meta.rules_version > 0, || "versions of the rules count from 1".to_owned())?;
    let lines = [("title", meta.title), ("credit", meta.credit), ("summary", meta.summary)];
    for (what, text) in lines.into_iter().chain(meta.contact.map(|contact| ("contact", contact))) {
        ensure(is_line(text), || format!("the {what} is not one line of text: {text:?}"))?;
    }
    let (heading, width) = (meta.heading().len(), WIDTH - LONGEST_NAME - 2);
    ensure(meta.name.len() <= LONGEST_NAME, || format!("the name `{}` is too long", meta.name))?;
    ensure(heading <= width, || format!("title and summary are {heading} columns wide, not {width}"))
}

/// There is one list of seat names for each number of players, each with different names.
fn check_seats(meta: &Meta) -> Result<(), Broken> {
    let (least, most) = (*meta.players.start(), *meta.players.end());
    ensure((1..=most).contains(&least), || format!("{least} to {most} players are no range"))?;
    ensure(Seat::from_index(most - 1).is_some(), || format!("there are no seats for {most} players"))?;
    let named: Vec<usize> = meta.seat_names.iter().map(|names| names.len()).collect();
    let expected: Vec<usize> = meta.players.clone().collect();
    ensure(named == expected, || format!("seat names are for {named:?} players, not for {expected:?}"))?;
    for names in meta.seat_names {
        let different = all_different(names) && names.iter().all(|name| is_line(name));
        ensure(different, || format!("the seat names {names:?} do not tell the seats apart"))?;
    }
    let alone = most < 3 && meta.abilities.has(Ability::PlayOn);
    ensure(!alone, || format!("`PlayOn` is for three or more players, and there are at most {most}"))
}

/// The default is one of the values that can be given.
fn check_option(spec: &OptionSpec) -> Result<(), Broken> {
    ensure(is_line(spec.help), || "has no help".to_owned())?;
    ensure(spec.words().into_iter().all(is_word), || "is not a word in lower case".to_owned())?;
    match spec.kind {
        OptionKind::Flag => ensure(spec.default.is_empty(), || "is a flag, and flags are off".to_owned()),
        OptionKind::Either(usual, other) => {
            let agree = spec.name == usual && spec.default == usual && usual != other;
            ensure(agree, || format!("is called and defaults to `{usual}`, which differs from `{other}`"))
        }
        OptionKind::Number { min, max } => {
            let number = spec.default.parse::<i32>().ok().filter(|number| (min..=max).contains(number));
            let printed = number.is_some_and(|number| number.to_string() == spec.default);
            ensure(printed, || format!("defaults to `{}`, not a number from {min} to {max}", spec.default))
        }
        OptionKind::Choice(words) => {
            ensure(words.iter().all(|word| is_word(word)), || "has a choice that is no word".to_owned())?;
            ensure(all_different(words), || "has a choice twice".to_owned())?;
            let known = words.contains(&spec.default);
            ensure(known, || format!("defaults to `{}`, which is none of its choices", spec.default))
        }
        OptionKind::Text { shape, normalise } => {
            let normal = spec.default.is_empty() || normalise(spec.default).as_deref() == Some(spec.default);
            ensure(normal, || format!("defaults to `{}`, which is not as it is printed", spec.default))?;
            let canonical = normalise(shape).and_then(|text| normalise(&text).filter(|again| *again == text));
            ensure(canonical.is_some(), || format!("does not accept its own example {shape}"))
        }
    }
}

/// No word selects two options, and options exclude only words that there are.
fn check_option_names(options: &[OptionSpec]) -> Result<(), Broken> {
    let words: Vec<&str> = options.iter().flat_map(OptionSpec::words).collect();
    ensure(all_different(&words), || format!("two options have the same word: {words:?}"))?;
    for spec in options {
        let stranger = spec.excludes.iter().find(|word| !words.contains(word));
        ensure(stranger.is_none(), || format!("option `{}` excludes {stranger:?}", spec.name))?;
        let itself = spec.words().iter().any(|word| spec.excludes.contains(word));
        ensure(!itself, || format!("option `{}` excludes itself", spec.name))?;
    }
    Ok(())
}

/// Presets say what they are, and name values that can be given and are not the usual ones.
fn check_presets(meta: &Meta) -> Result<(), Broken> {
    for preset in meta.presets {
        let title = preset.title;
        ensure(is_line(title) && is_line(preset.about), || format!("the preset {title:?} lacks words"))?;
        for (name, value) in preset.options {
            let spec = meta.option(name).filter(|spec| spec.default != *value);
            let known = spec.is_some_and(|spec| match spec.kind {
                OptionKind::Flag => *value == "on",
                OptionKind::Either(_, other) => *value == other,
                OptionKind::Number { min, max } => {
                    value.parse::<i32>().is_ok_and(|number| (min..=max).contains(&number))
                }
                OptionKind::Choice(words) => words.contains(value),
                OptionKind::Text { normalise, .. } => normalise(value).is_some(),
            });
            ensure(known, || format!("the preset {title:?} has `{name}` with `{value}`"))?;
        }
    }
    Ok(())
}

/// True if a player can type it as one word: lower-case letters, digits and `_`.
fn is_word(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !text.is_empty() && text.bytes().all(plain)
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
}

fn all_different(words: &[&str]) -> bool {
    words.iter().enumerate().all(|(index, word)| words.iter().skip(index + 1).all(|other| other != word))
}
