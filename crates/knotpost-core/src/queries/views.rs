//! Boards and games for pages and the API: one snapshot each.

use crate::app::App;
use crate::boards::proposals::still_to_answer;
use crate::boards::{Board, Code, Refusal, ServiceError, at_ply, find_game, no_such_board};
use crate::play::queries::{list_boards, show_with_proposal};
use crate::replies::{BoardLine, GameCount, Sheet, Spoken};
use knotpost_model::{BoardKey, BoardRef, BoardState, ProposalKind};
use knotpost_storage::{BoardFilter, BoardRow, SeatRow};

/// A board with everything a page shows.
pub struct BoardView {
    /// The board, at the ply asked for.
    pub board: Board,
    /// The same as facts for drawing.
    pub sheet: Sheet,
    /// What was said with that move.
    pub comment: Option<Spoken>,
    /// What somebody proposed there and others must answer.
    pub proposal: Option<ProposalView>,
    /// The number of the last move there is.
    pub last_ply: i64,
}

/// A proposal that waits for answers.
#[derive(Clone, Debug)]
pub struct ProposalView {
    /// What it is about.
    pub kind: ProposalKind,
    /// The userid of the player who made it.
    pub by: String,
    /// The userids of those who have not answered.
    pub waiting: Vec<String>,
}

/// Which boards a list is to hold.
#[derive(Clone, Debug, Default)]
pub struct BoardQuery {
    /// Only this game.
    pub game: Option<String>,
    /// Only this user's.
    pub userid: Option<String>,
    /// Only in this state.
    pub state: Option<BoardState>,
    /// Only where it is the user's turn.
    pub next: bool,
    /// After this row.
    pub after: Option<BoardKey>,
    /// At most this many.
    pub limit: i64,
}

/// A page of a list of boards.
pub struct BoardPage {
    /// The boards.
    pub boards: Vec<(BoardRow, Vec<SeatRow>, BoardLine)>,
    /// Where the next page begins, when there is one.
    pub next: Option<BoardKey>,
}

/// A board after `ply` moves; `None`: after all. Removed boards are told from boards that never were.
///
/// # Errors
/// When there is no such game, board or ply, or the database fails.
pub async fn view_board(app: &App, name: &BoardRef, ply: Option<i64>) -> Result<BoardView, ServiceError> {
    find_game_or_stored(app, &name.game)?;
    let mut tx = app.store.read().await?;
    let Some(found) = tx.find_seated_board(&name.game, name.number).await? else {
        return Err(no_such_board(app, &name.game, name.number).into());
    };
    let last_ply = found.board.ply;
    let board = Board::from_seated(&mut tx, app, found).await?;
    let board = at_ply(app, board, ply)?;
    let (sheet, proposal) = show_with_proposal(&mut tx, &board, app.clock.now()).await?;
    let comment = sheet.spoken.first().cloned();
    let proposal = proposal.map(|proposal| ProposalView {
        kind: proposal.kind,
        by: board.userid_at(proposal.seat).to_owned(),
        waiting: still_to_answer(&board, &proposal),
    });
    Ok(BoardView { board, sheet, comment, proposal, last_ply })
}

/// A page of boards.
///
/// # Errors
/// When there is no such game or user, or the database fails.
pub async fn view_boards(app: &App, query: BoardQuery) -> Result<BoardPage, ServiceError> {
    if let Some(game) = &query.game {
        find_game_or_stored(app, game)?;
    }
    let mut tx = app.store.read().await?;
    let user = match &query.userid {
        None if query.next => {
            return Err(Refusal::new(Code::BadValue, "`next` needs a `user`: whose turn it is to be").into());
        }
        None => None,
        Some(userid) => match tx.find_user(userid).await? {
            Some(user) => Some(user.id),
            None => return Err(Refusal::new(Code::NoSuchUser, format!("there is no user `{userid}`")).into()),
        },
    };
    let filter =
        BoardFilter { game: query.game, user, state: query.state, next: query.next, after: query.after };
    let (boards, next) = list_boards(&mut tx, &filter, query.limit).await?;
    Ok(BoardPage { boards, next })
}

/// The games on offer with how much they are played.
///
/// # Errors
/// When the database fails.
pub async fn view_games(app: &App) -> Result<Vec<GameCount>, ServiceError> {
    let mut tx = app.store.read().await?;
    Ok(crate::play::queries::count_games(&mut tx, app).await?)
}

/// Boards of a game that was switched off stay readable.
fn find_game_or_stored(app: &App, name: &str) -> Result<(), ServiceError> {
    if app.registry.find(name).is_some() { Ok(()) } else { find_game(app, name).map(drop) }
}
