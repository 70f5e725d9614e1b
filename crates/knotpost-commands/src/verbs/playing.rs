//! The verbs with which boards are started, played and watched.

use super::Args;
use super::options::read_options;
use crate::command::Command;
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::value::{Action, BoardAt, BoardSet, LimitChange, QueuedMove, SeekChange, read_count};
use crate::verb::Verb;

/// Reads the arguments of a playing verb.
pub(super) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    match args.verb {
        Verb::Challenge => return read_challenge(args),
        Verb::Preview => return read_preview(args),
        Verb::Seek => return read_seek(args),
        _ => args.no_options()?,
    }
    let game = args.game_name();
    match args.verb {
        Verb::Move => read_move(args),
        Verb::Queue => read_queue(args),
        Verb::Submit => {
            args.count(4, 4)?;
            let (action, number) = read_numbered(args, args.word(3)?)?;
            let action = only_turns(args, action)?;
            Ok(Command::Submit { game, board: args.board(0)?, who: args.who(1)?, action, number })
        }
        Verb::Swap | Verb::Resign | Verb::Chat | Verb::Confirm => read_bare(args),
        Verb::Accept => {
            args.count(2, 2)?;
            Ok(Command::Accept { game, who: args.who(0)? })
        }
        Verb::Reject => {
            args.count(2, 2)?;
            Ok(Command::Reject { game, who: args.who(0)? })
        }
        Verb::Limit => {
            args.count(2, 3)?;
            Ok(Command::Limit { game, who: args.who(0)?, change: read_limit(args)? })
        }
        Verb::Subscribe => {
            let (at, boards) = read_board_set(args)?;
            Ok(Command::Subscribe { game, who: args.who(at)?, boards })
        }
        Verb::Unsubscribe => {
            let (at, boards) = read_board_set(args)?;
            Ok(Command::Unsubscribe { game, who: args.who(at)?, boards })
        }
        _ => {
            args.count(2, usize::MAX)?;
            let boards = args.texts(2).map(|word| args.board_number(word)).collect::<Result<_, _>>()?;
            Ok(Command::Notify { game, who: args.who(0)?, boards })
        }
    }
}

fn read_challenge(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(1, usize::MAX)?;
    let players = args.texts(0).map(|word| args.userid(word)).collect::<Result<_, _>>()?;
    let (options, server) = read_options(args)?;
    Ok(Command::Challenge { game: args.game_name(), players, options, server })
}

fn read_move(args: &Args<'_>) -> Result<Command, ParseError> {
    if args.words.len() > 4 {
        let message = "there are more words than a move takes; the move itself is one word without blanks";
        return Err(args.fail(ErrorCode::WrongArguments, message));
    }
    args.count(4, 4)?;
    let board = args.board(0)?;
    let (action, number) = read_numbered(args, args.word(3)?)?;
    let game = (args.game != NamedGame::Missing).then(|| args.game_name());
    Ok(Command::Move { game, board, who: args.who(1)?, action, number })
}

/// A board, a userid and a password, and nothing else.
fn read_bare(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(3, 3)?;
    let (game, board, who) = (args.game_name(), args.board(0)?, args.who(1)?);
    Ok(match args.verb {
        Verb::Chat => Command::Chat { game, board, who },
        Verb::Confirm => Command::Confirm { game, board, who },
        Verb::Swap => Command::Move { game: Some(game), board, who, action: Action::Swap, number: None },
        _ => Command::Move { game: Some(game), board, who, action: Action::Resign, number: None },
    })
}

/// `move` or `move#n`.
fn read_numbered(args: &Args<'_>, word: &str) -> Result<(Action, Option<u32>), ParseError> {
    let Ok((text, number)) = split_number(word) else {
        let message = format!("`{}` does not end in the number of a move, as `#8` does", args.show(word));
        return Err(args.fail(ErrorCode::BadValue, message));
    };
    Ok((Action::from_word(text), number))
}

/// A word in front of `#n` is empty, or what follows `#` is no number of a move.
pub(crate) struct BadNumber;

/// Splits `move#n`; n counts from 1.
pub(crate) fn split_number(word: &str) -> Result<(&str, Option<u32>), BadNumber> {
    match word.rsplit_once('#') {
        None => Ok((word, None)),
        Some(("", _)) => Err(BadNumber),
        Some((text, number)) => match read_count(number).filter(|number| *number > 0) {
            Some(number) => Ok((text, Some(number))),
            None => Err(BadNumber),
        },
    }
}

/// Lets through what can stand for a turn: a move, a pass or a swap.
fn only_turns(args: &Args<'_>, action: Action) -> Result<Action, ParseError> {
    if is_turn(&action) {
        return Ok(action);
    }
    let message = format!("`{}` is not a move that `{}` can take", action.as_str(), args.verb.spec().name());
    Err(args.fail(ErrorCode::BadValue, message))
}

pub(crate) fn is_turn(action: &Action) -> bool {
    matches!(action, Action::Move(_) | Action::Pass | Action::Swap)
}

fn read_queue(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(4, usize::MAX)?;
    let board = args.board(0)?;
    let mut number = None;
    let mut texts = Vec::new();
    for (index, word) in args.texts(3).enumerate() {
        let text = if index == 0 {
            let (_, given) = read_numbered(args, word)?;
            number = given;
            if given.is_some() { word.rsplit_once('#').map_or(word, |(text, _)| text) } else { word }
        } else {
            word
        };
        texts.push(text);
    }
    let moves = read_queued(&texts).map_err(|problem| args.fail(ErrorCode::BadValue, problem))?;
    Ok(Command::Queue { game: args.game_name(), board, who: args.who(1)?, moves, number })
}

/// Reads moves with conditions in front of some of them; at least one move.
pub(crate) fn read_queued(words: &[&str]) -> Result<Vec<QueuedMove>, &'static str> {
    const DANGLING: &str = "after `if:` and a reply must come the move to make then";
    let mut moves = Vec::new();
    let mut condition: Option<String> = None;
    for word in words {
        let lower = word.get(..3).map(str::to_ascii_lowercase);
        if let Some(reply) = word.get(3..).filter(|_| lower.as_deref() == Some("if:")) {
            if reply.is_empty() {
                return Err("the reply follows `if:` without a blank, as in `if:f9`");
            }
            if condition.replace(reply.to_owned()).is_some() {
                return Err(DANGLING);
            }
            continue;
        }
        let action = Action::from_word(word);
        if !is_turn(&action) {
            return Err("only moves, `pass` and `swap` can be queued");
        }
        moves.push(QueuedMove { condition: condition.take(), action });
    }
    if condition.is_some() || moves.is_empty() { Err(DANGLING) } else { Ok(moves) }
}

fn read_preview(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(1, usize::MAX)?;
    let game = args.game_name();
    let first = args.word(0)?;
    let moves = |from: usize| {
        args.texts(from).map(|word| only_turns(args, Action::from_word(word))).collect::<Result<Vec<_>, _>>()
    };
    if first.eq_ignore_ascii_case("new") {
        args.count(2, usize::MAX)?;
        let word = args.word(1)?;
        let players = read_count(word).filter(|players| (1..=99).contains(players)).ok_or_else(|| {
            let message = format!("`{}` is not a number of players", args.show(word));
            args.fail(ErrorCode::WrongArguments, message)
        })?;
        let (options, _) = read_options(args)?;
        return Ok(Command::PreviewNew { game, players, moves: moves(2)?, options });
    }
    args.no_options()?;
    args.count(2, usize::MAX)?;
    let BoardAt { number: board, at } = args.board_at(first)?;
    Ok(Command::Preview { game, board, at, moves: moves(1)? })
}

fn read_limit(args: &Args<'_>) -> Result<LimitChange, ParseError> {
    let Ok(word) = args.word(2) else { return Ok(LimitChange::Show) };
    if word.eq_ignore_ascii_case("none") {
        return Ok(LimitChange::Unlimited);
    }
    read_number(args, word).map(LimitChange::AtMost)
}

fn read_seek(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(2, 3)?;
    let change = match args.word(2) {
        Err(_) if args.options.is_empty() => SeekChange::Show,
        Err(_) => {
            let message = "options only make sense with the number of boards wanted";
            return Err(args.fail(ErrorCode::WrongArguments, message));
        }
        Ok(word) => match read_number(args, word)? {
            0 => SeekChange::Cancel,
            count => SeekChange::Want(count),
        },
    };
    let (options, server) = read_options(args)?;
    Ok(Command::Seek { game: args.game_name(), who: args.who(0)?, change, options, server })
}

/// A number of boards, at most 9999.
fn read_number(args: &Args<'_>, word: &str) -> Result<u32, ParseError> {
    read_count(word).filter(|count| *count <= 9999).ok_or_else(|| {
        args.fail(ErrorCode::BadValue, format!("`{}` is not a number of boards", args.show(word)))
    })
}

/// The two orders of `subscribe`: where userid and password are, and the boards.
fn read_board_set(args: &Args<'_>) -> Result<(usize, BoardSet), ParseError> {
    args.count(3, usize::MAX)?;
    if BoardAt::from_word(args.word(0)?).is_some() {
        args.count(3, 3)?;
        return Ok((1, BoardSet::These(vec![args.board(0)?])));
    }
    if args.word(2)?.eq_ignore_ascii_case("all") {
        args.count(3, 3)?;
        return Ok((0, BoardSet::All));
    }
    let boards = args.texts(2).map(|word| args.board_number(word)).collect::<Result<_, _>>()?;
    Ok((0, BoardSet::These(boards)))
}
