//! `block`: nothing passes between two users any more.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Relating;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Block,
    scope: Scope::Server,
    words: &["block"],
    synonyms: &[],
    syntax: &["block userid password [touserid ...]"],
    meaning: "have nothing to do with other users any more: no challenge, message or chat either way. Nobody more: list them",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "block {userid} PASSWORD {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    read_relating(args, Relating::Block)
}

/// Reads the line of a verb about other users.
pub(in crate::verbs::people) fn read_relating(
    args: &Args<'_>,
    change: Relating,
) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    let users = args.texts(2).map(|word| args.userid(word)).collect::<Result<_, _>>()?;
    Ok(Command::Relate { who: args.who(0)?, users: args.names(users, "users")?, change })
}
