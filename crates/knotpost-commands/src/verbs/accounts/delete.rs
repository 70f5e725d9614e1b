//! `delete`: leaving the server for good.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::Leaving;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Delete,
    scope: Scope::Server,
    words: &["delete"],
    synonyms: &[],
    syntax: &["delete userid password [really]"],
    meaning: "leave the server: resign every board and forget addresses and password. By mail it asks once more",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "delete {userid} PASSWORD",
};

/// The word that confirms the wish to leave.
const SURE: &str = "really";

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    args.count(2, 3)?;
    let leaving = match args.word(2) {
        Err(_) => Leaving::Asked,
        Ok(word) if word.eq_ignore_ascii_case(SURE) => Leaving::Sure,
        Ok(_) => {
            let message = format!("after the password only `{SURE}` goes, and only by who is sure");
            return Err(args.fail(ErrorCode::WrongArguments, message));
        }
    };
    Ok(Command::Delete { who: args.who(0)?, leaving })
}
