//! Values of commands: boards, selectors, actions, options.
//!
//! Syntax only; existence and legality are checked elsewhere.

use std::fmt;

/// A board, optionally at a ply: `123`, `#123`, `123#7`, `123#-1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardAt {
    /// The number of the board within its game.
    pub number: u32,
    /// Number of moves made; negative counts back from the end.
    pub at: Option<i64>,
}

impl BoardAt {
    /// Parses a board word.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.strip_prefix('#').unwrap_or(word);
        let (number, at) = match word.split_once('#') {
            Some((number, at)) => (number, Some(read_ply(at)?)),
            None => (word, None),
        };
        Some(Self { number: read_count(number).filter(|number| *number > 0)?, at })
    }
}

impl fmt::Display for BoardAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "{}#{at}", self.number),
            None => write!(f, "{}", self.number),
        }
    }
}

pub(crate) fn read_count(word: &str) -> Option<u32> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None }
}

fn read_ply(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    word.parse().ok()
}

/// Selection among a user's boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Every board.
    All,
    /// Boards in play.
    Active,
    /// Finished boards.
    Inactive,
    /// Boards on which one of the users is to move.
    Next,
    /// Boards of tournaments.
    Tournament,
    /// Boards outside tournaments.
    Standard,
}

impl Selector {
    /// All selectors, in the order they are listed to players.
    pub const ALL: [Self; 6] =
        [Self::All, Self::Active, Self::Inactive, Self::Next, Self::Tournament, Self::Standard];

    pub(crate) const OF_TABLES: [Self; 4] = [Self::All, Self::Active, Self::Inactive, Self::Next];

    /// Parses a selector, case-insensitive but never shortened.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|selector| selector.as_str().eq_ignore_ascii_case(word))
    }

    /// The word of the selector.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Next => "next",
            Self::Tournament => "tournament",
            Self::Standard => "standard",
        }
    }
}

/// An action of a player on a board.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Action {
    /// A move in the game's own notation, as typed.
    Move(String),
    /// Skip the turn; also written `--` or `-`.
    Pass,
    /// Change sides.
    Swap,
    /// Offer a draw.
    Propose,
    /// Ask to take back the last move.
    Undo,
    /// Ask that a computer player replaces an inactive player.
    Substitute,
    /// Agree to a proposal.
    Accept,
    /// Refuse a proposal.
    Reject,
    /// Give up.
    Resign,
}

impl Action {
    const KEYWORDS: [(&'static str, Self); 8] = [
        ("pass", Self::Pass),
        ("swap", Self::Swap),
        ("propose", Self::Propose),
        ("undo", Self::Undo),
        ("substitute", Self::Substitute),
        ("accept", Self::Accept),
        ("reject", Self::Reject),
        ("resign", Self::Resign),
    ];

    /// Parses a keyword, case-insensitive but never shortened; `--` and `-` are a pass.
    pub fn from_keyword(word: &str) -> Option<Self> {
        if matches!(word, "--" | "-") {
            return Some(Self::Pass);
        }
        let found = Self::KEYWORDS.into_iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
        found.map(|(_, action)| action)
    }

    /// Parses any word: a keyword, else a move.
    pub fn from_word(word: &str) -> Self {
        Self::from_keyword(word).unwrap_or_else(|| Self::Move(word.to_owned()))
    }

    /// Parses a form field; `None`: not one word, the mark `**`, or with `#`, which separates a move's number
    /// in a line.
    pub fn from_field(text: &str) -> Option<Self> {
        let word = crate::clean::read_word(text)?;
        (word != "**" && !word.contains('#')).then(|| Self::from_word(&word))
    }

    /// The canonical word: the keyword, or the move as typed.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Move(text) => text,
            Self::Pass => "pass",
            Self::Swap => "swap",
            Self::Propose => "propose",
            Self::Undo => "undo",
            Self::Substitute => "substitute",
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Resign => "resign",
        }
    }
}

impl fmt::Debug for Action {
    /// Masks a move long enough to be a misplaced password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(text) if text.len() >= crate::mask::SHORTEST_SECRET => f.write_str("Move(…)"),
            Self::Move(text) => write!(f, "Move({text})"),
            keyword => f.write_str(keyword.as_str()),
        }
    }
}

/// A game option as given, its name completed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GivenOption {
    /// The full name in lower case, without dashes.
    pub name: String,
    /// The text after `=`, as typed.
    pub value: Option<String>,
}

/// A length of time in days with fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Days {
    millis: u64,
}

impl Days {
    /// The maximum.
    pub const MAX: Self = Self { millis: 3650 * Self::MILLIS_PER_DAY };
    const MILLIS_PER_DAY: u64 = 86_400_000;

    /// Parses a number of days above 0 and at most 3650, with `.` or `,` before the fraction. At least a
    /// second.
    pub fn from_word(word: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        if word.len() > 20 || !word.chars().all(plain) {
            return None;
        }
        let days: f64 = word.replace(',', ".").parse().ok()?;
        let millis = (days * Self::MILLIS_PER_DAY as f64).round();
        if millis < 1000.0 || millis > Self::MAX.millis as f64 {
            return None;
        }
        Some(Self { millis: millis as u64 })
    }

    /// The time in milliseconds.
    pub fn as_millis(self) -> u64 {
        self.millis
    }
}

/// The server's options, not those of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerOptions {
    /// Time without a move until the reminder.
    pub nagtime: Option<Days>,
    /// Time without a move until the turn is forfeited.
    pub forfeittime: Option<Days>,
    /// Time per player for the whole game.
    pub totaltime: Option<Days>,
    /// The game does not count for ratings.
    pub unrated: bool,
    /// A computer player may take an unmatched seek.
    pub computer: Option<ComputerWish>,
}

/// A wanted computer player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComputerWish {
    /// One that suits the player.
    Suited,
    /// The one of this level.
    Level(u8),
}

impl ComputerWish {
    const HIGHEST: u8 = 8;

    /// Parses a value: none, or a level.
    pub fn from_value(value: Option<&str>) -> Option<Self> {
        let Some(value) = value else { return Some(Self::Suited) };
        let level = value.parse().ok().filter(|level| (1..=Self::HIGHEST).contains(level));
        level.map(Self::Level)
    }
}

/// A queued move.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct QueuedMove {
    /// Expected next move of another seat, as typed after `if:`; otherwise the move is not played.
    pub condition: Option<String>,
    /// A move, a pass or a swap.
    pub action: Action,
}

impl fmt::Debug for QueuedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.condition {
            Some(condition) => write!(f, "if {:?} {:?}", Action::Move(condition.clone()), self.action),
            None => write!(f, "{:?}", self.action),
        }
    }
}

/// The boards of a subscription in one game.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BoardSet {
    /// All of them, future ones too.
    All,
    /// These; at least one.
    These(Vec<u32>),
}

/// A change of the limit on a user's boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitChange {
    /// Only show it.
    Show,
    /// Remove the limit.
    Unlimited,
    /// At most this many active boards.
    AtMost(u32),
}

/// A change of a seek.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeekChange {
    /// Only show it.
    Show,
    /// Cancel it.
    Cancel,
    /// Number of further boards wanted; at least 1.
    Want(u32),
}

/// Progress of an account deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaving {
    /// Requested.
    Asked,
    /// Requested and confirmed.
    Sure,
}

/// Treatment of a deleted user's comments and chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remarks {
    /// They stay on the boards, which belong to the other players too.
    Stay,
    /// Their text is removed.
    Removed,
}

/// A change of a vacation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vacation {
    /// Only show it.
    Show,
    /// End it now.
    Off,
    /// For a number of days from now, 1 to 30.
    Days(u32),
    /// Until a date of the calendar; the day exists.
    Until {
        /// The year, four digits.
        year: u16,
        /// The month, 1 to 12.
        month: u8,
        /// The day of the month, from 1.
        day: u8,
    },
}

/// A preference to be changed; name and value are from the list of preferences, in lower case. Only the value
/// of `timezone` is free text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The full name.
    pub name: &'static str,
    /// The value.
    pub value: String,
}
