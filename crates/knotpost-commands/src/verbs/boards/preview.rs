//! `preview`: a board after moves that are not played.

use crate::arguments::{Args, only_turns, read_options};
use crate::error::{ErrorCode, ParseError};
use crate::value::{Action, BoardAt, read_count};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Preview,
    scope: Scope::Game,
    words: &["preview"],
    synonyms: &[],
    syntax: &["<game> preview board[#n] move ...", "<game> preview new players [move ...] [options]"],
    meaning: "show what a board would look like after some moves; nothing is played",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} preview {board} {move}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.count(1, usize::MAX)?;
    let game = args.game_name();
    let first = args.word(0)?;
    let moves = |from: usize| {
        let moves = args.texts(from).map(|word| only_turns(args, Action::from_word(word)));
        args.few_moves(moves.collect::<Result<_, _>>()?)
    };
    if first.eq_ignore_ascii_case("new") {
        args.count(2, usize::MAX)?;
        let word = args.word(1)?;
        let players = read_count(word).filter(|players| (1..=99).contains(players)).ok_or_else(|| {
            let message = format!("`{}` is not a number of players", args.show(word));
            args.fail(ErrorCode::WrongArguments, message)
        })?;
        let (options, _) = read_options(args)?;
        return Ok(Command::PreviewNew { game, players, moves: moves(2)?, options });
    }
    args.only_words(2, usize::MAX)?;
    let BoardAt { number: board, at } = args.board_at(first)?;
    Ok(Command::Preview { game, board, at, moves: moves(1)? })
}
