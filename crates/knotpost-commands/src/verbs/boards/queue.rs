//! `queue`: queued moves.

use crate::arguments::{Args, read_numbered, read_queued};
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Queue,
    scope: Scope::Game,
    words: &["queue"],
    synonyms: &["qmove", "moveq", "qboard", "boardq"],
    syntax: &[
        "<game> queue board userid password move[#n] [[if:reply] move ...]",
        "<game> queue board userid password none",
    ],
    meaning: "keep moves and play one whenever it is your turn; if: makes the next one depend on a reply",
    who: WhoAt::AfterFirst,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "{game} queue {board} {userid} PASSWORD {move}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.only_words(4, usize::MAX)?;
    let board = args.board(0)?;
    let mut number = None;
    let mut texts = Vec::new();
    for (index, word) in args.texts(3).enumerate() {
        let text = if index == 0 {
            let (_, given) = read_numbered(args, word)?;
            number = given;
            if given.is_some() { word.rsplit_once('#').map_or(word, |(text, _)| text) } else { word }
        } else {
            word
        };
        texts.push(text);
    }
    let moves = read_queued(&texts).map_err(|problem| args.fail(ErrorCode::BadValue, problem))?;
    let moves = args.few_moves(moves)?;
    let number = number.filter(|_| !moves.is_empty());
    Ok(Command::Queue { game: args.game_name(), board, who: args.who(1)?, moves, number })
}
