//! `signup`: a new user.

use crate::arguments::{Args, read_addresses};
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};
use crate::words::{Credentials, Password, Userid};

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

/// Rule for a third word that is no address.
const ONE_WORD: &str = "the userid is one word, and so is the password; only addresses may follow them";

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()
        .map_err(|error| error.with_rule("neither the userid nor the password begins with `-`"))?;
    if args.words.len() < 2 {
        return Err(args
            .too_few()
            .with_rule("after `signup` must come a userid and a password, both your choice"));
    }
    let word = args.word(0)?;
    let userid = Userid::choose(word, args.vocabulary).map_err(|rule| {
        let message = format!("`{}` cannot be a userid: {rule}", args.show(word));
        args.fail(ErrorCode::BadValue, message).with_rule(rule.told_of(word))
    })?;
    let addresses = read_addresses(args).map_err(|error| error.with_rule(ONE_WORD));
    let password = Password::choose(args.word(1)?).map_err(|rule| {
        let error = args.fail(ErrorCode::BadValue, format!("this password cannot be taken: {rule}"));
        // The third word may have been intended as an address.
        if addresses.is_ok() { error.with_rule(rule) } else { error.with_rule(ONE_WORD) }
    })?;
    let who = Credentials::typed(userid.as_str(), password);
    Ok(Command::Signup { who, addresses: addresses? })
}
