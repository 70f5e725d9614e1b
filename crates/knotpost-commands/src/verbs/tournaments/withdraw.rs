//! `withdraw`: leave a tournament.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Withdraw,
    scope: Scope::Server,
    words: &["withdraw"],
    synonyms: &[],
    syntax: &["withdraw userid password tournament"],
    meaning: "leave a tournament; when it is running you lose its boards that you still play",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "withdraw {userid} PASSWORD t1",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Withdraw { who: args.who(0)?, tournament: args.tournament(2)? })
}
