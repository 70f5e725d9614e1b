//! Arguments of a verb, and the readers shared by verbs.
//!
//! Independent of single verbs.

mod actions;
mod addresses;
mod options;
mod settings;

pub use actions::read_queue_field;
pub(crate) use actions::{is_turn, only_turns, read_numbered, read_queued, split_number};
pub(crate) use addresses::{is_address, read_addresses};
pub(crate) use options::{is_option_name, read_options, read_tournament_options};
pub(crate) use settings::{is_preference, read_settings};

use crate::bound::{check_moves, check_names, keep_once};
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::mask::{show_in, show_name};
use crate::suggest::{Found, nearest, one_of, resolve};
use crate::token::{RawOption, Word};
use crate::value::{BoardAt, Selector, read_count};
use crate::verbs::Verb;
use crate::vocabulary::Vocabulary;
use crate::words::{Credentials, Password};

#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    pub(crate) verb: Verb,
    pub(crate) game: NamedGame<'a>,
    pub(crate) words: &'a [Word<'a>],
    pub(crate) options: &'a [RawOption<'a>],
    pub(crate) vocabulary: &'a Vocabulary,
    /// Something else than a password proves who it is; the word in its place stands for none.
    pub(crate) is_proven: bool,
}

impl<'a> Args<'a> {
    /// Canonical name; empty for an unknown game, whose command is discarded.
    pub(crate) fn game_name(&self) -> String {
        if let NamedGame::Known(game) = self.game { game.name.clone() } else { String::new() }
    }

    pub(crate) fn fail(&self, code: ErrorCode, message: impl Into<String>) -> ParseError {
        ParseError { verb: Some(self.verb), ..ParseError::new(code, message) }
    }

    /// A word for an error text, masked if it could be a password.
    pub(crate) fn show(&self, word: &str) -> String {
        show_in(word, self)
    }

    /// The name of an option or preference for an error text.
    pub(crate) fn show_name(&self, name: &str) -> String {
        show_name(name, self.verb, self.vocabulary)
    }

    pub(crate) fn too_few(&self) -> ParseError {
        let name = self.verb.spec().name();
        self.fail(ErrorCode::WrongArguments, format!("something is missing after `{name}`"))
    }

    fn too_many(&self) -> ParseError {
        let name = self.verb.spec().name();
        self.fail(ErrorCode::WrongArguments, format!("there are more words after `{name}` than it takes"))
    }

    pub(crate) fn count(&self, least: usize, most: usize) -> Result<(), ParseError> {
        if self.words.len() < least {
            Err(self.too_few())
        } else if self.words.len() > most {
            Err(self.too_many())
        } else {
            Ok(())
        }
    }

    /// That many words, and no options.
    pub(crate) fn only_words(&self, least: usize, most: usize) -> Result<(), ParseError> {
        self.no_options()?;
        self.count(least, most)
    }

    pub(crate) fn no_options(&self) -> Result<(), ParseError> {
        let Some(option) = self.options.first() else { return Ok(()) };
        let name = self.verb.spec().name();
        let message = format!("`{name}` takes no options, such as `-{}`", self.show_name(option.name));
        Err(self.fail(ErrorCode::BadOption, message))
    }

    pub(crate) fn word(&self, index: usize) -> Result<&'a str, ParseError> {
        self.words.get(index).map(|word| word.text).ok_or_else(|| self.too_few())
    }

    pub(crate) fn texts(&self, from: usize) -> impl Iterator<Item = &'a str> {
        self.words.get(from..).unwrap_or_default().iter().map(|word| word.text)
    }

    pub(crate) fn who(&self, index: usize) -> Result<Credentials, ParseError> {
        let (userid, password) = (self.word(index)?, Password::given(self.word(index + 1)?));
        if self.is_proven {
            return Ok(Credentials::without_password(userid));
        }
        Ok(Credentials::typed(userid, password))
    }

    pub(crate) fn board(&self, index: usize) -> Result<u32, ParseError> {
        self.board_number(self.word(index)?)
    }

    pub(crate) fn board_number(&self, word: &str) -> Result<u32, ParseError> {
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

    pub(crate) fn board_at(&self, word: &str) -> Result<BoardAt, ParseError> {
        BoardAt::from_word(word).ok_or_else(|| self.not_a_board(word))
    }

    fn not_a_board(&self, word: &str) -> ParseError {
        let message = format!("`{}` is not a board number", self.show(word));
        self.fail(ErrorCode::WrongArguments, message)
    }

    /// Boards without duplicates.
    pub(crate) fn board_numbers(&self, from: usize) -> Result<Vec<u32>, ParseError> {
        let mut boards = self.texts(from).map(|word| self.board_number(word)).collect::<Result<_, _>>()?;
        keep_once(&mut boards, |board| *board);
        self.few(boards, "boards")
    }

    /// Boards, each perhaps at a ply, without duplicates.
    pub(crate) fn boards_at(&self, from: usize) -> Result<Vec<BoardAt>, ParseError> {
        let mut boards = self.texts(from).map(|word| self.board_at(word)).collect::<Result<_, _>>()?;
        keep_once(&mut boards, |board| *board);
        self.few(boards, "boards")
    }

    /// Names without duplicates in any case.
    pub(crate) fn names(&self, mut names: Vec<String>, what: &str) -> Result<Vec<String>, ParseError> {
        keep_once(&mut names, |name| name.to_lowercase());
        self.few(names, what)
    }

    /// Refuses a list that is too long.
    pub(crate) fn few<T>(&self, items: Vec<T>, what: &str) -> Result<Vec<T>, ParseError> {
        let checked = check_names(items.len(), what);
        checked.map(|()| items).map_err(|message| self.fail(ErrorCode::TooMuchMail, message))
    }

    /// As [`Self::few`], for moves.
    pub(crate) fn few_moves<T>(&self, moves: Vec<T>) -> Result<Vec<T>, ParseError> {
        let checked = check_moves(moves.len());
        checked.map(|()| moves).map_err(|message| self.fail(ErrorCode::TooMuchMail, message))
    }

    /// Userids without duplicates, with at most one selector among them.
    pub(crate) fn users(
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
        Ok((self.names(users, "users")?, selector))
    }

    /// A userid, which is never a number.
    pub(crate) fn userid(&self, word: &str) -> Result<String, ParseError> {
        if word.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit() || byte == b'#') {
            let hint = self.option_before(word).unwrap_or_default();
            let message = format!("`{}` is a number where a userid must stand{hint}", self.show(word));
            return Err(self.fail(ErrorCode::WrongArguments, message));
        }
        Ok(word.to_owned())
    }

    /// Correction for a number separated from its option.
    fn option_before(&self, number: &str) -> Option<String> {
        let name = options::lacks_value(self)?;
        Some(format!("; to give it to the option write `-{name}={number}`, without a blank"))
    }

    pub(crate) fn find_game(&self, word: &str) -> Result<String, ParseError> {
        let games = self.vocabulary.games();
        let names: Vec<&str> = games.iter().map(|game| game.name.as_str()).collect();
        let words = games.iter().flat_map(|game| game.words().map(|word| (word, game.name.as_str())));
        let words: Vec<(&str, &str)> = words.collect();
        match resolve(word, words.iter().copied()) {
            Found::One(name) => Ok(name.to_owned()),
            Found::Many(_) | Found::Nothing => {
                let shown = self.show(word);
                let message = format!("there is no game `{shown}` here; the games are {}", one_of(&names));
                Err(self.fail(ErrorCode::UnknownGame, message).with_suggestions(nearest(word, words)))
            }
        }
    }

    /// The name of a tournament: `t` and a number.
    pub(crate) fn tournament(&self, index: usize) -> Result<String, ParseError> {
        let word = self.word(index)?;
        let number = word.strip_prefix(['t', 'T']).filter(|digits| !digits.is_empty()).and_then(read_count);
        number.map(|number| format!("t{number}")).ok_or_else(|| {
            let message = format!("`{}` is not the name of a tournament, such as `t1`", self.show(word));
            self.fail(ErrorCode::WrongArguments, message)
        })
    }

    pub(crate) fn new_password(&self, index: usize) -> Result<Password, ParseError> {
        Password::choose(self.word(index)?)
            .map_err(|rule| self.fail(ErrorCode::BadValue, format!("this password cannot be taken: {rule}")))
    }

    pub(crate) fn number_of_boards(&self, word: &str) -> Result<u32, ParseError> {
        read_count(word).filter(|count| *count <= 9999).ok_or_else(|| {
            self.fail(ErrorCode::BadValue, format!("`{}` is not a number of boards", self.show(word)))
        })
    }
}
