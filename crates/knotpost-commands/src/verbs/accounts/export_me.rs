//! `export me`: all data about the user.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::ExportMe,
    scope: Scope::Server,
    words: &["export", "me"],
    synonyms: &[],
    syntax: &["export me userid password"],
    meaning: "get all that this server holds about you: a link to one archive",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "export me {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 2)?;
    Ok(Command::ExportMe { who: args.who(0)? })
}
