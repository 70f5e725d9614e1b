//! A command as the rest of the server sees it: everything said, nothing yet believed.
//!
//! A value here says what somebody asked for. It does not say that he may, nor that the board exists.

use std::fmt;

use crate::value::{
    Action, BoardAt, BoardSet, GivenOption, LimitChange, QueuedMove, SeekChange, Selector, ServerOptions,
    Setting, Vacation,
};
use crate::verb::Verb;
use crate::words::Credentials;

/// One command. Games carry their canonical lower-case name; userids are as typed.
///
/// `swap board …` and `resign board …` are a [`Command::Move`] with that action.
/// `Debug` shows the verb, game and board, and nothing that could be a misplaced password.
#[derive(Clone, PartialEq)]
#[expect(missing_docs, reason = "the fields carry the names of the syntax lines; see `VerbSpec::syntax`")]
pub enum Command {
    /// Help pages; `osbox help` is the subject `osbox`. Subjects are in lower case.
    Help { subjects: Vec<String> },
    /// A new user; userid and password obey the rules for new ones. No addresses: the sender's.
    Signup { who: Credentials, addresses: Vec<String> },
    /// More addresses; none: the sender's.
    Add { who: Credentials, addresses: Vec<String> },
    /// `new` obeys the rules for new passwords.
    ChangePassword { who: Credentials, new: crate::Password },
    /// Other addresses instead of the present ones; none: the sender's.
    ChangeAddress { who: Credentials, addresses: Vec<String> },
    /// Fewer addresses; none: the sender's.
    Signoff { who: Credentials, addresses: Vec<String> },
    /// Leave for good.
    Delete { who: Credentials },
    /// Numbers of boards, or the boards of these games.
    List { games: Vec<String> },
    /// Mail the body to these users; at least one.
    Message { who: Credentials, to: Vec<String> },
    /// Mail the body to everybody who takes broadcasts.
    Broadcast { who: Credentials },
    /// The body holds commands, see [`crate::command_lines`].
    Multiple,
    /// `show` over all games; at least one user.
    AllShow { users: Vec<String>, selector: Option<Selector> },
    /// `games` over all games; at least one user.
    AllGames { users: Vec<String>, selector: Option<Selector> },
    /// A way back in for who forgot the password.
    PasswordReset { userid: String },
    /// Time off.
    Vacation { who: Credentials, until: Vacation },
    /// Preferences, for one game or for all; none: show them.
    Set { who: Credentials, game: Option<String>, values: Vec<Setting> },
    /// A sample board in every format.
    TestDisplay { userid: Option<String> },
    /// The waiting boards once more.
    Resend { who: Credentials, game: Option<String>, board: Option<u32> },
    /// A new board; at least one player.
    Challenge { game: String, players: Vec<String>, options: Vec<GivenOption>, server: ServerOptions },
    /// Act on a board. Without a game, the user's only board of that number is meant.
    /// `number` is the number the move must get, counted from 1.
    Move { game: Option<String>, board: u32, who: Credentials, action: Action, number: Option<u32> },
    /// Moves kept for later; at least one.
    Queue { game: String, board: u32, who: Credentials, moves: Vec<QueuedMove>, number: Option<u32> },
    /// The body goes to players and subscribers.
    Chat { game: String, board: u32, who: Credentials },
    /// First half of a two-step move: a move, a pass or a swap.
    Submit { game: String, board: u32, who: Credentials, action: Action, number: Option<u32> },
    /// Second half of a two-step move.
    Confirm { game: String, board: u32, who: Credentials },
    /// The board after these moves (moves, passes, swaps); at least one.
    Preview { game: String, board: u32, at: Option<i64>, moves: Vec<Action> },
    /// The same from an empty board for so many players.
    PreviewNew { game: String, players: u32, moves: Vec<Action>, options: Vec<GivenOption> },
    /// Take challenges of this game.
    Accept { game: String, who: Credentials },
    /// Refuse challenges of this game.
    Reject { game: String, who: Credentials },
    /// The number of boards a user plays at most.
    Limit { game: String, who: Credentials, change: LimitChange },
    /// Look for opponents.
    Seek {
        game: String,
        who: Credentials,
        change: SeekChange,
        options: Vec<GivenOption>,
        server: ServerOptions,
    },
    /// Watch boards.
    Subscribe { game: String, who: Credentials, boards: BoardSet },
    /// Watch them no longer.
    Unsubscribe { game: String, who: Credentials, boards: BoardSet },
    /// Mail when boards end; no boards: switch it for all.
    Notify { game: String, who: Credentials, boards: Vec<u32> },
    /// Boards with their moves; at least one.
    ShowBoards { game: String, boards: Vec<BoardAt> },
    /// The boards of users; no users only with [`Selector::Tournament`].
    ShowUsers { game: String, users: Vec<String>, selector: Option<Selector> },
    /// Boards as one player sees them.
    ShowAs { game: String, who: Credentials, boards: Vec<BoardAt>, selector: Option<Selector> },
    /// Table of boards.
    Games { game: String, users: Vec<String>, selector: Option<Selector> },
    /// Table of ratings.
    Standings { game: String },
    /// Table of finished boards.
    History { game: String, users: Vec<String> },
    /// The record of a board.
    Export { game: String, board: BoardAt },
}

impl Command {
    /// The credentials that must be verified before the command may act. A sign-up has none to verify.
    pub fn credentials(&self) -> Option<&Credentials> {
        match self {
            Self::Add { who, .. }
            | Self::ChangePassword { who, .. }
            | Self::ChangeAddress { who, .. }
            | Self::Signoff { who, .. }
            | Self::Delete { who }
            | Self::Message { who, .. }
            | Self::Broadcast { who }
            | Self::Vacation { who, .. }
            | Self::Set { who, .. }
            | Self::Resend { who, .. }
            | Self::Move { who, .. }
            | Self::Queue { who, .. }
            | Self::Chat { who, .. }
            | Self::Submit { who, .. }
            | Self::Confirm { who, .. }
            | Self::Accept { who, .. }
            | Self::Reject { who, .. }
            | Self::Limit { who, .. }
            | Self::Seek { who, .. }
            | Self::Subscribe { who, .. }
            | Self::Unsubscribe { who, .. }
            | Self::Notify { who, .. }
            | Self::ShowAs { who, .. } => Some(who),
            _ => None,
        }
    }

    /// The game the command is about, by its canonical name.
    pub fn game(&self) -> Option<&str> {
        match self {
            Self::Set { game, .. } | Self::Resend { game, .. } | Self::Move { game, .. } => game.as_deref(),
            Self::Challenge { game, .. }
            | Self::Queue { game, .. }
            | Self::Chat { game, .. }
            | Self::Submit { game, .. }
            | Self::Confirm { game, .. }
            | Self::Preview { game, .. }
            | Self::PreviewNew { game, .. }
            | Self::Accept { game, .. }
            | Self::Reject { game, .. }
            | Self::Limit { game, .. }
            | Self::Seek { game, .. }
            | Self::Subscribe { game, .. }
            | Self::Unsubscribe { game, .. }
            | Self::Notify { game, .. }
            | Self::ShowBoards { game, .. }
            | Self::ShowUsers { game, .. }
            | Self::ShowAs { game, .. }
            | Self::Games { game, .. }
            | Self::Standings { game }
            | Self::History { game, .. }
            | Self::Export { game, .. } => Some(game),
            _ => None,
        }
    }

    /// The board the command is about, when it is about exactly one.
    pub fn board(&self) -> Option<u32> {
        match self {
            Self::Resend { board, .. } => *board,
            Self::Move { board, .. }
            | Self::Queue { board, .. }
            | Self::Chat { board, .. }
            | Self::Submit { board, .. }
            | Self::Confirm { board, .. }
            | Self::Preview { board, .. } => Some(*board),
            Self::Export { board, .. } => Some(board.number),
            Self::ShowBoards { boards, .. } | Self::ShowAs { boards, .. } => only(boards).map(|b| b.number),
            Self::Subscribe { boards: BoardSet::These(boards), .. }
            | Self::Unsubscribe { boards: BoardSet::These(boards), .. }
            | Self::Notify { boards, .. } => only(boards),
            _ => None,
        }
    }

    /// The verb; `swap board …` and `resign board …` count as [`Verb::Swap`] and [`Verb::Resign`], as do
    /// `move … swap` and `move … resign`.
    pub fn verb(&self) -> Verb {
        match self {
            Self::Help { .. } => Verb::Help,
            Self::Signup { .. } => Verb::Signup,
            Self::Add { .. } => Verb::Add,
            Self::ChangePassword { .. } => Verb::ChangePassword,
            Self::ChangeAddress { .. } => Verb::ChangeAddress,
            Self::Signoff { .. } => Verb::Signoff,
            Self::Delete { .. } => Verb::Delete,
            Self::List { .. } => Verb::List,
            Self::Message { .. } => Verb::Message,
            Self::Broadcast { .. } => Verb::Broadcast,
            Self::Multiple => Verb::Multiple,
            Self::AllShow { .. } => Verb::AllShow,
            Self::AllGames { .. } => Verb::AllGames,
            Self::PasswordReset { .. } => Verb::PasswordReset,
            Self::Vacation { .. } => Verb::Vacation,
            Self::Set { game: None, .. } => Verb::Set,
            Self::Set { game: Some(_), .. } => Verb::GameSet,
            Self::TestDisplay { .. } => Verb::TestDisplay,
            Self::Resend { .. } => Verb::Resend,
            Self::Challenge { .. } => Verb::Challenge,
            Self::Move { action: Action::Swap, .. } => Verb::Swap,
            Self::Move { action: Action::Resign, .. } => Verb::Resign,
            Self::Move { .. } => Verb::Move,
            Self::Queue { .. } => Verb::Queue,
            Self::Chat { .. } => Verb::Chat,
            Self::Submit { .. } => Verb::Submit,
            Self::Confirm { .. } => Verb::Confirm,
            Self::Preview { .. } | Self::PreviewNew { .. } => Verb::Preview,
            Self::Accept { .. } => Verb::Accept,
            Self::Reject { .. } => Verb::Reject,
            Self::Limit { .. } => Verb::Limit,
            Self::Seek { .. } => Verb::Seek,
            Self::Subscribe { .. } => Verb::Subscribe,
            Self::Unsubscribe { .. } => Verb::Unsubscribe,
            Self::Notify { .. } => Verb::Notify,
            Self::ShowBoards { .. } | Self::ShowUsers { .. } => Verb::Show,
            Self::ShowAs { .. } => Verb::ShowAs,
            Self::Games { .. } => Verb::Games,
            Self::Standings { .. } => Verb::Standings,
            Self::History { .. } => Verb::History,
            Self::Export { .. } => Verb::Export,
        }
    }
}

fn only<T: Copy>(items: &[T]) -> Option<T> {
    if let [item] = items { Some(*item) } else { None }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Command");
        shown.field("verb", &self.verb());
        if let Some(game) = self.game() {
            shown.field("game", &game);
        }
        if let Some(board) = self.board() {
            shown.field("board", &board);
        }
        if let Some(who) = self.credentials() {
            shown.field("who", who);
        }
        shown.finish_non_exhaustive()
    }
}
