//! `profile`: what is known of a player, or of two against each other.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Profile,
    scope: Scope::Server,
    words: &["profile"],
    synonyms: &[],
    syntax: &["profile userid [touserid]"],
    meaning: "what is known of a player: ratings, last games, usual time to answer; with another, their games together",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "profile {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(1, 2)?;
    let other = args.word(1).ok().map(|word| args.userid(word)).transpose()?;
    Ok(Command::Profile { userid: args.userid(args.word(0)?)?, other })
}
