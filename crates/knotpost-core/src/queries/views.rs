//! Boards and games for pages and the API, one snapshot each.

use knotpost_platform::clock::Clock;
use knotpost_rules::Registry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::proposals::{silent_player, still_to_answer};
use crate::boards::{
    Board, Code, Games, Refusal, ServiceError, Standing, at_ply, find_game, find_user, no_such_board,
};
use crate::identity::Visitor;
use crate::play::queries::{Seated, lines, show_with_context};
use crate::queries::summary::place_of;
use crate::queries::table::look_around;
use crate::queries::talk::list_talk;
use crate::queries::{BoardSummary, BoardVersion, MoveLine, Surroundings, TalkLine, list_moves};
use crate::replies::{BoardLine, GameCount, Note, Sheet, Spoken};
use knotpost_model::{BoardKey, BoardRef, BoardState, MoveKind, ProposalKind, TournamentName, UserKey};
use knotpost_rules::{View, Viewer};
use knotpost_storage::{BoardContext, BoardFilter, ReadTx, SeatedBoard, Store, StoreError};

pub struct BoardView {
    pub board: Board,
    /// Stored facts, with the seating of that ply.
    pub summary: BoardSummary,
    pub sheet: Sheet,
    pub comment: Option<Spoken>,
    pub proposal: Option<ProposalView>,
    /// Players with a refused offer that they may not repeat before everybody has moved.
    pub refused: Vec<(UserKey, ProposalKind)>,
    pub unreached: Vec<String>,
}

/// A proposal of a player to the others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Proposal")]
pub struct ProposalView {
    /// Subject of the proposal.
    pub kind: ProposalKind,
    /// The player who proposed it.
    pub by: String,
    /// The players who have not answered yet.
    pub waiting: Vec<String>,
    /// Player whose timeout counts as acceptance.
    #[serde(skip)]
    pub silent: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct BoardQuery {
    pub game: Option<String>,
    pub userid: Option<String>,
    pub state: Option<BoardState>,
    pub next: bool,
    pub tournament: Option<TournamentName>,
    pub after: Option<BoardKey>,
    pub limit: i64,
}

#[derive(Serialize)]
#[serde(transparent)]
pub struct ListedBoard {
    pub summary: BoardSummary,
    /// The same in words, for mails and pages.
    #[serde(skip)]
    pub line: BoardLine,
}

/// A page of boards.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Boards")]
pub struct BoardPage {
    /// The boards, in the order in which they began.
    #[schemars(with = "Vec<BoardSummary>")]
    pub boards: Vec<ListedBoard>,
    /// Goes into the next request; `null`: that was all.
    #[serde(rename = "cursor")]
    #[schemars(with = "Option<i64>")]
    pub next: Option<BoardKey>,
}

#[derive(Debug, Serialize)]
pub struct ScoredMove {
    #[serde(flatten)]
    pub line: MoveLine,
    /// Points that it brought.
    pub gain: u32,
}

/// A board's page: one snapshot.
pub struct BoardPageView {
    pub version: Option<BoardVersion>,
    pub view: BoardView,
    /// All moves, also those after the one that is shown.
    pub moves: Vec<ScoredMove>,
    pub talk: Vec<TalkLine>,
    pub around: Surroundings,
}

/// A board after `ply` moves; `None`: all. Removed boards are told from those that never existed.
pub async fn view_board(app: &App, name: &BoardRef, ply: Option<i64>) -> Result<BoardView, ServiceError> {
    find_game(&app.games, &name.game)?;
    board_after(&mut app.store.read().await?, app.clock.as_ref(), &app.games, name, ply).await
}

/// A game from its beginning to the board as it is shown, as anybody sees it: each position, or of a long game `most` of
/// them. `None`: it does not replay.
pub fn replay_views(games: &Games, board: &Board, most: usize) -> Option<Vec<View>> {
    let (last, steps) = (board.entries.len(), board.entries.len().min(most.saturating_sub(1)).max(1));
    let plies: Vec<usize> =
        if last == 0 { vec![0] } else { (0..=steps).map(|step| step * last / steps).collect() };
    let views = plies.into_iter().map(|ply| {
        let earlier = board.at(games, ply).ok()?;
        let mut view = earlier.position.view(Viewer::Spectator).with_cast(earlier.cast(&earlier.standing()));
        if ply < last {
            // The turn is that of the present.
            view.cast.now = None;
        }
        Some(view)
    });
    views.collect()
}

/// As [`view_board`], with the surroundings for this visitor.
pub async fn view_board_page(
    app: &App,
    name: &BoardRef,
    ply: Option<i64>,
    visitor: Option<&Visitor>,
) -> Result<BoardPageView, ServiceError> {
    find_game(&app.games, &name.game)?;
    let mut tx = app.store.read().await?;
    let board = whole_board(&mut tx, &app.games, name).await?;
    let gains = board.entries.iter().map(|entry| entry.gain);
    let moves =
        list_moves(&board).into_iter().zip(gains).map(|(line, gain)| ScoredMove { line, gain }).collect();
    let mut view = view_at(&mut tx, app.clock.as_ref(), &app.games, board, ply).await?;
    let version = tx.board_pulse(&name.game, name.number).await?;
    let talk = list_talk(&mut tx, &view.board).await?;
    let around = look_around(&mut tx, app.clock.as_ref(), &mut view.board, visitor).await?;
    Ok(BoardPageView { version, view, moves, talk, around })
}

async fn board_after(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    games: &Games,
    name: &BoardRef,
    ply: Option<i64>,
) -> Result<BoardView, ServiceError> {
    let board = whole_board(tx, games, name).await?;
    view_at(tx, clock, games, board, ply).await
}

async fn whole_board(tx: &mut ReadTx, games: &Games, name: &BoardRef) -> Result<Board, ServiceError> {
    let Some(found) = tx.find_seated_board(&name.game, name.number).await? else {
        return Err(no_such_board(games, &name.game, name.number).into());
    };
    Ok(Board::from_seated(tx, games, found).await?)
}

async fn view_at(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    games: &Games,
    board: Board,
    ply: Option<i64>,
) -> Result<BoardView, ServiceError> {
    let board = at_ply(games, board, ply)?;
    let around = tx.board_context(board.row.id, board.entries.len() as i64).await?;
    Ok(view_of(tx, clock, board, around).await?)
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
pub async fn look_at_board(store: &Store, games: &Games, name: &BoardRef) -> Result<BoardLook, ServiceError> {
    find_game(games, &name.game)?;
    let mut tx = store.read().await?;
    let Some(seated) = tx.find_seated_board(&name.game, name.number).await? else {
        return Err(no_such_board(games, &name.game, name.number).into());
    };
    let around = tx.board_context(seated.board.id, seated.board.ply).await?;
    Ok(BoardLook { tx, sources: BoardSources { seated, around } })
}

impl BoardLook {
    pub fn sources(&self) -> &BoardSources {
        &self.sources
    }

    /// The view that is made of these rows.
    pub async fn view(self, app: &App) -> Result<(BoardSources, BoardView), ServiceError> {
        let Self { mut tx, sources } = self;
        let board = Board::from_seated(&mut tx, &app.games, sources.seated.clone()).await?;
        let view = view_of(&mut tx, app.clock.as_ref(), board, sources.around.clone()).await?;
        Ok((sources, view))
    }
}

async fn view_of(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    board: Board,
    around: BoardContext,
) -> Result<BoardView, StoreError> {
    let mut summary = BoardSummary::of_board(&board);
    summary.facts.place = place_of(tx, board.row.pairing_id).await?;
    let (sheet, offers) = show_with_context(tx, &board, around, None, clock.now()).await?;
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

/// As [`view_board_page`], for playing on: if the board ended by a resignation or the like, the position before
/// that.
pub async fn view_playable_board(
    app: &App,
    name: &BoardRef,
    ply: Option<i64>,
    visitor: Option<&Visitor>,
) -> Result<(BoardView, Surroundings), ServiceError> {
    find_game(&app.games, &name.game)?;
    let mut tx = app.store.read().await?;
    let mut view = board_after(&mut tx, app.clock.as_ref(), &app.games, name, ply).await?;
    let is_word = |kind| {
        matches!(
            kind,
            MoveKind::Resign
                | MoveKind::Forfeit
                | MoveKind::Draw
                | MoveKind::Adjudicated
                | MoveKind::Deadline
        )
    };
    let words = view.board.entries.iter().rev().take_while(|entry| is_word(entry.row.kind)).count();
    if words > 0 && matches!(view.board.standing(), Standing::Over(_)) {
        let before = (view.board.entries.len() - words) as i64;
        view = board_after(&mut tx, app.clock.as_ref(), &app.games, name, Some(before)).await?;
    }
    let around = look_around(&mut tx, app.clock.as_ref(), &mut view.board, visitor).await?;
    Ok((view, around))
}

pub async fn view_boards(app: &App, query: BoardQuery) -> Result<BoardPage, ServiceError> {
    if let Some(game) = &query.game {
        find_game(&app.games, game)?;
    }
    let mut tx = app.store.read().await?;
    let user = match &query.userid {
        None if query.next => {
            return Err(Refusal::new(Code::BadValue, "`next` needs a `user`: whose turn it is to be").into());
        }
        None => None,
        Some(userid) => Some(find_user(&mut tx, userid).await?.id),
    };
    let filter = BoardFilter {
        game: query.game,
        user,
        state: query.state,
        next: query.next,
        in_tournament: None,
        tournament: query.tournament,
        after: query.after,
    };
    Ok(list_boards(&mut tx, app, &filter, query.limit).await?)
}

/// Boards in order, with the key of the next page.
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

/// The boards of these keys that exist, in this order.
pub(super) async fn list_keys(
    tx: &mut ReadTx,
    app: &App,
    keys: &[BoardKey],
) -> Result<Vec<ListedBoard>, StoreError> {
    let mut boards = tx.seated_boards(keys).await?;
    let found = keys.iter().filter_map(|key| boards.remove(key));
    let found = found.map(|found| (found.board, found.seats)).collect();
    list(tx, app, found).await
}

async fn list(tx: &mut ReadTx, app: &App, boards: Vec<Seated>) -> Result<Vec<ListedBoard>, StoreError> {
    let lines = lines(tx, app, &boards).await?;
    let mut listed = Vec::with_capacity(lines.len());
    for ((row, seats), line) in boards.into_iter().zip(lines) {
        let place = place_of(tx, row.pairing_id).await?;
        let mut summary = BoardSummary::of_rows(row, seats);
        summary.facts.place = place;
        listed.push(ListedBoard { summary, line });
    }
    Ok(listed)
}

/// Active boards: those with the user to move first, then the longest waiting.
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
    pub fn is_turn_of(&self, userid: &str) -> bool {
        self.summary.to_move.iter().any(|name| name == userid)
    }
}

pub async fn view_games(store: &Store, registry: &'static Registry) -> Result<Vec<GameCount>, ServiceError> {
    let mut tx = store.read().await?;
    Ok(crate::play::queries::count_games(&mut tx, registry.iter()).await?)
}
