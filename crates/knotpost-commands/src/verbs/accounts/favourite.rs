//! `games favourite`: the mark of a game that stands first on the pages; a short word for the preference of that name.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

/// Takes the mark away.
pub(in crate::verbs) const OFF: &str = "off";

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Favourite,
    scope: Scope::Server,
    words: &["games", "favourite"],
    synonyms: &[],
    syntax: &["games favourite game userid password [off]"],
    meaning: "have a game stand first on your pages, or no longer",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "games favourite {game} {userid} PASSWORD",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(3, 4)?;
    let (game, who) = (args.find_game(args.word(0)?)?, args.who(1)?);
    let is_favourite = match args.word(3) {
        Err(_) => true,
        Ok(word) if word.eq_ignore_ascii_case(OFF) => false,
        Ok(word) => {
            let message = format!("behind the password goes `{OFF}` or nothing, not `{}`", args.show(word));
            return Err(args.fail(ErrorCode::BadValue, message));
        }
    };
    Ok(Command::Favourite { game, who, is_favourite })
}
