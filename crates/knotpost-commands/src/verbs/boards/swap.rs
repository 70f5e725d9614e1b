//! `swap`: short for `move … swap`.

use super::r#move;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Action;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Swap,
    scope: Scope::Game,
    words: &["swap"],
    synonyms: &[],
    syntax: &["<game> swap board userid password"],
    meaning: "change sides, where the game has it",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} swap {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    r#move::read_short_for(args, Action::Swap)
}
