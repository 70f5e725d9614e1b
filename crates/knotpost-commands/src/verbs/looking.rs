//! The verbs that only look.

use super::Args;
use crate::command::Command;
use crate::error::{ErrorCode, ParseError};
use crate::value::{BoardAt, Selector};
use crate::verb::Verb;

/// The selectors of a table of boards.
const TABLE: [Selector; 4] = [Selector::All, Selector::Active, Selector::Inactive, Selector::Next];

/// Reads the arguments of a verb that only looks.
pub(super) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let game = args.game_name();
    match args.verb {
        Verb::Show => read_show(args),
        Verb::ShowAs => read_show_as(args),
        Verb::Games => {
            let (users, selector) = args.users(0, &TABLE)?;
            Ok(Command::Games { game, users, selector })
        }
        Verb::AllShow => {
            let (users, selector) = args.users(0, &Selector::ALL)?;
            if users.is_empty() { Err(args.too_few()) } else { Ok(Command::AllShow { users, selector }) }
        }
        Verb::AllGames => {
            let (users, selector) = args.users(0, &TABLE)?;
            if users.is_empty() { Err(args.too_few()) } else { Ok(Command::AllGames { users, selector }) }
        }
        Verb::Standings => {
            args.count(0, 0)?;
            Ok(Command::Standings { game })
        }
        Verb::History => {
            let (users, _) = args.users(0, &[Selector::All])?;
            Ok(Command::History { game, users })
        }
        Verb::Export => {
            args.count(1, 1)?;
            Ok(Command::Export { game, board: args.board_at(args.word(0)?)? })
        }
        _ => {
            let subjects = std::iter::once(game).chain(args.texts(0).map(str::to_lowercase));
            Ok(Command::Help { subjects: subjects.collect() })
        }
    }
}

/// Boards by number, or the boards of users; a leading `board` says nothing.
fn read_show(args: &Args<'_>) -> Result<Command, ParseError> {
    let game = args.game_name();
    let first = args.texts(0).next();
    let from = usize::from(first.is_some_and(|word| word.eq_ignore_ascii_case("board")));
    let first = args.texts(from).next();
    if from == 1 || first.is_some_and(|word| BoardAt::from_word(word).is_some()) {
        args.count(from + 1, usize::MAX)?;
        let boards = args.texts(from).map(|word| args.board_at(word)).collect::<Result<_, _>>()?;
        return Ok(Command::ShowBoards { game, boards });
    }
    let (users, selector) = args.users(0, &Selector::ALL)?;
    if users.is_empty() && selector != Some(Selector::Tournament) {
        let message = "all boards of all players would be too much mail; name boards or userids";
        return Err(args.fail(ErrorCode::TooMuchMail, message));
    }
    Ok(Command::ShowUsers { game, users, selector })
}

fn read_show_as(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(2, usize::MAX)?;
    let (game, who) = (args.game_name(), args.who(0)?);
    if let Some(selector) = args.texts(2).next().and_then(Selector::from_word) {
        args.count(3, 3)?;
        return Ok(Command::ShowAs { game, who, boards: Vec::new(), selector: Some(selector) });
    }
    let boards = args.texts(2).map(|word| args.board_at(word)).collect::<Result<_, _>>()?;
    Ok(Command::ShowAs { game, who, boards, selector: None })
}
