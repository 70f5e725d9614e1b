//! Front of a command: game, verb, and the order of errors.
//!
//! Arguments are read in `verbs`.

use crate::arguments::Args;
use crate::bound::MOST_LINE_BYTES;
use crate::clean::clean;
use crate::error::{ErrorCode, ParseError};
use crate::mask::{MASK, reads_as_verb, show};
use crate::suggest::{Found, nearest, one_of, resolve};
use crate::token::{Line, Word, split_line};
use crate::value::BoardAt;
use crate::verb::Scope;
use crate::verbs::{Command, Verb, read_arguments};
use crate::vocabulary::{GameWords, Vocabulary};

/// Cleans and parses one line.
///
/// Errors in words and options precede an unknown game.
pub fn parse(line: &str, vocabulary: &Vocabulary) -> Result<Command, ParseError> {
    if line.len() > MOST_LINE_BYTES {
        let message = format!("a line has at most {MOST_LINE_BYTES} bytes");
        return Err(ParseError::new(ErrorCode::TooLarge, message));
    }
    parse_clean(&clean(line), vocabulary)
}

pub(crate) fn parse_clean(line: &str, vocabulary: &Vocabulary) -> Result<Command, ParseError> {
    let line = split_line(without_closing_mark(line));
    let head = find_head(&line.words, vocabulary)?;
    read_command(&line, &head, vocabulary).map_err(|error| complete(error, &line, &head))
}

/// Strips punctuation behind a lone word: `HELP!` means `help`.
fn without_closing_mark(line: &str) -> &str {
    if line.contains(char::is_whitespace) {
        line
    } else {
        line.trim_end_matches(['!', '?', '.', ',', ';', ':'])
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum NamedGame<'v> {
    /// None; the verb is the server's, or a `move` without a game.
    Missing,
    /// Not a game of this server.
    Unknown,
    Known(&'v GameWords),
}

#[derive(Clone, Copy)]
pub(crate) struct Head<'v> {
    pub(crate) game: NamedGame<'v>,
    pub(crate) verb: Verb,
    pub(crate) length: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum First<'v> {
    Game(&'v GameWords),
    Server(&'static str),
    Move,
}

pub(crate) fn find_head<'v>(words: &[Word<'_>], vocabulary: &'v Vocabulary) -> Result<Head<'v>, ParseError> {
    let skipped = usize::from(starts_with_new(words, vocabulary));
    let mut rest = words.iter().skip(skipped).map(|word| word.text);
    let Some(first) = rest.next() else {
        return Err(unknown("the line holds no command".to_owned(), vec!["help".to_owned()]));
    };
    let second = rest.next();
    if first.eq_ignore_ascii_case("sign") && second.is_some_and(|word| word.eq_ignore_ascii_case("up")) {
        return Ok(Head { game: NamedGame::Missing, verb: Verb::Signup, length: skipped + 2 });
    }
    match resolve(first, first_words(vocabulary)) {
        Found::One(First::Game(game)) => {
            let verb = find_game_verb(game, second, vocabulary)?;
            Ok(Head { game: NamedGame::Known(game), verb, length: skipped + 2 })
        }
        Found::One(First::Move) => match second.and_then(|word| vocabulary.game(word)) {
            Some(game) => Err(game_goes_first(game, Verb::Move)),
            None => Ok(Head { game: NamedGame::Missing, verb: Verb::Move, length: 1 }),
        },
        // `games` follows a game, unless `favourite` follows it.
        Found::One(First::Server(word)) => find_server_verb(word, second).map_err(|error| {
            let is_of_games = matches!(resolve(word, game_words()), Found::One(_));
            if is_of_games { explain_first(word, second, vocabulary) } else { error }
        }),
        Found::Many(names) => {
            let message = format!("`{}` may mean {}", show(first, vocabulary), one_of(&names));
            Err(unknown(message, names))
        }
        Found::Nothing => match second.map(|word| resolve(word, game_words())) {
            Some(Found::One(verb)) => Ok(Head { game: NamedGame::Unknown, verb, length: 2 }),
            _ => Err(explain_first(first, second, vocabulary)),
        },
    }
}

fn game_goes_first(game: &GameWords, verb: Verb) -> ParseError {
    let (game, name) = (&game.name, verb.spec().name());
    let message = format!("the game stands before `{name}`: begin with `{game} {name}`");
    let mut error = unknown(message, vec![format!("{game} {name}")]);
    (error.verb, error.game) = (Some(verb), Some(game.clone()));
    error
}

/// The Subject of a board's first mail begins with `New`; a reply to it is still a move.
fn starts_with_new(words: &[Word<'_>], vocabulary: &Vocabulary) -> bool {
    let [first, second, ..] = words else { return false };
    first.text.eq_ignore_ascii_case("new") && vocabulary.game(second.text).is_some()
}

fn first_words(vocabulary: &Vocabulary) -> impl Iterator<Item = (&str, First<'_>)> {
    let games = vocabulary.games().iter();
    let games = games.flat_map(|game| game.words().map(move |word| (word, First::Game(game))));
    let server = specs_of(Scope::Server).filter_map(|spec| spec.words.first());
    let spec = Verb::Move.spec();
    let moves = spec.words.iter().chain(spec.synonyms).map(|word| (*word, First::Move));
    games.chain(server.map(|word| (*word, First::Server(word)))).chain(moves)
}

fn specs_of(scope: Scope) -> impl Iterator<Item = &'static crate::VerbSpec> {
    Verb::all().iter().map(|verb| verb.spec()).filter(move |spec| spec.scope == scope)
}

fn game_words() -> impl Iterator<Item = (&'static str, Verb)> {
    specs_of(Scope::Game)
        .flat_map(|spec| spec.words.iter().chain(spec.synonyms).map(move |word| (*word, spec.verb)))
}

fn find_game_verb(game: &GameWords, word: Option<&str>, vocabulary: &Vocabulary) -> Result<Verb, ParseError> {
    let name = &game.name;
    let error = |message: String, suggestions: Vec<String>| {
        let mut error = unknown(message, suggestions);
        error.game = Some(name.clone());
        error
    };
    let Some(word) = word else {
        let few = ["help", "challenge", "move", "show"].map(str::to_owned).to_vec();
        return Err(error(
            format!("after `{name}` it must be said what to do, such as {}", one_of(&few)),
            few,
        ));
    };
    match resolve(word, game_words()) {
        Found::One(verb) => Ok(verb),
        Found::Many(names) => {
            Err(error(format!("`{}` may mean {}", show(word, vocabulary), one_of(&names)), names))
        }
        Found::Nothing if BoardAt::from_word(word).is_some() => {
            let few = ["move", "show", "chat"].map(str::to_owned).to_vec();
            let message = format!("before the board `{word}` it must be said what to do: {}", one_of(&few));
            Err(error(message, few))
        }
        Found::Nothing => {
            let near = nearest(word, game_words().map(|(word, verb)| (word, canonical(verb))));
            let what = name_word(word, "the second word", vocabulary);
            let message = format!("{what} is nothing that can be done in {name}");
            Err(error(message + &did_you_mean(&near), near))
        }
    }
}

/// Finds a verb of the server by its exact first word, and its second if it has two.
fn find_server_verb<'v>(first: &str, second: Option<&str>) -> Result<Head<'v>, ParseError> {
    let same_first = || specs_of(Scope::Server).filter(move |spec| spec.words.first() == Some(&first));
    if let Some(spec) = same_first().find(|spec| spec.words.len() == 1) {
        return Ok(Head { game: NamedGame::Missing, verb: spec.verb, length: 1 });
    }
    let seconds = || same_first().filter_map(|spec| Some((*spec.words.get(1)?, spec.verb)));
    if let Some(Found::One(verb)) = second.map(|word| resolve(word, seconds())) {
        return Ok(Head { game: NamedGame::Missing, verb, length: 2 });
    }
    let words: Vec<&str> = seconds().map(|(word, _)| word).collect();
    let whole = words.iter().map(|word| format!("{first} {word}")).collect();
    let message = format!("after `{first}` must come {}", one_of(&words));
    Err(ParseError::new(ErrorCode::WrongArguments, message).with_suggestions(whole))
}

fn explain_first(word: &str, second: Option<&str>, vocabulary: &Vocabulary) -> ParseError {
    let games: Vec<&str> = vocabulary.games().iter().map(|game| game.name.as_str()).collect();
    if let Found::One(verb) = resolve(word, game_words()) {
        if let Some(game) = second.and_then(|word| vocabulary.game(word)) {
            return game_goes_first(game, verb);
        }
        let name = verb.spec().name();
        let message = format!("`{name}` must follow the name of a game: {}", one_of(&games));
        let whole = games.iter().map(|game| format!("{game} {name}")).collect();
        let mut error = unknown(message, whole);
        error.verb = Some(verb);
        return error;
    }
    let playing = game_words().map(|(word, verb)| (word, canonical(verb)));
    let near = nearest(word, first_words(vocabulary).map(|(name, _)| (name, name)).chain(playing));
    let what = name_word(word, "the first word", vocabulary);
    unknown(format!("{what} is neither a command nor a game{}", did_you_mean(&near)), near)
}

/// The word in quotes, or its position if masked.
fn name_word(word: &str, place: &str, vocabulary: &Vocabulary) -> String {
    let shown = if reads_as_verb(word) { word.to_owned() } else { show(word, vocabulary) };
    if shown == MASK { place.to_owned() } else { format!("`{shown}`") }
}

fn canonical(verb: Verb) -> &'static str {
    verb.spec().words.first().copied().unwrap_or_default()
}

fn unknown(message: String, suggestions: Vec<String>) -> ParseError {
    ParseError::new(ErrorCode::UnknownCommand, message).with_suggestions(suggestions)
}

pub(crate) fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", one_of(near)) }
}

fn read_command(line: &Line<'_>, head: &Head<'_>, vocabulary: &Vocabulary) -> Result<Command, ParseError> {
    let args = Args {
        verb: head.verb,
        game: head.game,
        words: line.words.get(head.length..).unwrap_or_default(),
        options: &line.options,
        vocabulary,
        is_proven: false,
    };
    read_in_game(&args, first_word(line))
}

/// Errors in words and options precede an unknown game.
pub(crate) fn read_in_game(args: &Args<'_>, game: &str) -> Result<Command, ParseError> {
    let command = read_arguments(args)?;
    if args.game == NamedGame::Unknown { Err(unknown_game(game, args.vocabulary)) } else { Ok(command) }
}

fn first_word<'a>(line: &Line<'a>) -> &'a str {
    line.words.first().map_or("", |word| word.text)
}

fn unknown_game(word: &str, vocabulary: &Vocabulary) -> ParseError {
    let names: Vec<&str> = vocabulary.games().iter().map(|game| game.name.as_str()).collect();
    let what = name_word(word, "the first word", vocabulary);
    let message = format!("{what} is no game of this server; the games are {}", one_of(&names));
    let near = nearest(word, names.iter().map(|name| (*name, *name)));
    ParseError::new(ErrorCode::UnknownGame, message).with_suggestions(near)
}

fn complete(mut error: ParseError, line: &Line<'_>, head: &Head<'_>) -> ParseError {
    error.verb = error.verb.or(Some(head.verb));
    if let NamedGame::Known(game) = head.game {
        error.game = Some(game.name.clone());
    }
    let first = line.words.get(head.length).and_then(|word| BoardAt::from_word(word.text));
    if head.verb.spec().scope == Scope::Game {
        error.board = error.board.or(first.map(|board| board.number));
    }
    error
}
