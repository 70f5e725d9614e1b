//! The verbs that concern a user's account, his preferences and the server as a whole.

use super::Args;
use super::settings::read_settings;
use crate::command::Command;
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::suggest::{Found, nearest, one_of, resolve};
use crate::value::{Vacation, read_count};
use crate::verb::Verb;
use crate::words::{Credentials, Password, Userid};

/// Days off that can be taken at a time.
const LONGEST_VACATION: u32 = 30;

/// Verbs of the server that need no userid.
pub(super) fn read_open(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    match args.verb {
        Verb::List => {
            let games = args.texts(0).map(|word| find_game(args, word)).collect::<Result<_, _>>()?;
            Ok(Command::List { games })
        }
        Verb::TestDisplay => {
            args.count(0, 1)?;
            let userid = args.texts(0).next().map(|word| args.userid(word)).transpose()?;
            Ok(Command::TestDisplay { userid })
        }
        Verb::PasswordReset => {
            args.count(1, 1)?;
            Ok(Command::PasswordReset { userid: args.userid(args.word(0)?)? })
        }
        Verb::Multiple => {
            args.count(0, 0)?;
            Ok(Command::Multiple)
        }
        _ => Ok(Command::Help { subjects: args.texts(0).map(str::to_lowercase).collect() }),
    }
}

/// Verbs that start with a userid and a password.
pub(super) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    if matches!(args.verb, Verb::Set | Verb::GameSet) {
        let who = args.who(0)?;
        let game = matches!(args.game, NamedGame::Known(_)).then(|| args.game_name());
        return Ok(Command::Set { who, game, values: read_settings(args, 2)? });
    }
    args.no_options()?;
    args.count(2, usize::MAX)?;
    match args.verb {
        Verb::Signup => read_signup(args),
        Verb::Add => Ok(Command::Add { addresses: read_addresses(args)?, who: args.who(0)? }),
        Verb::ChangeAddress => {
            Ok(Command::ChangeAddress { addresses: read_addresses(args)?, who: args.who(0)? })
        }
        Verb::Signoff => Ok(Command::Signoff { addresses: read_addresses(args)?, who: args.who(0)? }),
        Verb::ChangePassword => {
            args.count(3, 3)?;
            Ok(Command::ChangePassword { who: args.who(0)?, new: choose_password(args, 2)? })
        }
        Verb::Message => {
            args.count(3, usize::MAX)?;
            let to = args.texts(2).map(|word| args.userid(word)).collect::<Result<_, _>>()?;
            Ok(Command::Message { who: args.who(0)?, to })
        }
        Verb::Vacation => {
            args.count(2, 3)?;
            Ok(Command::Vacation { who: args.who(0)?, until: read_vacation(args)? })
        }
        Verb::Resend => read_resend(args),
        Verb::Broadcast => {
            args.count(2, 2)?;
            Ok(Command::Broadcast { who: args.who(0)? })
        }
        _ => {
            args.count(2, 2)?;
            Ok(Command::Delete { who: args.who(0)? })
        }
    }
}

fn read_signup(args: &Args<'_>) -> Result<Command, ParseError> {
    let word = args.word(0)?;
    let userid = Userid::choose(word, args.vocabulary).map_err(|rule| {
        args.fail(ErrorCode::BadValue, format!("`{}` cannot be a userid: {rule}", args.show(word)))
    })?;
    let password = choose_password(args, 1)?;
    let who = Credentials { userid: userid.as_str().to_owned(), password };
    Ok(Command::Signup { who, addresses: read_addresses(args)? })
}

fn choose_password(args: &Args<'_>, index: usize) -> Result<Password, ParseError> {
    Password::choose(args.word(index)?)
        .map_err(|rule| args.fail(ErrorCode::BadValue, format!("this password cannot be taken: {rule}")))
}

/// Mail addresses after userid and password; brackets and commas around them are taken off.
fn read_addresses(args: &Args<'_>) -> Result<Vec<String>, ParseError> {
    args.texts(2)
        .map(|word| {
            let address = word.trim_matches(|c: char| matches!(c, '<' | '>' | ',' | ';'));
            if is_address(address) {
                Ok(address.to_owned())
            } else {
                let message = format!("`{}` is not a mail address", args.show(word));
                Err(args.fail(ErrorCode::BadValue, message))
            }
        })
        .collect()
}

/// Whether a word has the outer shape of a mail address; whether mail gets there only mail can tell.
pub(crate) fn is_address(word: &str) -> bool {
    let Some((local, domain)) = word.rsplit_once('@') else { return false };
    let allowed =
        |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | ',' | ';' | ':');
    word.len() <= 254
        && !local.is_empty()
        && !local.contains('@')
        && !domain.is_empty()
        && word.chars().all(allowed)
        && domain.split('.').all(|label| !label.is_empty())
}

fn find_game(args: &Args<'_>, word: &str) -> Result<String, ParseError> {
    let games = args.vocabulary.games();
    let names: Vec<&str> = games.iter().map(|game| game.name.as_str()).collect();
    match resolve(word, names.iter().map(|name| (*name, *name))) {
        Found::One(name) => Ok(name.to_owned()),
        Found::Many(_) | Found::Nothing => {
            let shown = args.show(word);
            let message = format!("there is no game `{shown}` here; the games are {}", one_of(&names));
            Err(args
                .fail(ErrorCode::UnknownGame, message)
                .with_suggestions(nearest(word, names.iter().map(|name| (*name, *name)))))
        }
    }
}

fn read_vacation(args: &Args<'_>) -> Result<Vacation, ParseError> {
    let Ok(word) = args.word(2) else { return Ok(Vacation::Show) };
    if word.eq_ignore_ascii_case("off") {
        return Ok(Vacation::Off);
    }
    if let Some(days) = read_count(word).filter(|days| (1..=LONGEST_VACATION).contains(days)) {
        return Ok(Vacation::Days(days));
    }
    read_date(word).ok_or_else(|| {
        let shown = args.show(word);
        let message = format!(
            "`{shown}` is no vacation: say 1 to {LONGEST_VACATION} days, a date as YYYY-MM-DD, or `off`"
        );
        args.fail(ErrorCode::BadValue, message)
    })
}

/// A date of the calendar as `YYYY-MM-DD`.
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

fn read_resend(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(2, 4)?;
    let game = args.texts(2).next().map(|word| find_game(args, word)).transpose()?;
    let board = args.texts(3).next().map(|word| args.board_number(word)).transpose()?;
    Ok(Command::Resend { who: args.who(0)?, game, board })
}
