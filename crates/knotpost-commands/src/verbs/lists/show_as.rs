//! `showas`: boards as one player sees them.

use crate::arguments::Args;
use crate::error::ParseError;
use crate::value::Selector;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::ShowAs,
    scope: Scope::Game,
    words: &["showas"],
    synonyms: &[],
    syntax: &["<game> showas userid password [board[#n] ...|all|active|inactive|next|tournament|standard]"],
    meaning: "show boards the way you see them, with your queued moves",
    who: WhoAt::First,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} showas {userid} PASSWORD {board}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, usize::MAX)?;
    let (game, who) = (args.game_name(), args.who(0)?);
    if let Some(selector) = args.texts(2).next().and_then(Selector::from_word) {
        args.count(3, 3)?;
        return Ok(Command::ShowAs { game, who, boards: Vec::new(), selector: Some(selector) });
    }
    Ok(Command::ShowAs { game, who, boards: args.boards_at(2)?, selector: None })
}
