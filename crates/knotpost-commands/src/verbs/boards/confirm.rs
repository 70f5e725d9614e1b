//! `confirm`: the second half of a move in two steps.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Confirm,
    scope: Scope::Game,
    words: &["confirm"],
    synonyms: &[],
    syntax: &["<game> confirm board userid password"],
    meaning: "play the move that was submitted",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} confirm {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Confirm { game: args.game_name(), board: args.board(0)?, who: args.who(1)? })
}
