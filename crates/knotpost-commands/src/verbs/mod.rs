//! The arguments of the verbs, a file for each group, and what they all need to read them.
//!
//! Nothing here looks at the front of a line; that is done when these functions are called.

mod account;
mod looking;
mod options;
mod playing;
mod settings;
pub(crate) mod table;

pub(crate) use account::is_address;
pub(crate) use options::is_option_name;
pub(crate) use playing::{is_turn, read_queued, split_number};
pub(crate) use settings::is_setting_name;

use crate::command::Command;
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::mask::show;
use crate::suggest::one_of;
use crate::token::{RawOption, Word};
use crate::value::{BoardAt, Selector};
use crate::verb::{Scope, Verb};
use crate::vocabulary::Vocabulary;
use crate::words::{Credentials, Password};

/// What follows the front of a line.
pub(crate) struct Args<'a> {
    pub(crate) verb: Verb,
    pub(crate) game: NamedGame<'a>,
    pub(crate) words: &'a [Word<'a>],
    pub(crate) options: &'a [RawOption<'a>],
    pub(crate) vocabulary: &'a Vocabulary,
}

/// Reads the arguments of a verb.
pub(crate) fn read_arguments(args: &Args<'_>) -> Result<Command, ParseError> {
    match args.verb {
        Verb::Help | Verb::List | Verb::TestDisplay | Verb::PasswordReset | Verb::Multiple => {
            account::read_open(args)
        }
        verb if verb.spec().scope == Scope::Server && !matches!(verb, Verb::AllShow | Verb::AllGames) => {
            account::read(args)
        }
        Verb::GameSet => account::read(args),
        Verb::AllShow
        | Verb::AllGames
        | Verb::GameHelp
        | Verb::Show
        | Verb::ShowAs
        | Verb::Games
        | Verb::Standings
        | Verb::History
        | Verb::Export => looking::read(args),
        _ => playing::read(args),
    }
}

impl<'a> Args<'a> {
    /// The canonical name of the game; empty while the game is unknown, and then the command is dropped.
    fn game_name(&self) -> String {
        if let NamedGame::Known(game) = self.game { game.name.clone() } else { String::new() }
    }

    fn fail(&self, code: ErrorCode, message: impl Into<String>) -> ParseError {
        ParseError { verb: Some(self.verb), ..ParseError::new(code, message) }
    }

    fn show(&self, word: &str) -> String {
        show(word, self.vocabulary)
    }

    fn too_few(&self) -> ParseError {
        let name = self.verb.spec().name();
        self.fail(ErrorCode::WrongArguments, format!("something is missing after `{name}`"))
    }

    fn too_many(&self) -> ParseError {
        let name = self.verb.spec().name();
        self.fail(ErrorCode::WrongArguments, format!("there are more words after `{name}` than it takes"))
    }

    /// Checks how many words there are.
    fn count(&self, least: usize, most: usize) -> Result<(), ParseError> {
        if self.words.len() < least {
            Err(self.too_few())
        } else if self.words.len() > most {
            Err(self.too_many())
        } else {
            Ok(())
        }
    }

    /// Refuses any option.
    fn no_options(&self) -> Result<(), ParseError> {
        let Some(option) = self.options.first() else { return Ok(()) };
        let name = self.verb.spec().name();
        let message = format!("`{name}` takes no options, such as `-{}`", self.show(option.name));
        Err(self.fail(ErrorCode::BadOption, message))
    }

    fn word(&self, index: usize) -> Result<&'a str, ParseError> {
        self.words.get(index).map(|word| word.text).ok_or_else(|| self.too_few())
    }

    fn texts(&self, from: usize) -> impl Iterator<Item = &'a str> {
        self.words.get(from..).unwrap_or_default().iter().map(|word| word.text)
    }

    fn who(&self, index: usize) -> Result<Credentials, ParseError> {
        let password = Password::given(self.word(index + 1)?);
        Ok(Credentials { userid: self.word(index)?.to_owned(), password })
    }

    /// A board without a moment in its history.
    fn board(&self, index: usize) -> Result<u32, ParseError> {
        self.board_number(self.word(index)?)
    }

    fn board_number(&self, word: &str) -> Result<u32, ParseError> {
        match BoardAt::from_word(word) {
            Some(BoardAt { number, at: None }) => Ok(number),
            Some(_) => {
                let message =
                    format!("`{}` is a board at one of its moves; here only the board goes", self.show(word));
                Err(self.fail(ErrorCode::WrongArguments, message))
            }
            None => Err(self.not_a_board(word)),
        }
    }

    fn board_at(&self, word: &str) -> Result<BoardAt, ParseError> {
        BoardAt::from_word(word).ok_or_else(|| self.not_a_board(word))
    }

    fn not_a_board(&self, word: &str) -> ParseError {
        let message = format!("`{}` is not a board number", self.show(word));
        self.fail(ErrorCode::WrongArguments, message)
    }

    /// Words that are userids, with at most one selector among them.
    fn users(
        &self,
        from: usize,
        allowed: &[Selector],
    ) -> Result<(Vec<String>, Option<Selector>), ParseError> {
        let mut users = Vec::new();
        let mut selector = None;
        for word in self.texts(from) {
            let Some(found) = Selector::from_word(word) else {
                users.push(self.userid(word)?);
                continue;
            };
            if !allowed.contains(&found) {
                let words: Vec<&str> = allowed.iter().map(|selector| selector.as_str()).collect();
                let message = format!("`{}` does not go here, only {}", found.as_str(), one_of(&words));
                return Err(self.fail(ErrorCode::BadValue, message));
            }
            if selector.replace(found).is_some() {
                let message = "only one choice of boards can be made at a time";
                return Err(self.fail(ErrorCode::WrongArguments, message));
            }
        }
        Ok((users, selector))
    }

    /// A word that must be somebody's userid; a number never is.
    fn userid(&self, word: &str) -> Result<String, ParseError> {
        if word.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit() || byte == b'#') {
            let message = format!("`{}` is a number where a userid must stand", self.show(word));
            return Err(self.fail(ErrorCode::WrongArguments, message));
        }
        Ok(word.to_owned())
    }
}
