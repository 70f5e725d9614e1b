//! `tournaments`: a table of tournaments.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::TournamentSelector;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Tournaments,
    scope: Scope::Server,
    words: &["tournaments"],
    synonyms: &[],
    syntax: &["tournaments [game] [open|active|over|all]"],
    meaning: "list tournaments, those that are open or running if nothing is said",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "tournaments {game} open",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(0, 2)?;
    let (mut game, mut which) = (None, None);
    for word in args.texts(0) {
        let is_twice = match TournamentSelector::from_word(word) {
            Some(selector) => which.replace(selector).is_some(),
            None => game.replace(args.find_game(word)?).is_some(),
        };
        if is_twice {
            let message = "one game and one choice of tournaments can be named at a time";
            return Err(args.fail(ErrorCode::WrongArguments, message));
        }
    }
    Ok(Command::Tournaments { game, which })
}
