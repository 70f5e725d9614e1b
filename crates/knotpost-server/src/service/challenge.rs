//! Challenges: a new board, made at once.

use knotpost_commands::{Days, GivenOption, ServerOptions};
use knotpost_rules::{AnyGame, GameOptions, Seed};

use super::Prepared;
use super::board::begin_history;
use super::boards::{answer_with_board, find_game, game_options};
use super::opponents::Readiness;
use super::post::{BoardFacts, Heading, Note};
use super::prepare::check_rate;
use super::time::{TimeLimits, length, schedule};
use super::{Answer, Board, Channel, Code, Refusal, ServiceError, opponents, ratings};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{Millis, RemarkKind, UserKey};
use crate::store::{NewBoard, NewSeat, StoreError, Tx, UserRow};

const DAY_MS: i64 = 86_400_000;

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
    check_limits(app, server).map_err(|refusal| refusal.about_game(game_name))?;
    let users = find_players(tx, game, players).await?;
    check_rate(prepared).map_err(|refusal| refusal.about_game(game_name))?;
    count_for_challenged(tx, app, prepared, &users, now).await.map_err(|error| match error {
        ServiceError::Refused(refusal) => refusal.about_game(game_name).into(),
        error @ ServiceError::Store(_) => error,
    })?;
    let terms = Terms::of(server);
    let (board, facts) = start(tx, app, game, &options, &users, terms, &prepared.body, now).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

/// A challenge makes a board and mails for people who were not asked. From who did not prove to be one of its players
/// each of them gets so many a day, over all servers and ways.
async fn count_for_challenged(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    users: &[UserRow],
    now: Millis,
) -> Result<(), ServiceError> {
    let limits = &app.config.limits;
    let is_of_player = || users.iter().any(|user| prepared.proven.contains(&user.id));
    if !limits.enabled || prepared.origin.channel == Channel::Operator || is_of_player() {
        return Ok(());
    }
    let mut counted: Vec<UserKey> = users.iter().map(|user| user.id).collect();
    // In one order everywhere, so that two challenges wait for each other's rows and not in a circle.
    counted.sort_unstable_by_key(|user| user.0);
    counted.dedup();
    for user in counted {
        if tx.count_stranger_challenge(user, now).await? > i64::from(limits.challenges_of_strangers_per_day) {
            let message = "one of these players has got as many challenges today as people may send who did not \
                           log in";
            let mut refusal = Refusal::new(Code::RateLimited, message)
                .hint("Who plays along may log in and challenge there, or wait until tomorrow (UTC).");
            let left = DAY_MS - now.0.rem_euclid(DAY_MS);
            refusal.retry_after = Some(u64::try_from(left / 1000).unwrap_or_default() + 1);
            return Err(refusal.into());
        }
    }
    Ok(())
}

/// What players agree on beside the game's own options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) rated: bool,
    pub(super) nag_ms: Option<i64>,
    pub(super) forfeit_ms: Option<i64>,
    pub(super) total_ms: Option<i64>,
}

impl Terms {
    pub(super) fn of(server: &ServerOptions) -> Self {
        Self {
            rated: !server.unrated,
            nag_ms: limit_ms(server.nagtime),
            forfeit_ms: limit_ms(server.forfeittime),
            total_ms: limit_ms(server.totaltime),
        }
    }
}

/// Makes a new board; who looked for opponents has found one. Who is told is the caller's business.
#[expect(clippy::too_many_arguments, reason = "the parts of one board")]
pub(super) async fn start(
    tx: &mut Tx,
    app: &App,
    game: &'static dyn AnyGame,
    options: &GameOptions,
    users: &[UserRow],
    terms: Terms,
    comment: &str,
    now: Millis,
) -> Result<(Board, BoardFacts), ServiceError> {
    let name = game.meta().name;
    let seed: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    let position = game.setup(options, users.len(), &Seed(seed));
    let distinct = users.iter().any(|user| Some(user.id) != users.first().map(|first| first.id));
    let (options_text, rules_version) = (options.to_string(), game.meta().rules_version);
    let history = begin_history((name, &options_text), &seed, rules_version.into(), users.len());
    let new = NewBoard {
        game: name.to_owned(),
        options: options_text,
        rules_version,
        seed,
        rated: distinct && terms.rated && !options.is_handicap(),
        position: position.position(),
        scores: position.scores().to_string(),
        at: now,
        nag_ms: terms.nag_ms,
        forfeit_ms: terms.forfeit_ms,
        total_ms: terms.total_ms,
        history: Some(history.digest()),
    };
    let number = tx.take_board_number(name).await?;
    let key = tx.insert_board(number, &new).await?;
    let first = position.next_seat().index();
    for (index, user) in users.iter().enumerate() {
        tx.insert_seat(key, NewSeat { seat: index as i64 + 1, user: user.id, to_move: index == first })
            .await?;
    }
    for user in users.iter().filter(|_| distinct) {
        tx.count_down_seek(name, user.id).await?;
        ratings::board_began(tx, name, user.id, now).await?;
    }
    let mut facts = BoardFacts::plain(Heading::New);
    if !comment.trim().is_empty() {
        facts.remark = Some(tx.insert_remark(key, 0, None, RemarkKind::Comment, comment, now).await?);
    }
    if !new.rated {
        facts.notes.push(Note::Unrated);
    }
    let Some(row) = tx.board(key).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    let mut board = Board::from_row(tx, app, row).await?;
    schedule(&mut board, now);
    tx.set_due(key, board.row.due_at.map(Millis), None).await?;
    Ok((board, facts))
}

/// A reminder that would come after the loss is a mistake of who asks for it.
pub(super) fn check_limits(app: &App, server: &ServerOptions) -> Result<(), Refusal> {
    let (nag, forfeit) = (limit_ms(server.nagtime), limit_ms(server.forfeittime));
    let limits = TimeLimits::new(nag, forfeit, None, &app.config.time);
    if nag.is_none() || limits.nag < limits.forfeit {
        return Ok(());
    }
    let message = format!(
        "a reminder after {} would come too late: without a move a player loses after {}",
        length(limits.nag),
        length(limits.forfeit)
    );
    Err(Refusal::new(Code::BadOption, message)
        .hint("Give a shorter --nagtime=DAYS or a longer --forfeittime=DAYS.")
        .hint("`help time` tells how these go together."))
}

fn limit_ms(days: Option<Days>) -> Option<i64> {
    days.and_then(|days| i64::try_from(days.as_millis()).ok())
}

/// Why somebody named in a challenge cannot be its player.
#[derive(Default)]
struct Absent {
    unknown: Vec<String>,
    unwilling: Vec<String>,
    at_limit: Vec<String>,
}

async fn find_players(
    tx: &mut Tx,
    game: &dyn AnyGame,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let (mut users, mut absent) = (Vec::new(), Absent::default());
    for name in names {
        let Some(user) = tx.find_user(name).await? else {
            note(&mut absent.unknown, name);
            continue;
        };
        match opponents::readiness(tx, game.meta().name, &user).await? {
            Readiness::Ready => {}
            Readiness::Unwilling => note(&mut absent.unwilling, &user.userid),
            Readiness::AtLimit => note(&mut absent.at_limit, &user.userid),
        }
        users.push(user);
    }
    let Absent { unknown, unwilling, at_limit } = absent;
    if unknown.is_empty() && unwilling.is_empty() && at_limit.is_empty() {
        return Ok(users);
    }
    let mut refusal =
        Refusal::new(Code::InvalidChallenge, "not everybody in this challenge can play; no board was made");
    for (why, names) in [("Unknown", unknown), ("Not willing", unwilling), ("At their limit", at_limit)] {
        if !names.is_empty() {
            refusal = refusal.hint(format!("{why}: {}", names.join(", ")));
        }
    }
    Err(refusal.about_game(game.meta().name).into())
}

/// Names somebody once.
fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        names.push(name.to_owned());
    }
}
