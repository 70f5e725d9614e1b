//! `unblock`: the end of a block.

use super::block::read_relating;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Relating;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Unblock,
    scope: Scope::Server,
    words: &["unblock"],
    synonyms: &[],
    syntax: &["unblock userid password [touserid ...]"],
    meaning: "end a block",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "unblock {userid} PASSWORD {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    read_relating(args, Relating::Unblock)
}
