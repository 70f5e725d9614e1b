//! `reject`: refusing challenges of a game.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Reject,
    scope: Scope::Game,
    words: &["reject"],
    synonyms: &[],
    syntax: &["<game> reject userid password"],
    meaning: "refuse all challenges of this game",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} reject {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 2)?;
    Ok(Command::Reject { game: args.game_name(), who: args.who(0)? })
}
