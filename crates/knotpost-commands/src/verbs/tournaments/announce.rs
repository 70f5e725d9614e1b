//! `announce`: a new tournament.

use crate::arguments::{Args, read_tournament_options};
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::suggest::one_of;
use crate::value::TOURNAMENT_FORMS;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Announce,
    scope: Scope::Server,
    words: &["announce"],
    synonyms: &[],
    syntax: &["announce userid password game form [options]"],
    meaning: "open a tournament, which you direct; the first line of the text is its title, the rest describes it",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "announce {userid} PASSWORD {game} roundrobin -players=4-8",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(4, 4)?;
    let game = args.find_game(args.word(2)?)?;
    let named = args.vocabulary.game(&game).map_or(NamedGame::Unknown, NamedGame::Known);
    let (options, terms) = read_tournament_options(&Args { game: named, ..*args })?;
    let form = args.word(3)?.to_ascii_lowercase();
    if !TOURNAMENT_FORMS.contains(&form.as_str()) {
        let message = format!(
            "`{}` is no form of a tournament; after the game comes {}",
            args.show(args.word(3)?),
            one_of(&TOURNAMENT_FORMS)
        );
        return Err(args.fail(ErrorCode::BadValue, message));
    }
    Ok(Command::Announce { game, who: args.who(0)?, form, options, terms })
}
