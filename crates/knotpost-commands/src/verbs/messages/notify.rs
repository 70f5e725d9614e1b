//! `notify`: a mail when boards end.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Notify,
    scope: Scope::Game,
    words: &["notify"],
    synonyms: &[],
    syntax: &["<game> notify userid password [board ...]"],
    meaning: "get a mail when boards end; named boards, or switch it for all",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} notify {userid} PASSWORD {board}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    Ok(Command::Notify { game: args.game_name(), who: args.who(0)?, boards: args.board_numbers(2)? })
}
