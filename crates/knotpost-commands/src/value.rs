//! Values of commands: boards, selectors, actions, options.
//!
//! Syntax only; existence and legality are checked elsewhere.

use std::fmt;

use crate::arguments::split_number;

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

    /// Parses a form field; `None`: not one word, the mark `**`, or with the number of a move behind `#`, as in a line.
    pub fn from_field(text: &str) -> Option<Self> {
        let word = crate::clean::read_word(text)?;
        let has_number = !matches!(split_number(&word), Ok((_, None)));
        (word != "**" && !has_number).then(|| Self::from_word(&word))
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
        Self::from_millis((days * Self::MILLIS_PER_DAY as f64).round() as u64)
    }

    /// `None`: less than a second or more than the maximum.
    pub fn from_millis(millis: u64) -> Option<Self> {
        (1000..=Self::MAX.millis).contains(&millis).then_some(Self { millis })
    }

    /// The time in milliseconds.
    pub fn as_millis(self) -> u64 {
        self.millis
    }
}

impl fmt::Display for Days {
    /// Days as a number that is read as the same time: `120`, `0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.8}", self.millis as f64 / Self::MILLIS_PER_DAY as f64);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
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

/// An option of an announced tournament, beside those of its game. Its terms give the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TournamentOption {
    /// The name without dashes.
    pub name: &'static str,
    /// A value that it takes; `None`: it stands alone.
    pub example: Option<&'static str>,
    /// The default as shown to players; may be empty.
    pub default: &'static str,
    /// Forms with another default.
    pub but: &'static [(&'static str, &'static str)],
    /// The forms that take it; none: all.
    pub only: &'static [&'static str],
    /// Its effect, in one line.
    pub help: &'static str,
}

impl TournamentOption {
    /// The option as written, with its default and the forms it is of: `-games=2 (default 1)`,
    /// `-players=4-8 (default 4-10, swiss 6-64)`, `-advance=1 (roundrobin; default 2)`.
    pub fn shown(&self) -> String {
        let value = self.example.map(|example| format!("={example}")).unwrap_or_default();
        let defaults = self.defaults();
        let mut notes: Vec<String> = Vec::new();
        if !self.only.is_empty() {
            notes.push(self.only.join(", "));
        }
        if !defaults.is_empty() {
            notes.push(format!("default {defaults}"));
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        format!("-{}{value}{notes}", self.name)
    }

    /// The defaults of all forms: `4-10, swiss 6-64`; may be empty.
    pub fn defaults(&self) -> String {
        let usual = (!self.default.is_empty()).then(|| self.default.to_owned());
        let others = self.but.iter().map(|(form, default)| format!("{form} {default}"));
        usual.into_iter().chain(others).collect::<Vec<_>>().join(", ")
    }

    /// True if a form takes it.
    pub fn is_of(&self, form: &str) -> bool {
        self.only.is_empty() || self.only.contains(&form)
    }

    /// The default in a form, as shown to players.
    pub fn default_of(&self, form: &str) -> &'static str {
        self.but.iter().find(|(other, _)| *other == form).map_or(self.default, |(_, default)| default)
    }

    const fn but(mut self, but: &'static [(&'static str, &'static str)]) -> Self {
        self.but = but;
        self
    }

    const fn only(mut self, only: &'static [&'static str]) -> Self {
        self.only = only;
        self
    }
}

const fn term(
    name: &'static str,
    example: Option<&'static str>,
    default: &'static str,
    help: &'static str,
) -> TournamentOption {
    TournamentOption { name, example, default, but: &[], only: &[], help }
}

/// The options of a tournament.
pub const TOURNAMENT_OPTIONS: [TournamentOption; 17] = [
    term("players", Some("4-8"), "4-10", "the fewest and the most players").but(&[
        ("swiss", "6-64"),
        ("ladder", "2-1000"),
        ("league", "4-200"),
    ]),
    term("group", Some("6"), "10", "the most players of a group; with more players there are several groups")
        .but(&[("league", "8")])
        .only(&["roundrobin", "league"]),
    term("advance", Some("1"), "2", "players of each group who go on to the next stage")
        .only(&["roundrobin"]),
    term("rounds", Some("5"), "", "rounds; else one more than the knock-out rounds of as many players")
        .only(&["swiss"]),
    term("window", Some("5"), "3", "places above one's own that a challenge reaches").only(&["ladder"]),
    term("move", Some("1"), "2", "players of a division who go up, and who go down, after a season")
        .only(&["league"]),
    term("pause", Some("14"), "7", "days between two seasons").only(&["league"]),
    term("roundtime", Some("60"), "120", "days until the games of a round are decided")
        .but(&[("swiss", "30"), ("league", "90")])
        .only(&["roundrobin", "swiss", "league"]),
    term("start", Some("2027-01-31"), "full", "a day on which it starts, instead of when it is full")
        .only(&["roundrobin", "swiss", "league"]),
    term("repeat", None, "", "when it starts, the next one with the same terms takes entries")
        .only(&["roundrobin", "swiss"]),
    term("games", Some("2"), "1", "games of each two players; the second has the seats changed"),
    term("fill", Some("3"), "", "level of the computer players who take the places that stay free").only(&[
        "roundrobin",
        "swiss",
        "league",
    ]),
    term("closed", None, "", "only players whom the director admits may enter"),
    term("unrated", None, "", "the games do not count for ratings"),
    term("nagtime", Some("2"), "1", "days without a move until a player is reminded"),
    term("forfeittime", Some("5"), "7", "days without a move until a player loses the game"),
    term("totaltime", Some("20"), "", "days of a player for all moves of a game"),
];

/// Forms of tournaments.
pub const TOURNAMENT_FORMS: [&str; 4] = ["roundrobin", "swiss", "ladder", "league"];

/// Selection among tournaments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TournamentSelector {
    /// Those that take entries.
    Open,
    /// Those that are played.
    Active,
    /// Those that have ended.
    Over,
    /// Every tournament.
    All,
}

impl TournamentSelector {
    /// All selectors, in the order they are listed to players.
    pub const ALL: [Self; 4] = [Self::Open, Self::Active, Self::Over, Self::All];

    /// Parses a selector, case-insensitive but never shortened.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|selector| selector.as_str().eq_ignore_ascii_case(word))
    }

    /// The word of the selector.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Active => "active",
            Self::Over => "over",
            Self::All => "all",
        }
    }
}

/// A part of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TournamentPart {
    /// A group, by its letters in lower case.
    Group(String),
    /// A round, from 1.
    Round(u32),
}

impl TournamentPart {
    /// Parses a group or the number of a round.
    pub fn from_word(word: &str) -> Option<Self> {
        if let Some(round) = read_count(word).filter(|round| *round > 0) {
            return Some(Self::Round(round));
        }
        let is_group = (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_group.then(|| Self::Group(word.to_ascii_lowercase()))
    }
}

impl fmt::Display for TournamentPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(group) => f.write_str(group),
            Self::Round(round) => write!(f, "{round}"),
        }
    }
}

/// An action of the director of a tournament. A reason or text is the body of the mail.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DirectorAction {
    /// Start it with those who have entered.
    Start,
    /// Cancel it; boards go on as ordinary ones.
    Cancel,
    /// Put off the deadline of the round.
    Extend(Days),
    /// Let a user enter a closed tournament.
    Admit(String),
    /// Take a player out.
    Expel(String),
    /// Decide a board.
    Award {
        /// The number of the board within the game of the tournament.
        board: u32,
        /// The seat that wins, from 1; `None`: a tie.
        seat: Option<u8>,
    },
    /// Mail the body to all players.
    Say,
    /// Hand the tournament to another director.
    Hand(String),
}

impl DirectorAction {
    /// The actions with what follows their word, in the order they are listed to players.
    pub const ALL: [(&'static str, &'static str); 8] = [
        ("start", ""),
        ("cancel", ""),
        ("extend", "DAYS"),
        ("admit", "USERID"),
        ("expel", "USERID"),
        ("award", "BOARD SEAT|tie"),
        ("say", ""),
        ("hand", "USERID"),
    ];

    /// The word of the action.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Cancel => "cancel",
            Self::Extend(_) => "extend",
            Self::Admit(_) => "admit",
            Self::Expel(_) => "expel",
            Self::Award { .. } => "award",
            Self::Say => "say",
            Self::Hand(_) => "hand",
        }
    }

    /// The arguments after the word.
    pub(crate) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Start | Self::Cancel | Self::Say => Vec::new(),
            Self::Extend(days) => vec![days.to_string()],
            Self::Admit(userid) | Self::Expel(userid) | Self::Hand(userid) => vec![userid.clone()],
            Self::Award { board, seat } => {
                vec![board.to_string(), seat.map_or_else(|| TIE.to_owned(), |seat| seat.to_string())]
            }
        }
    }
}

/// Written in place of a seat.
pub(crate) const TIE: &str = "tie";

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

/// A change of how a user stands to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relating {
    /// Nothing passes between them from now on.
    Block,
    /// The end of that.
    Unblock,
    /// Their games are shown.
    Follow,
    /// The end of that.
    Unfollow,
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
