//! A user's waiting boards, for feeds.

use crate::app::App;
use crate::boards::time::{LastMoment, last_moment, waiting_since};
use crate::boards::{Board, Standing};
use crate::identity::FeedReader;
use crate::queries::BoardSummary;
use crate::replies::sheet::Spoken;
use knotpost_model::{Millis, TournamentForm, TournamentName, Zone};
use knotpost_storage::{ALL_GAMES, ReadTx, StoreError, WaitingOrder};

pub const MOST_WAITING: i64 = 200;

pub struct Waiting {
    pub board: Board,
    pub summary: BoardSummary,
    /// Time of the last move, or of a later undo or end of a pause.
    pub since: Millis,
    pub spoken: Option<Spoken>,
    pub last_moment: Option<LastMoment>,
    pub zone: Zone,
}

/// Latest first.
pub async fn view_turns(app: &App, reader: &FeedReader) -> Result<Vec<Waiting>, StoreError> {
    let mut waiting = load(app, reader, WaitingOrder::Latest).await?;
    waiting.sort_by_key(|waiting| std::cmp::Reverse((waiting.since, waiting.board.row.id.0)));
    Ok(waiting)
}

/// Boards with the user's clock running, shortest time first.
pub async fn view_deadlines(
    app: &App,
    reader: &FeedReader,
) -> Result<Vec<(Waiting, LastMoment)>, StoreError> {
    let forfeit_ms = crate::boards::TimeLimits::new(None, None, None, &app.config.time).forfeit.0;
    let waiting = load(app, reader, WaitingOrder::Shortest { forfeit_ms }).await?;
    let with_end = |waiting: Waiting| waiting.last_moment.map(|end| (waiting, end));
    let mut running: Vec<(Waiting, LastMoment)> = waiting.into_iter().filter_map(with_end).collect();
    running.sort_by_key(|(waiting, end)| (end.at, waiting.board.row.id.0));
    Ok(running)
}

/// End of a round of a tournament in which a user has boards that are not over.
pub struct RoundEnd {
    pub tournament: TournamentName,
    pub title: String,
    /// Title of the game.
    pub game: &'static str,
    /// A league's are seasons.
    pub form: TournamentForm,
    pub round: i64,
    /// Start of the tournament.
    pub started: Millis,
    pub deadline: Millis,
    pub boards: i64,
    pub zone: Zone,
}

/// Rounds with boards of the user that are not over, shortest time first.
pub async fn view_rounds(app: &App, reader: &FeedReader) -> Result<Vec<RoundEnd>, StoreError> {
    let mut tx = app.store.read().await?;
    let zone = zone_of(&mut tx, reader).await?;
    let mut rounds = Vec::new();
    for entry in tx.entries_of(reader.user).await?.into_iter().filter(|entry| entry.open_boards > 0) {
        let Some((started, deadline)) = entry.started_at.zip(entry.deadline) else { continue };
        let Some(game) = app.games.find(&entry.game) else { continue };
        rounds.push(RoundEnd {
            tournament: entry.id,
            title: entry.title,
            game: game.meta().title,
            form: entry.form,
            round: entry.round,
            started,
            deadline,
            boards: entry.open_boards,
            zone: zone.clone(),
        });
    }
    rounds.sort_by_key(|round| (round.deadline, round.tournament));
    Ok(rounds)
}

async fn zone_of(tx: &mut ReadTx, reader: &FeedReader) -> Result<Zone, StoreError> {
    let zone = tx.preference(reader.user, ALL_GAMES, "timezone").await?;
    Ok(zone.as_deref().and_then(Zone::named).unwrap_or_else(Zone::utc))
}

async fn load(app: &App, reader: &FeedReader, order: WaitingOrder) -> Result<Vec<Waiting>, StoreError> {
    let (mut tx, now) = (app.store.read().await?, app.clock.now());
    let zone = zone_of(&mut tx, reader).await?;
    let mut waiting = Vec::new();
    let rows = tx.boards_waiting_for(reader.user, order, MOST_WAITING).await?;
    for board in Board::from_rows(&mut tx, &app.games, &rows).await? {
        match look_at(&mut tx, board, &zone, now).await {
            Ok(board) => waiting.extend(board),
            // One broken board must not hide all others.
            Err(error @ StoreError::Corrupt(_)) => {
                tracing::error!(error = error.with_causes(), "a board was left out of a feed");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(waiting)
}

/// `None`: the board is over, whatever its row says.
async fn look_at(
    tx: &mut ReadTx,
    board: Result<Board, StoreError>,
    zone: &Zone,
    now: Millis,
) -> Result<Option<Waiting>, StoreError> {
    let mut board = board?;
    let key = board.row.id;
    if !matches!(board.standing(), Standing::ToMove(_)) {
        return Ok(None);
    }
    board.load_pauses(tx).await?;
    let resumed = tx.board_pauses(key).await?.iter().map(|pause| pause.until).max();
    let since = resumed.map_or(waiting_since(&board), |resumed| resumed.max(waiting_since(&board)));
    let spoken = tx.comment(key, board.entries.len() as i64).await?.map(Spoken::from);
    let last_moment = last_moment(&board, now);
    let summary = BoardSummary::of_board(&board);
    Ok(Some(Waiting { board, summary, since, spoken, last_moment, zone: zone.clone() }))
}
