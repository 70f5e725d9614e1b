//! `players`: a list of the players of the server.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Players,
    scope: Scope::Server,
    words: &["players"],
    synonyms: &[],
    syntax: &["players [beginning]"],
    meaning: "the players of this server, or those whose names begin like this",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "players an",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(0, 1)?;
    Ok(Command::Players { begin: args.word(0).ok().map(str::to_lowercase) })
}
