//! `signup`: a new user.

use crate::arguments::{Args, read_addresses};
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};
use crate::words::{Credentials, Userid};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Signup,
    scope: Scope::Server,
    words: &["signup"],
    synonyms: &[],
    syntax: &["signup userid password [address ...]"],
    meaning: "become a user; without an address it is the one you write from",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::NewUser,
    template: "signup fsmith PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    args.count(2, usize::MAX)?;
    let word = args.word(0)?;
    let userid = Userid::choose(word, args.vocabulary).map_err(|rule| {
        args.fail(ErrorCode::BadValue, format!("`{}` cannot be a userid: {rule}", args.show(word)))
    })?;
    let password = args.new_password(1)?;
    let who = Credentials::typed(userid.as_str(), password);
    Ok(Command::Signup { who, addresses: read_addresses(args)? })
}
