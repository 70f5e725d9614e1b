//! `password`: resets a forgotten password.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::PasswordReset,
    scope: Scope::Server,
    words: &["password"],
    synonyms: &[],
    syntax: &["password userid"],
    meaning: "forgotten your password? have a way to choose another one sent to your addresses",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::AfterUserid,
    template: "password {userid}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(1, 1)?;
    Ok(Command::PasswordReset { userid: args.userid(args.word(0)?)? })
}
