//! Reference to a picture in a mail: enough to rebuild its view at sending. Mails store text, but not
//! pictures, which are large and slow to draw.

use std::sync::Arc;

use knotpost_rules::{Seed, Turn, View, Viewer};
use serde::{Deserialize, Serialize};

use crate::boards::Board;
use crate::boards::Games;
use crate::boards::board::{parse_options, seat_at};
use knotpost_model::{BoardKey, Millis, MoveKind};
use knotpost_storage::{ReadTx, StoreError};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureRef {
    /// Stored board; 0: none, replay begins at `start`.
    board: i64,
    game: String,
    options: String,
    seats: usize,
    /// Start of an unstored board; `None`: the game's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// Number of stored moves replayed.
    ply: usize,
    /// Moves tried after them, with their seats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tried: Vec<(i64, String)>,
    /// `None`: public view.
    viewer: Option<i64>,
    /// Expected position; if replay gives another, moves were undone and the picture is gone.
    position: String,
}

impl PictureRef {
    pub(crate) fn of(board: &Board, viewer: Viewer) -> Self {
        let stored = usize::try_from(board.row.ply).unwrap_or(0).min(board.entries.len());
        let tried = board.entries.iter().skip(stored);
        Self {
            board: board.row.id.0,
            game: board.row.game.clone(),
            options: board.row.options.clone(),
            seats: board.seats.len(),
            start: None,
            ply: stored,
            tried: tried.map(|entry| (entry.row.seat, entry.row.text.clone())).collect(),
            viewer: match viewer {
                Viewer::Spectator => None,
                Viewer::Seat(seat) => Some(i64::from(seat.number())),
            },
            position: board.position_text(),
        }
    }

    pub(crate) fn begun_at(self, start: &str) -> Self {
        Self { start: Some(start.to_owned()), ..self }
    }
}

/// Rebuilds the view; `None`: moves were taken back since.
pub async fn view_again(
    tx: &mut ReadTx,
    games: &Games,
    basis: &PictureRef,
    now: Millis,
) -> Result<Option<Arc<View>>, StoreError> {
    let Some(mut board) = find(tx, games, basis, now).await? else { return Ok(None) };
    if !basis.tried.is_empty() {
        board.position.seal_chance();
    }
    for (seat, word) in &basis.tried {
        if word.eq_ignore_ascii_case("resign") {
            board.retire(seat_at(*seat), MoveKind::Resign, false, now);
        } else if board.play(Turn::from_word(word), false, now).is_err() {
            return Ok(None);
        }
    }
    let viewer = basis.viewer.map_or(Viewer::Spectator, |seat| Viewer::Seat(seat_at(seat)));
    Ok((board.position_text() == basis.position).then(|| board.view_for(viewer)))
}

async fn find(
    tx: &mut ReadTx,
    games: &Games,
    basis: &PictureRef,
    now: Millis,
) -> Result<Option<Board>, StoreError> {
    if basis.board == 0 {
        let Some(game) = games.find(&basis.game) else { return Ok(None) };
        let Ok(options) = parse_options(game, &basis.options, basis.seats) else { return Ok(None) };
        if let Some(start) = &basis.start {
            return Ok(Board::imagine_from(game, options, basis.seats, start, now));
        }
        return Ok(Some(Board::imagine(game, options, basis.seats, &Seed::default(), now)));
    }
    let Some(found) = tx.seated_board(BoardKey(basis.board)).await? else { return Ok(None) };
    let board = Board::from_seated(tx, games, found).await?;
    if board.entries.len() == basis.ply { Ok(Some(board)) } else { board.at(games, basis.ply).map(Some) }
}
