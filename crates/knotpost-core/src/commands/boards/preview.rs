//! `preview`: a board after moves that are tried but not played.

use knotpost_commands::{Action, GivenOption};
use knotpost_rules::{Seed, Turn};

use crate::app::App;
use crate::boards::{Board, Code, Games, Refusal, ServiceError, Standing, at_ply, find_board, find_game};
use crate::play::boards::game_options;
use crate::replies::sheet::Listing;
use crate::replies::{Answer, BoardFacts, Heading, Reply, Sheet};
use knotpost_model::{Millis, SeatState};
use knotpost_storage::ReadTx;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    number: u32,
    at: Option<i64>,
    moves: &[Action],
    now: Millis,
) -> Result<Answer, ServiceError> {
    find_game(&app.games, game)?;
    let board = find_board(tx, app, game, number).await?;
    let mut board = at_ply(&app.games, board, at)?;
    board.position.seal_chance();
    if let Err(refusal) = try_moves(&mut board, moves, now) {
        return Err(refusal.about(board).into());
    }
    let sheet = Sheet::of(&board, &BoardFacts::plain(Heading::Preview), None, Listing::Whole, now);
    Ok(Answer::to_sender(Reply::Board(Box::new(sheet))).about(board.name()))
}

pub(in crate::commands) fn run_new(
    games: &Games,
    game: &str,
    players: usize,
    moves: &[Action],
    options: &[GivenOption],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(games, game)?;
    let options = game_options(game, options, players)?;
    let mut board = Board::imagine(game, options, players, &Seed::default(), now);
    if let Err(refusal) = try_moves(&mut board, moves, now) {
        return Err(refusal.about_game(game.meta().name).into());
    }
    let mut sheet = Sheet::of(&board, &BoardFacts::plain(Heading::Preview), None, Listing::Whole, now);
    sheet.number = None;
    sheet.example = None;
    Ok(Answer::to_sender(Reply::Board(Box::new(sheet))))
}

fn try_moves(board: &mut Board, moves: &[Action], now: Millis) -> Result<(), Refusal> {
    for action in moves {
        let word = action.as_str();
        let Standing::ToMove(next) = board.standing() else {
            return Err(Refusal::new(Code::GameOver, format!("the game is over before `{word}`")));
        };
        let turn = match action {
            Action::Move(text) => Turn::Move(text),
            Action::Pass => Turn::Pass,
            Action::Swap => Turn::Swap,
            Action::Resign => {
                board.retire(next, knotpost_model::MoveKind::Resign, false, now);
                let seat = board.seats.iter_mut().find(|row| row.seat == i64::from(next.number()));
                if let Some(seat) = seat {
                    seat.state = SeatState::Resigned;
                }
                continue;
            }
            Action::Propose | Action::Undo | Action::Substitute | Action::Accept | Action::Reject => {
                return Err(Refusal::new(Code::NotSupported, format!("`{word}` cannot be previewed")));
            }
        };
        board.play(turn, false, now).map_err(|error| {
            Refusal::new(Code::IllegalMove, format!("`{word}` cannot be played: {error}"))
        })?;
        if *action == Action::Swap {
            board.exchange_users();
        }
    }
    Ok(())
}
