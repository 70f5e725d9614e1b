//! `set`: the preferences of a user.

use crate::arguments::{Args, read_settings};
use crate::error::ParseError;
use crate::grammar::NamedGame;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Set,
    scope: Scope::Server,
    words: &["set"],
    synonyms: &[],
    syntax: &["set userid password [name=value ...]"],
    meaning: "change your preferences, or show them",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "set {userid} PASSWORD mail=text",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    let who = args.who(0)?;
    let game = matches!(args.game, NamedGame::Known(_)).then(|| args.game_name());
    Ok(Command::Set { who, game, values: read_settings(args, 2)? })
}
