//! `standings`: a table of ratings.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Standings,
    scope: Scope::Game,
    words: &["standings"],
    synonyms: &["ratings"],
    syntax: &["<game> standings"],
    meaning: "list the ratings of the players",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} standings",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(0, 0)?;
    Ok(Command::Standings { game: args.game_name() })
}
