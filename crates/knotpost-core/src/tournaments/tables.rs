//! The tables of a round's groups, computed from the results of its boards.

use std::collections::{BTreeMap, HashMap};

use knotpost_storage::{PairedSeat, PlayerRow};
use knotpost_tournaments::{
    Colour, Entry, Form, Outcome, Player, Points, Record, Scoring, TieBreak, standings,
};

/// The points of a win in halves, as they are stored.
pub(super) const WIN: i64 = 2;

/// The table of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupTable {
    pub(super) pool: String,
    /// In order of place.
    pub(super) lines: Vec<TableLine>,
    /// Entries of players whose games count for nobody.
    pub(super) outside: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct TableLine {
    pub(super) entry: i64,
    /// Shared by players whom nothing tells apart.
    pub(super) place: u32,
    pub(super) points: f64,
    pub(super) tiebreaks: Vec<f64>,
    pub(super) won: u32,
    pub(super) lost: u32,
    pub(super) tied: u32,
}

/// Entries with their last round: whose games count for nobody is left out there, while earlier rounds stay as they were.
fn last_rounds(seats: &[PairedSeat]) -> HashMap<i64, i64> {
    let mut last = HashMap::new();
    for seat in seats {
        let round = last.entry(seat.entry).or_insert(seat.round);
        *round = seat.round.max(*round);
    }
    last
}

/// The letters of groups in their order: `a` to `z`, then `aa`.
pub(super) fn letter(index: usize) -> String {
    let digit = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or_default());
    match index.checked_sub(26) {
        None => digit(index).to_string(),
        Some(rest) => format!("{}{}", letter(rest / 26), digit(rest)),
    }
}

/// The place of a letter in that order.
pub(super) fn letter_order(pool: &str) -> (usize, &str) {
    (pool.len(), pool)
}

/// The tables of a round, `a` first. `seats` are those of the whole tournament.
pub(super) fn tables_of_round(players: &[PlayerRow], seats: &[PairedSeat], round: i64) -> Vec<GroupTable> {
    let last = last_rounds(seats);
    let mut groups: BTreeMap<(usize, &str), Vec<&PairedSeat>> = BTreeMap::new();
    for seat in seats.iter().filter(|seat| seat.round == round) {
        groups.entry(letter_order(&seat.pool)).or_default().push(seat);
    }
    let table = |((_, pool), seats): ((usize, &str), Vec<&PairedSeat>)| {
        let plays = |player: &&PlayerRow| seats.iter().any(|seat| seat.entry == player.entry);
        let mut here: Vec<&PlayerRow> = players.iter().filter(plays).collect();
        here.sort_by_key(|player| player.number);
        let counts = |player: &PlayerRow| player.counts || last.get(&player.entry) != Some(&round);
        let (counted, outside): (Vec<_>, Vec<_>) = here.into_iter().partition(|player| counts(player));
        GroupTable {
            pool: pool.to_owned(),
            lines: rank(&counted, &seats),
            outside: outside.iter().map(|player| player.entry).collect(),
        }
    };
    groups.into_iter().map(table).collect()
}

/// Ranks players, in order of their numbers, by the games with each other that are decided.
fn rank(players: &[&PlayerRow], seats: &[&PairedSeat]) -> Vec<TableLine> {
    let index: HashMap<i64, usize> =
        players.iter().enumerate().map(|(index, player)| (player.entry, index)).collect();
    let mut entries: Vec<Vec<Entry>> = vec![Vec::new(); players.len()];
    for pair in seats.chunk_by(|a, b| (a.pairing_id, a.game) == (b.pairing_id, b.game)) {
        let [white, black] = pair else { continue };
        let (Some(&first), Some(&second)) = (index.get(&white.entry), index.get(&black.entry)) else {
            continue;
        };
        let (Some(won), Some(lost)) = (white.points, black.points) else { continue };
        let is_played = white.played || black.played;
        entries[first].push(entry(second, Colour::White, won, is_played));
        entries[second].push(entry(first, Colour::Black, lost, is_played));
    }
    let rounds = entries.iter().map(Vec::len).max().unwrap_or_default();
    let counts: Vec<[u32; 3]> = entries.iter().map(|games| count_ends(games)).collect();
    let record_of = |(player, mut games): (&&PlayerRow, Vec<Entry>)| {
        // A player with fewer games has not been absent.
        games.resize(rounds, Entry::PairingBye);
        let number = u32::try_from(player.number.unwrap_or_default()).unwrap_or_default();
        Player { number, name: String::new(), rating: 0, entries: games }
    };
    let record = Record {
        players: players.iter().zip(entries).map(record_of).collect(),
        scoring: Scoring { pairing_bye: Points::ZERO, ..Scoring::default() },
        ..Record::default()
    };
    let everybody: Vec<usize> = (0..players.len()).collect();
    let lines = standings(&record, &everybody, rounds, Form::RoundRobin, &TieBreak::GROUPS);
    let line = |line: knotpost_tournaments::Line| TableLine {
        entry: players[line.player].entry,
        place: u32::try_from(line.place).unwrap_or(u32::MAX),
        points: f64::from(line.points.tenths()) / 10.0,
        tiebreaks: line.tie_breaks.iter().map(|value| value.hundredths() as f64 / 100.0).collect(),
        won: counts[line.player][0],
        lost: counts[line.player][1],
        tied: counts[line.player][2],
    };
    lines.into_iter().map(line).collect()
}

fn entry(opponent: usize, colour: Colour, points: i64, is_played: bool) -> Entry {
    let outcome = match points {
        WIN => Outcome::Win,
        0 => Outcome::Loss,
        _ => Outcome::Draw,
    };
    if is_played {
        Entry::Game { opponent, colour, outcome }
    } else {
        Entry::Forfeit { opponent, colour, outcome }
    }
}

/// Games won, lost and tied.
pub(super) fn count_ends(games: &[Entry]) -> [u32; 3] {
    let mut ends = [0; 3];
    for game in games {
        let (Entry::Game { outcome, .. } | Entry::Forfeit { outcome, .. }) = game else { continue };
        ends[match outcome {
            Outcome::Win => 0,
            Outcome::Loss => 1,
            Outcome::Draw => 2,
        }] += 1;
    }
    ends
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use knotpost_model::{PlayerState, UserKey};
    use knotpost_storage::UserState;

    pub(in crate::tournaments) fn player(entry: i64, counts: bool) -> PlayerRow {
        PlayerRow {
            entry,
            user_id: UserKey(entry),
            userid: format!("u{entry}"),
            is_bot: false,
            user_state: UserState::Active,
            rating: None,
            number: Some(entry),
            pool: Some("a".to_owned()),
            state: if counts { PlayerState::In } else { PlayerState::Withdrawn },
            left_why: None,
            counts,
            leaving: false,
        }
    }

    /// Seats of boards given as first, second, and the points of the first in halves.
    pub(in crate::tournaments) fn seats(
        round: i64,
        pool: &str,
        boards: &[(i64, i64, Option<i64>)],
    ) -> Vec<PairedSeat> {
        let seat = |number: usize, seat: i64, entry: i64, points: Option<i64>| PairedSeat {
            pairing_id: round * 1000 + number as i64,
            round,
            pool: pool.to_owned(),
            number: number as i64 + 1,
            deadline: None,
            opened: true,
            game: 1,
            seat,
            entry,
            board: Some(101),
            points,
            played: points.is_some(),
        };
        let both = |(number, &(one, other, points)): (usize, &(i64, i64, Option<i64>))| {
            [seat(number, 1, one, points), seat(number, 2, other, points.map(|points| WIN - points))]
        };
        boards.iter().enumerate().flat_map(both).collect()
    }

    fn shown(table: &GroupTable) -> Vec<(i64, u32, f64)> {
        table.lines.iter().map(|line| (line.entry, line.place, line.points)).collect()
    }

    #[test]
    fn equal_points_are_told_apart_by_the_list_and_shared_where_it_cannot() {
        let players: Vec<_> = (1..=4).map(|entry| player(entry, true)).collect();
        // 1 and 2 have as many points, and 2 has beaten 1.
        let games = seats(
            1,
            "a",
            &[
                (1, 4, Some(2)),
                (2, 3, Some(1)),
                (4, 3, Some(0)),
                (1, 2, Some(0)),
                (2, 4, Some(1)),
                (3, 1, Some(0)),
            ],
        );
        let table = &tables_of_round(&players, &games, 1)[0];
        assert_eq!(shown(table), [(2, 1, 2.0), (1, 2, 2.0), (3, 3, 1.5), (4, 4, 0.5)]);
        assert_eq!(table.lines[0].tiebreaks, [1.0, 3.0, 1.0]);
        let line = &table.lines[1];
        assert_eq!((line.won, line.lost, line.tied), (2, 1, 0));
        let tied = seats(1, "a", &[(1, 2, Some(1)), (3, 4, None)]);
        let table = &tables_of_round(&players, &tied, 1)[0];
        assert_eq!(shown(table), [(1, 1, 0.5), (2, 1, 0.5), (3, 3, 0.0), (4, 3, 0.0)]);
    }

    #[test]
    fn games_of_a_player_outside_count_for_nobody_in_their_last_round_alone() {
        let players = [player(1, true), player(2, true), player(3, false), player(4, true)];
        let mut games = seats(1, "a", &[(1, 2, Some(0)), (3, 1, Some(2)), (2, 3, Some(1))]);
        let table = &tables_of_round(&players, &games, 1)[0];
        assert_eq!(shown(table), [(2, 1, 1.0), (1, 2, 0.0)]);
        assert_eq!(table.outside, [3]);
        games.extend(seats(2, "a", &[(2, 3, Some(0))]));
        let table = &tables_of_round(&players, &games, 1)[0];
        assert_eq!(shown(table), [(2, 1, 1.5), (3, 1, 1.5), (1, 3, 0.0)]);
        assert_eq!(shown(&tables_of_round(&players, &games, 2)[0]), [(2, 1, 0.0)]);
    }

    #[test]
    fn groups_have_letters() {
        let letters: Vec<String> = [0, 1, 25, 26, 27, 51, 52, 333].map(letter).to_vec();
        assert_eq!(letters, ["a", "b", "z", "aa", "ab", "az", "ba", "lv"]);
        assert!(letter_order("z") < letter_order("aa"));
    }
}
