//! What a command answers, as facts. How it looks is the business of `outbound`.

mod lines;
mod result;

use serde::Serialize;

pub use lines::{BoardLine, BoardTable, GameCount, HistoryLine, SeekLine, StandingLine, StandingsTable};
pub use result::{Answer, Audience, Failure};

use super::{Asked, PreferenceLine, Sample, Sheet};

/// An error as its reader sees it.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorReply {
    /// The sentence.
    pub message: String,
    /// What would work, a line each.
    pub hints: Vec<String>,
    /// What the user sent, passwords masked.
    pub echo: String,
    /// Title of the game it was about.
    pub game: Option<String>,
    /// Number of the board it was about.
    pub number: Option<u32>,
    /// Whether it is a challenge that somebody cannot take part in.
    pub is_invalid_challenge: bool,
    /// That board with its whole move list.
    pub sheet: Option<Box<Sheet>>,
}

/// A line of `multiple` and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct LineResult {
    /// The line, passwords masked.
    pub line: String,
    /// Whether it was carried out.
    pub ok: bool,
    /// What it answered.
    pub reply: Reply,
}

/// An address and what became of the mail that asks for its confirmation.
#[derive(Clone, Debug, Serialize)]
pub struct AskedLine {
    /// The address.
    pub address: String,
    /// What became of it.
    pub asked: Asked,
}

/// Something the server says to somebody.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// A board.
    Board(Box<Sheet>),
    /// Several boards in one answer.
    Boards {
        /// `Show summary`
        subject: String,
        /// The boards.
        sheets: Vec<Sheet>,
    },
    /// A command was not carried out.
    Error(Box<ErrorReply>),
    /// The account exists; how to start.
    Welcome {
        /// The new user.
        userid: String,
    },
    /// Somebody must prove to read an address.
    ConfirmAddress {
        /// The user it is to belong to.
        userid: String,
        /// The page that does it.
        link: String,
        /// For how long.
        days: i64,
        /// Whether a reply does it as well.
        by_reply: bool,
    },
    /// A reply to the mail that asks for a confirmation said neither yes nor no.
    ConfirmHint {
        /// The user the address is to belong to.
        userid: String,
        /// Whether it came too late.
        is_expired: bool,
        /// Whether it wanted all mail to end at an address that somebody has confirmed.
        is_in_use: bool,
    },
    /// Whether mails went out that ask for confirmations: for who gave the right password.
    ConfirmationsAsked {
        /// Whose addresses they are.
        userid: String,
        /// Each with what became of its mail.
        lines: Vec<AskedLine>,
        /// For how long they are good.
        days: i64,
    },
    /// A mail went to the addresses of an account, if there is one.
    MailSent {
        /// The account named.
        userid: String,
        /// What the mail is about.
        about: String,
    },
    /// The password was changed.
    PasswordChanged {
        /// Whose.
        userid: String,
        /// For an address that was lost lately: the page that gives it back.
        undo: Option<String>,
        /// For how long.
        days: i64,
    },
    /// Somebody gave many wrong passwords.
    WrongPasswords {
        /// For whom.
        userid: String,
        /// At least so many in a day.
        tries: u64,
    },
    /// What somebody says on boards by mail is not passed on for a while.
    ChatsSpent {
        /// So many in an hour were.
        chats: i64,
    },
    /// A webhook was switched off.
    WebhookStopped {
        /// Whose.
        userid: String,
        /// Scheme, host and port of its address.
        place: String,
        /// Why.
        why: String,
    },
    /// The addresses were changed.
    AddressesChanged {
        /// Whose.
        userid: String,
        /// What they are now.
        addresses: Vec<String>,
        /// For an address there was before: the page that takes the change back.
        undo: Option<String>,
        /// For how long.
        days: i64,
    },
    /// What a user wants otherwise than the default.
    Preferences {
        /// Whose.
        userid: String,
        /// The title of the game they are for; `None`: all games.
        title: Option<String>,
        /// All there are.
        lines: Vec<PreferenceLine>,
        /// Names of those that were changed just now.
        changed: Vec<String>,
        /// Games that have some of their own.
        others: Vec<String>,
    },
    /// A forgotten password was asked about; the same words whoever asks.
    ResetAsked {
        /// The account named.
        userid: String,
    },
    /// The way back in.
    PasswordReset {
        /// Whose.
        userid: String,
        /// The page that sets a new password.
        link: String,
        /// What counts as the present password once.
        code: String,
        /// For how long.
        hours: i64,
    },
    /// A way to log in on the web without the password.
    MagicLink {
        /// Whose.
        userid: String,
        /// The page that does it.
        link: String,
        /// For how long.
        minutes: i64,
    },
    /// The account is no more.
    Goodbye {
        /// Whose.
        userid: String,
    },
    /// What another user writes.
    Message {
        /// Whose copy this is.
        reader: String,
        /// Who.
        from: String,
        /// Everybody who gets it.
        to: Vec<String>,
        /// The words.
        text: String,
    },
    /// A message was passed on.
    MessageSent {
        /// Whose.
        from: String,
        /// To whom.
        to: Vec<String>,
    },
    /// The error answer to somebody nobody knows: always the same words.
    Stranger,
    /// What somebody wrote to the people who run the server.
    Postmaster {
        /// Who, as far as the From line says.
        from: String,
        /// The Subject.
        subject: String,
        /// The words.
        text: String,
    },
    /// What somebody writes to everybody.
    Broadcast {
        /// Whose copy this is.
        reader: String,
        /// Who.
        from: String,
        /// The words.
        text: String,
    },
    /// A broadcast is being passed on.
    BroadcastTaken {
        /// Whose.
        from: String,
    },
    /// The same board in every format.
    TestDisplay {
        /// Whom the commands in it are for.
        userid: String,
        /// The title of the game shown.
        title: String,
        /// The formats.
        samples: Vec<Sample>,
    },
    /// The one mail of the day.
    Digest {
        /// To whom.
        userid: String,
        /// On how many of the boards it is his turn.
        turns: usize,
        /// The boards that changed.
        sheets: Vec<Sheet>,
    },
    /// A help page.
    Help {
        /// Its title.
        title: String,
        /// Its text.
        text: String,
    },
    /// The games and how much they are played.
    Games {
        /// The games.
        games: Vec<GameCount>,
    },
    /// Boards of a game.
    BoardList {
        /// The game's title.
        title: String,
        /// Names of the sides, as many as the boards shown have players.
        sides: Vec<String>,
        /// The boards.
        boards: Vec<BoardLine>,
        /// More exist than are shown.
        more: bool,
    },
    /// Finished boards of a game.
    History {
        /// The game's title.
        title: String,
        /// The boards.
        boards: Vec<HistoryLine>,
        /// More exist than are shown.
        more: bool,
    },
    /// The record of a board.
    Record {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// The record, whole.
        text: String,
    },
    /// Boards of several games.
    AllBoards {
        /// A table a game, at least one.
        tables: Vec<BoardTable>,
        /// More exist than are shown.
        more: bool,
    },
    /// Which boards of a game a user watches.
    Subscriptions {
        /// The game's name.
        game: String,
        /// The game's title.
        title: String,
        /// Who watches.
        userid: String,
        /// Whether he watches all, future ones too.
        all: bool,
        /// The boards he watches by number.
        boards: Vec<i64>,
    },
    /// Of which boards a user hears when they end.
    Notifications {
        /// The game's name.
        game: String,
        /// The game's title.
        title: String,
        /// Who hears.
        userid: String,
        /// Whether he hears of all.
        all: bool,
        /// The boards he hears of by number.
        boards: Vec<i64>,
    },
    /// Who plays a game, and how well.
    Standings {
        /// The game's title.
        title: String,
        /// The game's name.
        game: String,
        /// The blocks.
        tables: Vec<StandingsTable>,
        /// Who looks for opponents, longest first.
        seeks: Vec<SeekLine>,
        /// More do than are shown.
        more_seeks: bool,
    },
    /// Whether a user takes challenges.
    ChallengeStatus {
        /// The game's title.
        title: String,
        /// Whether he does.
        accepts: bool,
        /// How many boards he looks for.
        seeking: i64,
    },
    /// How many boards a user plays at most.
    LimitStatus {
        /// The game's title.
        title: String,
        /// The most; `None`: no limit.
        limit: Option<i64>,
        /// How many he plays now.
        active: i64,
    },
    /// What a user looks for.
    SeekStatus {
        /// The game's title.
        title: String,
        /// The game's name.
        game: String,
        /// How many boards.
        wanted: i64,
        /// With which options, as typed.
        terms: String,
        /// Boards that were started now.
        started: Vec<u32>,
        /// He refuses challenges or is at his limit, so that nobody is found for him.
        paused: bool,
    },
    /// A challenge was declined by all but one.
    Removed {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Who declined.
        userid: String,
        /// What he said with it.
        text: String,
    },
    /// An administrator removed a board.
    Closed {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// What the administrator says about it; may be empty.
        why: String,
    },
    /// Somebody made no first move in time, and too few others are left.
    NeverBegun {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Who did not move.
        userid: String,
    },
    /// Time off.
    Vacation {
        /// Whose.
        userid: String,
        /// Until when, in his own time; `None`: he has none.
        until: Option<String>,
        /// Whether it was ended just now.
        ended: bool,
        /// How many days more could be taken.
        days_left: i64,
    },
    /// A resignation out of turn was noted or cancelled.
    ResignNoted {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Who resigns.
        userid: String,
        /// Whose turn it is.
        to_move: String,
        /// Whether it was cancelled.
        cancelled: bool,
    },
    /// Boards were mailed once more.
    Resent {
        /// To whom.
        userid: String,
        /// The title of the game asked for; `None`: all games.
        title: Option<String>,
        /// How many.
        boards: usize,
    },
    /// Moves were queued, or dropped from the queue.
    Queue {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// What wait now, as typed.
        moves: Vec<String>,
        /// Why they were dropped, when they were.
        dropped: Option<String>,
    },
    /// Somebody answered a board mail from an address that is not its reader's.
    ForeignAnswer {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Whose board mail it was.
        userid: String,
        /// From which address.
        sender: String,
        /// What it said.
        line: String,
        /// The move that it confirms, if it does.
        #[serde(default)]
        confirms: Option<String>,
        /// For how many days it can be confirmed.
        days: i64,
    },
    /// Somebody answered a board mail in its reader's name, and nothing proves that it was he.
    UnprovenAnswer {
        /// The game.
        game: String,
        /// Its title.
        title: String,
        /// The board's number.
        number: u32,
        /// Whose board mail it was.
        userid: String,
        /// What it said.
        line: String,
    },
    /// The results of `multiple`.
    Multiple {
        /// Line by line.
        lines: Vec<LineResult>,
    },
    /// The same mail came twice.
    AlreadyPlayed {
        /// The command, passwords masked.
        echo: String,
        /// The board it was about.
        sheet: Option<Box<Sheet>>,
    },
    /// The last answer of this hour.
    BudgetSpent,
}
