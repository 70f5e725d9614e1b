//! `submit`: the first half of a move in two steps.

use crate::arguments::{Args, only_turns, read_numbered};
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Submit,
    scope: Scope::Game,
    words: &["submit"],
    synonyms: &[],
    syntax: &["<game> submit board userid password move[#n]"],
    meaning: "have the board after a move sent to you alone; confirm plays the move",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} submit {board} {userid} PASSWORD {move}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(4, 4)?;
    let (action, number) = read_numbered(args, args.word(3)?)?;
    let action = only_turns(args, action)?;
    let (game, board, who) = (args.game_name(), args.board(0)?, args.who(1)?);
    Ok(Command::Submit { game, board, who, action, number })
}
