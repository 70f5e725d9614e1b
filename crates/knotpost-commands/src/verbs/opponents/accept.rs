//! `accept`: taking challenges of a game.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Accept,
    scope: Scope::Game,
    words: &["accept"],
    synonyms: &[],
    syntax: &["<game> accept userid password"],
    meaning: "take challenges of this game again",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} accept {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 2)?;
    Ok(Command::Accept { game: args.game_name(), who: args.who(0)? })
}
