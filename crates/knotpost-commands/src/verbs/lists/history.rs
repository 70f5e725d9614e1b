//! `history`: a table of finished boards.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Selector;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::History,
    scope: Scope::Game,
    words: &["history"],
    synonyms: &[],
    syntax: &["<game> history [userid ...]"],
    meaning: "list finished boards, of everybody or of some users",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} history {userid}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let (users, _) = args.users(0, &[Selector::All])?;
    Ok(Command::History { game: args.game_name(), users })
}
