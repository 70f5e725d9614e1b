//! `<game> help`: the help page of a game.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::GameHelp,
    scope: Scope::Game,
    words: &["help"],
    synonyms: &[],
    syntax: &["<game> help"],
    meaning: "send the page of the game: rules, options, how moves are written",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} help",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let subjects = std::iter::once(args.game_name()).chain(args.texts(0).map(str::to_lowercase));
    Ok(Command::Help { subjects: args.few(subjects.collect(), "subjects")? })
}
