//! `list`: the games, or the boards of some.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::List,
    scope: Scope::Server,
    words: &["list"],
    synonyms: &[],
    syntax: &["list [game ...]"],
    meaning: "list the games of the server, or the boards of some games",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "list {game}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let games = args.texts(0).map(|word| args.find_game(word)).collect::<Result<_, _>>()?;
    Ok(Command::List { games: args.names(games, "games")? })
}
