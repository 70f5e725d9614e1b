//! `show`: boards with their moves.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::value::{BoardAt, Selector};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Show,
    scope: Scope::Game,
    words: &["show"],
    synonyms: &[],
    syntax: &[
        "<game> show board[#n] ...",
        "<game> show userid ... [all|active|inactive|next|tournament|standard]",
    ],
    meaning: "show boards with all their moves: some by number, or those of users",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "{game} show {board}",
};

/// Boards by number, or boards of users; a leading `board` is ignored.
pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let game = args.game_name();
    let first = args.texts(0).next();
    let from = usize::from(first.is_some_and(|word| word.eq_ignore_ascii_case("board")));
    let first = args.texts(from).next();
    if from == 1 || first.is_some_and(|word| BoardAt::from_word(word).is_some()) {
        args.count(from + 1, usize::MAX)?;
        return Ok(Command::ShowBoards { game, boards: args.boards_at(from)? });
    }
    let (users, selector) = args.users(0, &Selector::ALL)?;
    if users.is_empty() && selector != Some(Selector::Tournament) {
        let message = "all boards of all players would be too much mail; name boards or userids";
        return Err(args.fail(ErrorCode::TooMuchMail, message));
    }
    Ok(Command::ShowUsers { game, users, selector })
}
