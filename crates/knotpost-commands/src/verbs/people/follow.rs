//! `follow`: users whose games are shown.

use super::block::read_relating;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Relating;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Follow,
    scope: Scope::Server,
    words: &["follow"],
    synonyms: &[],
    syntax: &["follow userid password [touserid ...]"],
    meaning: "have the games of other users shown on your pages. Nobody more: list whom you follow",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "follow {userid} PASSWORD {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    read_relating(args, Relating::Follow)
}
