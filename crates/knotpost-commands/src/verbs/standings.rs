//! `standings`: a table of ratings.

use super::{Command, Verb};
use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};

pub(super) const SPEC: VerbSpec = VerbSpec {
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

pub(super) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    args.count(0, 0)?;
    Ok(Command::Standings { game: args.game_name() })
}
