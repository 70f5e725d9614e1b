use knotpost_commands::{ExampleContext, ParseError};

use crate::boards::Board;
use knotpost_storage::Unwritten;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $status:literal;)*) => {
        /// Stable error codes for scripts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
            pub const fn all() -> &'static [Self] {
                &[$(Self::$variant),*]
            }

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status),* }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    WrongArguments = "wrong_arguments", 400;
    UnknownCommand = "unknown_command", 400;
    /// Unknown user and wrong password alike.
    BadCredentials = "bad_credentials", 401;
    NotAPlayer = "not_a_player", 403;
    NotAllowed = "not_allowed", 403;
    UnknownGame = "unknown_game", 404;
    NoSuchBoard = "no_such_board", 404;
    NoSuchUser = "no_such_user", 404;
    NoSuchTournament = "no_such_tournament", 404;
    GameOver = "game_over", 409;
    NotYourTurn = "not_your_turn", 409;
    /// The number given is not that of the next move.
    WrongMoveNumber = "wrong_move_number", 409;
    /// The right to change sides has passed.
    SwapTooLate = "swap_too_late", 409;
    AlreadyProposed = "already_proposed", 409;
    NothingProposed = "nothing_proposed", 409;
    NothingSubmitted = "nothing_submitted", 409;
    UseridTaken = "userid_taken", 409;
    /// Changed concurrently by somebody else.
    Conflict = "conflict", 409;
    TooLarge = "too_large", 413;
    IllegalMove = "illegal_move", 422;
    BadOption = "bad_option", 422;
    BadValue = "bad_value", 422;
    PlayerCount = "player_count", 422;
    InvalidChallenge = "invalid_challenge", 422;
    /// Not available in this game or version.
    NotSupported = "not_supported", 422;
    TooMuchMail = "too_much_mail", 422;
    RateLimited = "rate_limited", 429;
    Unavailable = "unavailable", 503;
}

/// A refused command; nothing was changed.
#[derive(Debug)]
pub struct Refusal {
    pub code: Code,
    /// One sentence that names the input and the fault. Mails capitalise it, so an opening userid needs
    /// backticks.
    pub message: String,
    /// Remedies, one a line: syntax, an example, legal moves, candidates.
    pub hints: Vec<String>,
    pub game: Option<String>,
    pub board: Option<Box<Board>>,
    /// Seconds.
    pub retry_after: Option<u64>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new(), game: None, board: None, retry_after: None }
    }

    pub(crate) fn limited(message: impl Into<String>, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..Self::new(Code::RateLimited, message) }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub fn about_game(mut self, game: &str) -> Self {
        self.game = Some(game.to_owned());
        self
    }

    #[must_use]
    pub fn about(mut self, board: Board) -> Self {
        self.game = Some(board.row.game.clone());
        self.board = Some(Box::new(board));
        self
    }
}

impl Refusal {
    /// Refusal of an unparsable line, with an example fit for its reader.
    pub(crate) fn of_line(error: &ParseError, reader: &ExampleContext) -> Self {
        let code = Code::from_word(error.code.as_str()).unwrap_or(Code::WrongArguments);
        let mut refusal = Self::new(code, error.message.clone());
        refusal.game.clone_from(&error.game);
        if !error.suggestions.is_empty() && !error.message.contains("did you mean") {
            refusal.hints.push(format!("Did you mean: {}", error.suggestions.join(", ")));
        }
        let syntax = error.syntax().unwrap_or_default();
        // For a lone word, syntax and example add nothing.
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

pub type ServiceError = Unwritten<Box<Refusal>>;

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
