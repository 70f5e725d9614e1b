//! Leagues: seasons without end, in divisions. Each season is a round.

use super::reading::read_terms;
use super::rounds::Group;
use super::tables::{letter, tables_of_round};
use super::work::{begin_round, end, pair_groups, strength};
use crate::app::App;
use crate::boards::ServiceError;
use knotpost_model::{Millis, PlayerState, TournamentAction, TournamentTerms, UserKey};
use knotpost_storage::{NewLogEntry, PlayerRow, StoreError, Told, TournamentRow, WriteTx};
use knotpost_tournaments::{Finisher, next_season};

const WEEK_MS: i64 = 7 * 86_400_000;
/// Seasons put off before a league is over, as too few are left.
const MOST_DELAYS: i64 = 2;
/// Players whom the last division can have more than the others.
pub(super) const MOST_MORE: i64 = 3;

/// The divisions of the first season, of people in order of strength. `None`: they are too few. With computer players, the
/// last division is filled up to the minimum.
pub(super) async fn first_season(
    tx: &mut WriteTx,
    row: &TournamentRow,
    terms: &TournamentTerms,
    (people, fillers): (&[PlayerRow], &[UserKey]),
    now: Millis,
) -> Result<Option<Vec<Group>>, StoreError> {
    let missing = usize::from(terms.minimum).saturating_sub(people.len());
    if people.is_empty() || missing > fillers.len() {
        return Ok(None);
    }
    let people: Vec<i64> = people.iter().map(|player| player.entry).collect();
    let divisions = next_season(&[], &people, terms.group.into(), terms.moving().into());
    tx.drop_withdrawn(row.id).await?;
    Ok(Some(seat(tx, row, terms, (divisions, fillers, missing), now).await?))
}

/// Numbers the players and gives them their divisions, `a` on top. Computer players take the places that are missing in the
/// last one, and make each of an odd number even.
async fn seat(
    tx: &mut WriteTx,
    row: &TournamentRow,
    terms: &TournamentTerms,
    (mut divisions, fillers, missing): (Vec<Vec<i64>>, &[UserKey], usize),
    now: Millis,
) -> Result<Vec<Group>, StoreError> {
    let last = divisions.len().saturating_sub(1);
    for (index, division) in divisions.iter_mut().enumerate() {
        let mut wanted = if index == last { missing } else { 0 };
        if (division.len() + wanted) % 2 == 1 && division.len() + wanted < usize::from(terms.group) {
            wanted += 1;
        }
        for filler in fillers.iter().take(wanted) {
            division.push(tx.insert_player(row.id, *filler, now).await?);
        }
    }
    let mut number = 0;
    let mut groups = Vec::with_capacity(divisions.len());
    for (index, entries) in divisions.into_iter().enumerate() {
        let pool = letter(index);
        for entry in &entries {
            number += 1;
            tx.place_player(row.id, *entry, number, &pool).await?;
        }
        groups.push(Group { pool, entries });
    }
    Ok(groups)
}

/// Closes a season: its table is final, and the next one begins after the pause.
pub(super) async fn finish_season(
    tx: &mut WriteTx,
    mut row: TournamentRow,
    now: Millis,
) -> Result<(), ServiceError> {
    let terms = read_terms(&row)?;
    let next = now.plus(terms.pause().0);
    row.deadline = None;
    row.starts_at = Some(next);
    row.due_at = Some(next);
    row.delays = 0;
    tx.update_tournament(&row).await?;
    let entry = NewLogEntry { told: Told::Players, ..NewLogEntry::of_server(TournamentAction::SeasonOver) };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

/// Begins the next season, if its time has come and enough are there: otherwise it is put off.
pub(super) async fn step_between(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    (players, fillers): (&[PlayerRow], &[UserKey]),
    now: Millis,
) -> Result<(), ServiceError> {
    let starts = row.starts_at.unwrap_or(now);
    if starts > now {
        row.due_at = Some(starts);
        return Ok(tx.update_tournament(&row).await?);
    }
    let terms = read_terms(&row)?;
    let stay = players.iter().filter(|player| stays(player)).count();
    let missing = usize::from(terms.minimum).saturating_sub(stay);
    if stay == 0 || missing > fillers.len() {
        let words = format!("{stay} of at least {} players are left.", terms.minimum);
        if row.delays >= MOST_DELAYS {
            return end(tx, app, row, players, &words, now).await;
        }
        row.delays += 1;
        row.starts_at = Some(starts.plus(WEEK_MS));
        row.due_at = row.starts_at;
        tx.update_tournament(&row).await?;
        let entry =
            NewLogEntry { words, told: Told::Players, ..NewLogEntry::of_server(TournamentAction::PutOff) };
        return Ok(tx.log_tournament(row.id, &entry, now).await?);
    }
    let seats = tx.paired_seats(row.id, row.round).await?;
    let finished = finishers(players, tables_of_round(players, &seats, row.round));
    let newcomers = newcomers(players, &finished);
    let divisions = next_season(&finished, &newcomers, terms.group.into(), terms.moving().into());
    tx.retire_fillers(row.id, now).await?;
    let groups = seat(tx, &row, &terms, (divisions, fillers, missing), now).await?;
    row.starts_at = None;
    row.delays = 0;
    begin_round(tx, &mut row, &terms, &pair_groups(&groups, &terms), now).await?;
    Ok(tx.log_tournament(row.id, &NewLogEntry::of_server(TournamentAction::Start), now).await?)
}

/// True for people who play the next season.
fn stays(player: &PlayerRow) -> bool {
    player.state == PlayerState::In && !player.is_bot
}

/// The tables of a season, the highest division first.
fn finishers(players: &[PlayerRow], tables: Vec<super::tables::GroupTable>) -> Vec<Vec<Finisher<i64>>> {
    let finisher = |entry: i64| Finisher {
        player: entry,
        stays: players.iter().any(|player| player.entry == entry && stays(player)),
    };
    let table = |table: super::tables::GroupTable| {
        let placed = table.lines.iter().map(|line| line.entry);
        placed.chain(table.outside.iter().copied()).map(finisher).collect()
    };
    tables.into_iter().map(table).collect()
}

/// Those who have entered since the season began, in order of strength.
fn newcomers(players: &[PlayerRow], finished: &[Vec<Finisher<i64>>]) -> Vec<i64> {
    let has_played = |entry: i64| finished.iter().flatten().any(|one| one.player == entry);
    let mut new: Vec<&PlayerRow> =
        players.iter().filter(|player| stays(player) && !has_played(player.entry)).collect();
    new.sort_by(|one, other| {
        strength(other.rating).total_cmp(&strength(one.rating)).then(one.entry.cmp(&other.entry))
    });
    new.into_iter().map(|player| player.entry).collect()
}
