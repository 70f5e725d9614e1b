//! `analyse`: evaluation of a finished game, move by move.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Analyse,
    scope: Scope::Game,
    words: &["analyse"],
    synonyms: &["analysis", "analyze"],
    syntax: &["<game> analyse board"],
    meaning: "who was ahead after each move of a finished board, and which moves lost most",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} analyse {board}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(1, 1)?;
    Ok(Command::Analyse { game: args.game_name(), board: args.board(0)? })
}
