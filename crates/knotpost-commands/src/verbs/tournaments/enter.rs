//! `enter`: take part in a tournament.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Enter,
    scope: Scope::Server,
    words: &["enter"],
    synonyms: &[],
    syntax: &["enter userid password tournament"],
    meaning: "take part in a tournament, which the list of `tournaments` names",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "enter {userid} PASSWORD t1",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Enter { who: args.who(0)?, tournament: args.tournament(2)? })
}
