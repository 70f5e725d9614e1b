//! `show`: boards with their moves, by number or by players.

use knotpost_commands::{BoardAt, Selector};

use crate::app::App;
use crate::boards::{Board, Games, ServiceError, at_ply, find_game, no_such_board};
use crate::play::queries::{
    MOST_SHEETS, boards_answer, check_amount, describe_none, find_users, select_boards, show,
};
use crate::replies::Answer;
use knotpost_model::Millis;
use knotpost_storage::ReadTx;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    wanted: &[BoardAt],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let title = find_game(&app.games, game)?.meta().title;
    check_amount(Some(game), wanted.len())?;
    let (mut sheets, mut missing) = (Vec::new(), Vec::new());
    for at in wanted {
        let Some(board) = Board::load(tx, &app.games, game, at.number).await? else {
            if wanted.len() == 1 {
                return Err(no_such_board(&app.games, game, at.number).into());
            }
            missing.push(format!("There is no {title} board {}.", at.number));
            continue;
        };
        let board = at_ply(&app.games, board, at.at)?;
        sheets.push(show(tx, &board, now).await?);
    }
    match wanted.first() {
        Some(first) if sheets.is_empty() => Err(no_such_board(&app.games, game, first.number).into()),
        _ => Ok(boards_answer(sheets, missing)),
    }
}

pub(in crate::commands) async fn run_of_users(
    tx: &mut ReadTx,
    games: &Games,
    game: &str,
    users: &[String],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(games, game)?.meta();
    let game = meta.name;
    let users = find_users(tx, Some(game), users).await?;
    let mut rows =
        select_boards(tx, game, &users, selector.or(Some(Selector::Active)), MOST_SHEETS as i64 + 1).await?;
    check_amount(Some(game), rows.len())?;
    rows.sort_by_key(|row| row.number);
    let mut sheets = Vec::new();
    for board in Board::from_rows(tx, games, &rows).await? {
        sheets.push(show(tx, &board?, now).await?);
    }
    let none = sheets.is_empty().then(|| describe_none(Some((game, meta.title)), &users, selector));
    Ok(boards_answer(sheets, none.into_iter().collect()))
}
