//! Validation of commands not read from a line, such as those from forms.
//!
//! A command from a line passes unchanged, since it was validated while read. Builders of others need not
//! know the rules for words. Nothing here knows users or boards.

mod parts;

use self::parts::{Part, parts};
use crate::arguments::{Args, is_address, is_turn};
use crate::bound::{MOST_LINE_BYTES, bound};
use crate::error::{ErrorCode, ParseError};
use crate::grammar::{NamedGame, unknown_game};
use crate::mask::{STAND_IN, show_argument, show_name};
use crate::token::{Dashes, RawOption, Word, read_option};
use crate::value::{
    Action, GivenOption, LimitChange, QueuedMove, SeekChange, Selector, ServerOptions, Setting, Vacation,
};
use crate::verbs::{Command, Verb, read_arguments};
use crate::vocabulary::Vocabulary;
use crate::words::{Credentials, Password, Userid};

const MOST_BOARDS: u32 = 9999;
const MOST_PLAYERS: u32 = 99;
/// Placeholder userid for reading arguments without one.
const SOMEBODY: &str = "somebody";
const LONGEST_VACATION: u32 = 30;

/// Validates a command and normalises it: preferences and options in full form, lists without duplicates.
/// Errors are those of the equivalent line.
pub fn check(mut command: Command, vocabulary: &Vocabulary) -> Result<Command, ParseError> {
    let mut checker = Checker { verb: command.verb(), vocabulary, bytes: 0 };
    let checked = parts(&mut command).into_iter().try_for_each(|part| checker.check(part));
    let (verb, board) = (checker.verb, command.board().filter(|number| *number > 0));
    let game = command.game().and_then(|name| vocabulary.game(name)).map(|game| game.name.clone());
    checked.and_then(|()| bound(command)).map_err(|error| match error.code {
        // A line that is too long is not parsed.
        ErrorCode::TooLarge => error,
        _ => {
            ParseError { verb: Some(verb), board: error.board.or(board), game: error.game.or(game), ..error }
        }
    })
}

impl Vacation {
    /// Parses a form field: a number of days, a date or `off`.
    /// Errors are those of the equivalent line.
    pub fn from_field(word: &str, vocabulary: &Vocabulary) -> Result<Self, ParseError> {
        let mut checker = Checker { verb: Verb::Vacation, vocabulary, bytes: 0 };
        checker.word(word)?;
        match checker.read(NamedGame::Missing, &[SOMEBODY, STAND_IN, word], &[])? {
            Command::Vacation { until, .. } => Ok(until),
            _ => Err(checker.fail(ErrorCode::BadValue, "this is no vacation")),
        }
    }
}

struct Checker<'v> {
    verb: Verb,
    vocabulary: &'v Vocabulary,
    bytes: usize,
}

type Checked = Result<(), ParseError>;

impl<'v> Checker<'v> {
    fn check(&mut self, part: Part<'_>) -> Checked {
        match part {
            Part::Words(words) => words.iter().try_for_each(|word| self.word(word)),
            Part::Who(who) => self.who(who),
            Part::Newcomer(who) => self.newcomer(who),
            Part::NewPassword(password) => self.new_password(password),
            Part::Addresses(addresses) => addresses.iter_mut().try_for_each(|address| self.address(address)),
            Part::SomeUsers([]) | Part::Listed(0) => Err(self.too_few()),
            Part::ShownUsers([], selector) if selector != Some(Selector::Tournament) => {
                let message = "all boards of all players would be too much mail; name boards or userids";
                Err(self.fail(ErrorCode::TooMuchMail, message))
            }
            Part::Users(users) | Part::SomeUsers(users) | Part::ShownUsers(users, _) => {
                users.iter().try_for_each(|userid| self.userid(userid))
            }
            Part::Userid(userid) => self.userid(userid),
            Part::Game(name) => self.game(name),
            Part::MaybeGame(name) => name.into_iter().try_for_each(|name| self.game(name)),
            Part::Games(names) => names.iter().try_for_each(|name| self.game(name)),
            Part::Board(number) => self.board(number),
            Part::Boards(numbers) => numbers.iter().try_for_each(|number| self.board(*number)),
            Part::BoardsAt(boards) => boards.iter().try_for_each(|board| self.board(board.number)),
            Part::Days(until) => self.days(until),
            Part::Settings(game, values) => self.settings(game, values),
            Part::Options(game, options) => self.options(game, options),
            Part::Action(action, number) => self.action(action, number),
            Part::Turn(action) => self.turn(action),
            Part::Turns(actions) => actions.iter().try_for_each(|action| {
                self.action(action, None)?;
                self.turn(action)
            }),
            Part::Queued(moves, number) => self.queued(moves, number),
            Part::Players(count) if !(1..=MOST_PLAYERS).contains(&count) => {
                Err(self.fail(ErrorCode::WrongArguments, format!("`{count}` is not a number of players")))
            }
            Part::Limit(LimitChange::AtMost(count)) => self.count(count),
            Part::Listed(_) | Part::Players(_) | Part::Limit(LimitChange::Show | LimitChange::Unlimited) => {
                Ok(())
            }
            Part::Search(change, options) => self.search(change, options),
        }
    }

    fn fail(&self, code: ErrorCode, message: impl Into<String>) -> ParseError {
        ParseError { verb: Some(self.verb), ..ParseError::new(code, message) }
    }

    fn too_few(&self) -> ParseError {
        let message = format!("something is missing after `{}`", self.verb.spec().name());
        self.fail(ErrorCode::WrongArguments, message)
    }

    /// A word without blanks; the total length is limited like that of a line.
    fn text(&mut self, text: &str) -> Checked {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > MOST_LINE_BYTES {
            let message = format!("a line has at most {MOST_LINE_BYTES} bytes");
            return Err(ParseError::new(ErrorCode::TooLarge, message));
        }
        if text.is_empty() || text.contains(|sign: char| sign.is_whitespace() || sign.is_control()) {
            let message = "words are not empty and hold no blanks and no control characters";
            return Err(self.fail(ErrorCode::BadValue, message));
        }
        Ok(())
    }

    /// A word that would not be read as an option.
    fn word(&mut self, word: &str) -> Checked {
        self.text(word)?;
        let Some(option) = read_option(word) else { return Ok(()) };
        let name = self.verb.spec().name();
        let message = format!(
            "`{name}` takes no options, such as `-{}`",
            show_name(option.name, self.verb, self.vocabulary)
        );
        Err(self.fail(ErrorCode::BadOption, message))
    }

    fn who(&mut self, who: &Credentials) -> Checked {
        self.word(&who.userid)?;
        who.password.iter().try_for_each(|password| self.word(password.expose()))
    }

    fn newcomer(&mut self, who: &Credentials) -> Checked {
        self.who(who)?;
        Userid::choose(&who.userid, self.vocabulary).map_err(|rule| {
            let shown = show_argument(&who.userid, self.verb, self.vocabulary);
            let error = self.fail(ErrorCode::BadValue, format!("`{shown}` cannot be a userid: {rule}"));
            error.with_rule(rule.told_of(&who.userid))
        })?;
        match &who.password {
            Some(password) => self.new_password(password),
            None => Err(self.too_few()),
        }
    }

    fn new_password(&mut self, password: &Password) -> Checked {
        self.word(password.expose())?;
        match Password::choose(password.expose()) {
            Ok(_) => Ok(()),
            Err(rule) => {
                let error = self.fail(ErrorCode::BadValue, format!("this password cannot be taken: {rule}"));
                Err(if self.verb == Verb::Signup { error.with_rule(rule) } else { error })
            }
        }
    }

    /// Strips brackets and commas around an address.
    fn address(&mut self, address: &mut String) -> Checked {
        self.word(address)?;
        let bare = address.trim_matches(|sign: char| matches!(sign, '<' | '>' | ',' | ';'));
        if !is_address(bare) {
            let message =
                format!("`{}` is not a mail address", show_argument(address, self.verb, self.vocabulary));
            return Err(self.fail(ErrorCode::BadValue, message));
        }
        *address = bare.to_owned();
        Ok(())
    }

    /// A userid, which is never a number.
    fn userid(&mut self, word: &str) -> Checked {
        self.text(word)?;
        let message = if read_option(word).is_some() {
            let message = format!(
                "`{}` is an option where a userid must stand",
                show_argument(word, self.verb, self.vocabulary)
            );
            return Err(self.fail(ErrorCode::BadOption, message));
        } else if word.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit() || byte == b'#') {
            format!(
                "`{}` is a number where a userid must stand",
                show_argument(word, self.verb, self.vocabulary)
            )
        } else {
            return Ok(());
        };
        Err(self.fail(ErrorCode::WrongArguments, message))
    }

    fn game(&mut self, name: &str) -> Checked {
        self.text(name)?;
        match self.vocabulary.game(name) {
            Some(game) if game.name == name => Ok(()),
            _ => Err(unknown_game(name, self.vocabulary)),
        }
    }

    fn board(&self, number: u32) -> Checked {
        if number > 0 {
            return Ok(());
        }
        Err(self.fail(ErrorCode::WrongArguments, format!("`{number}` is not a board number")))
    }

    fn days(&self, until: Vacation) -> Checked {
        match until {
            Vacation::Days(days) if !(1..=LONGEST_VACATION).contains(&days) => {
                let message = format!("`{days}` is no vacation: say 1 to {LONGEST_VACATION} days");
                Err(self.fail(ErrorCode::BadValue, message))
            }
            // The calendar is checked on execution.
            Vacation::Show | Vacation::Off | Vacation::Days(_) | Vacation::Until { .. } => Ok(()),
        }
    }

    fn action(&mut self, action: &Action, number: Option<u32>) -> Checked {
        if let Action::Move(text) = action {
            self.word(text)?;
        }
        if number != Some(0) {
            return Ok(());
        }
        let shown = show_argument(&format!("{}#0", action.as_str()), self.verb, self.vocabulary);
        let message = format!("`{shown}` does not end in the number of a move, as `#8` does");
        Err(self.fail(ErrorCode::BadValue, message))
    }

    fn turn(&self, action: &Action) -> Checked {
        if is_turn(action) {
            return Ok(());
        }
        let (word, name) = (action.as_str(), self.verb.spec().name());
        Err(self.fail(ErrorCode::BadValue, format!("`{word}` is not a move that `{name}` can take")))
    }

    fn queued(&mut self, moves: &[QueuedMove], number: Option<u32>) -> Checked {
        if moves.is_empty() && number.is_some() {
            return Err(self.too_few());
        }
        for (index, queued) in moves.iter().enumerate() {
            queued.condition.iter().try_for_each(|condition| self.text(condition))?;
            self.action(&queued.action, number.filter(|_| index == 0))?;
            if !is_turn(&queued.action) {
                let message = "only moves, `pass` and `swap` can be queued";
                return Err(self.fail(ErrorCode::BadValue, message));
            }
        }
        Ok(())
    }

    fn search(&self, change: SeekChange, options: usize) -> Checked {
        match change {
            SeekChange::Show if options > 0 => {
                let message = "options only make sense with the number of boards wanted";
                Err(self.fail(ErrorCode::WrongArguments, message))
            }
            SeekChange::Show | SeekChange::Cancel => Ok(()),
            SeekChange::Want(0) => Err(self.fail(ErrorCode::BadValue, "at least one board is wanted")),
            SeekChange::Want(count) => self.count(count),
        }
    }

    fn count(&self, boards: u32) -> Checked {
        if boards <= MOST_BOARDS {
            return Ok(());
        }
        Err(self.fail(ErrorCode::BadValue, format!("`{boards}` is not a number of boards")))
    }

    /// Reads preferences as if written with dashes: names may be shortened, values are validated.
    fn settings(&mut self, game: Option<&str>, values: &mut Vec<Setting>) -> Checked {
        game.into_iter().try_for_each(|game| self.game(game))?;
        values.iter().try_for_each(|setting| self.text(&setting.value))?;
        let options: Vec<RawOption<'_>> = values
            .iter()
            .map(|setting| raw_option(Dashes::Two, setting.name, Some(&setting.value)))
            .collect();
        match self.read(self.named(game), &[SOMEBODY, STAND_IN], &options)? {
            Command::Set { values: read, .. } => *values = read,
            _ => return Err(self.fail(ErrorCode::BadOption, "these are no preferences")),
        }
        Ok(())
    }

    fn options(&mut self, game: &str, options: &mut Vec<GivenOption>) -> Checked {
        for option in options.iter() {
            self.text(&option.name)?;
            option.value.iter().try_for_each(|value| self.text(value))?;
        }
        self.game(game)?;
        let raw: Vec<RawOption<'_>> = options
            .iter()
            .map(|option| raw_option(Dashes::One, &option.name, option.value.as_deref()))
            .collect();
        let reader = Self { verb: Verb::Challenge, ..*self };
        match reader.read(self.named(Some(game)), &[SOMEBODY], &raw)? {
            Command::Challenge { options: read, server, .. } if server == ServerOptions::default() => {
                *options = read;
            }
            _ => return Err(self.fail(ErrorCode::BadOption, "an option of the server is none of the game's")),
        }
        Ok(())
    }

    fn named(&self, game: Option<&str>) -> NamedGame<'v> {
        game.and_then(|name| self.vocabulary.game(name)).map_or(NamedGame::Missing, NamedGame::Known)
    }

    /// Parses words and options behind the verb; they are split already, and none becomes two.
    fn read(
        &self,
        game: NamedGame<'v>,
        words: &[&str],
        options: &[RawOption<'_>],
    ) -> Result<Command, ParseError> {
        let words: Vec<Word<'_>> =
            words.iter().enumerate().map(|(place, text)| Word { text, place }).collect();
        let vocabulary = self.vocabulary;
        read_arguments(&Args { verb: self.verb, game, words: &words, options, vocabulary })
    }
}

fn raw_option<'a>(dashes: Dashes, name: &'a str, value: Option<&'a str>) -> RawOption<'a> {
    RawOption { dashes, name, value }
}
