//! `delete`: leaving the server for good.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Delete,
    scope: Scope::Server,
    words: &["delete"],
    synonyms: &[],
    syntax: &["delete userid password"],
    meaning: "leave the server: resign every board and forget addresses and password",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "delete {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    args.count(2, 2)?;
    Ok(Command::Delete { who: args.who(0)? })
}
