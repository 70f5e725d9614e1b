//! `rematch`: a new board after a finished one.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Rematch,
    scope: Scope::Game,
    words: &["rematch"],
    synonyms: &[],
    syntax: &["<game> rematch board userid password"],
    meaning: "play a finished board once more, the seats exchanged",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} rematch {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Rematch { game: args.game_name(), board: args.board(0)?, who: args.who(1)? })
}
