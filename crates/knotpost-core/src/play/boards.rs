//! Shared by use cases about boards: the answer with a board, the options of a challenge.

use knotpost_commands::GivenOption;
use knotpost_rules::{AnyGame, OptionError};

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::play::notifications::notify_readers;
use crate::ratings::board_ratings;
use crate::replies::sheet::{Listing, Spoken};
use crate::replies::{Answer, BoardFacts, Reply, Sheet};
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::WriteTx;

pub(crate) async fn answer_with_board(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let spoken = match facts.remark {
        Some(remark) => tx.remark(remark).await?.map(Spoken::from),
        None => None,
    };
    answer_with_words(tx, app, board, facts, spoken, now).await
}

/// As [`answer_with_board`], with known remarks.
pub(crate) async fn answer_with_words(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    spoken: Option<Spoken>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let facts = notify_readers(tx, app, board, facts, now).await?;
    let sheet = Sheet {
        spoken: spoken.into_iter().collect(),
        ratings: board_ratings::change_lines(tx, board).await?,
        ..Sheet::of(board, &facts, None, Listing::Recent, now)
    };
    let unmailed = facts.spared.unmailed;
    Ok(Answer { unmailed, ..Answer::to_registered(Reply::Board(Box::new(sheet))) }.about(board.name()))
}

pub(crate) fn game_options(
    game: &'static dyn AnyGame,
    given: &[GivenOption],
    players: usize,
) -> Result<knotpost_rules::GameOptions, ServiceError> {
    let given: Vec<_> = given
        .iter()
        .map(|option| knotpost_rules::GivenOption { name: option.name.clone(), value: option.value.clone() })
        .collect();
    game.parse_options(&given, players).map_err(|error| {
        let code =
            if matches!(error, OptionError::Option { .. }) { Code::BadOption } else { Code::PlayerCount };
        let refusal = Refusal::new(code, error.to_string());
        let refusal = match error {
            OptionError::TooFewPlayers { .. } => refusal.hint(format!(
                "All players are named, the one who challenges too: {} challenge YOURUSERID OPPONENT",
                game.meta().name
            )),
            _ => refusal,
        };
        refusal
            .hint(format!("Syntax: {} challenge [options] USERID USERID …", game.meta().name))
            .hint(format!("`help {}` tells all about its options.", game.meta().name))
            .about_game(game.meta().name)
            .into()
    })
}

pub(crate) fn name(game: &str, number: i64) -> BoardRef {
    BoardRef { game: game.to_owned(), number: number as u32 }
}
