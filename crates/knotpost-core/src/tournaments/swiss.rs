//! The Swiss system: each round is paired from the rounds before it.
//!
//! The pairing of many players takes seconds. So it is computed outside of any transaction, from a [`Draw`], and stored
//! afterwards if it would still be computed from the same.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use knotpost_platform::background::in_background;
use knotpost_tournaments::{
    Colour, Entry, Form, NoPairing, Outcome, Pairing, Player, Points, Record, TieBreak, pair_round, standings,
};
use sha2::{Digest, Sha256};

use super::reading::read_terms;
use super::rounds::{count_rounds, seats};
use super::tables::{GroupTable, TableLine, WIN, count_ends, letter};
use super::work::{begin_round, end};
use crate::app::App;
use crate::boards::ServiceError;
use knotpost_model::{
    Millis, Pauses, Period, PlayerState, Span, TournamentAction, TournamentName, TournamentState,
    TournamentTerms, UserKey,
};
use knotpost_storage::{
    NewLogEntry, NewPairing, NewTournamentSeat, PairedSeat, PlayerRow, ReadTx, StoreError, TournamentRow,
    WriteTx,
};

/// Everything else goes first.
const NICE: i32 = 10;

/// All that the pairing of a round is computed from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    /// The round that is to be paired, from 1.
    round: i64,
    /// All players in order of their numbers, with the rounds before.
    record: Record,
    /// Entries of the players of the record.
    entries: Vec<i64>,
    /// Indices of those who are to be paired.
    present: Vec<usize>,
    /// Indices of those who are away, with the halves of a point that they get.
    away: Vec<(usize, i64)>,
}

/// Continuation of a tournament whose boards are all over.
pub(super) enum Next {
    Pair(Arc<Draw>),
    /// Fewer than two are there: rounds without a board would pass in no time.
    Wait,
    Over,
}

/// Finds what comes next, with all boards over.
pub(super) async fn find_next(
    tx: &mut ReadTx,
    row: &TournamentRow,
    players: &[PlayerRow],
    now: Millis,
) -> Result<Next, StoreError> {
    let terms = read_terms(row)?;
    let seats = tx.paired_seats(row.id, 1).await?;
    let absent = find_absent(tx, row.id, terms.round, now).await?;
    Ok(Next::of(row, &terms, players, &seats, &absent))
}

impl Next {
    fn of(
        row: &TournamentRow,
        terms: &TournamentTerms,
        players: &[PlayerRow],
        seats: &[PairedSeat],
        absent: &HashSet<UserKey>,
    ) -> Self {
        let players = numbered(players);
        let round = row.round + 1;
        let rounds = count_rounds(row.form, players.len(), terms);
        let is_in = |player: &PlayerRow| player.state == PlayerState::In;
        if round > i64::from(rounds) || players.iter().filter(|player| is_in(player)).count() < 2 {
            return Self::Over;
        }
        let record = Record {
            rounds: usize::try_from(rounds).ok(),
            first_colour: Some(first_colour(row)),
            ..record_of(&players, seats, row.round)
        };
        let (mut present, mut away) = (Vec::new(), Vec::new());
        for (index, player) in players.iter().enumerate().filter(|(_, player)| is_in(player)) {
            if !absent.contains(&player.user_id) {
                present.push(index);
            } else if record.players[index].entries.contains(&Entry::HalfBye) {
                away.push((index, 0));
            } else {
                away.push((index, 1));
            }
        }
        if present.len() < 2 {
            return Self::Wait;
        }
        let entries = players.iter().map(|player| player.entry).collect();
        Self::Pair(Arc::new(Draw { round, record, entries, present, away }))
    }
}

/// Users who are away for more than half of a round that begins now.
async fn find_absent(
    tx: &mut ReadTx,
    name: TournamentName,
    round: Span,
    now: Millis,
) -> Result<HashSet<UserKey>, StoreError> {
    let mut periods: HashMap<UserKey, Vec<Period>> = HashMap::new();
    for row in tx.vacations_in(name, now).await? {
        periods.entry(row.user_id).or_default().push(Period::new(row.from_at, row.until_at));
    }
    let is_absent = |(user, periods): (UserKey, Vec<Period>)| {
        let there = Pauses::from_iter(periods).counted(now, now.plus(round.0));
        (2 * there.0 < round.0).then_some(user)
    };
    Ok(periods.into_iter().filter_map(is_absent).collect())
}

/// The colour of the first player in the first round, drawn by lot from what nobody could know before the start.
fn first_colour(row: &TournamentRow) -> Colour {
    let started = row.started_at.map_or(0, |at| at.0);
    let lot = Sha256::digest([row.id.0.to_be_bytes(), started.to_be_bytes()].concat());
    if lot.first().is_some_and(|byte| byte % 2 == 0) { Colour::White } else { Colour::Black }
}

impl Draw {
    /// Pairs the round on a thread of its own, whose memory ends with it. `None`: it panicked.
    pub(crate) async fn pair(self: &Arc<Self>) -> Option<Result<Pairing, NoPairing>> {
        let draw = Arc::clone(self);
        let work = tokio::task::spawn_blocking(move || {
            let before = usize::try_from(draw.round - 1).unwrap_or_default();
            in_background(NICE, || pair_round(&draw.record, before, &draw.present))
        });
        work.await.ok().flatten()
    }

    /// The pairings as they are stored, those without an opponent last.
    fn pairings(&self, pairing: &Pairing, games: u8) -> Vec<NewPairing> {
        let entry = |index: usize| self.entries.get(index).copied().unwrap_or_default();
        let alone = |(index, points): (usize, i64)| {
            vec![NewTournamentSeat { game: 1, seat: 1, entry: entry(index), points: Some(points) }]
        };
        let boards = pairing.boards.iter().map(|(white, black)| seats(entry(*white), entry(*black), games));
        let bye = pairing.bye.map(|index| alone((index, WIN)));
        let away = self.away.iter().copied().map(alone);
        (1..)
            .zip(boards.chain(bye).chain(away))
            .map(|(number, seats)| NewPairing { pool: letter(0), number, seats })
            .collect()
    }
}

/// Stores the pairing of a round, unless something has changed of what it was computed from: then the next step computes
/// it again. Where nobody can be paired any more, the tournament ends.
pub(crate) async fn store_round(
    tx: &mut WriteTx,
    app: &App,
    name: TournamentName,
    (draw, pairing): (&Draw, &Result<Pairing, NoPairing>),
    now: Millis,
) -> Result<(), ServiceError> {
    let Some(mut row) = tx.tournament(name).await? else { return Ok(()) };
    let players = tx.tournament_players(name).await?;
    let is_between = row.state == TournamentState::Running
        && !players.iter().any(|player| player.leaving)
        && !tx.has_open_seats(name).await?;
    if !is_between {
        return Ok(());
    }
    match find_next(tx, &row, &players, now).await? {
        Next::Pair(current) if *current == *draw => {}
        _ => return Ok(()),
    }
    let Ok(pairing) = pairing else {
        return end(tx, app, row, &players, "Nobody can be paired without meeting again.", now).await;
    };
    let terms = read_terms(&row)?;
    let is_later = row.round > 0;
    begin_round(tx, &mut row, &terms, &draw.pairings(pairing, terms.games), now).await?;
    if is_later {
        tx.log_tournament(name, &NewLogEntry::of_server(TournamentAction::Start), now).await?;
    }
    Ok(())
}

/// The rounds that are over, for a report file.
pub(super) fn report(
    row: &TournamentRow,
    terms: &TournamentTerms,
    players: &[PlayerRow],
    seats: &[PairedSeat],
) -> Record {
    let players = numbered(players);
    let is_over = |round: i64| seats.iter().all(|seat| seat.round != round || seat.points.is_some());
    let rounds = if is_over(row.round) { row.round } else { row.round - 1 };
    let mut record = record_of(&players, seats, rounds);
    for (player, row) in record.players.iter_mut().zip(&players) {
        player.rating = row.rating.map_or(0, |rating| rating.round().max(0.0) as u32);
    }
    Record {
        title: row.title.clone(),
        rounds: usize::try_from(count_rounds(row.form, players.len(), terms)).ok(),
        first_colour: Some(first_colour(row)),
        ..record
    }
}

/// Players who were in at the start, in order of their numbers.
pub(super) fn numbered(players: &[PlayerRow]) -> Vec<&PlayerRow> {
    let mut numbered: Vec<&PlayerRow> = players.iter().filter(|player| player.number.is_some()).collect();
    numbered.sort_by_key(|player| player.number);
    numbered
}

/// The first rounds as they were played, of players in order of their numbers. A pairing on two boards is won with more
/// points on both. Who is not paired, or has no result yet, is absent.
pub(super) fn record_of(players: &[&PlayerRow], seats: &[PairedSeat], rounds: i64) -> Record {
    let index: HashMap<i64, usize> =
        players.iter().enumerate().map(|(index, player)| (player.entry, index)).collect();
    let absent = vec![Entry::Absent; usize::try_from(rounds).unwrap_or_default()];
    let mut entries: Vec<Vec<Entry>> = vec![absent; players.len()];
    let mut set = |entry: i64, round: i64, meant: Entry| {
        let round = usize::try_from(round - 1).ok();
        let of = index.get(&entry).and_then(|index| entries.get_mut(*index));
        if let Some(place) = of.zip(round).and_then(|(of, round)| of.get_mut(round)) {
            *place = meant;
        }
    };
    for pairing in seats.chunk_by(|a, b| a.pairing_id == b.pairing_id) {
        let sum = |entry: i64| -> Option<i64> {
            pairing.iter().filter(|seat| seat.entry == entry).map(|seat| seat.points).sum()
        };
        match pairing {
            [alone] => {
                let meant = match alone.points {
                    Some(WIN) => Entry::PairingBye,
                    Some(1) => Entry::HalfBye,
                    _ => Entry::Absent,
                };
                set(alone.entry, alone.round, meant);
            }
            [white, black, ..] => {
                let (Some(first), Some(second)) = (sum(white.entry), sum(black.entry)) else { continue };
                let (Some(&white_index), Some(&black_index)) =
                    (index.get(&white.entry), index.get(&black.entry))
                else {
                    continue;
                };
                let is_played = pairing.iter().any(|seat| seat.played);
                let end = |own: i64, other: i64, opponent, colour| {
                    let outcome = match own.cmp(&other) {
                        std::cmp::Ordering::Greater => Outcome::Win,
                        std::cmp::Ordering::Equal if own > 0 => Outcome::Draw,
                        _ => Outcome::Loss,
                    };
                    if is_played {
                        Entry::Game { opponent, colour, outcome }
                    } else {
                        Entry::Forfeit { opponent, colour, outcome }
                    }
                };
                set(white.entry, white.round, end(first, second, black_index, Colour::White));
                set(black.entry, black.round, end(second, first, white_index, Colour::Black));
            }
            [] => {}
        }
    }
    let player = |(player, entries): (&&PlayerRow, Vec<Entry>)| Player {
        number: player.number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default(),
        name: player.userid.clone(),
        rating: 0,
        entries,
    };
    Record { players: players.iter().zip(entries).map(player).collect(), ..Record::default() }
}

/// Points on all boards, by which equal points are told apart first where a pairing has two.
const BOARD_POINTS: &str = "GP";

/// Codes of the ways in which equal points are told apart.
pub(super) fn codes(terms: &TournamentTerms) -> Vec<String> {
    let boards = (terms.games > 1).then(|| BOARD_POINTS.to_owned());
    boards.into_iter().chain(TieBreak::SWISS.iter().map(ToString::to_string)).collect()
}

/// The table after a round. `seats` are those of the whole tournament.
pub(super) fn table(players: &[PlayerRow], seats: &[PairedSeat], round: i64, games: u8) -> GroupTable {
    let players = numbered(players);
    let record = record_of(&players, seats, round);
    let rounds = usize::try_from(round).unwrap_or_default();
    let on_boards = count_on_boards(seats, round, games);
    let of_boards = |index: usize| on_boards.get(&players[index].entry).copied().unwrap_or_default();
    // Equal on boards too, before anything else is asked.
    let key = |index: usize| {
        let points: Points =
            record.players[index].entries.iter().map(|entry| record.scoring.points(*entry)).sum();
        std::cmp::Reverse((points, if games > 1 { of_boards(index) } else { 0 }))
    };
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|index| key(*index));
    let mut lines: Vec<TableLine> = Vec::with_capacity(players.len());
    for equal in order.chunk_by(|a, b| key(*a) == key(*b)) {
        let ahead = lines.len();
        for line in standings(&record, equal, rounds, Form::Swiss, &TieBreak::SWISS) {
            let boards = (games > 1).then(|| of_boards(line.player) as f64 / 2.0);
            let values = line.tie_breaks.iter().map(|value| value.hundredths() as f64 / 100.0);
            let [won, lost, tied] = count_ends(&record.players[line.player].entries);
            lines.push(TableLine {
                entry: players[line.player].entry,
                place: u32::try_from(ahead + line.place).unwrap_or(u32::MAX),
                points: f64::from(line.points.tenths()) / 10.0,
                tiebreaks: boards.into_iter().chain(values).collect(),
                won,
                lost,
                tied,
            });
        }
    }
    GroupTable { pool: letter(0), lines, outside: Vec::new() }
}

/// Points of each entry on all boards, in halves. Who has no opponent gets those of each board that there would be.
fn count_on_boards(seats: &[PairedSeat], round: i64, games: u8) -> HashMap<i64, i64> {
    let mut points = HashMap::new();
    for pairing in seats.chunk_by(|a, b| a.pairing_id == b.pairing_id) {
        let times = if pairing.len() == 1 { i64::from(games) } else { 1 };
        for seat in pairing.iter().filter(|seat| seat.round <= round) {
            *points.entry(seat.entry).or_default() += times * seat.points.unwrap_or_default();
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournaments::tables::tests::{player, seats as boards};
    use knotpost_model::TournamentForm;

    fn row(round: i64) -> TournamentRow {
        TournamentRow {
            id: TournamentName(1),
            game: "osbox".to_owned(),
            form: TournamentForm::Swiss,
            rules: "dutch-2026".to_owned(),
            title: "Spring open".to_owned(),
            description: String::new(),
            terms: String::new(),
            state: TournamentState::Running,
            announcer_id: None,
            director_id: None,
            director: None,
            created_at: Millis(0),
            starts_at: None,
            delays: 0,
            started_at: Some(Millis(1)),
            ended_at: None,
            round,
            deadline: None,
            extended: false,
            reminders: 0,
            due_at: None,
            next_id: None,
            entered: 6,
            numbered: 6,
        }
    }

    fn draw(players: &[PlayerRow], seats: &[PairedSeat], round: i64, absent: &[i64]) -> Option<Arc<Draw>> {
        let absent = absent.iter().copied().map(UserKey).collect();
        let terms = TournamentTerms::usual(TournamentForm::Swiss);
        match Next::of(&row(round), &terms, players, seats, &absent) {
            Next::Pair(draw) => Some(draw),
            Next::Wait | Next::Over => None,
        }
    }

    fn players() -> Vec<PlayerRow> {
        (1..=6).map(|entry| player(entry, true)).collect()
    }

    fn first_round() -> Vec<PairedSeat> {
        boards(1, "a", &[(1, 4, Some(2)), (5, 2, Some(0)), (3, 6, Some(1))])
    }

    /// A round is stored only if it would still be paired from the same.
    #[test]
    fn whatever_a_round_is_paired_from_is_part_of_its_draw() {
        let of = |players: &[PlayerRow], seats: &[PairedSeat], absent: &[i64]| {
            draw(players, seats, 1, absent).expect("a draw")
        };
        let drawn = of(&players(), &first_round(), &[]);
        assert_eq!(drawn, of(&players(), &first_round(), &[]));
        let mut left = players();
        left[3].state = PlayerState::Withdrawn;
        assert_ne!(drawn, of(&left, &first_round(), &[]), "a player left");
        let mut other = first_round();
        other[0].points = Some(1);
        other[1].points = Some(1);
        assert_ne!(drawn, of(&players(), &other, &[]), "a board was awarded otherwise");
        assert_ne!(drawn, of(&players(), &first_round(), &[6]), "somebody is away");
        assert_ne!(drawn, draw(&players(), &first_round(), 2, &[]).expect("a draw"), "the next round");
    }

    #[test]
    fn it_is_over_after_its_rounds_or_with_one_player_and_waits_for_two_who_are_there() {
        assert!(draw(&players(), &first_round(), 3, &[]).is_some(), "6 players play 4 rounds");
        assert!(matches!(
            Next::of(
                &row(4),
                &TournamentTerms::usual(TournamentForm::Swiss),
                &players(),
                &first_round(),
                &HashSet::new()
            ),
            Next::Over
        ));
        let absent: HashSet<UserKey> = (1..=5).map(UserKey).collect();
        let next = |players: &[PlayerRow]| {
            let terms = TournamentTerms::usual(TournamentForm::Swiss);
            Next::of(&row(1), &terms, players, &first_round(), &absent)
        };
        assert!(matches!(next(&players()), Next::Wait));
        let mut left = players();
        left.iter_mut().take(5).for_each(|player| player.state = PlayerState::Withdrawn);
        assert!(matches!(next(&left), Next::Over));
    }

    #[test]
    fn rounds_without_an_opponent_are_kept_apart_by_their_points() {
        let players = players();
        let mut seats = boards(1, "a", &[(1, 4, Some(2))]);
        for (entry, points) in [(2, 2), (3, 1), (5, 0)] {
            let [mut alone, _] = boards(1, "a", &[(entry, 0, Some(points))]).try_into().expect("two seats");
            alone.pairing_id += entry;
            alone.played = false;
            seats.push(alone);
        }
        let players: Vec<&PlayerRow> = players.iter().collect();
        let record = record_of(&players, &seats, 1);
        let entries: Vec<Entry> = record.players.iter().map(|player| player.entry(0)).collect();
        let game = |opponent, colour, outcome| Entry::Game { opponent, colour, outcome };
        assert_eq!(
            entries,
            [
                game(3, Colour::White, Outcome::Win),
                Entry::PairingBye,
                Entry::HalfBye,
                game(0, Colour::Black, Outcome::Loss),
                Entry::Absent,
                Entry::Absent,
            ]
        );
    }

    #[test]
    fn a_pairing_on_two_boards_is_one_result_and_points_on_boards_come_before_buchholz() {
        let players: Vec<PlayerRow> = (1..=4).map(|entry| player(entry, true)).collect();
        // 1 wins by 2 : 0, 2 by 1½ : ½.
        let mut seats = Vec::new();
        for (pairing, boards_of_pairing) in [(1, [(1, 3, 2), (3, 1, 0)]), (2, [(2, 4, 2), (4, 2, 1)])] {
            for (game, (one, other, points)) in (1..).zip(boards_of_pairing) {
                for mut seat in boards(1, "a", &[(one, other, Some(points))]) {
                    (seat.pairing_id, seat.game) = (pairing, game);
                    seats.push(seat);
                }
            }
        }
        let table = table(&players, &seats, 1, 2);
        let shown: Vec<_> =
            table.lines.iter().map(|line| (line.entry, line.place, line.points, line.tiebreaks[0])).collect();
        assert_eq!(shown, [(1, 1, 1.0, 2.0), (2, 2, 1.0, 1.5), (4, 3, 0.0, 0.5), (3, 4, 0.0, 0.0)]);
    }
}
