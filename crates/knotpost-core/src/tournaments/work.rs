//! The course of tournaments, which goes on by itself, a step in a transaction. Each step checks everything again, so that it does not
//! matter who takes it, or whether the one before was the last of a server that was killed.

use crate::config::Config;
use std::sync::Arc;

use super::announcing::repeat;
use super::boards::{end_at_deadline, lose_boards, open_boards};
use super::entering::barred_until;
use super::league;
use super::reading::read_terms;
use super::rounds::{Fillers, Group, levels_near, make_groups, pair_group, seat_everybody};
use super::swiss::{Draw, Next, find_next};
use super::tables::{GroupTable, letter, tables_of_round};
use super::telling::{FinalTables, needs_tables, tell, tell_out, tell_webhooks};
use crate::app::App;
use crate::boards::ServiceError;
use knotpost_model::computer_player::{LEVELS, userid_of};
use knotpost_model::{
    BoardRef, LeaveReason, Millis, PlayerState, Span, TournamentAction, TournamentForm, TournamentName,
    TournamentState, TournamentTerms, UserKey,
};
use knotpost_storage::{
    NewLogEntry, NewPairing, PlayerRow, ReadTx, StoreError, Told, TournamentRow, UserRow, UserState, WriteTx,
};

const DAY_MS: i64 = 86_400_000;
const WEEK_MS: i64 = 7 * DAY_MS;
/// Starts put off before the tournament is cancelled.
const MOST_DELAYS: i64 = 2;
/// Rating of a player without one.
const UNKNOWN_RATING: f64 = 1600.0;

/// Result of a step.
pub(crate) enum Step {
    /// These boards were ended.
    Ended(Vec<BoardRef>),
    /// A round is to be paired outside of the transaction, then stored.
    ToPair(Arc<Draw>),
    /// Final tables are to be made outside of the transaction, then told of.
    ToTable,
    /// Some players were told of them.
    Told,
}

impl Step {
    const NOTHING: Self = Self::Ended(Vec::new());
}

/// Takes the next step of a tournament, if there is one. `tables`: its final ones, where they were asked for.
pub(crate) async fn step(
    tx: &mut WriteTx,
    app: &App,
    name: TournamentName,
    tables: Option<&FinalTables>,
    now: Millis,
) -> Result<Step, ServiceError> {
    let Some(row) = tx.tournament(name).await? else { return Ok(Step::NOTHING) };
    if let Some(entry) = tx.entry_to_tell(name).await? {
        let needs_tables = needs_tables(&entry);
        if needs_tables && tables.is_none() {
            return Ok(Step::ToTable);
        }
        tell(tx, app, &row, &entry, tables, now).await?;
        return Ok(if needs_tables { Step::Told } else { Step::NOTHING });
    }
    match row.state {
        TournamentState::Open => step_open(tx, app, row, now).await.map(|()| Step::NOTHING),
        TournamentState::Running => step_running(tx, app, row, now).await,
        TournamentState::Over | TournamentState::Cancelled => {
            for player in tx.tournament_players(name).await?.iter().filter(|player| player.leaving) {
                tx.end_leaving(name, player.entry).await?;
            }
            tx.update_tournament(&TournamentRow { due_at: None, ..row }).await?;
            Ok(Step::NOTHING)
        }
    }
}

async fn step_open(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    now: Millis,
) -> Result<(), ServiceError> {
    let terms = read_terms(&row)?;
    let is_full = row.entered >= i64::from(terms.maximum);
    let is_time = row.starts_at.is_some_and(|at| at <= now);
    if (is_full || is_time) && start(tx, app, &mut row, &terms, now).await? {
        let entry = NewLogEntry::of_server(TournamentAction::Start);
        return Ok(tx.log_tournament(row.id, &entry, now).await?);
    }
    let Some(at) = row.starts_at.filter(|_| is_time) else {
        row.due_at = row.starts_at;
        return Ok(tx.update_tournament(&row).await?);
    };
    let action = if row.delays < MOST_DELAYS {
        row.delays += 1;
        row.starts_at = Some(at.plus(WEEK_MS));
        row.due_at = row.starts_at;
        TournamentAction::PutOff
    } else {
        row.state = TournamentState::Cancelled;
        row.ended_at = Some(now);
        row.due_at = None;
        TournamentAction::Cancel
    };
    tx.update_tournament(&row).await?;
    let words = format!("{} of at least {} players have entered.", row.entered, terms.minimum);
    let entry = NewLogEntry { words, told: Told::Players, ..NewLogEntry::of_server(action) };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

/// Begins a tournament with those who have entered; false: they are too few. The caller notes it in the log.
pub(super) async fn start(
    tx: &mut WriteTx,
    app: &App,
    row: &mut TournamentRow,
    terms: &TournamentTerms,
    now: Millis,
) -> Result<bool, ServiceError> {
    let fillers = find_fillers(tx, &app.config, terms).await?;
    let mut people = tx.tournament_players(row.id).await?;
    people.retain(|player| player.state == PlayerState::In);
    people.sort_by(|one, other| {
        strength(other.rating)
            .total_cmp(&strength(one.rating))
            .then_with(|| one.userid.to_lowercase().cmp(&other.userid.to_lowercase()))
    });
    if row.form == TournamentForm::League {
        let keys = keys_of(&fillers);
        let Some(groups) = league::first_season(tx, row, terms, (&people, &keys), now).await? else {
            return Ok(false);
        };
        row.state = TournamentState::Running;
        row.started_at = Some(now);
        row.starts_at = None;
        begin_round(tx, row, terms, &pair_groups(&groups, terms), now).await?;
        return Ok(true);
    }
    let filling = match fillers.first() {
        None => None,
        Some(first) => {
            let rating = strength(tx.rating(&row.game, first.id).await?.map(|row| row.rating));
            let behind = people.iter().filter(|player| strength(player.rating) >= rating).count();
            Some(Fillers { kinds: fillers.len(), behind })
        }
    };
    let Some(places) = seat_everybody(people.len(), filling, terms.minimum.into(), terms.group.into()) else {
        return Ok(false);
    };
    tx.drop_withdrawn(row.id).await?;
    let mut groups: Vec<Group> = Vec::with_capacity(places.len());
    for (index, places) in places.iter().enumerate() {
        let (pool, mut fillers) = (letter(index), fillers.iter());
        let mut numbered: Vec<(i64, i64)> = Vec::with_capacity(places.len());
        for place in places {
            let person = place.person.and_then(|person| people.get(person));
            let entry = if let Some(player) = person {
                player.entry
            } else {
                let Some(filler) = fillers.next() else { return Err(no_filler(row.id).into()) };
                tx.insert_player(row.id, filler.id, now).await?
            };
            tx.place_player(row.id, entry, place.number, &pool).await?;
            numbered.push((place.number, entry));
        }
        numbered.sort_unstable();
        groups.push(Group { pool, entries: numbered.into_iter().map(|(_, entry)| entry).collect() });
    }
    row.state = TournamentState::Running;
    row.started_at = Some(now);
    if terms.repeat && app.games.find_offered(&row.game).is_some() && app.config.tournaments.enabled {
        row.next_id = Some(repeat(tx, row, row.director_id, now).await?);
    }
    match row.form {
        TournamentForm::RoundRobin | TournamentForm::Ladder | TournamentForm::League => {
            begin_round(tx, row, terms, &pair_groups(&groups, terms), now).await?;
        }
        // The next step pairs the first round.
        TournamentForm::Swiss => {
            row.due_at = Some(now);
            tx.update_tournament(row).await?;
        }
    }
    Ok(true)
}

fn keys_of(fillers: &[UserRow]) -> Vec<UserKey> {
    fillers.iter().map(|user| user.id).collect()
}

pub(super) fn pair_groups(groups: &[Group], terms: &TournamentTerms) -> Vec<NewPairing> {
    groups.iter().flat_map(|group| pair_group(group, terms.games)).collect()
}

fn no_filler(name: TournamentName) -> StoreError {
    StoreError::Corrupt(format!("{name} was to be filled up with more computer players than there are"))
}

pub(super) fn strength(rating: Option<f64>) -> f64 {
    rating.unwrap_or(UNKNOWN_RATING)
}

/// Computer players that may fill up, the nearest to the wanted level first.
async fn find_fillers(
    tx: &mut ReadTx,
    config: &Config,
    terms: &TournamentTerms,
) -> Result<Vec<UserRow>, StoreError> {
    let mut found = Vec::new();
    let Some(level) = terms.fill.filter(|_| config.bots.enabled) else { return Ok(found) };
    for level in levels_near(level, LEVELS) {
        let user = tx.find_user(&userid_of(level)).await?;
        found.extend(user.filter(|user| user.is_computer_player() && user.state == UserState::Active));
    }
    Ok(found)
}

/// Stores the pairings of the next round, whose boards begin afterwards.
pub(super) async fn begin_round(
    tx: &mut WriteTx,
    row: &mut TournamentRow,
    terms: &TournamentTerms,
    pairings: &[NewPairing],
    now: Millis,
) -> Result<(), ServiceError> {
    row.round += 1;
    row.deadline = Some(now.plus(terms.round.0));
    row.extended = false;
    row.reminders = 0;
    row.due_at = Some(now);
    tx.insert_pairings(row.id, row.round, row.deadline, pairings).await?;
    Ok(tx.update_tournament(row).await?)
}

async fn step_running(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    now: Millis,
) -> Result<Step, ServiceError> {
    if let Some(player) = tx.leaving_player(row.id).await? {
        let ended = lose_boards(tx, app, &row, &player, now).await?;
        if ended.is_empty() {
            take_leave(tx, app, &row, &player, now).await?;
        }
        return Ok(Step::Ended(ended));
    }
    if row.form == TournamentForm::Ladder {
        row.due_at = None;
        tx.update_tournament(&row).await?;
        return Ok(Step::NOTHING);
    }
    if open_boards(tx, app, &row, now).await? {
        if tx.waiting_seats(row.id, 1).await?.is_empty() {
            let players = tx.tournament_players(row.id).await?;
            let entry =
                NewLogEntry { told: Told::Players, ..NewLogEntry::of_server(TournamentAction::Opened) };
            tx.log_tournament(row.id, &entry, now).await?;
            let kind = if row.round == 1 { "tournament.started" } else { "tournament.round" };
            tell_webhooks(tx, app, &row, &players, kind, now).await?;
        }
        return Ok(Step::NOTHING);
    }
    if row.form == TournamentForm::League && row.deadline.is_none() {
        let players = tx.tournament_players(row.id).await?;
        let fillers = find_fillers(tx, &app.config, &read_terms(&row)?).await?;
        league::step_between(tx, app, row, (&players, &keys_of(&fillers)), now).await?;
        return Ok(Step::NOTHING);
    }
    if !tx.has_open_seats(row.id).await? {
        let players = tx.tournament_players(row.id).await?;
        return go_on(tx, app, row, &players, now).await;
    }
    if row.deadline.is_some_and(|deadline| deadline <= now) {
        return end_at_deadline(tx, app, &row, now).await.map(Step::Ended);
    }
    let terms = read_terms(&row)?;
    let times = row.deadline.map(|deadline| reminder_times(deadline, terms.round)).into_iter().flatten();
    let passed = times.clone().filter(|at| *at <= now).count() as i64;
    if passed > row.reminders {
        let entry = NewLogEntry { told: Told::Players, ..NewLogEntry::of_server(TournamentAction::Remind) };
        tx.log_tournament(row.id, &entry, now).await?;
        row.reminders = passed;
    }
    row.due_at = times.filter(|at| *at > now).min().or(row.deadline);
    tx.update_tournament(&row).await?;
    Ok(Step::NOTHING)
}

/// Goes on with all boards of the round over.
async fn go_on(
    tx: &mut WriteTx,
    app: &App,
    row: TournamentRow,
    players: &[PlayerRow],
    now: Millis,
) -> Result<Step, ServiceError> {
    match row.form {
        TournamentForm::RoundRobin => finish_round(tx, app, row, players, now).await?,
        TournamentForm::League => league::finish_season(tx, row, now).await?,
        // It goes on by challenges alone.
        TournamentForm::Ladder => {}
        TournamentForm::Swiss => match find_next(tx, &row, players, now).await? {
            Next::Pair(draw) => return Ok(Step::ToPair(draw)),
            Next::Wait => {
                let tomorrow = now.plus(DAY_MS);
                tx.update_tournament(&TournamentRow { due_at: Some(tomorrow), ..row.clone() }).await?;
                tx.rest_tournament(row.id, tomorrow).await?;
            }
            Next::Over => end(tx, app, row, players, "", now).await?,
        },
    }
    Ok(Step::NOTHING)
}

/// Times of the reminders of a deadline: a week and a day before, or half and a tenth of the round where that is later.
fn reminder_times(deadline: Millis, round: Span) -> [Millis; 2] {
    [deadline.plus(-WEEK_MS.min(round.0 / 2)), deadline.plus(-DAY_MS.min(round.0 / 10))]
}

/// Closes the withdrawal of a player whose boards have ended.
async fn take_leave(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    player: &PlayerRow,
    now: Millis,
) -> Result<(), ServiceError> {
    tx.end_leaving(row.id, player.entry).await?;
    if player.left_why != Some(LeaveReason::Expelled) {
        // Once a day: entering and leaving in turn would write to the director as often as a player likes.
        let is_again = tx.went_since(row.id, player.user_id, now.plus(-DAY_MS)).await?;
        let entry = NewLogEntry {
            subject: Some(player.user_id),
            words: player.left_why.map(|why| why.about(&player.userid)).unwrap_or_default(),
            told: if is_again { Told::Nobody } else { Told::Director },
            ..NewLogEntry::of_server(TournamentAction::Out)
        };
        tx.log_tournament(row.id, &entry, now).await?;
    }
    let barred = match player.left_why {
        Some(LeaveReason::Time) => barred_until(&tx.time_outs(player.user_id).await?),
        _ => None,
    };
    Ok(tell_out(tx, app, row, player, barred, now).await?)
}

/// Goes on to the next stage with the first of each group, or ends the tournament.
async fn finish_round(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    players: &[PlayerRow],
    now: Millis,
) -> Result<(), ServiceError> {
    let terms = read_terms(&row)?;
    let seats = tx.paired_seats(row.id, row.round).await?;
    let tables = tables_of_round(players, &seats, row.round);
    let next =
        if tables.len() > 1 { who_advance(&tables, players, terms.advance.into()) } else { Vec::new() };
    if next.len() > 1 {
        let groups = make_groups(&next, terms.group.into());
        for group in &groups {
            for entry in &group.entries {
                let player = players.iter().find(|player| player.entry == *entry);
                let number = player.and_then(|player| player.number).unwrap_or_default();
                tx.place_player(row.id, *entry, number, &group.pool).await?;
            }
        }
        begin_round(tx, &mut row, &terms, &pair_groups(&groups, &terms), now).await?;
        let entry = NewLogEntry::of_server(TournamentAction::Start);
        return Ok(tx.log_tournament(row.id, &entry, now).await?);
    }
    end(tx, app, row, players, "", now).await
}

/// Ends a tournament. `why`: the reason, where it is not the usual one.
pub(super) async fn end(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    players: &[PlayerRow],
    why: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    row.state = TournamentState::Over;
    row.ended_at = Some(now);
    row.due_at = None;
    tx.update_tournament(&row).await?;
    tell_webhooks(tx, app, &row, players, "tournament.over", now).await?;
    let entry = NewLogEntry {
        words: why.to_owned(),
        told: Told::Players,
        ..NewLogEntry::of_server(TournamentAction::Over)
    };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

/// Entries of the first of each group who are people and in, in order of their numbers.
fn who_advance(tables: &[GroupTable], players: &[PlayerRow], advance: usize) -> Vec<i64> {
    let find = |entry: i64| players.iter().find(|player| player.entry == entry);
    let goes_on = |player: &&PlayerRow| player.state == PlayerState::In && !player.is_bot;
    let mut next: Vec<&PlayerRow> = tables
        .iter()
        .flat_map(|table| {
            table.lines.iter().filter_map(|line| find(line.entry)).filter(goes_on).take(advance)
        })
        .collect();
    next.sort_by_key(|player| player.number);
    next.into_iter().map(|player| player.entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminders_come_later_in_short_rounds() {
        let half_days_before = |round: i64| {
            let times = reminder_times(Millis(1000 * DAY_MS), Span(round * DAY_MS));
            times.map(|at| (1000 * DAY_MS - at.0) * 2 / DAY_MS)
        };
        assert_eq!(half_days_before(120), [14, 2]);
        assert_eq!(half_days_before(10), [10, 2]);
        assert_eq!(half_days_before(5), [5, 1]);
    }
}
