//! Options of a challenge or of an announced tournament: the game's, by the vocabulary, and the server's.
//!
//! Ranges and contradictions are checked by the game, and by the terms of a tournament.

use super::Args;
use crate::error::{ErrorCode, ParseError};
use crate::grammar::{NamedGame, did_you_mean};
use crate::suggest::{Found, nearest, one_of, resolve_prefix};
use crate::token::{Dashes, RawOption};
use crate::value::{ComputerWish, Days, GivenOption, ServerOptions, TOURNAMENT_OPTIONS, TournamentOption};
use crate::vocabulary::{OptionWord, Vocabulary};

#[derive(Clone, Copy, PartialEq)]
enum ServerOption {
    Nagtime,
    Forfeittime,
    Totaltime,
    Unrated,
    Computer,
}

const SERVER_OPTIONS: [(&str, ServerOption); 5] = [
    ("nagtime", ServerOption::Nagtime),
    ("forfeittime", ServerOption::Forfeittime),
    ("totaltime", ServerOption::Totaltime),
    ("unrated", ServerOption::Unrated),
    ("computer", ServerOption::Computer),
];

#[derive(Clone, Copy, PartialEq)]
enum Meant<'a, T> {
    Game(&'a OptionWord),
    Server(&'static str, T),
}

/// True for the full name of an option of the server or any game.
pub(crate) fn is_option_name(name: &str, vocabulary: &Vocabulary) -> bool {
    let same = |known: &str| known.eq_ignore_ascii_case(name);
    SERVER_OPTIONS.iter().any(|(known, _)| same(known))
        || TOURNAMENT_OPTIONS.iter().any(|option| same(option.name))
        || vocabulary.games().iter().flat_map(|game| &game.options).any(|option| same(&option.name))
}

pub(super) fn lacks_value<'a>(args: &Args<'a>) -> Option<&'a str> {
    args.options.iter().filter(|option| option.value.is_none()).find_map(|option| {
        match find_option(args, *option, &SERVER_OPTIONS, Vec::new).ok()?? {
            Meant::Game(word) => word.takes_value.then_some(word.name.as_str()),
            Meant::Server(name, meant) => {
                (!matches!(meant, ServerOption::Unrated | ServerOption::Computer)).then_some(name)
            }
        }
    })
}

/// Reads all options of the line. Those of an unknown game are skipped.
pub(crate) fn read_options(args: &Args<'_>) -> Result<(Vec<GivenOption>, ServerOptions), ParseError> {
    let mut given = Vec::new();
    let mut server = ServerOptions::default();
    for option in args.options {
        match find_option(args, *option, &SERVER_OPTIONS, list_server_options)? {
            None => {}
            Some(Meant::Game(word)) => given.push(read_game_option(args, word, *option)?),
            Some(Meant::Server(name, meant)) => {
                set_server_option(args, &mut server, name, meant, option.value)?;
            }
        }
    }
    Ok((args.few(given, "options")?, server))
}

/// Reads all options of an announcement: the game's, and the terms of the tournament.
pub(crate) fn read_tournament_options(
    args: &Args<'_>,
) -> Result<(Vec<GivenOption>, Vec<GivenOption>), ParseError> {
    let (mut given, mut terms) = (Vec::new(), Vec::new());
    let words = TOURNAMENT_OPTIONS.map(|option| (option.name, option));
    for option in args.options {
        match find_option(args, *option, &words, list_tournament_options)? {
            None => {}
            Some(Meant::Game(word)) => given.push(read_game_option(args, word, *option)?),
            Some(Meant::Server(name, meant)) => {
                terms.push(GivenOption {
                    name: name.to_owned(),
                    value: read_term(args, meant, option.value)?.map(str::to_owned),
                });
            }
        }
    }
    Ok((args.few(given, "options")?, args.few(terms, "options")?))
}

fn read_term<'a>(
    args: &Args<'_>,
    meant: TournamentOption,
    value: Option<&'a str>,
) -> Result<Option<&'a str>, ParseError> {
    let name = meant.name;
    let message = match (value.filter(|value| !value.is_empty()), meant.example) {
        (None, Some(example)) => format!("`-{name}` needs a value, as in `-{name}={example}`"),
        (Some(_), None) => format!("`-{name}` stands alone, without a value"),
        (value, _) => return Ok(value),
    };
    Err(args.fail(ErrorCode::BadOption, message))
}

/// Resolves an option: first among the kind indicated by its dashes, then among the others. `list` is for the
/// error: the server's options as shown.
fn find_option<'a, T: Copy + PartialEq>(
    args: &Args<'a>,
    option: RawOption<'_>,
    of_server: &[(&'static str, T)],
    list: impl Fn() -> Vec<String>,
) -> Result<Option<Meant<'a, T>>, ParseError> {
    let words = if let NamedGame::Known(game) = args.game { game.options.as_slice() } else { &[] };
    let game = || words.iter().map(|word| (word.name.as_str(), Meant::Game(word)));
    let server = || of_server.iter().map(|(name, meant)| (*name, Meant::Server(name, *meant)));
    let in_game = resolve_prefix(option.name, 1, game());
    let in_server = resolve_prefix(option.name, 1, server());
    let found = match option.dashes {
        Dashes::One if in_game != Found::Nothing => in_game,
        Dashes::Two if in_server == Found::Nothing => in_game,
        _ => in_server,
    };
    match found {
        Found::One(meant) => Ok(Some(meant)),
        Found::Many(names) => {
            let message = format!("`-{}` may mean {}", args.show_name(option.name), one_of(&names));
            Err(args.fail(ErrorCode::BadOption, message).with_suggestions(names))
        }
        Found::Nothing if args.game == NamedGame::Unknown => Ok(None),
        Found::Nothing => {
            let names = of_server.iter().map(|(name, _)| *name);
            Err(unknown_option(args, words, names, option.name, list()))
        }
    }
}

fn unknown_option<'a>(
    args: &Args<'_>,
    words: &'a [OptionWord],
    of_server: impl Iterator<Item = &'a str>,
    name: &str,
    list: Vec<String>,
) -> ParseError {
    let all = words.iter().map(|word| word.name.as_str()).chain(of_server);
    let near = nearest(name, all.map(|known| (known, known)));
    let message = format!(
        "there is no option `-{}`{}; {}",
        args.show_name(name),
        did_you_mean(&near),
        list_options(words, list)
    );
    args.fail(ErrorCode::BadOption, message).with_suggestions(near)
}

fn list_options(words: &[OptionWord], of_server: Vec<String>) -> String {
    let game = words.iter().map(|word| {
        let value = if word.takes_value { "=..." } else { "" };
        let default =
            if word.default.is_empty() { String::new() } else { format!(" (default {})", word.default) };
        format!("-{}{value}{default}", word.name)
    });
    let all: Vec<String> = game.chain(of_server).collect();
    format!("the options are {}", all.join(", "))
}

fn list_server_options() -> Vec<String> {
    ["--nagtime=DAYS (default 7)", "--forfeittime=DAYS (default 21)", "--totaltime=DAYS", "--unrated"]
        .map(str::to_owned)
        .to_vec()
}

fn list_tournament_options() -> Vec<String> {
    TOURNAMENT_OPTIONS.iter().map(TournamentOption::shown).collect()
}

fn read_game_option(
    args: &Args<'_>,
    word: &OptionWord,
    option: RawOption<'_>,
) -> Result<GivenOption, ParseError> {
    let name = &word.name;
    let message = match option.value {
        None | Some("") if word.takes_value => {
            format!("`-{name}` needs a value, as in `-{name}={}`", example(word))
        }
        Some(_) if !word.takes_value => format!("`-{name}` stands alone, without a value"),
        _ => return Ok(GivenOption { name: name.clone(), value: option.value.map(str::to_owned) }),
    };
    Err(args.fail(ErrorCode::BadOption, message))
}

fn example(word: &OptionWord) -> &str {
    if word.default.is_empty() { "..." } else { &word.default }
}

fn set_server_option(
    args: &Args<'_>,
    server: &mut ServerOptions,
    name: &str,
    meant: ServerOption,
    value: Option<&str>,
) -> Result<(), ParseError> {
    let time = match meant {
        ServerOption::Unrated => {
            if value.is_some() {
                let message = "`--unrated` stands alone, without a value";
                return Err(args.fail(ErrorCode::BadOption, message));
            }
            if std::mem::replace(&mut server.unrated, true) {
                return Err(repeated(args, name));
            }
            return Ok(());
        }
        ServerOption::Computer => {
            let Some(wish) = ComputerWish::from_value(value) else {
                let message = "`--computer` takes a level from 1 to 8, such as `--computer=3`, or none";
                return Err(args.fail(ErrorCode::BadOption, message));
            };
            let is_twice = server.computer.replace(wish).is_some();
            return if is_twice { Err(repeated(args, name)) } else { Ok(()) };
        }
        ServerOption::Nagtime => &mut server.nagtime,
        ServerOption::Forfeittime => &mut server.forfeittime,
        ServerOption::Totaltime => &mut server.totaltime,
    };
    let days = Days::from_word(value.unwrap_or_default()).ok_or_else(|| {
        let shown = args.show(value.unwrap_or_default());
        let message =
            format!("`--{name}` takes a number of days up to 3650, such as `--{name}=2.5`, not `{shown}`");
        args.fail(ErrorCode::BadOption, message)
    })?;
    if time.replace(days).is_some() { Err(repeated(args, name)) } else { Ok(()) }
}

fn repeated(args: &Args<'_>, name: &str) -> ParseError {
    args.fail(ErrorCode::BadOption, format!("`--{name}` is given twice"))
}
