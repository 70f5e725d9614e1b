//! `standings`: who plays a game, and how well.

use std::collections::HashMap;

use super::boards::find_game;
use super::opponents::terms_text;
use super::ratings::INACTIVE_AFTER_MS;
use super::{Answer, Reply, SeekLine, ServiceError, StandingLine, StandingsTable};
use crate::app::App;
use crate::domain::rating::{Rating, shown};
use crate::domain::{Millis, UserKey};
use crate::store::{PlayerFacts, SeekRow, StandingRow, StandingsBlock, StoreError, Tx};

/// Lines of a block in one answer.
const MOST_LINES: i64 = 100;
/// Nobody counts further than this: a game may have a hundred thousand players.
const MOST_COUNTED: i64 = 1001;
/// Those who look for opponents, in one answer.
const MOST_SEEKS: i64 = 50;

const BLOCKS: [(StandingsBlock, &str); 3] = [
    (StandingsBlock::Established, "Established"),
    (StandingsBlock::Provisional, "Provisional"),
    (StandingsBlock::Inactive, "Inactive"),
];

/// The standings of a game, for pages and the API.
///
/// # Errors
/// When there is no such game, or the database fails.
pub async fn view_standings(app: &App, game: &str) -> Result<Reply, ServiceError> {
    let mut tx = app.store.read().await?;
    collect(&mut tx, app, game, app.clock.now()).await
}

/// Who looks for opponents in a game; the same number as in its standings.
///
/// # Errors
/// When the database fails.
pub async fn view_seeks(app: &App, game: &str) -> Result<Vec<SeekLine>, StoreError> {
    let seeks = app.store.glance().await?.list_seeks(game, MOST_SEEKS).await?;
    Ok(seeks.iter().map(seek_line).collect())
}

pub(super) async fn standings(
    tx: &mut Tx,
    app: &App,
    game: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    Ok(Answer::to_sender(collect(tx, app, game, now).await?))
}

async fn collect(tx: &mut Tx, app: &App, game: &str, now: Millis) -> Result<Reply, ServiceError> {
    let meta = find_game(app, game)?.meta();
    let long_ago = now.plus(-INACTIVE_AFTER_MS);
    let seeks = tx.list_seeks(meta.name, MOST_SEEKS + 1).await?;
    let mut tables = Vec::new();
    for (block, name) in BLOCKS {
        let mut rows = tx.standings(meta.name, block, long_ago, MOST_LINES + 1).await?;
        let mut count = rows.len() as i64;
        if count > MOST_LINES {
            count = tx.count_standings(meta.name, block, long_ago, MOST_COUNTED).await?;
            rows.truncate(MOST_LINES as usize);
        }
        if block == StandingsBlock::Provisional {
            count += add_newcomers(tx, meta.name, &seeks, &mut rows).await?;
        }
        let more = count - rows.len() as i64;
        let lines = describe(tx, meta.name, rows).await?;
        tables.push(StandingsTable { name: name.to_owned(), lines, more });
    }
    let more_seeks = seeks.len() as i64 > MOST_SEEKS;
    let seeks = seeks.iter().take(MOST_SEEKS as usize).map(seek_line).collect();
    Ok(Reply::Standings {
        title: meta.title.to_owned(),
        game: meta.name.to_owned(),
        tables,
        seeks,
        more_seeks,
    })
}

/// Who looks for opponents is listed before his first rated game. Returns how many were added.
async fn add_newcomers(
    tx: &mut Tx,
    game: &str,
    seeks: &[SeekRow],
    rows: &mut Vec<StandingRow>,
) -> Result<i64, StoreError> {
    if seeks.is_empty() {
        return Ok(0);
    }
    let users: Vec<UserKey> = seeks.iter().map(|seek| seek.user_id).collect();
    let rated = tx.rated_among(game, &users).await?;
    let new: Vec<_> = seeks.iter().filter(|seek| !rated.contains(&seek.user_id)).collect();
    rows.extend(new.iter().map(|seek| newcomer(seek.user_id, &seek.userid)));
    rows.sort_by(StandingRow::by_rank);
    rows.truncate(MOST_LINES as usize);
    Ok(new.len() as i64)
}

fn newcomer(user_id: UserKey, userid: &str) -> StandingRow {
    let Rating { rating, glicko, deviation, .. } = Rating::default();
    StandingRow { user_id, userid: userid.to_owned(), rating, won: 0, lost: 0, tied: 0, glicko, deviation }
}

/// The lines of a block: one question for all of them, however many.
async fn describe(tx: &mut Tx, game: &str, rows: Vec<StandingRow>) -> Result<Vec<StandingLine>, StoreError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let users: Vec<UserKey> = rows.iter().map(|row| row.user_id).collect();
    let facts = tx.player_facts(game, &users).await?;
    let facts: HashMap<UserKey, PlayerFacts> =
        facts.into_iter().map(|facts| (facts.user_id, facts)).collect();
    let known =
        (1..).zip(rows).filter_map(|(rank, row)| facts.get(&row.user_id).map(|facts| (rank, row, facts)));
    Ok(known.map(|(rank, row, facts)| line(rank, row, facts)).collect())
}

fn line(rank: u32, row: StandingRow, facts: &PlayerFacts) -> StandingLine {
    StandingLine {
        rank,
        rating: shown(row.rating),
        won: row.won,
        lost: row.lost,
        tied: row.tied,
        active: facts.active,
        limit: facts.board_limit,
        accepts: facts.accepts,
        seeking: facts.wanted,
        glicko: shown(row.glicko),
        deviation: shown(row.deviation),
        userid: row.userid,
    }
}

fn seek_line(seek: &SeekRow) -> SeekLine {
    SeekLine { userid: seek.userid.clone(), wanted: seek.wanted, terms: terms_text(seek) }
}
