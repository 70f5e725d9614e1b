//! Parts of a command with their rules.

use crate::value::{
    Action, BoardAt, BoardSet, GivenOption, LimitChange, QueuedMove, SeekChange, Selector, Setting, Vacation,
};
use crate::verbs::Command;
use crate::words::{Credentials, Password};

pub(super) enum Part<'c> {
    Words(&'c [String]),
    Who(&'c Credentials),
    /// Userid and password of a new user.
    Newcomer(&'c Credentials),
    NewPassword(&'c Password),
    Addresses(&'c mut [String]),
    Users(&'c [String]),
    /// At least one user.
    SomeUsers(&'c [String]),
    /// Users whose boards are shown; none only with a selector that limits the boards.
    ShownUsers(&'c [String], Option<Selector>),
    Userid(&'c str),
    Game(&'c str),
    /// An optional game.
    MaybeGame(Option<&'c str>),
    Games(&'c [String]),
    Board(u32),
    Boards(&'c [u32]),
    BoardsAt(&'c [BoardAt]),
    /// Length of a list with at least one item.
    Listed(usize),
    Days(Vacation),
    Settings(Option<&'c str>, &'c mut Vec<Setting>),
    Options(&'c str, &'c mut Vec<GivenOption>),
    Action(&'c Action, Option<u32>),
    Turn(&'c Action),
    Turns(&'c [Action]),
    Queued(&'c [QueuedMove], Option<u32>),
    Players(u32),
    Limit(LimitChange),
    Search(SeekChange, usize),
}

/// Parts in the order of their refusals. Fields are matched without a wildcard, so that a new one cannot be
/// forgotten.
pub(super) fn parts(command: &mut Command) -> Vec<Part<'_>> {
    use Part::{
        Action, Addresses, Board, Boards, BoardsAt, Days, Game, Games, Limit, Listed, MaybeGame, NewPassword,
        Newcomer, Options, Players, Queued, Search, Settings, ShownUsers, SomeUsers, Turn, Turns, Userid,
        Users, Who, Words,
    };
    match command {
        Command::Help { subjects } => vec![Words(subjects)],
        Command::Signup { who, addresses } => vec![Newcomer(who), Addresses(addresses)],
        Command::Add { who, addresses }
        | Command::ChangeAddress { who, addresses }
        | Command::Signoff { who, addresses } => vec![Who(who), Addresses(addresses)],
        Command::ChangePassword { who, new } => vec![Who(who), NewPassword(new)],
        Command::Delete { who, leaving: _, remarks: _ }
        | Command::ExportMe { who }
        | Command::Broadcast { who } => vec![Who(who)],
        Command::List { games } => vec![Games(games)],
        Command::Message { who, to } => vec![Who(who), SomeUsers(to)],
        Command::Multiple => Vec::new(),
        Command::AllShow { users, selector: _ } | Command::AllGames { users, selector: _ } => {
            vec![SomeUsers(users)]
        }
        Command::PasswordReset { userid } => vec![Userid(userid)],
        Command::Vacation { who, until } => vec![Who(who), Days(*until)],
        Command::Set { who, game, values } => vec![Who(who), Settings(game.as_deref(), values)],
        Command::Puzzle { game, day: _, play } => {
            vec![MaybeGame(game.as_deref()), Words(play.as_slice())]
        }
        Command::TestDisplay { userid } => vec![Users(userid.as_slice())],
        Command::Resend { who, game, board } => {
            vec![Who(who), MaybeGame(game.as_deref()), Boards(board.as_slice())]
        }
        Command::Challenge { game, players, options, server: _ } => {
            vec![SomeUsers(players), Options(game, options)]
        }
        Command::Move { game, board, who, action, number } => {
            vec![Board(*board), Who(who), Action(action, *number), MaybeGame(game.as_deref())]
        }
        Command::Queue { game, board, who, moves, number } => {
            vec![Board(*board), Who(who), Queued(moves, *number), Game(game)]
        }
        Command::Chat { game, board, who }
        | Command::Confirm { game, board, who }
        | Command::Rematch { game, board, who }
        | Command::Hint { game, board, who } => {
            vec![Board(*board), Who(who), Game(game)]
        }
        Command::Analyse { game, board } => vec![Board(*board), Game(game)],
        Command::Submit { game, board, who, action, number } => {
            vec![Board(*board), Who(who), Action(action, *number), Turn(action), Game(game)]
        }
        Command::Preview { game, board, at: _, moves } => {
            vec![Board(*board), Listed(moves.len()), Turns(moves), Game(game)]
        }
        Command::PreviewNew { game, players, moves, options } => {
            vec![Players(*players), Turns(moves), Options(game, options)]
        }
        Command::Accept { game, who } | Command::Reject { game, who } => vec![Who(who), Game(game)],
        Command::Limit { game, who, change } => vec![Who(who), Limit(*change), Game(game)],
        Command::Seek { game, who, change, options, server: _ } => {
            vec![Who(who), Search(*change, options.len()), Options(game, options)]
        }
        Command::Subscribe { game, who, boards } | Command::Unsubscribe { game, who, boards } => match boards
        {
            BoardSet::All => vec![Who(who), Game(game)],
            BoardSet::These(boards) => vec![Who(who), Listed(boards.len()), Boards(boards), Game(game)],
        },
        Command::Notify { game, who, boards } => vec![Who(who), Boards(boards), Game(game)],
        Command::ShowBoards { game, boards } => vec![Listed(boards.len()), BoardsAt(boards), Game(game)],
        Command::ShowUsers { game, users, selector } => vec![ShownUsers(users, *selector), Game(game)],
        Command::ShowAs { game, who, boards, selector: _ } => vec![Who(who), BoardsAt(boards), Game(game)],
        Command::Games { game, users, selector: _ } | Command::History { game, users } => {
            vec![Users(users), Game(game)]
        }
        Command::Standings { game } => vec![Game(game)],
        Command::Export { game, board } => vec![Board(board.number), Game(game)],
    }
}
