//! `delete`: closes an account.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::{Leaving, Remarks};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Delete,
    scope: Scope::Server,
    words: &["delete"],
    synonyms: &[],
    syntax: &["delete userid password [with-remarks] [really]"],
    meaning: "leave the server: resign every board and forget addresses and password; with-remarks: your comments and \
              chat too. By mail it asks once more",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "delete {userid} PASSWORD",
};

pub(in crate::verbs) const SURE: &str = "really";
pub(in crate::verbs) const WITH_REMARKS: &str = "with-remarks";

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 4)?;
    let (mut leaving, mut remarks) = (Leaving::Asked, Remarks::Stay);
    for index in 2..4 {
        match args.word(index) {
            Err(_) => break,
            Ok(word) if word.eq_ignore_ascii_case(SURE) => leaving = Leaving::Sure,
            Ok(word) if word.eq_ignore_ascii_case(WITH_REMARKS) => remarks = Remarks::Removed,
            Ok(_) => {
                let message = format!(
                    "after the password only `{SURE}` goes, by whoever is sure, and `{WITH_REMARKS}`, \
                     which removes your comments and chat too"
                );
                return Err(args.fail(ErrorCode::WrongArguments, message));
            }
        }
    }
    Ok(Command::Delete { who: args.who(0)?, leaving, remarks })
}
