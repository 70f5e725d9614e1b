//! Validation of commands not read from a line, such as those from forms: each is spelled as the words of its line,
//! which are read.
//!
//! Builders of commands need not know the rules for words. Nothing here knows users or boards.

use crate::arguments::Args;
use crate::bound::MOST_LINE_BYTES;
use crate::error::{ErrorCode, ParseError};
use crate::grammar::{NamedGame, read_in_game};
use crate::mask::STAND_IN;
use crate::token::{Dashes, RawOption, Word, read_option};
use crate::value::{GivenOption, ServerOptions, Vacation};
use crate::verbs::{Command, Verb};
use crate::vocabulary::Vocabulary;

/// Placeholder userid for reading arguments without one.
const SOMEBODY: &str = "somebody";

/// Validates a command and normalises it: preferences and options in full form, lists without duplicates.
/// Errors are those of the equivalent line, which passes unchanged.
pub fn check(command: &Command, vocabulary: &Vocabulary) -> Result<Command, ParseError> {
    let (words, options) = (command.words(), options_of(command));
    let is_proven = command.credentials().is_some_and(|who| who.password.is_none());
    let said = Said { verb: verb_of(command), game: command.game(), is_proven };
    let checked = said.read(&words, &options, vocabulary).and_then(|read| with_server_options(read, command));
    checked.map_err(|error| {
        // A line that is too long is not parsed.
        if error.code == ErrorCode::TooLarge {
            return error;
        }
        let known = command.game().and_then(|name| vocabulary.game(name)).map(|game| game.name.clone());
        let board = error.board.or(command.board()).filter(|number| *number > 0);
        ParseError { verb: Some(command.verb()), board, game: error.game.or(known), ..error }
    })
}

impl Vacation {
    /// Parses a form field: a number of days, a date or `off`.
    /// Errors are those of the equivalent line.
    pub fn from_field(word: &str, vocabulary: &Vocabulary) -> Result<Self, ParseError> {
        let words = [SOMEBODY, STAND_IN, word].map(str::to_owned);
        let said = Said { verb: Verb::Vacation, game: None, is_proven: true };
        match said.read(&words, &[], vocabulary)? {
            Command::Vacation { until, .. } => Ok(until),
            _ => Err(ParseError::new(ErrorCode::BadValue, "this is no vacation")),
        }
    }
}

/// Front of a line.
struct Said<'c> {
    verb: Verb,
    game: Option<&'c str>,
    is_proven: bool,
}

impl Said<'_> {
    /// Reads the words and options behind the verb; they are split already, and none becomes two.
    fn read(
        &self,
        words: &[String],
        options: &[RawOption<'_>],
        vocabulary: &Vocabulary,
    ) -> Result<Command, ParseError> {
        let game = match self.game {
            None => NamedGame::Missing,
            Some(name) => vocabulary.game(name).map_or(NamedGame::Unknown, NamedGame::Known),
        };
        let words: Vec<Word<'_>> =
            words.iter().enumerate().map(|(place, text)| Word { text, place }).collect();
        let (verb, is_proven) = (self.verb, self.is_proven);
        let args = Args { verb, game, words: &words, options, vocabulary, is_proven };
        check_texts(&args, self.game)?;
        check_words(&args)?;
        read_in_game(&args, self.game.unwrap_or_default())
    }
}

/// Texts hold no blanks; the total length is limited like that of a line.
fn check_texts(args: &Args<'_>, game: Option<&str>) -> Result<(), ParseError> {
    let options = args.options.iter().flat_map(|option| [Some(option.name), option.value]);
    let mut bytes = 0;
    for text in args.texts(0).chain(options.flatten()).chain(game) {
        bytes += text.len();
        if bytes > MOST_LINE_BYTES {
            let message = format!("a line has at most {MOST_LINE_BYTES} bytes");
            return Err(ParseError::new(ErrorCode::TooLarge, message));
        }
        if text.is_empty() || text.contains(|sign: char| sign.is_whitespace() || sign.is_control()) {
            let message = "words are not empty and hold no blanks and no control characters";
            return Err(args.fail(ErrorCode::BadValue, message));
        }
    }
    Ok(())
}

/// No word reads as an option, as which a line would take it.
fn check_words(args: &Args<'_>) -> Result<(), ParseError> {
    for word in args.texts(0) {
        let Some(option) = read_option(word) else { continue };
        if args.verb == Verb::Challenge {
            let message = format!("`{}` is an option where a userid must stand", args.show(word));
            return Err(args.fail(ErrorCode::BadOption, message));
        }
        Args { options: &[option], ..*args }.no_options()?;
    }
    Ok(())
}

/// Options of the server are values already, and are none of the words.
fn with_server_options(mut read: Command, command: &Command) -> Result<Command, ParseError> {
    if let (Command::Challenge { server, .. }, Command::Challenge { server: given, .. })
    | (Command::Seek { server, .. }, Command::Seek { server: given, .. }) = (&mut read, command)
    {
        if *server != ServerOptions::default() {
            let message = "an option of the server is none of the game's";
            return Err(ParseError::new(ErrorCode::BadOption, message));
        }
        *server = *given;
    }
    Ok(read)
}

/// Verb whose words spell any such command: an action has no short form with a number.
fn verb_of(command: &Command) -> Verb {
    if let Command::Move { .. } = command { Verb::Move } else { command.verb() }
}

/// Game options and preferences.
fn options_of(command: &Command) -> Vec<RawOption<'_>> {
    match command {
        Command::Set { values, .. } => values
            .iter()
            .map(|setting| RawOption { dashes: Dashes::Two, name: setting.name, value: Some(&setting.value) })
            .collect(),
        Command::Challenge { options, .. }
        | Command::Seek { options, .. }
        | Command::PreviewNew { options, .. } => {
            options.iter().map(|given| as_typed(Dashes::One, given)).collect()
        }
        Command::Announce { options, terms, .. } => {
            let of_game = options.iter().map(|given| as_typed(Dashes::One, given));
            of_game.chain(terms.iter().map(|given| as_typed(Dashes::Two, given))).collect()
        }
        _ => Vec::new(),
    }
}

fn as_typed(dashes: Dashes, given: &GivenOption) -> RawOption<'_> {
    RawOption { dashes, name: &given.name, value: given.value.as_deref() }
}
