//! `export`: the game record of a board, for anyone.

use knotpost_commands::BoardAt;
use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, at_ply, find_board, find_game};
use crate::records::record_of;
use crate::replies::{Answer, Reply};
use knotpost_storage::ReadTx;

/// Bytes of a mailed record; a long game with long remarks fits.
const MOST_BYTES: usize = 256 << 10;

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    at: BoardAt,
) -> Result<Answer, ServiceError> {
    find_game(&app.games, game)?;
    let board = find_board(tx, app, game, at.number).await?;
    let board = at_ply(&app.games, board, at.at)?;
    let text = record_of(tx, &board).await?.to_string();
    if text.len() > MOST_BYTES {
        let url = app.config.server.public_url.trim_end_matches('/');
        let message = format!("the record of {} board {} is too much mail", board.title(), at.number);
        return Err(Refusal::new(Code::TooMuchMail, message)
            .hint(format!("It is at {url}/api/v1/boards/{}/{}/record", board.row.game, at.number))
            .about_game(&board.row.game)
            .into());
    }
    let facts = json!({ "title": board.title(), "number": at.number, "text": text });
    let reply = Reply::said("record", facts);
    Ok(Answer::to_sender(reply).about(board.name()))
}
