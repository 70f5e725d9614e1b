//! Groups and pairings of a round, as values.

use knotpost_tournaments::{berger_rounds, snake_groups};

use super::tables::letter;
use knotpost_model::{TournamentForm, TournamentTerms};
use knotpost_storage::{NewPairing, NewTournamentSeat};

/// Rounds that this many players will play.
pub(super) fn count_rounds(form: TournamentForm, players: usize, terms: &TournamentTerms) -> u32 {
    match form {
        TournamentForm::RoundRobin | TournamentForm::Ladder | TournamentForm::League => {
            count_stages(players, terms)
        }
        TournamentForm::Swiss => count_swiss_rounds(players, terms),
    }
}

/// One more than a knock-out would have, if the terms do not say; nobody meets an opponent again.
fn count_swiss_rounds(players: usize, terms: &TournamentTerms) -> u32 {
    let usual = players.next_power_of_two().trailing_zeros() + 1;
    let most = u32::try_from(players).unwrap_or(u32::MAX).saturating_sub(1);
    terms.rounds.map_or(usual, u32::from).min(most)
}

/// Stages, until one group is left.
fn count_stages(players: usize, terms: &TournamentTerms) -> u32 {
    let (mut players, mut rounds) = (players, 1);
    loop {
        let groups = players.div_ceil(usize::from(terms.group).max(1));
        let next = groups * usize::from(terms.advance);
        if groups <= 1 || next >= players {
            return rounds;
        }
        (players, rounds) = (next, rounds + 1);
    }
}

/// A group with its letter, and the entries of its players in order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) pool: String,
    pub(super) entries: Vec<i64>,
}

/// As few groups as fit, of players in order of their numbers.
pub(super) fn make_groups(entries: &[i64], size: usize) -> Vec<Group> {
    let groups = snake_groups(entries.len(), size).into_iter().enumerate();
    let group = |(index, places): (usize, Vec<usize>)| Group {
        pool: letter(index),
        entries: places.into_iter().filter_map(|place| entries.get(place).copied()).collect(),
    };
    groups.map(group).collect()
}

/// Everybody of a group with everybody, by the Berger tables; the second board has the seats exchanged.
pub(super) fn pair_group(group: &Group, games: u8) -> Vec<NewPairing> {
    let pairs = berger_rounds(group.entries.len()).into_iter().flatten();
    (1..)
        .zip(pairs)
        .filter_map(|(number, (first, second))| {
            let (first, second) = (group.entries.get(first)?, group.entries.get(second)?);
            Some(NewPairing { pool: group.pool.clone(), number, seats: seats(*first, *second, games) })
        })
        .collect()
}

/// The seats of two players; the second board has them exchanged.
pub(super) fn seats(first: i64, second: i64, games: u8) -> Vec<NewTournamentSeat> {
    (1..=i64::from(games))
        .flat_map(|game| {
            let players = if game == 1 { [first, second] } else { [second, first] };
            (1..).zip(players).map(move |(seat, entry)| NewTournamentSeat { game, seat, entry, points: None })
        })
        .collect()
}

/// Levels of computer players for the places of one group, of which none plays twice: the wanted one, then the nearest.
pub(super) fn levels_near(level: u8, levels: u8) -> Vec<u8> {
    let mut all: Vec<u8> = (1..=levels).collect();
    all.sort_by_key(|other| (level.abs_diff(*other), *other));
    all
}

/// A place in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Index among the people; `None`: a computer player.
    pub(super) person: Option<usize>,
    /// From 1 in the whole tournament.
    pub(super) number: i64,
}

/// Computer players that may fill up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fillers {
    /// Number of different ones, which is the most in one group.
    pub(super) kinds: usize,
    /// People who are numbered before them.
    pub(super) behind: usize,
}

/// The groups of the first round for people in order of strength. With `fillers` they are filled up to the minimum, and each
/// group to an even number while it has room. `None`: they are too few.
pub(super) fn seat_everybody(
    people: usize,
    fillers: Option<Fillers>,
    minimum: usize,
    size: usize,
) -> Option<Vec<Vec<Place>>> {
    let missing = minimum.saturating_sub(people);
    if missing > 0 && fillers.is_none() || people == 0 {
        return None;
    }
    let behind = fillers.map_or(people, |fillers| fillers.behind.min(people));
    let mut order: Vec<Option<usize>> = (0..behind).map(Some).collect();
    order.extend(std::iter::repeat_n(None, missing));
    order.extend((behind..people).map(Some));
    let place = |at: usize, person| Place { person, number: at as i64 + 1 };
    let mut groups: Vec<Vec<Place>> = snake_groups(order.len(), size)
        .into_iter()
        .map(|places| places.into_iter().filter_map(|at| Some(place(at, *order.get(at)?))).collect())
        .collect();
    if let Some(fillers) = fillers {
        let mut last = order.len();
        for group in groups.iter_mut().filter(|group| group.len() % 2 == 1 && group.len() < size) {
            if group.iter().filter(|place| place.person.is_none()).count() < fillers.kinds {
                group.push(place(last, None));
                last += 1;
            }
        }
        let most =
            groups.iter().map(|group| group.iter().filter(|place| place.person.is_none()).count()).max();
        if most.is_some_and(|most| most > fillers.kinds) {
            return None;
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn terms(group: u16, advance: u16) -> TournamentTerms {
        TournamentTerms { group, advance, ..TournamentTerms::default() }
    }

    #[test]
    fn stages_go_on_until_one_group_is_left() {
        for (players, group, advance, rounds) in
            [(4, 10, 2, 1), (10, 10, 5, 1), (11, 10, 2, 2), (64, 8, 2, 3), (1000, 10, 1, 3), (1000, 3, 1, 7)]
        {
            assert_eq!(count_stages(players, &terms(group, advance)), rounds, "{players} in {group}");
        }
    }

    #[test]
    fn a_swiss_tournament_has_one_round_more_than_a_knock_out_and_nobody_meets_again() {
        for (players, given, rounds) in [
            (2, None, 1),
            (3, None, 2),
            (6, None, 4),
            (8, None, 4),
            (9, None, 5),
            (64, None, 7),
            (65, None, 8),
            (1000, None, 11),
            (6, Some(9), 5),
            (40, Some(9), 9),
        ] {
            let terms = TournamentTerms { rounds: given, ..TournamentTerms::default() };
            assert_eq!(count_rounds(TournamentForm::Swiss, players, &terms), rounds, "{players} {given:?}");
        }
    }

    #[test]
    fn everybody_meets_everybody_once_on_each_board() {
        for (players, games) in [(2_usize, 1_u8), (3, 1), (4, 2), (7, 2), (10, 1)] {
            let entries: Vec<i64> = (1..=players as i64).collect();
            let [group] = &make_groups(&entries, 10)[..] else { panic!("one group") };
            let pairings = pair_group(group, games);
            assert_eq!(pairings.len(), players * (players - 1) / 2);
            let mut met = BTreeSet::new();
            for pairing in &pairings {
                for board in pairing.seats.chunks(2) {
                    assert_eq!((board[0].seat, board[1].seat), (1, 2));
                    assert!(met.insert((
                        board[0].entry.min(board[1].entry),
                        board[0].entry.max(board[1].entry),
                        board[0].game
                    )));
                }
                if let [first, _, _, again] = pairing.seats[..] {
                    assert_eq!(first.entry, again.entry, "the seats are exchanged");
                }
            }
            assert_eq!(met.len(), pairings.len() * usize::from(games));
        }
    }

    #[test]
    fn groups_are_filled_in_snake_order() {
        let groups = make_groups(&[1, 2, 3, 4, 5, 6, 7], 3);
        let shown: Vec<_> = groups.iter().map(|group| (group.pool.as_str(), group.entries.clone())).collect();
        assert_eq!(shown, [("a", vec![1, 6, 7]), ("b", vec![2, 5]), ("c", vec![3, 4])]);
    }

    #[test]
    fn computer_players_of_a_group_are_near_the_level() {
        assert_eq!(levels_near(3, 8), [3, 2, 4, 1, 5, 6, 7, 8]);
        assert_eq!(levels_near(8, 8)[..3], [8, 7, 6]);
    }

    #[test]
    fn computer_players_fill_up_to_the_minimum_and_to_even_groups() {
        let shown = |people, fillers: Option<(usize, usize)>, minimum, size| {
            let fillers = fillers.map(|(kinds, behind)| Fillers { kinds, behind });
            let groups = seat_everybody(people, fillers, minimum, size)?;
            let place = |place: &Place| match place.person {
                Some(person) => format!("{}:{person}", place.number),
                None => format!("{}:bot", place.number),
            };
            Some(
                groups
                    .iter()
                    .map(|group| group.iter().map(place).collect::<Vec<_>>().join(" "))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(shown(3, None, 4, 10), None, "too few");
        assert_eq!(shown(0, Some((8, 0)), 2, 10), None, "nobody");
        assert_eq!(shown(4, None, 4, 10).unwrap(), ["1:0 2:1 3:2 4:3"]);
        assert_eq!(shown(1, Some((8, 0)), 4, 10).unwrap(), ["1:bot 2:bot 3:bot 4:0"]);
        assert_eq!(shown(1, Some((2, 0)), 4, 10), None, "more than there are");
        assert_eq!(shown(5, Some((8, 2)), 4, 10).unwrap(), ["1:0 2:1 3:2 4:3 5:4 6:bot"]);
        assert_eq!(shown(3, Some((8, 2)), 3, 3).unwrap(), ["1:0 2:1 3:2"], "no room");
        // Two groups: one computer player may sit in both.
        assert_eq!(shown(6, Some((1, 6)), 4, 4).unwrap(), ["1:0 4:3 5:4 7:bot", "2:1 3:2 6:5 8:bot"]);
    }
}
