//! `direct`: actions of the director of a tournament.

use crate::arguments::Args;
use crate::error::{ErrorCode, ParseError};
use crate::suggest::{nearest, one_of};
use crate::value::{Days, DirectorAction, TIE, read_count};
use crate::verb::{AnswerTo, Effect, Masking, Scope, VerbSpec, WhoAt};
use crate::verbs::{Command, Verb};

pub(in crate::verbs) const SPEC: VerbSpec = VerbSpec {
    verb: Verb::Direct,
    scope: Scope::Server,
    words: &["direct"],
    synonyms: &[],
    syntax: &[
        "direct userid password tournament start|cancel|say",
        "direct userid password tournament extend days",
        "direct userid password tournament admit|expel|hand touserid",
        "direct userid password tournament award board seat|tie",
    ],
    meaning: "direct a tournament of yours; the text of the mail is the reason, or what `say` tells all players",
    who: WhoAt::First,
    answer: AnswerTo::Registered,
    effect: Effect::Change,
    masking: Masking::ByPlace,
    template: "direct {userid} PASSWORD t1 start",
};

pub(in crate::verbs) fn read(args: &Args<'_>) -> Result<Command, ParseError> {
    args.no_options()?;
    args.count(4, 6)?;
    Ok(Command::Direct { who: args.who(0)?, tournament: args.tournament(2)?, action: read_action(args)? })
}

fn read_action(args: &Args<'_>) -> Result<DirectorAction, ParseError> {
    let action = args.word(3)?;
    let userid = || {
        args.count(5, 5)?;
        args.userid(args.word(4)?)
    };
    let alone = |action: DirectorAction| args.count(4, 4).map(|()| action);
    match action.to_ascii_lowercase().as_str() {
        "start" => alone(DirectorAction::Start),
        "cancel" => alone(DirectorAction::Cancel),
        "say" => alone(DirectorAction::Say),
        "extend" => {
            args.count(5, 5)?;
            read_days(args, args.word(4)?).map(DirectorAction::Extend)
        }
        "admit" => userid().map(DirectorAction::Admit),
        "expel" => userid().map(DirectorAction::Expel),
        "hand" => userid().map(DirectorAction::Hand),
        "award" => {
            args.count(6, 6)?;
            Ok(DirectorAction::Award { board: args.board(4)?, seat: read_seat(args, args.word(5)?)? })
        }
        _ => {
            let words = DirectorAction::ALL.map(|(word, _)| word);
            let near = nearest(action, words.map(|word| (word, word)));
            let message =
                format!("`{}` is nothing that a director does; say {}", args.show(action), one_of(&words));
            Err(args.fail(ErrorCode::WrongArguments, message).with_suggestions(near))
        }
    }
}

fn read_days(args: &Args<'_>, word: &str) -> Result<Days, ParseError> {
    Days::from_word(word).ok_or_else(|| {
        let message = format!("`{}` is not a number of days, such as 7", args.show(word));
        args.fail(ErrorCode::BadValue, message)
    })
}

/// `None`: a tie.
fn read_seat(args: &Args<'_>, word: &str) -> Result<Option<u8>, ParseError> {
    if word.eq_ignore_ascii_case(TIE) {
        return Ok(None);
    }
    let seat = read_count(word).and_then(|seat| u8::try_from(seat).ok()).filter(|seat| *seat > 0);
    seat.map(Some).ok_or_else(|| {
        let message =
            format!("`{}` is no seat: say 1 or 2 for the player who wins, or `{TIE}`", args.show(word));
        args.fail(ErrorCode::BadValue, message)
    })
}
