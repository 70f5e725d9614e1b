//! `<game> set`: the preferences of a user for one game. Its arguments are those of `set`.

pub(in crate::verbs) use super::set::read;

use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::Verb;

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::GameSet,
    scope: Scope::Game,
    words: &["set"],
    synonyms: &[],
    syntax: &["<game> set userid password [name=value ...]"],
    meaning: "change your preferences for this game alone, or show them",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} set {userid} PASSWORD moves=mine",
};
