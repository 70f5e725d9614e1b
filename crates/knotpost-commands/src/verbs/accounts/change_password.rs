//! `change password`: replaces a password.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::ChangePassword,
    scope: Scope::Server,
    words: &["change", "password"],
    synonyms: &[],
    syntax: &["change password userid current new"],
    meaning: "choose another password",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::NewPassword,
    template: "change password {userid} PASSWORD NEWPASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::ChangePassword { who: args.who(0)?, new: args.new_password(2)? })
}
