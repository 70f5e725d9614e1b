//! `ladder challenge`: a game with somebody above on a ladder.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::LadderChallenge,
    scope: Scope::Server,
    words: &["ladder", "challenge"],
    synonyms: &[],
    syntax: &["ladder challenge userid password tournament [opponent]"],
    meaning: "play somebody above you on a ladder; without a name, the highest whom you can challenge",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "ladder challenge {userid} PASSWORD t1 {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 4)?;
    let opponent = args.texts(3).next().map(|word| args.userid(word)).transpose()?;
    Ok(Command::LadderChallenge { who: args.who(0)?, tournament: args.tournament(2)?, opponent })
}
