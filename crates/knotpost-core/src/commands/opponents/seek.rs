//! `seek`: search for opponents.

use knotpost_commands::{GivenOption, SeekChange, ServerOptions};
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_game, find_offered_game};
use crate::commands::opponents::seeker::{answer, find};
use crate::identity::presence::{Absence, find_rest};
use crate::play::boards::game_options;
use crate::play::challenge::Terms;
use crate::play::opponents::{Readiness, SEATS, pair, readiness, terms_text};
use crate::play::stand_in::take_seek;
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{SeekRow, UserRow, WriteTx};

const MOST_WANTED: u32 = 100;
const MOST_OTHERS: i64 = 20;

#[derive(Debug, Serialize)]
struct SeekStatus {
    userid: String,
    title: String,
    game: String,
    wanted: i64,
    terms: String,
    started: Vec<u32>,
    /// Seeks of others in the same game, as typed after `seek USERID PASSWORD 1`.
    others: Vec<String>,
    /// True if they refuse challenges or are at their limit, which blocks matching.
    paused: bool,
    /// Sentence with the reason, if the search is suspended.
    #[serde(skip)]
    rests: Option<String>,
    computer: bool,
}

impl Content for SeekStatus {
    const TEMPLATE: &'static str = "seek_status";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("rests", self.rests.clone())
    }
}

#[expect(clippy::too_many_arguments, reason = "the parts of one command")]
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    change: SeekChange,
    options: &[GivenOption],
    server: &ServerOptions,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let found = match change {
        SeekChange::Want(_) => find_offered_game(&app.games, game)?,
        SeekChange::Show | SeekChange::Cancel => find_game(&app.games, game)?,
    };
    let name = found.meta().name;
    let options = match change {
        SeekChange::Want(_) => Some(game_options(found, options, SEATS)?),
        SeekChange::Show | SeekChange::Cancel => None,
    };
    let (game, user) = find(tx, app, ready, game).await?;
    let mut boards = Vec::new();
    match (change, options) {
        (SeekChange::Want(wanted), Some(options)) => {
            check_wanted(name, wanted)?;
            check_person(&user).map_err(|refusal| refusal.about_game(name))?;
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
            boards = Box::pin(pair(tx, app, game, &user, now)).await?;
            if let Some(wish) = server.computer {
                boards.extend(Box::pin(take_seek(tx, app, game, &user, wish, now)).await?);
            }
        }
        (SeekChange::Cancel, _) => tx.delete_seek(name, user.id).await?,
        _ => {}
    }
    let left = tx.seek(name, user.id).await?;
    let paused = left.is_some() && readiness(tx, &app.config, name, &user, &[]).await? != Readiness::Ready;
    let rest = find_rest(tx, app.clock.as_ref(), &app.config, user.id).await?.filter(|_| left.is_some());
    let own = left.as_ref().map(terms_text).unwrap_or_default();
    let mut others = Vec::new();
    if left.is_some() {
        for seek in tx.list_seeks(name, MOST_OTHERS).await?.iter().filter(|seek| seek.user_id != user.id) {
            let terms = terms_text(seek);
            if terms != own && !others.contains(&terms) {
                others.push(terms);
            }
        }
    }
    let reply = Reply::from(SeekStatus {
        userid: user.userid.clone(),
        title: game.meta().title.to_owned(),
        game: name.to_owned(),
        wanted: left.as_ref().map_or(0, |seek| seek.wanted),
        terms: own,
        others,
        started: boards.iter().map(|board| board.number).collect(),
        paused,
        rests: rest.and_then(Absence::about_own_seek),
        computer: app.config.bots.enabled,
    });
    answer(tx, app, reply, &user, boards, now).await
}

/// Refuses programs: seeks are matched with people.
fn check_person(user: &UserRow) -> Result<(), Refusal> {
    if !user.is_bot() {
        return Ok(());
    }
    Err(Refusal::new(Code::NotAllowed, "a program does not look for opponents")
        .hint("It challenges users by name, and takes their challenges."))
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
