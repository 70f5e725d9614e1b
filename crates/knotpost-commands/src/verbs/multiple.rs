//! `multiple`: several commands in one mail, split by [`crate::command_lines`].

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Multiple,
    scope: Scope::Server,
    words: &["multiple"],
    synonyms: &[],
    syntax: &["multiple"],
    meaning: "carry out the commands in the text of the mail, one a line",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "multiple",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(0, 0)?;
    Ok(Command::Multiple)
}
