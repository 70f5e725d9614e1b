//! `about`: the words of a player about themselves.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

/// Takes the words away.
pub(in crate::verbs) const NONE: &str = "none";

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::About,
    scope: Scope::Server,
    words: &["about"],
    synonyms: &[],
    syntax: &["about userid password [none]"],
    meaning: "say something about yourself on your page: the text of the mail, 300 characters at most. Without a text: show it",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "about {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(2, 3)?;
    let is_removed = match args.word(2) {
        Err(_) => false,
        Ok(word) if word.eq_ignore_ascii_case(NONE) => true,
        Ok(word) => {
            let shown = args.show(word);
            let message =
                format!("the words about you go into the text of the mail; `{shown}` does not go here");
            return Err(args.fail(ErrorCode::BadValue, message));
        }
    };
    Ok(Command::About { who: args.who(0)?, is_removed })
}
