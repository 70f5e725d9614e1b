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
    pub(super) mod favourite;
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

mod people {
    pub(super) mod about;
    pub(super) mod block;
    pub(super) mod follow;
    pub(super) mod players;
    pub(super) mod profile;
    pub(super) mod unblock;
    pub(super) mod unfollow;
}

mod tournaments {
    pub(super) mod announce;
    pub(super) mod direct;
    pub(super) mod enter;
    pub(super) mod ladder_challenge;
    pub(super) mod tournament;
    #[expect(clippy::module_inception, reason = "a verb's file is named like the verb")]
    pub(super) mod tournaments;
    pub(super) mod withdraw;
}

mod game_help;
mod help;
mod multiple;

use accounts::delete::{SURE, WITH_REMARKS};
use accounts::favourite::OFF;
use people::about::NONE;

use crate::arguments::Args;
use crate::command::{Parts, Words};
use crate::error::ParseError;
use crate::token::read_option;
use crate::value::{
    Action, BoardAt, BoardSet, DirectorAction, GivenOption, Leaving, LimitChange, QueuedMove, Relating,
    Remarks, SeekChange, Selector, ServerOptions, Setting, TournamentPart, TournamentSelector, Vacation,
};
use crate::verb::VerbSpec;
use crate::words::{Credentials, Password};

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
    Players = people::players,
    Profile = people::profile,
    About = people::about,
    Block = people::block,
    Unblock = people::unblock,
    Follow = people::follow,
    Unfollow = people::unfollow,
    Multiple = self::multiple,
    AllShow = lists::all_show,
    AllGames = lists::all_games,
    PasswordReset = accounts::password_reset,
    Vacation = accounts::vacation,
    ExportMe = accounts::export_me,
    Set = accounts::set,
    Favourite = accounts::favourite,
    Puzzle = lists::puzzle,
    TestDisplay = lists::test_display,
    Resend = messages::resend,
    Tournaments = tournaments::tournaments,
    Tournament = tournaments::tournament,
    Announce = tournaments::announce,
    Enter = tournaments::enter,
    Withdraw = tournaments::withdraw,
    Direct = tournaments::direct,
    GameHelp = self::game_help,
    Challenge = boards::challenge,
    LadderChallenge = tournaments::ladder_challenge,
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
    /// Table of players whose names begin like this, in lower case.
    Players { begin: Option<String> },
    /// Facts about a player; with another, their games against each other.
    Profile { userid: String, other: Option<String> },
    /// The body is what they say about themselves; empty: show it.
    About { who: Credentials, is_removed: bool },
    /// Block or follow these users, or no longer; none: list them.
    Relate { who: Credentials, users: Vec<String>, change: Relating },
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
    /// The mark of a favourite game.
    Favourite { game: String, who: Credentials, is_favourite: bool },
    /// The puzzle of a day, by default today's; `play` is checked. Without a game: those of all games.
    Puzzle { game: Option<String>, day: Option<u16>, play: Option<String> },
    /// A sample board in every format.
    TestDisplay { userid: Option<String> },
    /// Mail the waiting boards once more.
    Resend { who: Credentials, game: Option<String>, board: Option<u32> },
    /// Table of tournaments; without a selector those that are open or running.
    Tournaments { game: Option<String>, which: Option<TournamentSelector> },
    /// One tournament, or a part of it. Names of tournaments are a `t` and a number.
    Tournament { tournament: String, part: Option<TournamentPart> },
    /// A new tournament; the form is in lower case; the values of its terms are unchecked.
    Announce {
        game: String,
        who: Credentials,
        form: String,
        options: Vec<GivenOption>,
        terms: Vec<GivenOption>,
    },
    /// Take part in a tournament.
    Enter { who: Credentials, tournament: String },
    /// Leave a tournament.
    Withdraw { who: Credentials, tournament: String },
    /// Direct a tournament.
    Direct { who: Credentials, tournament: String, action: DirectorAction },
    /// Play somebody above on a ladder; without an opponent, the highest who can be challenged.
    LadderChallenge { who: Credentials, tournament: String, opponent: Option<String> },
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
    // Fields are matched without `..`, so that a new one cannot be forgotten.

    /// Facts exposed by commands.
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
            Self::Players { begin: _ } => Parts::of(Verb::Players),
            Self::Profile { userid: _, other: _ } => Parts::of(Verb::Profile),
            Self::About { who, is_removed: _ } => Parts::of(Verb::About).by(who),
            Self::Relate { who, users: _, change } => Parts::of(verb_of_relating(*change)).by(who),
            Self::Multiple => Parts::of(Verb::Multiple),
            Self::AllShow { users: _, selector: _ } => Parts::of(Verb::AllShow),
            Self::AllGames { users: _, selector: _ } => Parts::of(Verb::AllGames),
            Self::PasswordReset { userid: _ } => Parts::of(Verb::PasswordReset),
            Self::Vacation { who, until: _ } => Parts::of(Verb::Vacation).by(who),
            Self::ExportMe { who } => Parts::of(Verb::ExportMe).by(who),
            Self::Set { who, game: None, values: _ } => Parts::of(Verb::Set).by(who),
            Self::Set { who, game: Some(game), values: _ } => Parts::of(Verb::GameSet).by(who).in_game(game),
            Self::Favourite { game, who, is_favourite: _ } => {
                Parts::of(Verb::Favourite).by(who).in_game(game)
            }
            Self::Puzzle { game, day: _, play: _ } => Parts::of(Verb::Puzzle).in_any(game.as_ref()),
            Self::TestDisplay { userid: _ } => Parts::of(Verb::TestDisplay),
            Self::Resend { who, game, board } => {
                Parts::of(Verb::Resend).by(who).in_any(game.as_ref()).on(*board)
            }
            Self::Tournaments { game, which: _ } => Parts::of(Verb::Tournaments).in_any(game.as_ref()),
            Self::Tournament { tournament: _, part: _ } => Parts::of(Verb::Tournament),
            Self::Announce { game, who, form: _, options: _, terms: _ } => {
                Parts::of(Verb::Announce).by(who).in_game(game)
            }
            Self::Enter { who, tournament: _ } => Parts::of(Verb::Enter).by(who),
            Self::Withdraw { who, tournament: _ } => Parts::of(Verb::Withdraw).by(who),
            Self::Direct { who, tournament: _, action: _ } => Parts::of(Verb::Direct).by(who),
            Self::LadderChallenge { who, tournament: _, opponent: _ } => {
                Parts::of(Verb::LadderChallenge).by(who)
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

    /// Words of a line behind the verb. A game and options stand elsewhere.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = Words::none();
        let spelled = match self {
            Self::Multiple | Self::Standings { game: _ } => words,
            Self::Help { subjects: texts }
            | Self::List { games: texts }
            | Self::Challenge { game: _, players: texts, options: _, server: _ } => words.all(texts),
            Self::Signup { who, addresses } => {
                words.add(&who.userid).all(who.password.iter().map(Password::expose)).all(addresses)
            }
            Self::Add { who, addresses }
            | Self::ChangeAddress { who, addresses }
            | Self::Signoff { who, addresses } => words.who(who).all(addresses),
            Self::ChangePassword { who, new } => words.who(who).add(new.expose()),
            Self::Delete { who, leaving, remarks } => words
                .who(who)
                .all((*leaving == Leaving::Sure).then_some(SURE))
                .all((*remarks == Remarks::Removed).then_some(WITH_REMARKS)),
            Self::ExportMe { who }
            | Self::Broadcast { who }
            | Self::Set { who, game: _, values: _ }
            | Self::Accept { game: _, who }
            | Self::Reject { game: _, who } => words.who(who),
            Self::Favourite { game, who, is_favourite } => {
                words.add(game).who(who).all((!is_favourite).then_some(OFF))
            }
            Self::Players { begin } => words.all(begin),
            Self::Profile { userid, other } => words.add(userid).all(other),
            Self::About { who, is_removed } => words.who(who).all(is_removed.then_some(NONE)),
            Self::Message { who, to: users } | Self::Relate { who, users, change: _ } => {
                words.who(who).all(users)
            }
            // A selector first: behind it no userid reads as a board.
            Self::AllShow { users, selector }
            | Self::AllGames { users, selector }
            | Self::ShowUsers { game: _, users, selector }
            | Self::Games { game: _, users, selector } => {
                words.all(selector.map(Selector::as_str)).all(users)
            }
            Self::History { game: _, users } => words.all(users),
            Self::PasswordReset { userid } => words.add(userid),
            Self::TestDisplay { userid } => words.all(userid),
            Self::Vacation { who, until } => words.who(who).all(spell_vacation(*until)),
            // Behind `move` no move reads as a day.
            Self::Puzzle { game, day, play } => {
                words.all(game).all(day).all(play.iter().flat_map(|play| ["move", play]))
            }
            Self::Resend { who, game, board } => words.who(who).all(game).all(board),
            Self::Tournaments { game, which } => words.all(game).all(which.map(TournamentSelector::as_str)),
            Self::Tournament { tournament, part } => words.add(tournament).all(part),
            Self::Announce { game, who, form, options: _, terms: _ } => words.who(who).add(game).add(form),
            Self::Enter { who, tournament } | Self::Withdraw { who, tournament } => {
                words.who(who).add(tournament)
            }
            Self::Direct { who, tournament, action } => {
                words.who(who).add(tournament).add(action.as_str()).all(action.arguments())
            }
            Self::LadderChallenge { who, tournament, opponent } => {
                words.who(who).add(tournament).all(opponent)
            }
            Self::Move { game: _, board, who, action, number }
            | Self::Submit { game: _, board, who, action, number } => {
                words.add(board).who(who).all(numbered(vec![action.as_str().to_owned()], *number))
            }
            Self::Queue { game: _, board, who, moves, number } => {
                words.add(board).who(who).all(numbered(spell_queued(moves), *number))
            }
            Self::Chat { game: _, board, who }
            | Self::Confirm { game: _, board, who }
            | Self::Rematch { game: _, board, who }
            | Self::Hint { game: _, board, who } => words.add(board).who(who),
            Self::Analyse { game: _, board } => words.add(board),
            Self::Preview { game: _, board, at, moves } => {
                words.add(BoardAt { number: *board, at: *at }).all(moves.iter().map(Action::as_str))
            }
            Self::PreviewNew { game: _, players, moves, options: _ } => {
                words.add("new").add(players).all(moves.iter().map(Action::as_str))
            }
            Self::Limit { game: _, who, change } => words.who(who).all(match change {
                LimitChange::Show => None,
                LimitChange::Unlimited => Some("none".to_owned()),
                LimitChange::AtMost(most) => Some(most.to_string()),
            }),
            Self::Seek { game: _, who, change, options: _, server: _ } => words.who(who).all(match change {
                SeekChange::Show => None,
                SeekChange::Cancel => Some(0),
                SeekChange::Want(count) => Some(*count),
            }),
            Self::Subscribe { game: _, who, boards } | Self::Unsubscribe { game: _, who, boards } => {
                match boards {
                    BoardSet::All => words.who(who).add("all"),
                    // The board first: a userid of digits would read as one.
                    BoardSet::These(boards) if boards.len() == 1 => words.all(boards).who(who),
                    BoardSet::These(boards) => words.who(who).all(boards),
                }
            }
            Self::Notify { game: _, who, boards } => words.who(who).all(boards),
            Self::ShowBoards { game: _, boards } => words.all(boards),
            Self::ShowAs { game: _, who, boards, selector } => {
                words.who(who).all(selector.map(Selector::as_str)).all(boards)
            }
            Self::Export { game: _, board } => words.add(board),
        };
        spelled.into_texts()
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

fn verb_of_relating(change: Relating) -> Verb {
    match change {
        Relating::Block => Verb::Block,
        Relating::Unblock => Verb::Unblock,
        Relating::Follow => Verb::Follow,
        Relating::Unfollow => Verb::Unfollow,
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

/// The first of some moves carries the number. A word that reads as an option is refused, and named as it came.
fn numbered(mut moves: Vec<String>, number: Option<u32>) -> Vec<String> {
    if let (Some(first), Some(number)) =
        (moves.first_mut().filter(|word| read_option(word).is_none()), number)
    {
        *first = format!("{first}#{number}");
    }
    moves
}

fn spell_queued(moves: &[QueuedMove]) -> Vec<String> {
    let spell = |queued: &QueuedMove| {
        let condition = queued.condition.as_ref().map(|reply| format!("if:{reply}"));
        condition.into_iter().chain([queued.action.as_str().to_owned()])
    };
    if moves.is_empty() { vec!["none".to_owned()] } else { moves.iter().flat_map(spell).collect() }
}

fn spell_vacation(until: Vacation) -> Option<String> {
    match until {
        Vacation::Show => None,
        Vacation::Off => Some("off".to_owned()),
        Vacation::Days(days) => Some(days.to_string()),
        Vacation::Until { year, month, day } => Some(format!("{year:04}-{month:02}-{day:02}")),
    }
}
