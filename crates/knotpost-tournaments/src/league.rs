//! Divisions of a league, and the groups of a round robin.

/// The fewest players of the last division; with fewer it is joined with the one above.
const FEWEST: usize = 4;

/// A player of a division after a season, in order of their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finisher<P> {
    /// The player.
    pub player: P,
    /// True for those who play the next season; not for computer players, who only filled a place.
    pub stays: bool,
}

/// The divisions of the next season, the highest first, each in order of strength.
///
/// `finished` holds the tables of the season, the highest division first. The first `moving` of each division change places
/// with the last `moving` of the one above; nobody moves further than one division, except to fill a gap that
/// somebody left. Divisions have `size` players as long as there are enough: gaps are filled with the best of the division
/// below. New players start in the last division.
pub fn next_season<P: Clone>(
    finished: &[Vec<Finisher<P>>],
    newcomers: &[P],
    size: usize,
    moving: usize,
) -> Vec<Vec<P>> {
    let size = size.max(1);
    let mut divisions: Vec<Vec<Finisher<P>>> =
        finished.iter().map(|table| table.iter().filter(|one| one.stays).cloned().collect()).collect();
    exchange(&mut divisions, finished, moving);
    fill_gaps(&mut divisions, size);
    divisions.retain(|division| !division.is_empty());
    let last = newcomers.iter().map(|player| Finisher { player: player.clone(), stays: true });
    match divisions.last_mut() {
        Some(division) => division.extend(last),
        None => divisions.push(last.collect()),
    }
    split_last(&mut divisions, size);
    divisions.retain(|division| !division.is_empty());
    divisions.into_iter().map(|division| division.into_iter().map(|one| one.player).collect()).collect()
}

/// Lets the first of a division and the last of the one above change places. Who leaves the league from the last places
/// counts among those who go down, so that a withdrawal saves the next one.
fn exchange<P: Clone>(divisions: &mut [Vec<Finisher<P>>], finished: &[Vec<Finisher<P>>], moving: usize) {
    let mut rising: Vec<Vec<Finisher<P>>> = Vec::new();
    let mut falling: Vec<Vec<Finisher<P>>> = Vec::new();
    for (at, division) in divisions.iter_mut().enumerate() {
        let down = if at + 1 < finished.len() {
            let last = finished[at].len().saturating_sub(moving.min(finished[at].len() / 2));
            finished[at][last..].iter().filter(|one| one.stays).count()
        } else {
            0
        };
        falling.push(division.split_off(division.len() - down));
        let up = if at > 0 { moving.min(finished[at].len() / 2).min(division.len()) } else { 0 };
        rising.push(division.drain(..up).collect());
    }
    for (at, division) in divisions.iter_mut().enumerate() {
        let mut next = if at > 0 { falling[at - 1].clone() } else { Vec::new() };
        next.append(division);
        next.extend(rising.get(at + 1).cloned().unwrap_or_default());
        *division = next;
    }
}

/// Fills each division with the best of those below.
fn fill_gaps<P>(divisions: &mut [Vec<Finisher<P>>], size: usize) {
    for at in 0..divisions.len().saturating_sub(1) {
        while divisions[at].len() < size {
            let Some(below) = (at + 1..divisions.len()).find(|&below| !divisions[below].is_empty()) else {
                break;
            };
            let riser = divisions[below].remove(0);
            divisions[at].push(riser);
        }
    }
}

/// Splits a last division that has grown too large, and joins one that has become too small.
fn split_last<P>(divisions: &mut Vec<Vec<Finisher<P>>>, size: usize) {
    while divisions.last().is_some_and(|last| last.len() > size) {
        let rest = divisions.last_mut().map(|last| last.split_off(size)).unwrap_or_default();
        divisions.push(rest);
    }
    if divisions.len() > 1 && divisions.last().is_some_and(|last| last.len() < FEWEST) {
        let rest = divisions.pop().unwrap_or_default();
        if let Some(last) = divisions.last_mut() {
            last.extend(rest);
        }
    }
}

/// Groups for this many players in order of their numbers: as few as fit, filled in snake order. Each group is a list of
/// places from 0.
pub fn snake_groups(players: usize, size: usize) -> Vec<Vec<usize>> {
    let count = players.div_ceil(size.max(1));
    let mut groups = vec![Vec::new(); count];
    for player in 0..players {
        let (row, column) = (player / count, player % count);
        groups[if row.is_multiple_of(2) { column } else { count - 1 - column }].push(player);
    }
    groups
}
