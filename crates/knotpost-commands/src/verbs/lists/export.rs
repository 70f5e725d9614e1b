//! `export`: the record of a board.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Export,
    scope: Scope::Game,
    words: &["export"],
    synonyms: &[],
    syntax: &["<game> export board[#n]"],
    meaning: "send the record of a board as text",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} export {board}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(1, 1)?;
    Ok(Command::Export { game: args.game_name(), board: args.board_at(args.word(0)?)? })
}
