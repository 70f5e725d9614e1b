//! Finding opponents: who takes challenges, how many boards he plays, and who looks for some.

use knotpost_commands::{GivenOption, LimitChange, SeekChange, ServerOptions};
use knotpost_rules::AnyGame;

use super::boards::{find_game, game_options};
use super::challenge::{Terms, start};
use super::execute::authorize;
use super::post::{Note, post_board, post_to_user};
use super::{Answer, Board, Code, Prepared, Refusal, Reply, ServiceError, ratings};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{BoardRef, Millis, UserKey};
use crate::store::{SeekRow, StoreError, Tx, UserRow, UserState};

/// How many boards can be sought at a time.
const MOST_WANTED: u32 = 100;
/// Boards for so many players are sought.
const SEATS: usize = 2;
/// How many others are looked at for a board.
const MOST_OTHERS: i64 = 200;

/// Whether somebody can be a player of a new board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    Ready,
    /// Takes no challenges of this game, or has left.
    Unwilling,
    /// Plays as many boards as he wants to.
    AtLimit,
}

/// Whether the user can be a player of a new board.
pub(super) async fn readiness(tx: &mut Tx, game: &str, user: &UserRow) -> Result<Readiness, StoreError> {
    if user.state != UserState::Active || !tx.accepts(game, user.id).await? {
        return Ok(Readiness::Unwilling);
    }
    Ok(match tx.hold_board_limit(game, user.id).await? {
        Some(limit) if tx.count_active_boards(game, user.id).await? >= limit => Readiness::AtLimit,
        _ => Readiness::Ready,
    })
}

/// Whether challenges are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Willingness {
    Accept,
    Reject,
}

pub(super) async fn set_willingness(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    willingness: Willingness,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (game, user) = find(tx, app, prepared, game).await?;
    let (name, accepts) = (game.meta().name, willingness == Willingness::Accept);
    tx.set_accepts(name, user.id, accepts).await?;
    ratings::review_activity(tx, name, user.id, now).await?;
    let boards = pair(tx, app, game, &user, now).await?;
    let seeking = tx.seek(name, user.id).await?.map_or(0, |seek| seek.wanted);
    let reply = Reply::ChallengeStatus { title: game.meta().title.to_owned(), accepts, seeking };
    answer(tx, app, reply, &user, boards, now).await
}

pub(super) async fn limit(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    change: LimitChange,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let (game, user) = find(tx, app, prepared, game).await?;
    let name = game.meta().name;
    match change {
        LimitChange::Show => {}
        LimitChange::Unlimited => tx.set_board_limit(name, user.id, None).await?,
        LimitChange::AtMost(most) => tx.set_board_limit(name, user.id, Some(i64::from(most))).await?,
    }
    let boards =
        if change == LimitChange::Show { Vec::new() } else { pair(tx, app, game, &user, now).await? };
    let reply = Reply::LimitStatus {
        title: game.meta().title.to_owned(),
        limit: tx.board_limit(name, user.id).await?,
        active: tx.count_active_boards(name, user.id).await?,
    };
    answer(tx, app, reply, &user, boards, now).await
}

#[expect(clippy::too_many_arguments, reason = "the parts of one command")]
pub(super) async fn seek(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    change: SeekChange,
    options: &[GivenOption],
    server: &ServerOptions,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let found = find_game(app, game)?;
    let name = found.meta().name;
    let options = match change {
        SeekChange::Want(_) => Some(game_options(found, options, SEATS)?),
        SeekChange::Show | SeekChange::Cancel => None,
    };
    let (game, user) = find(tx, app, prepared, game).await?;
    let mut boards = Vec::new();
    match (change, options) {
        (SeekChange::Want(wanted), Some(options)) => {
            check_wanted(name, wanted)?;
            let terms = Terms::of(server);
            let place = tx.take_seek_place(name).await?;
            let row = SeekRow {
                user_id: user.id,
                userid: user.userid.clone(),
                wanted: i64::from(wanted),
                options: options.to_string(),
                rated: terms.rated,
                nag_ms: terms.nag_ms,
                forfeit_ms: terms.forfeit_ms,
                total_ms: terms.total_ms,
            };
            tx.put_seek(name, place, &row, now).await?;
            boards = pair(tx, app, game, &user, now).await?;
        }
        (SeekChange::Cancel, _) => tx.delete_seek(name, user.id).await?,
        _ => {}
    }
    let left = tx.seek(name, user.id).await?;
    let paused = left.is_some() && readiness(tx, name, &user).await? != Readiness::Ready;
    let reply = Reply::SeekStatus {
        title: game.meta().title.to_owned(),
        game: name.to_owned(),
        wanted: left.as_ref().map_or(0, |seek| seek.wanted),
        terms: left.as_ref().map(terms_text).unwrap_or_default(),
        started: boards.iter().map(|board| board.number).collect(),
        paused,
    };
    answer(tx, app, reply, &user, boards, now).await
}

fn check_wanted(game: &str, wanted: u32) -> Result<(), ServiceError> {
    if wanted <= MOST_WANTED {
        return Ok(());
    }
    let message = format!("at most {MOST_WANTED} boards can be sought at a time, not {wanted}");
    Err(Refusal::new(Code::BadValue, message)
        .hint(format!("Syntax: {game} seek USERID PASSWORD NUMBER [options]"))
        .about_game(game)
        .into())
}

/// The options of a seek as they are typed.
pub(super) fn terms_text(seek: &SeekRow) -> String {
    let mut words: Vec<String> = seek.options.split_whitespace().map(str::to_owned).collect();
    if !seek.rated {
        words.push("--unrated".to_owned());
    }
    let limits = [("nagtime", seek.nag_ms), ("forfeittime", seek.forfeit_ms), ("totaltime", seek.total_ms)];
    for (name, millis) in limits {
        words.extend(millis.map(|millis| format!("--{name}={}", millis as f64 / 86_400_000.0)));
    }
    words.join(" ")
}

async fn find(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
) -> Result<(&'static dyn AnyGame, UserRow), ServiceError> {
    let game = find_game(app, game)?;
    match authorize(tx, prepared).await {
        Ok(user) => Ok((game, user)),
        Err(ServiceError::Refused(refusal)) => Err(refusal.about_game(game.meta().name).into()),
        Err(error) => Err(error),
    }
}

async fn answer(
    tx: &mut Tx,
    app: &App,
    reply: Reply,
    user: &UserRow,
    boards: Vec<BoardRef>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer { boards, ..Answer::to_registered(reply) })
}

/// A board is over: its players may have room for those they look for.
pub(super) async fn seats_are_free(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    now: Millis,
) -> Result<(), ServiceError> {
    let mut seen: Vec<UserKey> = Vec::new();
    for seat in &board.seats {
        if seen.contains(&seat.user_id) || tx.seek(&board.row.game, seat.user_id).await?.is_none() {
            continue;
        }
        seen.push(seat.user_id);
        if let (Some(game), Some(user)) = (app.game(&board.row.game), tx.user(seat.user_id).await?) {
            pair(tx, app, game, &user, now).await?;
        }
    }
    Ok(())
}

/// Starts a board with each of those who look for the same as this user, who has looked longest first, as
/// long as he wants more. Returns the boards.
async fn pair(
    tx: &mut Tx,
    app: &App,
    game: &'static dyn AnyGame,
    user: &UserRow,
    now: Millis,
) -> Result<Vec<BoardRef>, ServiceError> {
    let name = game.meta().name;
    let mut boards = Vec::new();
    let Some(own) = tx.seek(name, user.id).await? else { return Ok(boards) };
    tx.take_seek_place(name).await?;
    for other in tx.equal_seeks(name, &own, MOST_OTHERS).await? {
        let is_sought = tx.seek(name, user.id).await?.is_some();
        if !is_sought || readiness(tx, name, user).await? != Readiness::Ready {
            break;
        }
        let Some(other) = tx.user(other.user_id).await? else { continue };
        if readiness(tx, name, &other).await? == Readiness::Ready {
            boards.push(start_paired(tx, app, game, &own, [user.clone(), other], now).await?);
        }
    }
    Ok(boards)
}

async fn start_paired(
    tx: &mut Tx,
    app: &App,
    game: &'static dyn AnyGame,
    seek: &SeekRow,
    mut players: [UserRow; SEATS],
    now: Millis,
) -> Result<BoardRef, ServiceError> {
    let [lot] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    if lot & 1 == 1 {
        players.reverse();
    }
    let options = super::board::parse_options(game, &seek.options, SEATS).map_err(StoreError::Corrupt)?;
    let terms = Terms {
        rated: seek.rated,
        nag_ms: seek.nag_ms,
        forfeit_ms: seek.forfeit_ms,
        total_ms: seek.total_ms,
    };
    let (board, mut facts) = start(tx, app, game, &options, &players, terms, "", now).await?;
    facts.notes.push(Note::Paired);
    post_board(tx, app, &board, facts, now).await?;
    Ok(board.name())
}
