//! `signoff`: drops addresses of a user.

use crate::arguments::{Args, read_addresses};
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Signoff,
    scope: Scope::Server,
    words: &["signoff"],
    synonyms: &[],
    syntax: &["signoff userid password [address ...]"],
    meaning: "have no more mail sent to some of your addresses",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::Addresses,
    template: "signoff {userid} PASSWORD {userid}@example.org",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    Ok(Command::Signoff { addresses: read_addresses(args)?, who: args.who(0)? })
}
