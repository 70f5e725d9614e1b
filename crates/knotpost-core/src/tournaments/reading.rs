//! Tournaments as they are shown: one, a list, and the log.

use std::collections::HashMap;

use knotpost_tournaments::TieBreak;

use super::ladder::show_ladder;
use super::rounds::count_rounds;
use super::swiss;
use super::tables::{GroupTable, letter_order, tables_of_round};
use super::view::{
    PairingSeat, PairingState, TournamentLine, TournamentLog, TournamentLogLine, TournamentPage,
    TournamentPairing, TournamentPlayer, TournamentView,
};
use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_game, find_user};
use knotpost_model::{
    BoardRef, Millis, PlayerState, TournamentForm, TournamentName, TournamentState, TournamentTerms,
};
use knotpost_storage::{PairedSeat, PlayerRow, ReadTx, StoreError, TournamentFilter, TournamentRow};

/// Most lines of a page of a log.
const MOST_LINES: i64 = 500;

/// Filter of the tournaments that are listed.
#[derive(Clone, Debug, Default)]
pub struct TournamentQuery {
    pub game: Option<String>,
    /// In any of these states; none: those that take entries or are played.
    pub states: Vec<TournamentState>,
    /// Only those that this user has entered.
    pub userid: Option<String>,
    /// The last one of the page before.
    pub before: Option<TournamentName>,
}

/// The newest first.
pub async fn list(
    tx: &mut ReadTx,
    app: &App,
    query: &TournamentQuery,
    limit: usize,
) -> Result<TournamentPage, ServiceError> {
    let game = match &query.game {
        Some(name) => Some(find_game(&app.games, name)?.meta().name.to_owned()),
        None => None,
    };
    let user = match &query.userid {
        Some(userid) => Some(find_user(tx, userid).await?.id),
        None => None,
    };
    let states = if query.states.is_empty() {
        vec![TournamentState::Open, TournamentState::Running]
    } else {
        query.states.clone()
    };
    let filter = TournamentFilter { game, states, user, before: query.before };
    let rows = tx.list_tournaments(&filter, i64::try_from(limit).unwrap_or(i64::MAX)).await?;
    let cursor = rows.last().filter(|_| rows.len() == limit).map(|row| row.id);
    let mut tournaments = Vec::with_capacity(rows.len());
    for row in rows {
        let terms = read_terms(&row)?;
        let entrants = match row.state {
            TournamentState::Open => None,
            _ if is_endless(row.form) => None,
            _ => Some(row.numbered),
        };
        tournaments.push(line_of(row, &terms, entrants));
    }
    Ok(TournamentPage { tournaments, cursor })
}

pub(super) fn no_such_tournament(name: TournamentName) -> Refusal {
    Refusal::new(Code::NoSuchTournament, format!("there is no tournament {name}"))
        .hint("`tournaments` lists those that take entries or are played.")
}

pub(super) async fn find_tournament(
    tx: &mut ReadTx,
    name: TournamentName,
) -> Result<TournamentRow, ServiceError> {
    Ok(tx.tournament(name).await?.ok_or_else(|| no_such_tournament(name))?)
}

pub(super) fn read_terms(row: &TournamentRow) -> Result<TournamentTerms, StoreError> {
    serde_json::from_str(&row.terms)
        .map_err(|error| StoreError::Corrupt(format!("the terms of {}: {error}", row.id)))
}

/// A tournament with its tables as of its present round, or of an earlier one with the pairings of that round alone;
/// in a Swiss tournament with those before it too, which its table shows.
pub async fn view(
    tx: &mut ReadTx,
    name: TournamentName,
    round: Option<u32>,
) -> Result<TournamentView, ServiceError> {
    let row = find_tournament(tx, name).await?;
    let round = round.map(i64::from);
    if let Some(round) = round.filter(|round| !(1..=row.round).contains(round)) {
        let message = match row.round {
            0 => format!("{name} has not begun; it has no round {round}"),
            last => format!("{name} has rounds 1 to {last} by now, no round {round}"),
        };
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    Ok(show(tx, row, round).await?)
}

/// A ladder with the places that its players had at a time.
pub(super) async fn view_at(
    tx: &mut ReadTx,
    name: TournamentName,
    at: Millis,
) -> Result<TournamentView, ServiceError> {
    let row = find_tournament(tx, name).await?;
    if row.form != TournamentForm::Ladder {
        let message = format!("{name} is no ladder; places of earlier days are kept for ladders");
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    Ok(show_ladder(tx, row, Some(at)).await?)
}

pub(super) async fn show(
    tx: &mut ReadTx,
    row: TournamentRow,
    round: Option<i64>,
) -> Result<TournamentView, StoreError> {
    if row.form == TournamentForm::Ladder {
        return show_ladder(tx, row, None).await;
    }
    let terms = read_terms(&row)?;
    let players = tx.tournament_players(row.id).await?;
    let until = round.unwrap_or(row.round);
    // A league has seasons without end, of which one is shown.
    let first = if row.form == TournamentForm::League { until } else { 1 };
    let seats = tx.paired_seats(row.id, first).await?;
    let (description, next, director_key, game) =
        (row.description.clone(), row.next_id, row.director_id, row.game.clone());
    let is_over = row.state == TournamentState::Over && round.is_none();
    let entrants = players.iter().filter(|player| player.number.is_some()).count();
    let entrants = (row.state != TournamentState::Open && entrants > 0).then_some(entrants as i64);
    let form = row.form;
    let tables = tables_until(form, &terms, &players, &seats, (first, until));
    let (tiebreaks, pairings) = match form {
        TournamentForm::RoundRobin | TournamentForm::Ladder | TournamentForm::League => {
            let is_shown = |at: i64| (first..=until).contains(&at) && round.is_none_or(|round| at == round);
            let codes = TieBreak::GROUPS.iter().map(ToString::to_string).collect();
            (codes, show_pairings(&game, &players, &seats, is_shown))
        }
        TournamentForm::Swiss => {
            let is_shown = |at: i64| round.is_none_or(|round| at <= round);
            (swiss::codes(&terms), show_pairings(&game, &players, &seats, is_shown))
        }
    };
    let mut shown = show_players(&players, &tables, until, is_over);
    if form == TournamentForm::League {
        // Players of this season, and those who wait for the next one.
        let season = u32::try_from(until).ok();
        shown.retain(|player| {
            player.round == season || player.round.is_none() && player.state == PlayerState::In
        });
    }
    let entrants = entrants.filter(|_| !is_endless(form));
    Ok(TournamentView {
        line: line_of(row, &terms, entrants),
        description,
        next,
        tiebreaks,
        players: shown,
        pairings,
        changes: Vec::new(),
        as_of: None,
        terms,
        director_key,
    })
}

pub(super) fn line_of(row: TournamentRow, terms: &TournamentTerms, entrants: Option<i64>) -> TournamentLine {
    let number = |value: i64| u32::try_from(value).unwrap_or_default();
    TournamentLine {
        name: row.id,
        title: row.title,
        game: row.game,
        options: terms.options(row.form),
        form: row.form,
        rules: row.rules,
        state: row.state,
        director: row.director,
        round: number(row.round),
        rounds: entrants.filter(|players| *players > 0 && !is_endless(row.form)).map(|players| {
            let players = usize::try_from(players).unwrap_or_default();
            count_rounds(row.form, players, terms).max(number(row.round))
        }),
        entered: number(entrants.unwrap_or(row.entered)),
        minimum: terms.minimum,
        maximum: terms.maximum,
        starts: row.starts_at.map(Into::into),
        started: row.started_at.map(Into::into),
        ended: row.ended_at.map(Into::into),
        deadline: row.deadline.map(Into::into),
    }
}

/// True for forms that players come to and leave while they are played.
fn is_endless(form: TournamentForm) -> bool {
    matches!(form, TournamentForm::Ladder | TournamentForm::League)
}

/// The tables as of a round, back to the first that is shown, with the rounds they are of, the latest first.
fn tables_until(
    form: TournamentForm,
    terms: &TournamentTerms,
    players: &[PlayerRow],
    seats: &[PairedSeat],
    (first, until): (i64, i64),
) -> Vec<(i64, GroupTable)> {
    match form {
        TournamentForm::RoundRobin | TournamentForm::Ladder | TournamentForm::League => (first.max(1)
            ..=until)
            .rev()
            .flat_map(|round| {
                tables_of_round(players, seats, round).into_iter().map(move |table| (round, table))
            })
            .collect(),
        TournamentForm::Swiss if until > 0 => vec![(until, swiss::table(players, seats, until, terms.games))],
        TournamentForm::Swiss => Vec::new(),
    }
}

/// Players as of a round, with the values of the last table that they are in.
fn show_players(
    players: &[PlayerRow],
    tables: &[(i64, GroupTable)],
    until: i64,
    is_over: bool,
) -> Vec<TournamentPlayer> {
    let mut shown: Vec<(i64, u32, TournamentPlayer)> = Vec::with_capacity(players.len());
    for player in players.iter().filter(|player| until > 0 || player.state == PlayerState::In) {
        let found = tables.iter().find_map(|(round, table)| {
            let line = table.lines.iter().find(|line| line.entry == player.entry);
            let is_here = line.is_some() || table.outside.contains(&player.entry);
            is_here.then_some((*round, table.pool.as_str(), line))
        });
        let (round, pool, line) = match found {
            Some((round, pool, line)) => (Some(round), Some(pool.to_owned()), line),
            None => (None, player.pool.clone(), None),
        };
        let view = TournamentPlayer {
            userid: player.userid.clone(),
            number: player.number.and_then(|number| u32::try_from(number).ok()),
            group: pool,
            round: round.and_then(|round| u32::try_from(round).ok()),
            state: player.state,
            left: player.left_why,
            counts: player.counts,
            points: line.map(|line| line.points),
            place: line.map(|line| line.place),
            tiebreaks: line.map(|line| line.tiebreaks.clone()).unwrap_or_default(),
            won: line.map_or(0, |line| line.won),
            lost: line.map_or(0, |line| line.lost),
            tied: line.map_or(0, |line| line.tied),
            bot: player.is_bot,
            user: player.user_id,
        };
        shown.push((round.unwrap_or_default(), line.map_or(u32::MAX, |line| line.place), view));
    }
    if until == 0 {
        return shown.into_iter().map(|(_, _, view)| view).collect();
    }
    shown.sort_by(|(round, place, view), (other_round, other_place, other)| {
        let group = |view: &TournamentPlayer| view.group.clone().unwrap_or_default();
        let (mine, theirs) = (group(view), group(other));
        (other_round, place, letter_order(&mine), view.number).cmp(&(
            round,
            other_place,
            letter_order(&theirs),
            other.number,
        ))
    });
    if is_over {
        give_final_places(&mut shown);
    }
    shown.into_iter().map(|(_, _, view)| view).collect()
}

/// Places of the whole tournament: who came further is in front, then who had the better place in their group.
fn give_final_places(shown: &mut [(i64, u32, TournamentPlayer)]) {
    let keys: Vec<(i64, u32)> = shown.iter().map(|(round, place, _)| (*round, *place)).collect();
    for (round, place, view) in shown.iter_mut() {
        let own = (*round, *place);
        let ahead = keys.iter().filter(|(round, place)| (-round, *place) < (-own.0, own.1)).count();
        view.place = view.place.map(|_| u32::try_from(ahead + 1).unwrap_or(u32::MAX));
    }
}

pub(super) fn show_pairings(
    game: &str,
    players: &[PlayerRow],
    seats: &[PairedSeat],
    is_shown: impl Fn(i64) -> bool,
) -> Vec<TournamentPairing> {
    let names: HashMap<i64, &str> =
        players.iter().map(|player| (player.entry, player.userid.as_str())).collect();
    let number = |value: i64| u32::try_from(value).unwrap_or_default();
    let mut shown: Vec<TournamentPairing> = seats
        .chunk_by(|a, b| a.pairing_id == b.pairing_id)
        .filter_map(|pairing| pairing.first().map(|first| (first, pairing)))
        .filter(|(first, _)| is_shown(first.round))
        .map(|(first, pairing)| {
            let mut boards: Vec<i64> = pairing.iter().filter_map(|seat| seat.board).collect();
            boards.dedup();
            let first_board: Vec<&PairedSeat> =
                pairing.iter().filter(|seat| seat.game == first.game).collect();
            let state = if pairing.iter().all(|seat| seat.points.is_some()) {
                PairingState::Over
            } else if first.opened {
                PairingState::Open
            } else {
                PairingState::Waiting
            };
            let seat = |of: &&PairedSeat| {
                let own = pairing.iter().filter(|seat| seat.entry == of.entry);
                let halves: Option<i64> = own.clone().map(|seat| seat.points).sum();
                PairingSeat {
                    userid: names.get(&of.entry).copied().unwrap_or_default().to_owned(),
                    points: halves.map(|halves| halves as f64 / 2.0),
                    forfeit: first_board.len() > 1
                        && own.clone().any(|seat| seat.points.is_some() && !seat.played),
                }
            };
            TournamentPairing {
                group: first.pool.clone(),
                round: number(first.round),
                table: number(first.number),
                state,
                bye: first_board.len() == 1,
                deadline: first.deadline.map(Into::into),
                boards: boards
                    .into_iter()
                    .map(|board| BoardRef { game: game.to_owned(), number: number(board) })
                    .collect(),
                seats: first_board.iter().map(seat).collect(),
            }
        })
        .collect();
    shown.sort_by(|a, b| {
        (a.round, letter_order(&a.group), a.table).cmp(&(b.round, letter_order(&b.group), b.table))
    });
    shown
}

/// A page of the log, the latest first; `before` is the cursor of the page before.
pub async fn log(
    tx: &mut ReadTx,
    name: TournamentName,
    before: Option<i64>,
) -> Result<TournamentLog, ServiceError> {
    let row = find_tournament(tx, name).await?;
    let lines = tx.tournament_log(name, before, MOST_LINES).await?;
    let cursor = lines.last().filter(|_| lines.len() as i64 == MOST_LINES).map(|line| line.id);
    let line = |entry: knotpost_storage::LogRow| TournamentLogLine {
        at: entry.at.into(),
        by: entry.userid,
        action: entry.action,
        userid: entry.subject,
        board: entry.board.and_then(|number| {
            Some(BoardRef { game: row.game.clone(), number: u32::try_from(number).ok()? })
        }),
        words: entry.words,
    };
    Ok(TournamentLog { log: lines.into_iter().map(line).collect(), cursor })
}

#[cfg(test)]
mod tests {
    use knotpost_model::{TournamentForm, TournamentTerms};

    /// Terms are stored, and read by later versions.
    #[test]
    fn stored_terms_keep_their_form() {
        let stored = concat!(
            r#"{"game_options":"-size=4","minimum":4,"maximum":10,"group":10,"advance":2,"round":10368000000,"#,
            r#""start":{"date":1796083200000},"repeat":false,"games":1,"fill":3,"closed":false,"rated":true,"#,
            r#""nag":86400000,"forfeit":604800000,"total":null}"#
        );
        let terms: TournamentTerms = serde_json::from_str(stored).expect("terms");
        assert_eq!(terms.options(TournamentForm::RoundRobin), "-size=4 -start=2026-12-01 -fill=3");
        assert_eq!(serde_json::to_string(&terms).expect("text"), stored);
    }
}
