use crate::boards::{Board, Games};
use crate::replies::sheet::Listing;
use crate::replies::{BoardFacts, Heading, Reply, Sheet};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError};

pub(super) fn answer_already_played(
    ready: &Ready,
    board: Option<&Board>,
    reader: Option<&str>,
    now: Millis,
) -> Reply {
    let facts = BoardFacts::plain(Heading::Show);
    let sheet = board.map(|board| Box::new(Sheet::of(board, &facts, reader, Listing::Whole, now)));
    Reply::AlreadyPlayed { echo: ready.echo.clone(), sheet }
}

pub async fn already_played(
    tx: &mut ReadTx,
    games: &Games,
    ready: &Ready,
    now: Millis,
) -> Result<Reply, StoreError> {
    let named = ready.command.as_ref().ok().and_then(|command| Some((command.game()?, command.board()?)));
    let board = match named {
        Some((game, number)) => Board::load(tx, games, game, number).await?,
        None => None,
    };
    Ok(answer_already_played(ready, board.as_ref(), None, now))
}
