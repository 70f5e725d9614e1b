//! `subscribe`: watching boards.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::{BoardAt, BoardSet};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Subscribe,
    scope: Scope::Game,
    words: &["subscribe"],
    synonyms: &["sub"],
    syntax: &["<game> subscribe board userid password", "<game> subscribe userid password board ...|all"],
    meaning: "watch boards: get their mail without playing",
    who: WhoAt::Either,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} subscribe {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let (at, boards) = read_board_set(args)?;
    Ok(Command::Subscribe { game: args.game_name(), who: args.who(at)?, boards })
}

/// Both word orders of `subscribe` and `unsubscribe`: position of userid and password, and the boards.
pub(in crate::verbs) fn read_board_set(args: &Args<'_>) -> Result<(usize, BoardSet), ParseError> {
    args.count(3, usize::MAX)?;
    if BoardAt::from_word(args.word(0)?).is_some() {
        args.count(3, 3)?;
        return Ok((1, BoardSet::These(vec![args.board(0)?])));
    }
    if args.word(2)?.eq_ignore_ascii_case("all") {
        args.count(3, 3)?;
        return Ok((0, BoardSet::All));
    }
    Ok((0, BoardSet::These(args.board_numbers(2)?)))
}
