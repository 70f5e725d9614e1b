//! Playing: challenges, moves, chat.

use knotpost_commands::{Action, Days, GivenOption, ServerOptions};
use knotpost_rules::{Ability, AnyGame, OptionError, Rejected, Seed, Turn};

use super::Prepared;
use super::execute::authorize_on;
use super::post::{BoardFacts, Heading, Note, post_board, post_to_user};
use super::sheet::{Listing, Spoken};
use super::{Answer, Board, Code, Rate, Refusal, Reply, ServiceError, Sheet, Standing, resignation};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{BoardRef, BoardState, Millis, RemarkKey, RemarkKind, SeatState};
use crate::store::{NewBoard, NewSeat, StoreError, Tx, UserRow, UserState};

/// How many legal moves an answer lists.
const MOST_LEGAL_MOVES: usize = 60;

#[expect(clippy::too_many_arguments, reason = "the parts of one command")]
pub(super) async fn challenge(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game_name: &str,
    players: &[String],
    options: &[GivenOption],
    server: &ServerOptions,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game_name)?;
    let options = game_options(game, options, players.len())?;
    let users = find_players(tx, game, players).await?;
    if let Err(seconds) = app.limits.count(Rate::Challenge, &prepared.origin.rate_key) {
        let mut refusal =
            Refusal::new(Code::RateLimited, "too many challenges were sent from there; try again later");
        refusal.retry_after = Some(seconds);
        return Err(refusal.about_game(game_name).into());
    }
    let seed: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    let position = game.setup(&options, users.len(), &Seed(seed));
    let distinct = users.iter().any(|user| Some(user.id) != users.first().map(|first| first.id));
    let new = NewBoard {
        game: game_name.to_owned(),
        options: options.to_string(),
        rules_version: game.meta().rules_version,
        seed,
        rated: distinct && !server.unrated,
        position: position.position(),
        scores: position.scores().to_string(),
        at: now,
        nag_ms: limit_ms(server.nagtime),
        forfeit_ms: limit_ms(server.forfeittime),
        total_ms: limit_ms(server.totaltime),
    };
    let number = tx.take_board_number(game_name).await?;
    let key = tx.insert_board(number, &new).await?;
    let first = position.next_seat().index();
    for (index, user) in users.iter().enumerate() {
        tx.insert_seat(key, NewSeat { seat: index as i64 + 1, user: user.id, to_move: index == first })
            .await?;
    }
    let mut facts = BoardFacts::plain(Heading::New);
    if !prepared.body.trim().is_empty() {
        facts.remark = Some(tx.insert_remark(key, 0, None, RemarkKind::Comment, &prepared.body, now).await?);
    }
    if !new.rated {
        facts.notes.push(Note::Unrated);
    }
    let Some(row) = tx.board(key).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    let board = Board::from_row(tx, app, row).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

fn limit_ms(days: Option<Days>) -> Option<i64> {
    days.and_then(|days| i64::try_from(days.as_millis()).ok())
}

/// Queues the board to everybody and answers with it.
pub(super) async fn answer_with_board(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let facts = post_board(tx, app, board, facts, now).await?;
    let spoken = match facts.remark {
        Some(remark) => tx.remark(remark).await?.map(Spoken::from),
        None => None,
    };
    let sheet = Sheet::of(board, &facts, None, Listing::Recent, now).with_spoken(spoken);
    Ok(Answer::to_registered(Reply::Board(Box::new(sheet))).about(board.name()))
}

/// The game of that name, when it is on offer.
pub(super) fn find_game(app: &App, name: &str) -> Result<&'static dyn AnyGame, ServiceError> {
    app.game(name).ok_or_else(|| {
        let known: Vec<&str> = app.games().map(|game| game.meta().name).collect();
        Refusal::new(Code::UnknownGame, format!("there is no game `{name}` here"))
            .hint(format!("Games: {}", known.join(", ")))
            .into()
    })
}

/// The options of a challenge under the rules of the game.
pub(super) fn game_options(
    game: &'static dyn AnyGame,
    given: &[GivenOption],
    players: usize,
) -> Result<knotpost_rules::GameOptions, ServiceError> {
    let given: Vec<_> = given
        .iter()
        .map(|option| knotpost_rules::GivenOption { name: option.name.clone(), value: option.value.clone() })
        .collect();
    game.parse_options(&given, players).map_err(|error| {
        let code =
            if matches!(error, OptionError::Option { .. }) { Code::BadOption } else { Code::PlayerCount };
        Refusal::new(code, error.to_string())
            .hint(format!("Syntax: {} challenge [options] USERID USERID …", game.meta().name))
            .hint(format!("`help {}` tells all about its options.", game.meta().name))
            .about_game(game.meta().name)
            .into()
    })
}

async fn find_players(
    tx: &mut Tx,
    game: &dyn AnyGame,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let (mut users, mut unknown, mut unwilling) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match tx.find_user(name).await? {
            Some(user) if user.state == UserState::Active => users.push(user),
            Some(user) => unwilling.push(user.userid),
            None => unknown.push(name.clone()),
        }
    }
    if unknown.is_empty() && unwilling.is_empty() {
        return Ok(users);
    }
    let mut refusal =
        Refusal::new(Code::InvalidChallenge, "not everybody in this challenge can play; no board was made");
    if !unknown.is_empty() {
        refusal = refusal.hint(format!("Unknown: {}", unknown.join(", ")));
    }
    if !unwilling.is_empty() {
        refusal = refusal.hint(format!("Not willing: {}", unwilling.join(", ")));
    }
    Err(refusal.about_game(game.meta().name).into())
}

/// The words of a `move`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<'a> {
    pub(super) game: Option<&'a str>,
    pub(super) board: u32,
    pub(super) userid: &'a str,
    pub(super) action: &'a Action,
    pub(super) number: Option<u32>,
}

/// `move`: in the order of the checks, so that the first thing wrong is what the player is told.
pub(super) async fn act(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    turning: Turning<'_>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = match turning.game {
        Some(game) => find_game(app, game)?.meta().name,
        None => guess_game(tx, app, turning).await?,
    };
    if matches!(turning.action, Action::Resign) {
        return resignation::resign(tx, app, prepared, game, turning.board, now).await;
    }
    let board = find_board(tx, app, game, turning.board).await?;
    let (mut board, user) = authorize_on(tx, prepared, board).await?;
    let turn = match turning.action {
        Action::Move(text) => Turn::Move(text),
        Action::Pass => Turn::Pass,
        Action::Swap => Turn::Swap,
        other => return Err(unsupported_action(other, board).into()),
    };
    let board_seat = check_turn(&board, &user, turning.number);
    if let Err(refusal) = board_seat {
        return Err(refusal.about(board).into());
    }
    if let Err(refusal) = check_ability(&board, turn) {
        return Err(refusal.about(board).into());
    }
    if let Err(error) = board.play(turn, false, now) {
        return Err(illegal(&error, turn, board, &user.userid).into());
    }
    if matches!(turn, Turn::Swap) {
        exchange_users(tx, &mut board).await?;
    }
    let ply = board.entries.len();
    settle(tx, &mut board, ply - 1, now).await?;
    let mut facts = BoardFacts::plain(Heading::Summary);
    if matches!(turn, Turn::Swap) {
        facts.notes.push(Note::Swapped { by: user.userid.clone() });
    }
    facts.remark = comment(tx, &board, ply, &user, prepared, now).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

/// Keeps what was said with a move; `None` when nothing was.
pub(super) async fn comment(
    tx: &mut Tx,
    board: &Board,
    ply: usize,
    user: &UserRow,
    prepared: &Prepared,
    now: Millis,
) -> Result<Option<RemarkKey>, StoreError> {
    if prepared.body.trim().is_empty() {
        return Ok(None);
    }
    let said =
        tx.insert_remark(board.row.id, ply as i64, Some(user.id), RemarkKind::Comment, &prepared.body, now);
    said.await.map(Some)
}

/// After a swap the colours stay and the players change places.
async fn exchange_users(tx: &mut Tx, board: &mut Board) -> Result<(), StoreError> {
    if let [one, other, ..] = board.seats.as_slice() {
        tx.exchange_users(board.row.id, one, other).await?;
    }
    board.exchange_users();
    Ok(())
}

/// Stores what a turn led to: the new moves (the server's own included), where the board stands,
/// and whose turn it is.
pub(super) async fn settle(
    tx: &mut Tx,
    board: &mut Board,
    stored: usize,
    now: Millis,
) -> Result<(), ServiceError> {
    play_for_the_absent(board, now)?;
    for entry in board.entries.iter().skip(stored) {
        tx.insert_move(board.row.id, &entry.row).await?;
    }
    let standing = board.standing();
    board.row.ply = board.entries.len() as i64;
    board.row.position = board.position_text();
    board.row.scores = board.position.scores().to_string();
    board.row.last_move_at = board.entries.last().map(|entry| entry.row.at.0);
    if let Standing::Over(outcome) = &standing {
        let winners: Vec<String> = outcome.winners().iter().map(ToString::to_string).collect();
        board.row.state = BoardState::Over;
        board.row.winners = Some(winners.join(","));
        board.row.reason = Some(outcome.reason.to_owned());
        board.row.ended_at = Some(now.0);
    }
    tx.update_board(&board.row).await?;
    for seat in &mut board.seats {
        let to_move = matches!(&standing, Standing::ToMove(next) if i64::from(next.number()) == seat.seat);
        if seat.to_move != to_move || seat.state != SeatState::Playing {
            seat.to_move = to_move;
            tx.update_seat(board.row.id, seat).await?;
        }
    }
    Ok(())
}

/// Forced passes, and resignations that waited for their turn.
fn play_for_the_absent(board: &mut Board, now: Millis) -> Result<(), ServiceError> {
    while let Standing::ToMove(next) = board.standing() {
        let waiting = board.seats.iter_mut().find(|seat| {
            seat.seat == i64::from(next.number()) && seat.resign_pending && seat.state == SeatState::Playing
        });
        if let Some(seat) = waiting {
            seat.resign_pending = false;
            seat.state = SeatState::Resigned;
            board.retire(next, crate::domain::MoveKind::Resign, true, now);
        } else if let Some(turn) = board.position.forced() {
            board.play(turn, true, now).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        } else {
            break;
        }
    }
    Ok(())
}

/// The board of that game and number, to be changed.
pub(super) async fn find_board(
    tx: &mut Tx,
    app: &App,
    game: &str,
    number: u32,
) -> Result<Board, ServiceError> {
    Board::load_to_change(tx, app, game, number).await?.ok_or_else(|| no_such_board(app, game, number).into())
}

pub(super) fn no_such_board(app: &App, game: &str, number: u32) -> Refusal {
    let title = app.game(game).map_or(game, |game| game.meta().title);
    Refusal::new(Code::NoSuchBoard, format!("there is no {title} board {number}"))
        .hint(format!("`{game} games` lists the boards that are being played."))
        .about_game(game)
}

async fn guess_game(tx: &mut Tx, app: &App, turning: Turning<'_>) -> Result<&'static str, ServiceError> {
    let user = tx.find_user(turning.userid).await?;
    let games = match &user {
        Some(user) => tx.games_with_board(turning.board, user.id).await?,
        None => Vec::new(),
    };
    match games.as_slice() {
        [game] => Ok(find_game(app, game)?.meta().name),
        [] => Err(Refusal::new(Code::NoSuchBoard, format!("you play on no board {}", turning.board))
            .hint("Write the game first: GAME move BOARD USERID PASSWORD MOVE")
            .into()),
        several => {
            let candidates: Vec<String> =
                several.iter().map(|game| format!("{game} {}", turning.board)).collect();
            Err(Refusal::new(Code::NoSuchBoard, format!("you play on several boards {}", turning.board))
                .hint(format!("Write the game first; you may mean: {}", candidates.join(", ")))
                .into())
        }
    }
}

/// Over, playing here, number, turn: in this order.
pub(super) fn check_turn(board: &Board, user: &UserRow, number: Option<u32>) -> Result<(), Refusal> {
    check_plays(board, user)?;
    if let Some(number) = number
        && i64::from(number) != board.next_number()
    {
        let message = format!("the next move here is number {}, not {number}", board.next_number());
        return Err(Refusal::new(Code::WrongMoveNumber, message));
    }
    let Standing::ToMove(next) = board.standing() else { return Err(game_over(board)) };
    let mover = board.userid_at(i64::from(next.number()));
    if board.seat_of(user.id).is_none_or(|seat| seat.seat != i64::from(next.number())) {
        return Err(Refusal::new(Code::NotYourTurn, format!("it is {mover}'s turn, not yours"))
            .hint(format!("`{} show {}` shows the board at any time.", board.row.game, board.row.number)));
    }
    Ok(())
}

/// Over and playing here.
pub(super) fn check_plays(board: &Board, user: &UserRow) -> Result<(), Refusal> {
    if matches!(board.standing(), Standing::Over(_)) {
        return Err(game_over(board));
    }
    let seat = board.seat_of(user.id);
    if seat.is_none_or(|seat| seat.state != SeatState::Playing) {
        let players: Vec<&str> = board.seats.iter().map(|seat| seat.userid.as_str()).collect();
        let message =
            format!("{} does not play on {} board {}", user.userid, board.title(), board.row.number);
        return Err(Refusal::new(Code::NotAPlayer, message).hint(format!("Players: {}", players.join(", "))));
    }
    Ok(())
}

fn game_over(board: &Board) -> Refusal {
    Refusal::new(Code::GameOver, format!("{} board {} is over", board.title(), board.row.number))
}

fn check_ability(board: &Board, turn: Turn<'_>) -> Result<(), Refusal> {
    let abilities = board.game.meta().abilities;
    let missing = match turn {
        Turn::Pass if !abilities.has(Ability::Pass) => "passing",
        Turn::Swap if !abilities.has(Ability::Swap) => "a change of sides",
        _ => return Ok(()),
    };
    Err(Refusal::new(Code::NotSupported, format!("{} has no {missing}", board.title())))
}

fn unsupported_action(action: &Action, board: Board) -> Refusal {
    let word = match action {
        Action::Propose => "propose",
        Action::Undo => "undo",
        Action::Accept => "accept",
        _ => "reject",
    };
    Refusal::new(Code::NotSupported, format!("`{word}` is not in this version of the server yet"))
        .about(board)
}

fn illegal(error: &Rejected, turn: Turn<'_>, board: Board, userid: &str) -> Refusal {
    let code = if matches!(turn, Turn::Swap) { Code::SwapTooLate } else { Code::IllegalMove };
    let mut refusal = Refusal::new(code, error.to_string());
    let (label, legal) = match board.position.steps("") {
        Ok(Some(steps)) => ("A move can begin with", steps.next),
        _ => ("Legal moves", board.position.legal_moves()),
    };
    if !legal.is_empty() {
        let shown: Vec<&str> = legal.iter().take(MOST_LEGAL_MOVES).map(String::as_str).collect();
        let more = legal.len().saturating_sub(shown.len());
        let tail = if more > 0 { format!(" … and {more} more") } else { String::new() };
        refusal = refusal.hint(format!("{label}: {}{tail}", shown.join(" ")));
    }
    if let Some(play) = board.position.example_move() {
        refusal = refusal.hint(format!(
            "For example: {} move {} {userid} PASSWORD {play}",
            board.row.game, board.row.number
        ));
    }
    refusal.about(board)
}

pub(super) async fn chat(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    number: u32,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game)?.meta().name;
    let board = find_board(tx, app, game, number).await?;
    let (board, user) = authorize_on(tx, prepared, board).await?;
    if prepared.body.trim().is_empty() {
        let refusal = Refusal::new(Code::WrongArguments, "there is no text to pass on")
            .hint("Write what you want to say into the body, below the command.");
        return Err(refusal.about(board).into());
    }
    let remark = tx
        .insert_remark(board.row.id, board.row.ply, Some(user.id), RemarkKind::Chat, &prepared.body, now)
        .await?;
    let facts = BoardFacts { remark: Some(remark), ..BoardFacts::plain(Heading::Chat) };
    answer_with_board(tx, app, &board, facts, now).await
}

/// Tells everybody on a board, players and watchers, something that is not the board itself.
pub(super) async fn tell_all(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    reply: &Reply,
    now: Millis,
) -> Result<(), StoreError> {
    let mut told = Vec::new();
    let watchers = tx.subscribers(board.row.id).await?;
    let everybody =
        board.seats.iter().map(|seat| seat.user_id).chain(watchers.into_iter().map(|(key, _)| key.into()));
    for user in everybody {
        if !told.contains(&user) {
            told.push(user);
            post_to_user(tx, app, reply, user, now).await?;
        }
    }
    Ok(())
}

/// How the API and answers name a board.
pub(super) fn name(game: &str, number: i64) -> BoardRef {
    BoardRef { game: game.to_owned(), number: number as u32 }
}
