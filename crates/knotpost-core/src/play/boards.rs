//! What use cases about boards share: finding one, telling all its readers.

use knotpost_commands::GivenOption;
use knotpost_rules::{AnyGame, OptionError};

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::mailing::post::{BoardFacts, post_board, post_to_user};
use crate::ratings::board_ratings;
use crate::replies::sheet::{Listing, Spoken};
use crate::replies::{Answer, Reply, Sheet};
use crate::webhooks;
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{StoreError, WriteTx};

/// Queues the board to everybody and answers with it.
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

/// As [`answer_with_board`], where it is known what was said.
pub(crate) async fn answer_with_words(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    spoken: Option<Spoken>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let facts = post_board(tx, app, board, facts, now).await?;
    let ratings = board_ratings::change_lines(tx, board).await?;
    let sheet =
        Sheet::of(board, &facts, None, Listing::Recent, now).with_spoken(spoken).with_ratings(ratings);
    Ok(Answer::to_registered(Reply::Board(Box::new(sheet))).about(board.name()))
}

/// The game of that name, when it is on offer.
pub(crate) fn find_game(app: &App, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    app.game(name).ok_or_else(|| {
        let known: Vec<&str> = app.games().map(|game| game.meta().name).collect();
        Refusal::new(Code::UnknownGame, format!("there is no game `{name}` here"))
            .hint(format!("Games: {}", known.join(", ")))
            .into()
    })
}

/// The options of a challenge under the rules of the game.
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
        Refusal::new(code, error.to_string())
            .hint(format!("Syntax: {} challenge [options] USERID USERID …", game.meta().name))
            .hint(format!("`help {}` tells all about its options.", game.meta().name))
            .about_game(game.meta().name)
            .into()
    })
}

/// The board of that game and number, to be changed.
pub(crate) async fn find_board(
    tx: &mut WriteTx,
    app: &App,
    game: &str,
    number: u32,
) -> Result<Board, ServiceError> {
    Board::load_to_change(tx, app, game, number).await?.ok_or_else(|| no_such_board(app, game, number).into())
}

pub(crate) fn no_such_board(app: &App, game: &str, number: u32) -> Refusal {
    let title = app.game(game).map_or(game, |game| game.meta().title);
    Refusal::new(Code::NoSuchBoard, format!("there is no {title} board {number}"))
        .hint(format!("`{game} games` lists the boards that are being played."))
        .about_game(game)
}

/// Tells everybody on a board, players, watchers and who waits for its end, that it was taken off the server.
pub(crate) async fn tell_all(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    reply: &Reply,
    now: Millis,
) -> Result<(), StoreError> {
    let mut told = Vec::new();
    let watchers = tx.subscribers(board.row.id).await?.into_iter().map(|(key, _)| key.into());
    let waiting = tx.users_waiting_for(board.row.id).await?;
    let everybody = board.seats.iter().map(|seat| seat.user_id).chain(watchers).chain(waiting);
    for user in everybody {
        if !told.contains(&user) {
            told.push(user);
            post_to_user(tx, app, reply, user, now).await?;
        }
    }
    webhooks::queue_for_removed(tx, app, board, &told, now).await
}

/// How the API and answers name a board.
pub(crate) fn name(game: &str, number: i64) -> BoardRef {
    BoardRef { game: game.to_owned(), number: number as u32 }
}
