//! `all show`: the boards of users in all games.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Selector;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::AllShow,
    scope: Scope::Server,
    words: &["all", "show"],
    synonyms: &[],
    syntax: &["all show userid ... [all|active|inactive|next|tournament|standard]"],
    meaning: "show the boards of users in all games",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "all show {userid} next",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let (users, selector) = args.users(0, &Selector::ALL)?;
    if users.is_empty() { Err(args.too_few()) } else { Ok(Command::AllShow { users, selector }) }
}
