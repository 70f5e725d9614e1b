//! `test display`: a sample board in every format.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::TestDisplay,
    scope: Scope::Server,
    words: &["test", "display"],
    synonyms: &[],
    syntax: &["test display [userid]"],
    meaning: "send a sample board in every format, to find out which your mail program shows best",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "test display {userid}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(0, 1)?;
    let userid = args.texts(0).next().map(|word| args.userid(word)).transpose()?;
    Ok(Command::TestDisplay { userid })
}
