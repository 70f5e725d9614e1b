//! Mails with a player's waiting boards, to that player alone.

use crate::app::App;
use crate::boards::Board;
use crate::play::notifications::notify_users;
use crate::replies::{BoardFacts, Heading};
use knotpost_model::{BoardState, Millis, UserKey};
use knotpost_storage::{BoardFilter, BoardRow, ReadTx, StoreError, WriteTx};

pub(crate) const MOST_MAILED: usize = 50;

/// Boards on which it is the user's turn, in one game or all; `None`: more than [`MOST_MAILED`].
pub(crate) async fn find_waiting(
    tx: &mut ReadTx,
    game: Option<&str>,
    user: UserKey,
) -> Result<Option<Vec<BoardRow>>, StoreError> {
    let filter = BoardFilter {
        game: game.map(str::to_owned),
        user: Some(user),
        state: Some(BoardState::Active),
        next: true,
        ..BoardFilter::default()
    };
    let rows = tx.list_boards(&filter, MOST_MAILED as i64 + 1).await?;
    Ok((rows.len() <= MOST_MAILED).then_some(rows))
}

pub(crate) async fn mail_board(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    let watchers = tx.subscribers(board.row.id).await?.into_iter();
    let is_player = |key: i64| board.seats.iter().any(|seat| seat.user_id == UserKey(key));
    let facts = BoardFacts {
        remark: tx.comment(board.row.id, board.row.ply).await?.map(|remark| remark.id),
        subscribers: watchers.filter(|(key, _)| !is_player(*key)).map(|(_, name)| name).collect(),
        ..BoardFacts::plain(Heading::Show)
    };
    notify_users(tx, app, board, &facts, vec![user], now).await
}
