use crate::app::App;
use crate::boards::Board;
use crate::replies::sheet::Listing;
use crate::replies::{BoardFacts, Heading, Reply, Sheet};
use crate::requests::Prepared;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError};

pub(super) fn answer_already_played(
    prepared: &Prepared,
    board: Option<&Board>,
    reader: Option<&str>,
    now: Millis,
) -> Reply {
    let facts = BoardFacts::plain(Heading::Show);
    let sheet = board.map(|board| Box::new(Sheet::of(board, &facts, reader, Listing::Whole, now)));
    Reply::AlreadyPlayed { echo: prepared.echo.clone(), sheet }
}

pub async fn already_played(
    tx: &mut ReadTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Reply, StoreError> {
    let named = prepared.command.as_ref().ok().and_then(|command| Some((command.game()?, command.board()?)));
    let board = match named {
        Some((game, number)) => Board::load(tx, app, game, number).await?,
        None => None,
    };
    Ok(answer_already_played(prepared, board.as_ref(), None, now))
}
