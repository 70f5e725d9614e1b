//! `games`: a table of boards.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Selector;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Games,
    scope: Scope::Game,
    words: &["games"],
    synonyms: &[],
    syntax: &["<game> games [userid ...] [all|active|inactive|next]"],
    meaning: "list boards in a table, of everybody or of some users",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} games {userid} active",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let (users, selector) = args.users(0, &Selector::OF_TABLES)?;
    Ok(Command::Games { game: args.game_name(), users, selector })
}
