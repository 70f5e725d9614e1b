//! `resend`: mails the waiting boards once more.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Resend,
    scope: Scope::Server,
    words: &["resend"],
    synonyms: &[],
    syntax: &["resend userid password [game [board]]"],
    meaning: "send the boards that wait for you again",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "resend {userid} PASSWORD {game} {board}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 4)?;
    let game = args.texts(2).next().map(|word| args.find_game(word)).transpose()?;
    let board = args.texts(3).next().map(|word| args.board_number(word)).transpose()?;
    Ok(Command::Resend { who: args.who(0)?, game, board })
}
