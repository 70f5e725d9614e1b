//! `standings`: rankings and seeks of a game.

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::config::Config;
use crate::identity::presence::absences;
use crate::play::opponents::terms_text;
use crate::ratings::board_ratings::INACTIVE_AFTER_MS;
use crate::replies::{Answer, PoolLine, Reply, SeekLine, StandingLine, StandingsTable};
use crate::tournaments::{TournamentQuery, list, view};
use knotpost_model::rating::{Rating, shown};
use knotpost_model::{Millis, TournamentState, UserKey};
use knotpost_platform::clock::Clock;
use knotpost_storage::{ReadTx, SeekRow, StandingRow, StandingsBlock, StoreError, UnratedPlayer};

/// Lines per block; the players of a game are not counted, there may be 100,000.
const MOST_LINES: i64 = 100;
/// Lines of inactive players: activity costs a lookup per board.
const MOST_INACTIVE: i64 = 25;
const MOST_SEEKS: i64 = 50;
const MOST_POOL_LINES: usize = 20;

const BLOCKS: [(StandingsBlock, &str); 3] = [
    (StandingsBlock::Established, "Established"),
    (StandingsBlock::Provisional, "Provisional"),
    (StandingsBlock::Inactive, "Inactive"),
];

pub async fn view_standings(app: &App, game: &str) -> Result<Reply, ServiceError> {
    let mut tx = app.store.read().await?;
    collect(&mut tx, app, game, app.clock.now()).await
}

/// Seeks for pages and the API, as many as in the standings.
pub async fn view_seeks(app: &App, game: &str) -> Result<Vec<SeekLine>, StoreError> {
    let mut tx = app.store.read().await?;
    let seeks = tx.list_seeks(game, MOST_SEEKS).await?;
    seek_lines(&mut tx, app.clock.as_ref(), &app.config, &seeks).await
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    Ok(Answer::to_sender(collect(tx, app, game, now).await?))
}

async fn collect(tx: &mut ReadTx, app: &App, game: &str, now: Millis) -> Result<Reply, ServiceError> {
    let meta = find_game(&app.games, game)?.meta();
    let long_ago = now.plus(-INACTIVE_AFTER_MS);
    let seeks = tx.list_seeks(meta.name, MOST_SEEKS + 1).await?;
    let mut tables = Vec::new();
    for (block, name) in BLOCKS {
        let most = if block == StandingsBlock::Inactive { MOST_INACTIVE } else { MOST_LINES };
        let mut rows = tx.standings(meta.name, block, long_ago, most + 1).await?;
        if block == StandingsBlock::Provisional {
            add_newcomers(tx, meta.name, &seeks, &mut rows).await?;
        }
        let more = rows.len() as i64 > most;
        rows.truncate(most as usize);
        let lines = (1..).zip(rows).map(line).collect();
        tables.push(StandingsTable { name: name.to_owned(), lines, more });
    }
    let more_seeks = seeks.len() as i64 > MOST_SEEKS;
    let listed: Vec<SeekRow> = seeks.into_iter().take(MOST_SEEKS as usize).collect();
    let seeks = seek_lines(tx, app.clock.as_ref(), &app.config, &listed).await?;
    let (pools, more_pools) = pools(tx, app, meta.name).await?;
    Ok(Reply::Standings {
        title: meta.title.to_owned(),
        game: meta.name.to_owned(),
        tables,
        seeks,
        more_seeks,
        pools,
        more_pools,
    })
}

/// Players of the game's running tournaments by place, and a tournament of which not all are listed.
async fn pools(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
) -> Result<(Vec<PoolLine>, Option<String>), ServiceError> {
    let states = vec![TournamentState::Running];
    let query = TournamentQuery { game: Some(game.to_owned()), states, ..TournamentQuery::default() };
    let mut lines = Vec::new();
    for running in list(tx, app, &query, MOST_POOL_LINES).await?.tournaments {
        let shown = view(tx, running.name, None).await?;
        for player in shown.players {
            if lines.len() == MOST_POOL_LINES {
                return Ok((lines, Some(running.name.to_string())));
            }
            lines.push(PoolLine {
                pool: format!("{} {}", running.name, player.group.unwrap_or_default()),
                userid: player.userid,
                won: player.won,
                lost: player.lost,
                tied: player.tied,
            });
        }
    }
    Ok((lines, None))
}

/// Adds seekers who have no rated game yet.
async fn add_newcomers(
    tx: &mut ReadTx,
    game: &str,
    seeks: &[SeekRow],
    rows: &mut Vec<StandingRow>,
) -> Result<(), StoreError> {
    if seeks.is_empty() {
        return Ok(());
    }
    let users: Vec<UserKey> = seeks.iter().map(|seek| seek.user_id).collect();
    rows.extend(tx.unrated_among(game, &users).await?.into_iter().map(newcomer));
    rows.sort_by(StandingRow::by_rank);
    Ok(())
}

fn newcomer(player: UnratedPlayer) -> StandingRow {
    let UnratedPlayer { user_id, userid, facts } = player;
    let Rating { rating, glicko, deviation, .. } = Rating::default();
    StandingRow { user_id, userid, rating, won: 0, lost: 0, tied: 0, glicko, deviation, facts }
}

fn line((rank, row): (u32, StandingRow)) -> StandingLine {
    StandingLine {
        rank,
        rating: shown(row.rating),
        won: row.won,
        lost: row.lost,
        tied: row.tied,
        active: row.facts.playing,
        limit: row.facts.board_limit,
        accepts: row.facts.accepts,
        seeking: row.facts.wanted,
        glicko: shown(row.glicko),
        deviation: shown(row.deviation),
        is_bot: row.facts.is_bot,
        userid: row.userid,
    }
}

async fn seek_lines(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    config: &Config,
    seeks: &[SeekRow],
) -> Result<Vec<SeekLine>, StoreError> {
    let users: Vec<UserKey> = seeks.iter().map(|seek| seek.user_id).collect();
    let absences = absences(tx, clock, config, &users).await?;
    let line = |seek: &SeekRow| {
        let rest = absences.get(&seek.user_id).into_iter().flatten().find(|absence| absence.rests());
        SeekLine {
            userid: seek.userid.clone(),
            wanted: seek.wanted,
            terms: terms_text(seek),
            rests: rest.map(|absence| absence.about(&seek.userid)),
        }
    };
    Ok(seeks.iter().map(line).collect())
}
