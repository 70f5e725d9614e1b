//! `resign`: short for `move … resign`.

use super::r#move;
use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Action;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Resign,
    scope: Scope::Game,
    words: &["resign"],
    synonyms: &[],
    syntax: &["<game> resign board userid password"],
    meaning: "give up, or decline a board that has just begun",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} resign {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    r#move::read_short_for(args, Action::Resign)
}
