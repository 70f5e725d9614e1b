//! `unsubscribe`: ends watching boards.

use super::subscribe::read_board_set;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Unsubscribe,
    scope: Scope::Game,
    words: &["unsubscribe"],
    synonyms: &["unsub"],
    syntax: &["<game> unsubscribe board userid password", "<game> unsubscribe userid password board ...|all"],
    meaning: "watch boards no longer",
    who: WhoAt::Either,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} unsubscribe {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let (at, boards) = read_board_set(args)?;
    Ok(Command::Unsubscribe { game: args.game_name(), who: args.who(at)?, boards })
}
