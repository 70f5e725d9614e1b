//! `hint`: a computer player's move for a board.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Hint,
    scope: Scope::Game,
    words: &["hint"],
    synonyms: &[],
    syntax: &["<game> hint board userid password"],
    meaning: "on your turn on an unrated board: a good move, and who is ahead",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} hint {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Hint { game: args.game_name(), board: args.board(0)?, who: args.who(1)? })
}
