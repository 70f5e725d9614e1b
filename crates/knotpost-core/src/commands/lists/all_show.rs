//! `all show`: the boards of users in every game.

use knotpost_commands::Selector;

use crate::app::App;
use crate::boards::{Board, ServiceError};
use crate::play::queries::{
    MOST_SHEETS, boards_answer, check_amount, describe_none, find_users, select_boards, show,
};
use crate::replies::Answer;
use knotpost_model::Millis;
use knotpost_storage::ReadTx;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    users: &[String],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let users = find_users(tx, None, users).await?;
    let selector = selector.or(Some(Selector::Active));
    let mut rows = Vec::new();
    for game in app.games.registry.iter() {
        let left = MOST_SHEETS as i64 + 1 - rows.len() as i64;
        let mut found = select_boards(tx, game.meta().name, &users, selector, left.max(1)).await?;
        found.sort_by_key(|row| row.number);
        rows.extend(found);
        check_amount(None, rows.len())?;
    }
    let mut sheets = Vec::new();
    for board in Board::from_rows(tx, &app.games, &rows).await? {
        sheets.push(show(tx, &board?, now).await?);
    }
    let none = sheets.is_empty().then(|| describe_none(None, &users, selector));
    Ok(boards_answer(sheets, none.into_iter().collect()))
}
