//! `unfollow`: the end of following users.

use super::block::read_relating;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Relating;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Unfollow,
    scope: Scope::Server,
    words: &["unfollow"],
    synonyms: &[],
    syntax: &["unfollow userid password [touserid ...]"],
    meaning: "follow users no longer",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "unfollow {userid} PASSWORD {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    read_relating(args, Relating::Unfollow)
}
