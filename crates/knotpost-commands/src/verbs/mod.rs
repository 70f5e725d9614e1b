//! The verbs, one file each: specification, and parsing of arguments. Here are their list, the resulting
//! commands, and the facts that commands expose.
//!
//! The front of the line is parsed before; readers shared by verbs are in `arguments`. A command is a
//! request: it implies neither permission nor the existence of a board.

mod accounts {
    pub(super) mod add;
    pub(super) mod change_address;
    pub(super) mod change_password;
    pub(super) mod delete;
    pub(super) mod export_me;
    pub(super) mod game_set;
    pub(super) mod password_reset;
    pub(super) mod set;
    pub(super) mod signoff;
    pub(super) mod signup;
    pub(super) mod vacation;
}

mod boards {
    pub(super) mod analyse;
    pub(super) mod challenge;
    pub(super) mod chat;
    pub(super) mod confirm;
    pub(super) mod hint;
    pub(super) mod r#move;
    pub(super) mod preview;
    pub(super) mod queue;
    pub(super) mod rematch;
    pub(super) mod resign;
    pub(super) mod submit;
    pub(super) mod swap;
}

mod lists {
    pub(super) mod all_games;
    pub(super) mod all_show;
    pub(super) mod export;
    pub(super) mod games;
    pub(super) mod history;
    pub(super) mod list;
    pub(super) mod puzzle;
    pub(super) mod show;
    pub(super) mod show_as;
    pub(super) mod standings;
    pub(super) mod test_display;
}

mod messages {
    pub(super) mod broadcast;
    pub(super) mod message;
    pub(super) mod notify;
    pub(super) mod resend;
    pub(super) mod subscribe;
    pub(super) mod unsubscribe;
}

mod opponents {
    pub(super) mod accept;
    pub(super) mod limit;
    pub(super) mod reject;
    pub(super) mod seek;
}

mod game_help;
mod help;
mod multiple;

use crate::arguments::Args;
use crate::bound::List;
use crate::command::Parts;
use crate::error::ParseError;
use crate::value::{
    Action, BoardAt, BoardSet, GivenOption, Leaving, LimitChange, QueuedMove, Remarks, SeekChange, Selector,
    ServerOptions, Setting, Vacation,
};
use crate::verb::VerbSpec;
use crate::words::Credentials;

/// Declares the verbs from one list of `Verb = folder::file`. Each file has the verb's `SPEC` and a function
/// `read`.
macro_rules! verbs {
    ($($verb:ident = $group:tt::$file:ident,)*) => {
        /// A verb of the command language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each verb describes itself, see `VerbSpec::meaning`")]
        pub enum Verb {
            $($verb,)*
        }

        impl Verb {
            /// Every verb, server verbs first, in the order of the help.
            pub fn all() -> &'static [Self] {
                &[$(Self::$verb,)*]
            }

            /// The description of the verb.
            pub fn spec(self) -> &'static VerbSpec {
                match self {
                    $(Self::$verb => &const { $group::$file::SPEC },)*
                }
            }
        }

        pub(crate) fn read_arguments(args: &Args<'_>) -> Result<Command, ParseError> {
            match args.verb {
                $(Verb::$verb => $group::$file::read(args),)*
            }
        }

        // Compile-time check that a file describes its own verb.
        $(const _: () = assert!(matches!($group::$file::SPEC.verb, Verb::$verb));)*
    };
}

verbs! {
    Help = self::help,
    Signup = accounts::signup,
    Add = accounts::add,
    ChangePassword = accounts::change_password,
    ChangeAddress = accounts::change_address,
    Signoff = accounts::signoff,
    Delete = accounts::delete,
    List = lists::list,
    Message = messages::message,
    Broadcast = messages::broadcast,
    Multiple = self::multiple,
    AllShow = lists::all_show,
    AllGames = lists::all_games,
    PasswordReset = accounts::password_reset,
    Vacation = accounts::vacation,
    ExportMe = accounts::export_me,
    Set = accounts::set,
    Puzzle = lists::puzzle,
    TestDisplay = lists::test_display,
    Resend = messages::resend,
    GameHelp = self::game_help,
    Challenge = boards::challenge,
    Move = boards::r#move,
    Queue = boards::queue,
    Swap = boards::swap,
    Resign = boards::resign,
    Chat = boards::chat,
    Submit = boards::submit,
    Confirm = boards::confirm,
    Rematch = boards::rematch,
    Hint = boards::hint,
    Analyse = boards::analyse,
    Preview = boards::preview,
    Accept = opponents::accept,
    Reject = opponents::reject,
    Limit = opponents::limit,
    Seek = opponents::seek,
    Subscribe = messages::subscribe,
    Unsubscribe = messages::unsubscribe,
    Notify = messages::notify,
    GameSet = accounts::game_set,
    Show = lists::show,
    ShowAs = lists::show_as,
    Games = lists::games,
    Standings = lists::standings,
    History = lists::history,
    Export = lists::export,
}

/// One command. Games carry their canonical lower-case name; userids are as typed.
///
/// `swap board …` and `resign board …` are a [`Command::Move`] with that action. `Debug` shows the verb, game
/// and board, and nothing that could be a misplaced password.
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
    /// Replace the addresses; none: the sender's.
    ChangeAddress { who: Credentials, addresses: Vec<String> },
    /// Drop addresses; none: the sender's.
    Signoff { who: Credentials, addresses: Vec<String> },
    /// Close the account.
    Delete { who: Credentials, leaving: Leaving, remarks: Remarks },
    /// Numbers of boards, or the boards of these games.
    List { games: Vec<String> },
    /// Mail the body to these users; at least one.
    Message { who: Credentials, to: Vec<String> },
    /// Mail the body to every user who takes broadcasts.
    Broadcast { who: Credentials },
    /// The body holds commands, see [`crate::command_lines`].
    Multiple,
    /// `show` over all games; at least one user.
    AllShow { users: Vec<String>, selector: Option<Selector> },
    /// `games` over all games; at least one user.
    AllGames { users: Vec<String>, selector: Option<Selector> },
    /// Reset a forgotten password.
    PasswordReset { userid: String },
    /// Time off.
    Vacation { who: Credentials, until: Vacation },
    /// A link to all data about the user.
    ExportMe { who: Credentials },
    /// Preferences, for one game or for all; none: show them.
    Set { who: Credentials, game: Option<String>, values: Vec<Setting> },
    /// The puzzle of a day, by default today's; `play` is checked. Without a game: those of all games.
    Puzzle { game: Option<String>, day: Option<u16>, play: Option<String> },
    /// A sample board in every format.
    TestDisplay { userid: Option<String> },
    /// Mail the waiting boards once more.
    Resend { who: Credentials, game: Option<String>, board: Option<u32> },
    /// A new board; at least one player.
    Challenge { game: String, players: Vec<String>, options: Vec<GivenOption>, server: ServerOptions },
    /// Act on a board. Without a game, the user's only board of that number is meant.
    /// `number` is the number the move must get, counted from 1.
    Move { game: Option<String>, board: u32, who: Credentials, action: Action, number: Option<u32> },
    /// Queue moves; at least one.
    Queue { game: String, board: u32, who: Credentials, moves: Vec<QueuedMove>, number: Option<u32> },
    /// The body goes to players and subscribers.
    Chat { game: String, board: u32, who: Credentials },
    /// First half of a two-step move: a move, a pass or a swap.
    Submit { game: String, board: u32, who: Credentials, action: Action, number: Option<u32> },
    /// Second half of a two-step move.
    Confirm { game: String, board: u32, who: Credentials },
    /// A new board after a finished one.
    Rematch { game: String, board: u32, who: Credentials },
    /// A computer player's move for the player to move.
    Hint { game: String, board: u32, who: Credentials },
    /// Evaluation of a finished board, move by move.
    Analyse { game: String, board: u32 },
    /// The board after these moves (moves, passes, swaps); at least one.
    Preview { game: String, board: u32, at: Option<i64>, moves: Vec<Action> },
    /// As `Preview`, from an empty board for this number of players.
    PreviewNew { game: String, players: u32, moves: Vec<Action>, options: Vec<GivenOption> },
    /// Take challenges of this game.
    Accept { game: String, who: Credentials },
    /// Refuse challenges of this game.
    Reject { game: String, who: Credentials },
    /// The maximum number of a user's boards.
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
    /// End watching boards.
    Unsubscribe { game: String, who: Credentials, boards: BoardSet },
    /// Mail about ends of boards; no boards: switch it for all.
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
    /// Facts exposed by commands. Fields are matched without `..`, so that a new one cannot be forgotten.
    pub(crate) fn parts(&self) -> Parts<'_> {
        match self {
            Self::Help { subjects: _ } => Parts::of(Verb::Help),
            Self::Signup { who: _, addresses: _ } => Parts::of(Verb::Signup),
            Self::Add { who, addresses: _ } => Parts::of(Verb::Add).by(who),
            Self::ChangePassword { who, new: _ } => Parts::of(Verb::ChangePassword).by(who),
            Self::ChangeAddress { who, addresses: _ } => Parts::of(Verb::ChangeAddress).by(who),
            Self::Signoff { who, addresses: _ } => Parts::of(Verb::Signoff).by(who),
            Self::Delete { who, leaving: _, remarks: _ } => Parts::of(Verb::Delete).by(who),
            Self::List { games: _ } => Parts::of(Verb::List),
            Self::Message { who, to: _ } => Parts::of(Verb::Message).by(who),
            Self::Broadcast { who } => Parts::of(Verb::Broadcast).by(who),
            Self::Multiple => Parts::of(Verb::Multiple),
            Self::AllShow { users: _, selector: _ } => Parts::of(Verb::AllShow),
            Self::AllGames { users: _, selector: _ } => Parts::of(Verb::AllGames),
            Self::PasswordReset { userid: _ } => Parts::of(Verb::PasswordReset),
            Self::Vacation { who, until: _ } => Parts::of(Verb::Vacation).by(who),
            Self::ExportMe { who } => Parts::of(Verb::ExportMe).by(who),
            Self::Set { who, game: None, values: _ } => Parts::of(Verb::Set).by(who),
            Self::Set { who, game: Some(game), values: _ } => Parts::of(Verb::GameSet).by(who).in_game(game),
            Self::Puzzle { game, day: _, play: _ } => Parts::of(Verb::Puzzle).in_any(game.as_ref()),
            Self::TestDisplay { userid: _ } => Parts::of(Verb::TestDisplay),
            Self::Resend { who, game, board } => {
                Parts::of(Verb::Resend).by(who).in_any(game.as_ref()).on(*board)
            }
            Self::Challenge { game, players: _, options: _, server: _ } => {
                Parts::of(Verb::Challenge).in_game(game)
            }
            Self::Move { game, board, who, action, number: _ } => {
                Parts::of(verb_of(action)).by(who).in_any(game.as_ref()).on(*board)
            }
            Self::Queue { game, board, who, moves: _, number: _ } => {
                Parts::of(Verb::Queue).by(who).in_game(game).on(*board)
            }
            Self::Chat { game, board, who } => Parts::of(Verb::Chat).by(who).in_game(game).on(*board),
            Self::Submit { game, board, who, action: _, number: _ } => {
                Parts::of(Verb::Submit).by(who).in_game(game).on(*board)
            }
            Self::Confirm { game, board, who } => Parts::of(Verb::Confirm).by(who).in_game(game).on(*board),
            Self::Rematch { game, board, who } => Parts::of(Verb::Rematch).by(who).in_game(game).on(*board),
            Self::Hint { game, board, who } => Parts::of(Verb::Hint).by(who).in_game(game).on(*board),
            Self::Analyse { game, board } => Parts::of(Verb::Analyse).in_game(game).on(*board),
            Self::Preview { game, board, at: _, moves: _ } => {
                Parts::of(Verb::Preview).in_game(game).on(*board)
            }
            Self::PreviewNew { game, players: _, moves: _, options: _ } => {
                Parts::of(Verb::Preview).in_game(game)
            }
            Self::Accept { game, who } => Parts::of(Verb::Accept).by(who).in_game(game),
            Self::Reject { game, who } => Parts::of(Verb::Reject).by(who).in_game(game),
            Self::Limit { game, who, change: _ } => Parts::of(Verb::Limit).by(who).in_game(game),
            Self::Seek { game, who, change: _, options: _, server: _ } => {
                Parts::of(Verb::Seek).by(who).in_game(game)
            }
            Self::Subscribe { game, who, boards } => {
                Parts::of(Verb::Subscribe).by(who).in_game(game).on(only_of(boards))
            }
            Self::Unsubscribe { game, who, boards } => {
                Parts::of(Verb::Unsubscribe).by(who).in_game(game).on(only_of(boards))
            }
            Self::Notify { game, who, boards } => {
                Parts::of(Verb::Notify).by(who).in_game(game).on(only(boards))
            }
            Self::ShowBoards { game, boards } => {
                Parts::of(Verb::Show).in_game(game).on(only(boards).map(|board| board.number))
            }
            Self::ShowUsers { game, users: _, selector: _ } => Parts::of(Verb::Show).in_game(game),
            Self::ShowAs { game, who, boards, selector: _ } => {
                Parts::of(Verb::ShowAs).by(who).in_game(game).on(only(boards).map(|board| board.number))
            }
            Self::Games { game, users: _, selector: _ } => Parts::of(Verb::Games).in_game(game),
            Self::Standings { game } => Parts::of(Verb::Standings).in_game(game),
            Self::History { game, users: _ } => Parts::of(Verb::History).in_game(game),
            Self::Export { game, board } => Parts::of(Verb::Export).in_game(game).on(board.number),
        }
    }

    pub(crate) fn lists(&mut self) -> Vec<List<'_>> {
        match self {
            Self::Signup { who: _, addresses }
            | Self::Add { who: _, addresses }
            | Self::ChangeAddress { who: _, addresses }
            | Self::Signoff { who: _, addresses } => vec![List::Names(addresses, "addresses")],
            Self::List { games } => vec![List::Names(games, "games")],
            Self::Message { who: _, to } => vec![List::Names(to, "users")],
            Self::AllShow { users, selector: _ }
            | Self::AllGames { users, selector: _ }
            | Self::ShowUsers { game: _, users, selector: _ }
            | Self::Games { game: _, users, selector: _ }
            | Self::History { game: _, users } => vec![List::Names(users, "users")],
            Self::ShowBoards { game: _, boards } | Self::ShowAs { game: _, who: _, boards, selector: _ } => {
                vec![List::BoardsAt(boards)]
            }
            Self::Subscribe { game: _, who: _, boards: BoardSet::These(boards) }
            | Self::Unsubscribe { game: _, who: _, boards: BoardSet::These(boards) }
            | Self::Notify { game: _, who: _, boards } => vec![List::Boards(boards)],
            // A subject may be two words, a player may hold two sides, and a move may be made twice.
            Self::Help { subjects } => vec![List::names_as_given(subjects, "subjects")],
            Self::Challenge { game: _, players, options, server: _ } => {
                vec![List::names_as_given(players, "players"), List::names_as_given(options, "options")]
            }
            Self::Seek { game: _, who: _, change: _, options, server: _ } => {
                vec![List::names_as_given(options, "options")]
            }
            Self::Set { who: _, game: _, values } => vec![List::names_as_given(values, "preferences")],
            Self::Queue { game: _, board: _, who: _, moves, number: _ } => vec![List::moves(moves)],
            Self::Preview { game: _, board: _, at: _, moves } => vec![List::moves(moves)],
            Self::PreviewNew { game: _, players: _, moves, options } => {
                vec![List::moves(moves), List::names_as_given(options, "options")]
            }
            Self::ChangePassword { who: _, new: _ }
            | Self::Subscribe { game: _, who: _, boards: BoardSet::All }
            | Self::Unsubscribe { game: _, who: _, boards: BoardSet::All }
            | Self::Delete { who: _, leaving: _, remarks: _ }
            | Self::ExportMe { who: _ }
            | Self::Broadcast { who: _ }
            | Self::Multiple
            | Self::PasswordReset { userid: _ }
            | Self::Vacation { who: _, until: _ }
            | Self::Puzzle { game: _, day: _, play: _ }
            | Self::TestDisplay { userid: _ }
            | Self::Resend { who: _, game: _, board: _ }
            | Self::Move { game: _, board: _, who: _, action: _, number: _ }
            | Self::Chat { game: _, board: _, who: _ }
            | Self::Submit { game: _, board: _, who: _, action: _, number: _ }
            | Self::Confirm { game: _, board: _, who: _ }
            | Self::Rematch { game: _, board: _, who: _ }
            | Self::Hint { game: _, board: _, who: _ }
            | Self::Analyse { game: _, board: _ }
            | Self::Accept { game: _, who: _ }
            | Self::Reject { game: _, who: _ }
            | Self::Limit { game: _, who: _, change: _ }
            | Self::Standings { game: _ }
            | Self::Export { game: _, board: _ } => Vec::new(),
        }
    }
}

fn verb_of(action: &Action) -> Verb {
    match action {
        Action::Swap => Verb::Swap,
        Action::Resign => Verb::Resign,
        Action::Move(_)
        | Action::Pass
        | Action::Propose
        | Action::Undo
        | Action::Substitute
        | Action::Accept
        | Action::Reject => Verb::Move,
    }
}

fn only_of(boards: &BoardSet) -> Option<u32> {
    match boards {
        BoardSet::All => None,
        BoardSet::These(boards) => only(boards),
    }
}

fn only<T: Copy>(items: &[T]) -> Option<T> {
    if let [item] = items { Some(*item) } else { None }
}
