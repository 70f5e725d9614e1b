//! `challenge`: a new board.

use crate::arguments::{Args, read_options};
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Challenge,
    scope: Scope::Game,
    words: &["challenge"],
    synonyms: &[],
    syntax: &["<game> challenge userid ... [options]"],
    meaning: "start a board with these players, in the order of their turns",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} challenge {userid} {opponent}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(1, usize::MAX)?;
    let players = args.texts(0).map(|word| args.userid(word)).collect::<Result<_, _>>()?;
    // A player may hold two sides.
    let players = args.few(players, "players")?;
    let (options, server) = read_options(args)?;
    if server.computer.is_some() {
        let message = "`--computer` belongs to `seek`; a challenge names computer players as it names users";
        return Err(args.fail(ErrorCode::BadOption, message).with_suggestions(vec!["knotbot-3".to_owned()]));
    }
    Ok(Command::Challenge { game: args.game_name(), players, options, server })
}
