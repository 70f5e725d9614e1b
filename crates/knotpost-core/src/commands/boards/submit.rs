//! `submit`: checks a move and shows the resulting board to the player alone, until `confirm` plays the move.
//!
//! A submission is valid for its position only. Turns are made by `moves`.

use knotpost_commands::Action;
use knotpost_rules::Turn;

use crate::app::App;
use crate::boards::{Board, Entry, ServiceError};
use crate::commands::authorize::authorize_on_board;
use crate::mailing::post::post_to_player;
use crate::mailing::styles::style_of;
use crate::play::moves;
use crate::play::moves::check_turn_on;
use crate::replies::sheet::{Listing, Spoken, Submitted};
use crate::replies::{Answer, Answers, BoardFacts, Heading, Note, Reply, Sheet};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError, SubmissionRow, UserRow, WriteTx};

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number_of_board: u32,
    (action, number): (&Action, Option<u32>),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (board, user) = authorize_on_board(tx, app, ready, game, number_of_board).await?;
    let word = action.as_str();
    let board = check_turn_on(board, &user, Turn::from_word(word), number)?;
    store(tx, app, board, &user, word, &ready.body, now).await
}

/// Stores a permitted turn instead of making it.
pub(in crate::commands) async fn store(
    tx: &mut WriteTx,
    app: &App,
    board: Board,
    user: &UserRow,
    word: &str,
    said: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let turn = Turn::from_word(word);
    let mut tried = board.at(&app.games, board.entries.len())?;
    // Hides future rolls.
    tried.position.seal_chance();
    if let Err(error) = tried.play(turn, false, now) {
        return Err(moves::illegal(&error, turn, board).into());
    }
    if matches!(turn, Turn::Swap) {
        tried.exchange_users();
    }
    let seat = board.seat_of(user.id).map_or(1, |seat| seat.seat);
    let ply = board.entries.len() as i64;
    let row = SubmissionRow { ply, text: word.to_owned(), comment: said.trim_end().to_owned() };
    tx.save_submission(board.row.id, seat, &row, now).await?;
    let reply = Reply::Board(Box::new(show(tx, &tried, user, row.comment, now).await?));
    post_to_player(tx, app, &reply, &board, user, Some(word), now).await?;
    Ok(Answer::to_registered(reply).about(board.name()))
}

async fn show(
    tx: &mut ReadTx,
    tried: &Board,
    user: &UserRow,
    said: String,
    now: Millis,
) -> Result<Sheet, StoreError> {
    let facts = BoardFacts {
        notes: vec![Note::Submitted {
            game: tried.row.game.clone(),
            number: tried.row.number,
            userid: user.userid.clone(),
        }],
        style: style_of(tx, user.id, &tried.row.game).await?,
        ..BoardFacts::plain(Heading::Submit)
    };
    let spoken = Some(said).filter(|said| !said.trim().is_empty());
    let spoken = spoken.map(|text| Spoken { who: user.userid.clone(), text });
    let submitted = |entry: &Entry| Submitted { userid: user.userid.clone(), play: entry.text.clone() };
    Ok(Sheet {
        spoken: spoken.into_iter().collect(),
        answers: Some(Answers::Confirm),
        // Time counts only when the move is made, even a final one.
        times: None,
        // Nobody else can move before the confirmation.
        example: None,
        submitted: tried.entries.last().map(submitted),
        ..Sheet::of(tried, &facts, Some(&user.userid), Listing::Recent, now)
    })
}

/// True if this preference asks to confirm every move.
pub(in crate::commands) fn is_to_confirm(wish: Option<&str>) -> bool {
    wish == Some("on")
}
