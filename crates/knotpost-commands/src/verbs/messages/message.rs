//! `message`: a private message.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Message,
    scope: Scope::Server,
    words: &["message"],
    synonyms: &[],
    syntax: &["message userid password touserid ..."],
    meaning: "pass the text of the mail on to other users without showing anybody's address",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "message {userid} PASSWORD {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, usize::MAX)?;
    let to = args.texts(2).map(|word| args.userid(word)).collect::<Result<_, _>>()?;
    Ok(Command::Message { who: args.who(0)?, to: args.names(to, "users")? })
}
