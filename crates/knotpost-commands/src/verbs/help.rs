//! `help`: pages of help.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Help,
    scope: Scope::Server,
    words: &["help"],
    synonyms: &[],
    syntax: &["help [subject ...]"],
    meaning: "send help pages: an overview, or one page for each subject (a topic, a game or a command)",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "help tutorial",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    // A subject may be two words.
    let subjects = args.few(args.texts(0).map(str::to_lowercase).collect(), "subjects")?;
    Ok(Command::Help { subjects })
}
