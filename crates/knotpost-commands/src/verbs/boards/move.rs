//! `move`: an action on a board.

use crate::arguments::{Args, read_numbered};
use crate::error::{ErrorCode, ParseError};
use crate::grammar::NamedGame;
use crate::value::Action;
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Move,
    scope: Scope::Game,
    words: &["move"],
    synonyms: &["board", "mvoe"],
    syntax: &[
        "<game> move board userid password move[#n]",
        "<game> move board userid password pass|swap|propose|undo|accept|reject|resign|substitute",
    ],
    meaning: "make a move; with #n only if it will be move number n",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} move {board} {userid} PASSWORD {move}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    if args.words.len() > 4 {
        let message = "there are more words than a move takes; the move itself is one word without blanks";
        return Err(args.fail(ErrorCode::WrongArguments, message));
    }
    args.count(4, 4)?;
    let board = args.board(0)?;
    let (action, number) = read_numbered(args, args.word(3)?)?;
    let game = (args.game != NamedGame::Missing).then(|| args.game_name());
    Ok(Command::Move { game, board, who: args.who(1)?, action, number })
}

/// Reads a verb short for one action: a board, a userid and a password, and nothing else.
pub(in crate::verbs) fn read_short_for(args: &Args<'_>, action: Action) -> Result<Command, ParseError> {
    args.only_words(3, 3)?;
    let (game, board, who) = (Some(args.game_name()), args.board(0)?, args.who(1)?);
    Ok(Command::Move { game, board, who, action, number: None })
}
