//! `limit`: the maximum number of a user's boards.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::LimitChange;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Limit,
    scope: Scope::Game,
    words: &["limit"],
    synonyms: &[],
    syntax: &["<game> limit userid password [n|none]"],
    meaning: "play at most n boards of this game at a time; without a number: show it",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} limit {userid} PASSWORD 5",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 3)?;
    Ok(Command::Limit { game: args.game_name(), who: args.who(0)?, change: read_limit(args)? })
}

fn read_limit(args: &Args<'_>) -> Result<LimitChange, ParseError> {
    let Ok(word) = args.word(2) else { return Ok(LimitChange::Show) };
    if word.eq_ignore_ascii_case("none") {
        return Ok(LimitChange::Unlimited);
    }
    args.number_of_boards(word).map(LimitChange::AtMost)
}
