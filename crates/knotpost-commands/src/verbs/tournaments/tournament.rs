//! `tournament`: one tournament with its tables.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::TournamentPart;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Tournament,
    scope: Scope::Server,
    words: &["tournament"],
    synonyms: &[],
    syntax: &["tournament tournament [group|round]"],
    meaning: "show a tournament: terms, tables, games and results, and what comes next",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "tournament t1",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(1, 2)?;
    let part = args.texts(1).next().map(|word| {
        TournamentPart::from_word(word).ok_or_else(|| {
            let message =
                format!("`{}` is neither the letter of a group nor the number of a round", args.show(word));
            args.fail(ErrorCode::BadValue, message)
        })
    });
    Ok(Command::Tournament { tournament: args.tournament(0)?, part: part.transpose()? })
}
