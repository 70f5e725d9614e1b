//! `seek`: search for opponents.

use crate::arguments::{Args, read_options};
use crate::error::{ErrorCode, ParseError};
use crate::value::SeekChange;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Seek,
    scope: Scope::Game,
    words: &["seek"],
    synonyms: &[],
    syntax: &["<game> seek userid password [n|0] [options] [--computer[=level]]"],
    meaning: "say that you want n more boards; 0 takes it back; without a number: show it",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} seek {userid} PASSWORD 2",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(2, 3)?;
    let change = match args.word(2) {
        Err(_) if args.options.is_empty() => SeekChange::Show,
        Err(_) => {
            let message = "options only make sense with the number of boards wanted";
            return Err(args.fail(ErrorCode::WrongArguments, message));
        }
        Ok(word) => match args.number_of_boards(word)? {
            0 => SeekChange::Cancel,
            count => SeekChange::Want(count),
        },
    };
    let (options, server) = read_options(args)?;
    Ok(Command::Seek { game: args.game_name(), who: args.who(0)?, change, options, server })
}
