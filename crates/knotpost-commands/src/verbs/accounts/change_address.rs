//! `change address`: replaces a user's addresses.

use crate::arguments::{Args, read_addresses};
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::ChangeAddress,
    scope: Scope::Server,
    words: &["change", "address"],
    synonyms: &[],
    syntax: &["change address userid password [address ...]"],
    meaning: "have your mail sent to these addresses instead of the present ones",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::Addresses,
    template: "change address {userid} PASSWORD {userid}@example.org",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    Ok(Command::ChangeAddress { addresses: read_addresses(args)?, who: args.who(0)? })
}
