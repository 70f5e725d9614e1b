//! `challenge`: a new board, made at once.

use crate::config::Config;
use knotpost_commands::{GivenOption, ServerOptions};
use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_offered_game};
use crate::commands::prepare::check_readers;
use crate::play::boards::{answer_with_board, game_options};
use crate::play::challenge::{Cause, Opening, Terms, check_limits, start};
use crate::play::computer::{MOST_HARD_OF_OTHERS, check_hard_boards};
use crate::play::opponents;
use crate::play::opponents::Readiness;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::{Channel, Millis, Relation, UserKey};
use knotpost_storage::{UserRow, WriteTx};

const DAY_MS: i64 = 86_400_000;

#[expect(clippy::too_many_arguments, reason = "the parts of one command")]
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game_name: &str,
    players: &[String],
    options: &[GivenOption],
    server: &ServerOptions,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_offered_game(&app.games, game_name)?;
    let options = game_options(game, options, players.len())?;
    check_limits(&app.config, server).map_err(|refusal| refusal.about_game(game_name))?;
    let users = find_players(tx, &app.config, ready, game, players).await?;
    let mailed = check_readers(&app.limits, ready, users.iter().map(|user| (user.id, user.userid.as_str())))
        .map_err(|refusal| refusal.about_game(game_name))?;
    count_for_challenged(tx, &app.config, ready, &users, now).await.map_err(|error| match error {
        ServiceError::Refused(refusal) => refusal.about_game(game_name).into(),
        error @ ServiceError::Store(_) => error,
    })?;
    if ready.origin.channel != Channel::Operator {
        let unproven = users.iter().filter(|user| !ready.proven.contains(&user.id));
        check_hard_boards(tx, unproven, MOST_HARD_OF_OTHERS).await?;
    }
    let cause = Cause::Challenge(find_challenger(tx, ready, &users).await?);
    let opening = Opening { terms: Terms::of(server), cause, comment: &ready.body };
    let (board, facts) = start(tx, app, game, &options, &users, opening, now).await?;
    Ok(Answer { mailed, ..answer_with_board(tx, app, &board, facts, now).await? })
}

/// The challenger as far as proven. Of several users with one address, the one who plays.
async fn find_challenger(
    tx: &mut WriteTx,
    ready: &Ready,
    users: &[UserRow],
) -> Result<Option<String>, ServiceError> {
    if let [only] = ready.proven.as_slice() {
        return Ok(tx.user(*only).await?.map(|user| user.userid));
    }
    let mut playing = users.iter().filter(|user| ready.proven.contains(&user.id));
    let first = playing.next();
    Ok(first.filter(|first| playing.all(|user| user.id == first.id)).map(|first| first.userid.clone()))
}

/// Limits unauthenticated challenges per named player and day, over all servers and channels: a challenge
/// makes a board and mails people who were not asked.
async fn count_for_challenged(
    tx: &mut WriteTx,
    config: &Config,
    ready: &Ready,
    users: &[UserRow],
    now: Millis,
) -> Result<(), ServiceError> {
    let limits = &config.limits;
    let is_of_player = || users.iter().any(|user| ready.proven.contains(&user.id));
    if !limits.enabled || ready.origin.channel == Channel::Operator || is_of_player() {
        return Ok(());
    }
    let mut counted: Vec<UserKey> =
        users.iter().filter(|user| !user.is_computer_player()).map(|user| user.id).collect();
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

/// Challenged users who cannot play, by reason.
#[derive(Default)]
struct Absent {
    unknown: Vec<String>,
    gone: Vec<String>,
    unwilling: Vec<String>,
    /// Blocked by the sender.
    blocked: Vec<String>,
    at_limit: Vec<String>,
}

/// Looks up the challenged users; refuses if one cannot play.
pub(in crate::commands) async fn find_players(
    tx: &mut WriteTx,
    config: &Config,
    ready: &Ready,
    game: &dyn AnyGame,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let (mut users, mut absent) = (Vec::new(), Absent::default());
    for name in names {
        match tx.find_user(name).await? {
            Some(user) => users.push(user),
            None => note(&mut absent.unknown, name),
        }
    }
    let keys: Vec<UserKey> = users.iter().map(|user| user.id).collect();
    for user in &users {
        match opponents::readiness(tx, config, game.meta().name, user, &keys).await? {
            Readiness::Ready => {}
            Readiness::Absent(why) => note(&mut absent.gone, &why.about(&user.userid)),
            Readiness::Unwilling => {
                let mut is_told = false;
                // Whoever is unwilling is told themselves whom they have blocked.
                let is_asker = ready.user() == Some(user.id) || ready.proven.contains(&user.id);
                for other in users.iter().filter(|_| is_asker) {
                    if tx.relation(user.id, other.id).await? == Some(Relation::Block) {
                        note(&mut absent.blocked, &other.userid);
                        is_told = true;
                    }
                }
                if !is_told {
                    note(&mut absent.unwilling, &user.userid);
                }
            }
            Readiness::AtLimit => note(&mut absent.at_limit, &user.userid),
        }
    }
    let Absent { unknown, gone, unwilling, blocked, at_limit } = absent;
    let lists = [
        ("Unknown", &unknown),
        ("Not willing", &unwilling),
        ("Blocked by you", &blocked),
        ("At their limit", &at_limit),
    ];
    if gone.is_empty() && lists.iter().all(|(_, names)| names.is_empty()) {
        check_people(game, &users)?;
        return Ok(users);
    }
    let mut refusal =
        Refusal::new(Code::InvalidChallenge, "not everybody in this challenge can play; no board was made");
    for sentence in gone {
        refusal = refusal.hint(sentence);
    }
    for (why, names) in lists {
        if !names.is_empty() {
            refusal = refusal.hint(format!("{why}: {}", names.join(", ")));
        }
    }
    Err(refusal.about_game(game.meta().name).into())
}

/// Refuses boards of computer players alone.
fn check_people(game: &dyn AnyGame, users: &[UserRow]) -> Result<(), Refusal> {
    if users.iter().any(|user| !user.is_computer_player()) {
        return Ok(());
    }
    let name = game.meta().name;
    Err(Refusal::new(
        Code::InvalidChallenge,
        "computer players do not play among themselves; no board was made",
    )
    .hint(format!("Name yourself too: {name} challenge YOURUSERID knotbot-3"))
    .about_game(name))
}

fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        names.push(name.to_owned());
    }
}
