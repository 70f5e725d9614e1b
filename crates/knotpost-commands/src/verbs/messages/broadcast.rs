//! `broadcast`: a message to every user who takes broadcasts.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Broadcast,
    scope: Scope::Server,
    words: &["broadcast"],
    synonyms: &[],
    syntax: &["broadcast userid password"],
    meaning: "pass the text of the mail on to every user who takes broadcasts",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "broadcast {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 2)?;
    Ok(Command::Broadcast { who: args.who(0)? })
}
