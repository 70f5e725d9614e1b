//! Why a command was not carried out, as the player is told.

use knotpost_commands::{ExampleContext, ParseError};

use crate::boards::Board;
use knotpost_storage::StoreError;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $status:literal;)*) => {
        /// The distinct errors, as scripts see them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
            /// Every code, in the order of the statuses.
            pub const fn all() -> &'static [Self] {
                &[$(Self::$variant),*]
            }

            /// The word scripts test for.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The HTTP status that goes with it.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status),* }
            }

            /// The code of that word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    /// Too few or too many words.
    WrongArguments = "wrong_arguments", 400;
    /// No such command.
    UnknownCommand = "unknown_command", 400;
    /// Unknown user and wrong password alike.
    BadCredentials = "bad_credentials", 401;
    /// Somebody else's board.
    NotAPlayer = "not_a_player", 403;
    /// Not for this account.
    NotAllowed = "not_allowed", 403;
    /// No such game.
    UnknownGame = "unknown_game", 404;
    /// No such board.
    NoSuchBoard = "no_such_board", 404;
    /// No such user.
    NoSuchUser = "no_such_user", 404;
    /// Finished.
    GameOver = "game_over", 409;
    /// Another player's turn.
    NotYourTurn = "not_your_turn", 409;
    /// The number given is not that of the move to be made.
    WrongMoveNumber = "wrong_move_number", 409;
    /// The right to change sides has passed.
    SwapTooLate = "swap_too_late", 409;
    /// The same is proposed already.
    AlreadyProposed = "already_proposed", 409;
    /// There is nothing to answer.
    NothingProposed = "nothing_proposed", 409;
    /// There is nothing to confirm.
    NothingSubmitted = "nothing_submitted", 409;
    /// Somebody has that name.
    UseridTaken = "userid_taken", 409;
    /// Somebody else changed it meanwhile.
    Conflict = "conflict", 409;
    /// More text than is taken.
    TooLarge = "too_large", 413;
    /// Against the rules of the game.
    IllegalMove = "illegal_move", 422;
    /// No such option, or not that value.
    BadOption = "bad_option", 422;
    /// A value that cannot be.
    BadValue = "bad_value", 422;
    /// Too few or too many players.
    PlayerCount = "player_count", 422;
    /// Players that do not exist or are not willing.
    InvalidChallenge = "invalid_challenge", 422;
    /// The game or this version does not have that.
    NotSupported = "not_supported", 422;
    /// The answer would be too long.
    TooMuchMail = "too_much_mail", 422;
    /// Too often.
    RateLimited = "rate_limited", 429;
    /// The server cannot do it now.
    Unavailable = "unavailable", 503;
}

/// Why a command was not carried out. Nothing was changed.
#[derive(Debug)]
pub struct Refusal {
    /// Which of the distinct errors.
    pub code: Code,
    /// One sentence that names the input and what is wrong with it. Mails begin it with a capital letter, so that a
    /// userid at its beginning stands in backticks.
    pub message: String,
    /// What would work, a line each: syntax, an example, legal moves, candidates.
    pub hints: Vec<String>,
    /// The game it was about.
    pub game: Option<String>,
    /// The board it was about.
    pub board: Option<Box<Board>>,
    /// Trying again makes sense after this many seconds.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refusal without hints.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new(), game: None, board: None, retry_after: None }
    }

    /// Adds a line that tells what would work.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Says which game it is about.
    #[must_use]
    pub fn about_game(mut self, game: &str) -> Self {
        self.game = Some(game.to_owned());
        self
    }

    /// Says which board it is about.
    #[must_use]
    pub fn about(mut self, board: Board) -> Self {
        self.game = Some(board.row.game.clone());
        self.board = Some(Box::new(board));
        self
    }
}

impl Refusal {
    /// What is wrong with a line, with an example for its reader.
    pub(crate) fn of_line(error: &ParseError, reader: &ExampleContext) -> Self {
        let code = Code::from_word(error.code.as_str()).unwrap_or(Code::WrongArguments);
        let mut refusal = Self::new(code, error.message.clone());
        refusal.game.clone_from(&error.game);
        if !error.suggestions.is_empty() && !error.message.contains("did you mean") {
            refusal.hints.push(format!("Did you mean: {}", error.suggestions.join(", ")));
        }
        let syntax = error.syntax().unwrap_or_default();
        // Syntax and example of a lone word tell nothing.
        if syntax.contains(' ') {
            refusal.hints.extend(syntax.lines().map(|line| format!("Syntax: {line}")));
            let example = error.example(reader);
            refusal.hints.extend(example.map(|example| format!("Example: {example}")));
        }
        if error.verb.is_none() {
            refusal.hints.push("`help commands` lists all commands.".to_owned());
        }
        refusal
    }
}

/// How a use case fails: with an answer for the player, or inside.
#[derive(Debug)]
pub enum ServiceError {
    /// The player is told; nothing was changed.
    Refused(Box<Refusal>),
    /// The database failed.
    Store(StoreError),
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
