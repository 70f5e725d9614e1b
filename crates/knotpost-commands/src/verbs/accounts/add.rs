//! `add`: more addresses of a user.

use crate::arguments::{Args, read_addresses};
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Add,
    scope: Scope::Server,
    words: &["add"],
    synonyms: &[],
    syntax: &["add userid password [address ...]"],
    meaning: "have your mail sent to further addresses too",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::Addresses,
    template: "add {userid} PASSWORD {userid}@example.org",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    Ok(Command::Add { addresses: read_addresses(args)?, who: args.who(0)? })
}
