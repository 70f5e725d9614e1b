//! `puzzle`: a position with exactly one winning move, and a solution to be checked.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Puzzle,
    scope: Scope::Server,
    words: &["puzzle"],
    synonyms: &[],
    syntax: &["puzzle [game [day]]", "puzzle game [day] move", "puzzle game [day] answer"],
    meaning: "send the puzzles of the day, say whether a move solves one, or give the answer",
    who: WhoAt::Nowhere,
    answer: AnswerTo::Sender,
    effect: Effect::Query,
    masking: Masking::ByPlace,
    template: "puzzle {game}",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    let mut words = args.texts(0);
    let game = words.next().map(|word| args.find_game(word)).transpose()?;
    let mut rest: Vec<&str> = words.collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let day = rest.first().copied().filter(is_number).map(|word| {
        let wrong = || args.fail(ErrorCode::BadValue, "the days of a year are numbered from 1 to 366");
        word.parse::<u16>().ok().filter(|day| (1..=366).contains(day)).ok_or_else(wrong)
    });
    let day = day.transpose()?;
    if day.is_some() {
        rest.remove(0);
    }
    // `puzzle osbox move f12`: a writer used to boards.
    if rest.len() == 2 && rest.first().is_some_and(|word| word.eq_ignore_ascii_case("move")) {
        rest.remove(0);
    }
    match rest.as_slice() {
        [] => Ok(Command::Puzzle { game, day, play: None }),
        [play] => Ok(Command::Puzzle { game, day, play: Some((*play).to_owned()) }),
        _ => Err(args.fail(ErrorCode::WrongArguments, "after the game and the day comes one move")),
    }
}
