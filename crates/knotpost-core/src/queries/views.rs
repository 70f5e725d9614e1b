//! Boards and games for pages and the API: one snapshot each.

use crate::app::App;
use crate::boards::proposals::{silent_player, still_to_answer};
use crate::boards::{Board, Code, Refusal, ServiceError, Standing, at_ply, find_game, no_such_board};
use crate::play::queries::{Seated, lines, show_with_context};
use crate::queries::BoardSummary;
use crate::replies::{BoardLine, GameCount, Note, Sheet, Spoken};
use knotpost_model::{BoardKey, BoardRef, BoardState, MoveKind, ProposalKind, UserKey};
use knotpost_storage::{BoardContext, BoardFilter, ReadTx, SeatedBoard, StoreError};

/// A board with everything a page shows.
pub struct BoardView {
    /// The board, at the ply asked for.
    pub board: Board,
    /// The stored facts of the board; its players sit as they did at that ply.
    pub summary: BoardSummary,
    /// The same as facts for drawing.
    pub sheet: Sheet,
    /// What was said with that move.
    pub comment: Option<Spoken>,
    /// What somebody proposed there and others must answer.
    pub proposal: Option<ProposalView>,
    /// Players with an offer that was refused and that they may not repeat before everybody has moved.
    pub refused: Vec<(UserKey, ProposalKind)>,
    /// A sentence for each player who is suspended or gets no mail.
    pub unreached: Vec<String>,
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
    /// The userid of the player for whom it counts as accepted when their time runs out.
    pub silent: Option<String>,
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

pub struct ListedBoard {
    /// The stored facts of the board.
    pub summary: BoardSummary,
    /// The line of a table of boards.
    pub line: BoardLine,
}

/// A page of a list of boards.
pub struct BoardPage {
    pub boards: Vec<ListedBoard>,
    /// Where the next page begins, when there is one.
    pub next: Option<BoardKey>,
}

/// A board after `ply` moves; `None`: after all. Removed boards are told from boards that never were.
///
/// # Errors
/// When there is no such game, board or ply, or the database fails.
pub async fn view_board(app: &App, name: &BoardRef, ply: Option<i64>) -> Result<BoardView, ServiceError> {
    find_game(app, &name.game)?;
    let mut tx = app.store.read().await?;
    let Some(found) = tx.find_seated_board(&name.game, name.number).await? else {
        return Err(no_such_board(app, &name.game, name.number).into());
    };
    let board = Board::from_seated(&mut tx, app, found).await?;
    let board = at_ply(app, board, ply)?;
    let around = tx.board_context(board.row.id, board.entries.len() as i64).await?;
    Ok(view_of(&mut tx, app, board, around).await?)
}

/// The rows that the view of a board as it stands is made of. They tell its moves apart as well: by number, position and
/// the time of the last.
#[derive(Debug, PartialEq, Eq)]
pub struct BoardSources {
    seated: SeatedBoard,
    around: BoardContext,
}

/// A board as it stands, looked at: its rows but for the moves.
pub struct BoardLook {
    tx: ReadTx,
    sources: BoardSources,
}

/// Looks at a board with two queries.
///
/// # Errors
/// When there is no such game or board, or the database fails.
pub async fn look_at_board(app: &App, name: &BoardRef) -> Result<BoardLook, ServiceError> {
    find_game(app, &name.game)?;
    let mut tx = app.store.read().await?;
    let Some(seated) = tx.find_seated_board(&name.game, name.number).await? else {
        return Err(no_such_board(app, &name.game, name.number).into());
    };
    let around = tx.board_context(seated.board.id, seated.board.ply).await?;
    Ok(BoardLook { tx, sources: BoardSources { seated, around } })
}

impl BoardLook {
    pub fn sources(&self) -> &BoardSources {
        &self.sources
    }

    /// The view that is made of these rows.
    ///
    /// # Errors
    /// When the database fails or the board does not replay.
    pub async fn view(self, app: &App) -> Result<(BoardSources, BoardView), ServiceError> {
        let Self { mut tx, sources } = self;
        let board = Board::from_seated(&mut tx, app, sources.seated.clone()).await?;
        let view = view_of(&mut tx, app, board, sources.around.clone()).await?;
        Ok((sources, view))
    }
}

async fn view_of(
    tx: &mut ReadTx,
    app: &App,
    board: Board,
    around: BoardContext,
) -> Result<BoardView, StoreError> {
    let summary = BoardSummary::of_board(&board);
    let (sheet, offers) = show_with_context(tx, &board, around, None, app.clock.now()).await?;
    let comment = sheet.spoken.first().cloned();
    let proposal = offers.pending.map(|proposal| ProposalView {
        kind: proposal.kind,
        by: board.userid_at(proposal.seat).to_owned(),
        waiting: still_to_answer(&board, &proposal),
        silent: silent_player(&board, &proposal).map(ToOwned::to_owned),
    });
    let told = summary.players().flat_map(|userid| {
        let userid = || userid.to_owned();
        [Note::Suspended { userid: userid() }, Note::Unreached { userid: userid() }]
            .map(|note| note.to_string())
    });
    let mut unreached: Vec<String> = told.filter(|note| sheet.notes.contains(note)).collect();
    unreached.dedup();
    Ok(BoardView { board, summary, sheet, comment, proposal, refused: offers.refused, unreached })
}

/// As [`view_board`], for playing on: where the board has ended by a word, such as a resignation, the position before that.
///
/// # Errors
/// As [`view_board`].
pub async fn view_playable_board(
    app: &App,
    name: &BoardRef,
    ply: Option<i64>,
) -> Result<BoardView, ServiceError> {
    let view = view_board(app, name, ply).await?;
    let is_word =
        |kind| matches!(kind, MoveKind::Resign | MoveKind::Forfeit | MoveKind::Draw | MoveKind::Adjudicated);
    let words = view.board.entries.iter().rev().take_while(|entry| is_word(entry.row.kind)).count();
    if words == 0 || matches!(view.board.standing(), Standing::ToMove(_)) {
        return Ok(view);
    }
    view_board(app, name, Some((view.board.entries.len() - words) as i64)).await
}

/// A page of boards.
///
/// # Errors
/// When there is no such game or user, or the database fails.
pub async fn view_boards(app: &App, query: BoardQuery) -> Result<BoardPage, ServiceError> {
    if let Some(game) = &query.game {
        find_game(app, game)?;
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
    Ok(list_boards(&mut tx, app, &filter, query.limit).await?)
}

/// Boards in order, at most `limit`, with the key of the next page.
async fn list_boards(
    tx: &mut ReadTx,
    app: &App,
    filter: &BoardFilter,
    limit: i64,
) -> Result<BoardPage, StoreError> {
    let mut rows = tx.list_boards(filter, limit + 1).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(0));
    let next = rows.last().filter(|_| more).map(|row| row.id);
    let mut boards = Vec::with_capacity(rows.len());
    for row in rows {
        let seats = tx.seats(row.id).await?;
        boards.push((row, seats));
    }
    Ok(BoardPage { boards: list(tx, app, boards).await?, next })
}

/// These boards as a list holds them.
pub(super) async fn list(
    tx: &mut ReadTx,
    app: &App,
    boards: Vec<Seated>,
) -> Result<Vec<ListedBoard>, StoreError> {
    let lines = lines(tx, app, &boards).await?;
    let listed = boards.into_iter().zip(lines);
    Ok(listed
        .map(|((row, seats), line)| ListedBoard { summary: BoardSummary::of_rows(row, seats), line })
        .collect())
}

/// The user's active boards, at most `limit`: those on which it is the user's turn come first, and of equal ones the board
/// that has waited longest.
///
/// # Errors
/// When there is no such user, or the database fails.
pub async fn view_own_boards(app: &App, userid: &str, limit: i64) -> Result<Vec<ListedBoard>, ServiceError> {
    let query = BoardQuery {
        userid: Some(userid.to_owned()),
        state: Some(BoardState::Active),
        limit,
        ..BoardQuery::default()
    };
    let mut boards = view_boards(app, query).await?.boards;
    boards.sort_by_key(|board| (!board.is_turn_of(userid), board.summary.waits_since()));
    Ok(boards)
}

impl ListedBoard {
    /// Whether it is this user's turn.
    pub fn is_turn_of(&self, userid: &str) -> bool {
        self.summary.to_move().any(|name| name == userid)
    }
}

/// All games, on offer or not, with how much they are played.
pub async fn view_games(app: &App) -> Result<Vec<GameCount>, ServiceError> {
    let mut tx = app.store.read().await?;
    Ok(crate::play::queries::count_games(&mut tx, app.registry.iter()).await?)
}
