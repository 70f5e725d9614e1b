//! Looking at boards: nothing here changes anything.

use std::collections::HashSet;

use knotpost_commands::{Action, BoardAt, Command, GivenOption, Selector};
use knotpost_rules::{Seed, Turn};

use super::boards::{find_game, game_options, no_such_board};
use super::post::{BoardFacts, Heading};
use super::proposals::{is_pending, note_of};
use super::sheet::{Listing, Spoken};
use super::{
    Answer, Board, BoardLine, Code, GameCount, HistoryLine, Refusal, Reply, ServiceError, Sheet, Standing,
    ratings,
};
use crate::app::App;
use crate::domain::{BoardKey, BoardState, Millis, SeatState, UserKey};
use crate::store::{BoardFilter, BoardRow, ProposalRow, SeatRow, StoreError, Tx, UserRow};

/// Boards drawn in one answer.
pub(super) const MOST_SHEETS: usize = 40;
/// Lines of a table in one answer.
pub(super) const MOST_LINES: i64 = 500;

/// Whether the command only looks.
pub(super) fn is_query(command: &Command) -> bool {
    matches!(
        command,
        Command::Help { .. }
            | Command::List { .. }
            | Command::TestDisplay { .. }
            | Command::ShowBoards { .. }
            | Command::ShowUsers { .. }
            | Command::Games { .. }
            | Command::Standings { .. }
            | Command::History { .. }
            | Command::Preview { .. }
            | Command::PreviewNew { .. }
            | Command::ShowAs { .. }
            | Command::AllShow { .. }
            | Command::AllGames { .. }
            | Command::Export { .. }
    )
}

pub(super) async fn list(tx: &mut Tx, app: &App, games: &[String]) -> Result<Answer, ServiceError> {
    match games {
        [] => Ok(Answer::to_sender(Reply::Games { games: count_games(tx, app).await? })),
        [game] => self::games(tx, app, game, &[], None).await,
        games => {
            let games = games.iter().map(|game| find_game(app, game)).collect::<Result<Vec<_>, _>>()?;
            super::looking::tables_of(tx, games.into_iter(), &[], None).await
        }
    }
}

pub(super) async fn count_games(tx: &mut Tx, app: &App) -> Result<Vec<GameCount>, StoreError> {
    let mut counts = Vec::new();
    for game in app.games() {
        let meta = game.meta();
        let (active, over) = tx.count_boards(meta.name).await?;
        counts.push(GameCount {
            game: meta.name.to_owned(),
            title: meta.title.to_owned(),
            summary: meta.summary.to_owned(),
            active,
            over,
        });
    }
    Ok(counts)
}

pub(super) async fn show_boards(
    tx: &mut Tx,
    app: &App,
    game: &str,
    wanted: &[BoardAt],
    now: Millis,
) -> Result<Answer, ServiceError> {
    find_game(app, game)?;
    check_amount(Some(game), wanted.len())?;
    let mut sheets = Vec::new();
    for at in wanted {
        let Some(board) = Board::load(tx, app, game, at.number).await? else {
            return Err(no_such_board(app, game, at.number).into());
        };
        let board = at_ply(app, board, at.at)?;
        sheets.push(show(tx, &board, now).await?);
    }
    Ok(boards_answer(sheets))
}

pub(super) async fn show_users(
    tx: &mut Tx,
    app: &App,
    game: &str,
    users: &[String],
    selector: Option<Selector>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    let users = find_users(tx, Some(game), users).await?;
    let mut rows =
        select_boards(tx, game, &users, selector.or(Some(Selector::Active)), MOST_SHEETS as i64 + 1).await?;
    check_amount(Some(game), rows.len())?;
    rows.sort_by_key(|row| row.number);
    let mut sheets = Vec::new();
    for row in rows {
        let board = Board::from_row(tx, app, row).await?;
        sheets.push(show(tx, &board, now).await?);
    }
    Ok(boards_answer(sheets))
}

/// The board with its whole move list and what was said with the last move.
pub(super) async fn show(tx: &mut Tx, board: &Board, now: Millis) -> Result<Sheet, StoreError> {
    Ok(show_with_proposal(tx, board, now).await?.0)
}

/// As [`show`], with the proposal that waits on the board.
pub(super) async fn show_with_proposal(
    tx: &mut Tx,
    board: &Board,
    now: Millis,
) -> Result<(Sheet, Option<ProposalRow>), StoreError> {
    let around = tx.surroundings(board.row.id, board.entries.len() as i64).await?;
    let proposal = around.proposal.filter(|proposal| is_pending(proposal, board));
    let notes = proposal.iter().map(|proposal| note_of(board, proposal)).collect();
    let facts = BoardFacts { subscribers: around.watchers, notes, ..BoardFacts::plain(Heading::Show) };
    let facts = facts.with_moment(board, now);
    let ratings = ratings::change_lines(tx, board).await?;
    let sheet = Sheet::of(board, &facts, None, Listing::Whole, now)
        .with_spoken(around.comment.map(Spoken::from))
        .with_ratings(ratings);
    Ok((sheet, proposal))
}

pub(super) fn boards_answer(mut sheets: Vec<Sheet>) -> Answer {
    let boards = sheets
        .iter()
        .filter_map(|sheet| Some(super::boards::name(&sheet.game, i64::from(sheet.number?))))
        .collect();
    let reply = match sheets.len() {
        1 => Reply::Board(Box::new(sheets.remove(0))),
        _ => Reply::Boards { subject: "Show summary".to_owned(), sheets },
    };
    Answer { boards, ..Answer::to_sender(reply) }
}

pub(super) fn check_amount(game: Option<&str>, boards: usize) -> Result<(), ServiceError> {
    if boards <= MOST_SHEETS {
        return Ok(());
    }
    let refusal = Refusal::new(
        Code::TooMuchMail,
        format!("that is more than {MOST_SHEETS} boards; an answer of that size is too much mail"),
    )
    .hint(format!("Ask for fewer boards, or for a table: {} games USERID", game.unwrap_or("all")));
    Err(Refusal { game: game.map(str::to_owned), ..refusal }.into())
}

/// The board after `at` moves; negative numbers count back from the end.
pub(super) fn at_ply(app: &App, board: Board, at: Option<i64>) -> Result<Board, ServiceError> {
    let Some(at) = at else { return Ok(board) };
    let made = board.entries.len() as i64;
    let ply = if at < 0 { made + at } else { at };
    if !(0..=made).contains(&ply) {
        let message =
            format!("{} {} has {made} moves; there is no position #{at}", board.title(), board.row.number);
        return Err(Refusal::new(Code::BadValue, message).about(board).into());
    }
    Ok(board.at(app, ply as usize)?)
}

pub(super) async fn find_users(
    tx: &mut Tx,
    game: Option<&str>,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let mut users = Vec::new();
    for name in names {
        let Some(user) = tx.find_user(name).await? else {
            let refusal = Refusal::new(Code::NoSuchUser, format!("there is no user `{name}`"));
            return Err(Refusal { game: game.map(str::to_owned), ..refusal }.into());
        };
        users.push(user);
    }
    Ok(users)
}

pub(super) async fn select_boards(
    tx: &mut Tx,
    game: &str,
    users: &[UserRow],
    selector: Option<Selector>,
    limit: i64,
) -> Result<Vec<BoardRow>, ServiceError> {
    let state = match selector {
        None | Some(Selector::Active | Selector::Next) => Some(BoardState::Active),
        Some(Selector::Inactive) => Some(BoardState::Over),
        Some(Selector::All | Selector::Standard) => None,
        Some(Selector::Tournament) => {
            return Err(Refusal::new(
                Code::NotSupported,
                "there are no tournaments in this version of the server",
            )
            .into());
        }
    };
    let next = selector == Some(Selector::Next);
    let filter = BoardFilter { game: Some(game.to_owned()), state, next, ..BoardFilter::default() };
    if users.is_empty() {
        return Ok(tx.list_boards(&filter, limit).await?);
    }
    let (mut rows, mut known): (Vec<BoardRow>, HashSet<BoardKey>) = (Vec::new(), HashSet::new());
    for user in users {
        let found = tx.list_boards(&BoardFilter { user: Some(user.id), ..filter.clone() }, limit).await?;
        rows.extend(found.into_iter().filter(|row| known.insert(row.id)));
        if rows.len() as i64 >= limit {
            break;
        }
    }
    Ok(rows)
}

pub(super) async fn games(
    tx: &mut Tx,
    app: &App,
    game: &str,
    users: &[String],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?;
    let name = game.meta().name;
    let users = find_users(tx, Some(name), users).await?;
    let mut rows = select_boards(tx, name, &users, selector, MOST_LINES + 1).await?;
    let more = rows.len() as i64 > MOST_LINES;
    rows.truncate(MOST_LINES as usize);
    rows.sort_by_key(|row| row.number);
    let mut boards = Vec::new();
    let mut most_players = 2;
    for row in rows {
        let seats = tx.seats(row.id).await?;
        most_players = most_players.max(seats.len());
        boards.push(line(&row, &seats));
    }
    let sides = game.meta().seat_names(most_players).iter().map(|side| (*side).to_owned()).collect();
    Ok(Answer::to_sender(Reply::BoardList { title: game.meta().title.to_owned(), sides, boards, more }))
}

pub(super) fn line(row: &BoardRow, seats: &[SeatRow]) -> BoardLine {
    BoardLine {
        game: row.game.clone(),
        number: row.number,
        ply: row.ply,
        players: seats.iter().map(|seat| seat.userid.clone()).collect(),
        status: status(row, seats),
    }
}

fn status(row: &BoardRow, seats: &[SeatRow]) -> String {
    match row.state {
        BoardState::Active => seats
            .iter()
            .find(|seat| seat.to_move)
            .map_or_else(|| "waiting".to_owned(), |seat| format!("{}'s turn", seat.userid)),
        BoardState::Removed => "removed".to_owned(),
        BoardState::Over => match winner(row, seats).as_str() {
            "TIE" => "tie".to_owned(),
            name => format!("won by {name}"),
        },
    }
}

/// The winner's name, or `TIE`.
fn winner(row: &BoardRow, seats: &[SeatRow]) -> String {
    let winner = row.winners.as_deref().and_then(|winners| winners.parse::<i64>().ok());
    winner
        .and_then(|winner| seats.iter().find(|seat| seat.seat == winner))
        .map_or_else(|| "TIE".to_owned(), |seat| seat.userid.clone())
}

/// Boards as lines, for pages and the API, starting after a row; with the key to go on from.
pub(super) async fn list_boards(
    tx: &mut Tx,
    filter: &BoardFilter,
    limit: i64,
) -> Result<(Vec<(BoardRow, Vec<SeatRow>, BoardLine)>, Option<BoardKey>), StoreError> {
    let mut rows = tx.list_boards(filter, limit + 1).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(0));
    let next = rows.last().filter(|_| more).map(|row| row.id);
    let mut lines = Vec::new();
    for row in rows {
        let seats = tx.seats(row.id).await?;
        let line = line(&row, &seats);
        lines.push((row, seats, line));
    }
    Ok((lines, next))
}

pub(super) async fn history(
    tx: &mut Tx,
    app: &App,
    game: &str,
    users: &[String],
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?;
    let name = game.meta().name;
    let users = find_users(tx, Some(name), users).await?;
    let wanted: Vec<Option<UserKey>> =
        if users.is_empty() { vec![None] } else { users.iter().map(|user| Some(user.id)).collect() };
    let (mut rows, mut known): (Vec<BoardRow>, HashSet<BoardKey>) = (Vec::new(), HashSet::new());
    for user in wanted {
        let found = tx.list_finished(name, user, MOST_LINES + 1).await?;
        rows.extend(found.into_iter().filter(|row| known.insert(row.id)));
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.ended_at, row.number)));
    let more = rows.len() as i64 > MOST_LINES;
    rows.truncate(MOST_LINES as usize);
    let mut boards = Vec::new();
    for row in rows {
        let seats = tx.seats(row.id).await?;
        boards.push(HistoryLine {
            ended: Millis(row.ended_at.unwrap_or(0)).to_readable(),
            number: row.number,
            winner: winner(&row, &seats),
            score: row.scores.clone(),
            players: seats.iter().map(|seat| seat.userid.clone()).collect(),
        });
    }
    Ok(Answer::to_sender(Reply::History { title: game.meta().title.to_owned(), boards, more }))
}

pub(super) async fn preview(
    tx: &mut Tx,
    app: &App,
    game: &str,
    number: u32,
    at: Option<i64>,
    moves: &[Action],
    now: Millis,
) -> Result<Answer, ServiceError> {
    find_game(app, game)?;
    let Some(board) = Board::load(tx, app, game, number).await? else {
        return Err(no_such_board(app, game, number).into());
    };
    let mut board = at_ply(app, board, at)?;
    // No roll is seen before its turn.
    board.position.seal_chance();
    if let Err(refusal) = try_moves(&mut board, moves, now) {
        return Err(refusal.about(board).into());
    }
    let sheet = Sheet::of(&board, &BoardFacts::plain(Heading::Preview), None, Listing::Whole, now);
    Ok(Answer::to_sender(Reply::Board(Box::new(sheet))).about(board.name()))
}

pub(super) fn preview_new(
    app: &App,
    game: &str,
    players: usize,
    moves: &[Action],
    options: &[GivenOption],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?;
    let options = game_options(game, options, players)?;
    let mut board = Board::imagine(game, options, players, &Seed::default(), now);
    if let Err(refusal) = try_moves(&mut board, moves, now) {
        return Err(refusal.about_game(game.meta().name).into());
    }
    let mut sheet = Sheet::of(&board, &BoardFacts::plain(Heading::Preview), None, Listing::Whole, now);
    sheet.number = None;
    sheet.example = None;
    Ok(Answer::to_sender(Reply::Board(Box::new(sheet))))
}

/// Plays the words on a board that nobody stores.
fn try_moves(board: &mut Board, moves: &[Action], now: Millis) -> Result<(), Refusal> {
    for action in moves {
        let word = action.as_str();
        let Standing::ToMove(next) = board.standing() else {
            return Err(Refusal::new(Code::GameOver, format!("the game is over before `{word}`")));
        };
        let turn = match action {
            Action::Move(text) => Turn::Move(text),
            Action::Pass => Turn::Pass,
            Action::Swap => Turn::Swap,
            Action::Resign => {
                board.retire(next, crate::domain::MoveKind::Resign, false, now);
                let seat = board.seats.iter_mut().find(|row| row.seat == i64::from(next.number()));
                if let Some(seat) = seat {
                    seat.state = SeatState::Resigned;
                }
                continue;
            }
            Action::Propose | Action::Undo | Action::Accept | Action::Reject => {
                return Err(Refusal::new(Code::NotSupported, format!("`{word}` cannot be previewed")));
            }
        };
        board.play(turn, false, now).map_err(|error| {
            Refusal::new(Code::IllegalMove, format!("`{word}` cannot be played: {error}"))
        })?;
        if *action == Action::Swap {
            board.exchange_users();
        }
    }
    Ok(())
}
