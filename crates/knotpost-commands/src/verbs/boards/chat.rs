//! `chat`: remarks to the players and subscribers of a board.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Chat,
    scope: Scope::Game,
    words: &["chat"],
    synonyms: &[],
    syntax: &["<game> chat board userid password"],
    meaning: "pass the text of the mail on to the players and subscribers of a board",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} chat {board} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    Ok(Command::Chat { game: args.game_name(), board: args.board(0)?, who: args.who(1)? })
}
