//! A league, season by season: each follows from the tables of the one before alone.

use std::collections::{BTreeMap, BTreeSet};

use knotpost_commands::DirectorAction;
use knotpost_core::tournaments::{TournamentView, view};
use knotpost_model::{PlayerState, TournamentName, TournamentState};

use crate::tournaments::club::Club;

const SIZE: usize = 4;
const MOVING: usize = 1;
/// Players of the last division beyond its size.
const MOST_MORE: usize = 3;

/// Userids in order of place, the highest division first.
type Tables = Vec<Vec<String>>;

pub(super) struct League {
    pub(super) name: TournamentName,
    season: u32,
    /// Those of the season that is over, and the places in it.
    tables: Option<(Tables, Places)>,
    pub(super) seasons: usize,
}

/// Division and place by userid.
/// Place, number and username.
type Placed<'a> = (Option<u32>, Option<u32>, &'a str);
type Places = BTreeMap<String, (Option<String>, Option<u32>)>;

fn places_of(view: &TournamentView, season: u32) -> Places {
    let players = view.players.iter().filter(|player| player.round == Some(season));
    players.map(|player| (player.userid.clone(), (player.group.clone(), player.place))).collect()
}

/// The divisions of a season, each in order of place.
fn tables_of(view: &TournamentView, season: u32) -> Tables {
    let mut groups: BTreeMap<&str, Vec<Placed<'_>>> = BTreeMap::new();
    for player in view.players.iter().filter(|player| player.round == Some(season)) {
        let group = groups.entry(player.group.as_deref().expect("a division")).or_default();
        group.push((player.place, player.number, player.userid.as_str()));
    }
    let in_order = |mut group: Vec<Placed<'_>>| {
        // Whose games count for nobody has no place, and stands last.
        group.sort_by_key(|(place, number, _)| (place.unwrap_or(u32::MAX), *number));
        group.into_iter().map(|(_, _, userid)| userid.to_owned()).collect()
    };
    groups.into_values().map(in_order).collect()
}

impl League {
    pub(super) fn new(name: TournamentName) -> Self {
        Self { name, season: 0, tables: None, seasons: 0 }
    }

    /// Looks whether a season has ended or begun; in the pause after one, the league is stopped if that is wanted.
    pub(super) async fn look(&mut self, club: &Club, is_last: bool) {
        let row =
            club.app.app.store.read().await.unwrap().tournament(self.name).await.unwrap().expect("a league");
        if row.state != TournamentState::Running {
            return;
        }
        let round = u32::try_from(row.round).unwrap();
        if round > self.season {
            let now = self.view(club, round).await;
            check_sizes(&now, round);
            if let Some((tables, places)) = self.tables.take() {
                let then = self.view(club, self.season).await;
                assert_eq!(
                    places_of(&then, self.season),
                    places,
                    "the tables of a season of {} stay",
                    self.name
                );
                let played = then.players.iter().filter(|player| player.round == Some(self.season));
                let stays = played.filter(|player| player.state == PlayerState::In);
                let stays = stays.map(|player| player.userid.as_str()).collect();
                check_moves(&tables, &stays, &tables_of(&now, round));
            }
            self.season = round;
        }
        if row.deadline.is_none() && self.tables.is_none() {
            club.check(self.name).await;
            let over = self.view(club, round).await;
            self.tables = Some((tables_of(&over, round), places_of(&over, round)));
            self.seasons += 1;
        }
        if row.deadline.is_none() && is_last {
            club.direct("dir", self.name, DirectorAction::Cancel, "").await.expect("it is stopped");
        }
    }

    async fn view(&self, club: &Club, season: u32) -> TournamentView {
        let mut tx = club.app.app.store.read().await.unwrap();
        view(&mut tx, self.name, Some(season)).await.expect("a league")
    }
}

fn check_sizes(view: &TournamentView, season: u32) {
    let sizes: Vec<usize> = tables_of(view, season).iter().map(Vec::len).collect();
    let (last, others) = sizes.split_last().expect("divisions");
    assert!(others.iter().all(|size| *size == SIZE), "{sizes:?}");
    assert!(*last <= SIZE + MOST_MORE && (*last >= SIZE || others.is_empty()), "{sizes:?}");
    let pairings = view.pairings.iter().filter(|pairing| pairing.round == season).count();
    assert_eq!(
        pairings,
        sizes.iter().map(|size| size * (size - 1) / 2).sum::<usize>(),
        "everybody meets everybody"
    );
}

/// Whom a season has moved, and how far. Who left and came back is new.
fn check_moves(tables: &Tables, stays: &BTreeSet<&str>, next: &Tables) {
    let told = || format!("{tables:?} to {next:?}");
    let played = |userid: &String| stays.contains(userid.as_str());
    let division =
        |userid: &String| next.iter().position(|group| group.contains(userid)).filter(|_| played(userid));
    let mut has_gaps = false;
    for (at, table) in tables.iter().enumerate() {
        let staying: Vec<(usize, usize)> =
            table.iter().enumerate().filter_map(|(place, userid)| Some((place, division(userid)?))).collect();
        has_gaps |= staying.len() < table.len();
        assert!(
            staying.is_sorted_by_key(|(_, to)| *to),
            "who is in front is not behind afterwards: {}",
            told()
        );
        for (index, (place, to)) in staying.iter().enumerate() {
            if at + 1 < tables.len() && *place >= table.len() - MOVING {
                assert!(*to <= at + 1, "the last go down by one: {}", told());
            } else if at > 0 && index < MOVING {
                assert!(*to < at, "the first go up: {}", told());
            } else {
                // A last division that was joined with another one is divided again once it has grown.
                let lowest = if table.len() > SIZE { at + 1 } else { at };
                assert!(*to <= lowest, "the others stay, or fill a gap: {}", told());
            }
        }
    }
    let lowest = next.iter().rposition(|group| group.iter().any(played)).unwrap_or_default();
    for (at, group) in next.iter().enumerate() {
        assert!(at >= lowest || group.iter().all(played), "new players begin at the bottom: {}", told());
    }
    if !has_gaps {
        // Nobody left: exactly the first and the last of neighbours change places.
        for (at, table) in tables.iter().enumerate().take(next.len().saturating_sub(1)) {
            let down = if at + 1 < tables.len() { MOVING } else { 0 };
            let up = tables.get(at + 1).map_or(0, |_| MOVING);
            let stays = table[if at > 0 { MOVING } else { 0 }..table.len() - down].iter();
            let risen = tables.get(at + 1).map(|below| &below[..up]).unwrap_or_default();
            let fallen = at
                .checked_sub(1)
                .map(|above| &tables[above][tables[above].len() - MOVING..])
                .unwrap_or_default();
            let mut expected: Vec<&String> = stays.chain(risen).chain(fallen).collect();
            let mut found: Vec<&String> = next[at].iter().filter(|userid| played(userid)).collect();
            expected.sort();
            found.sort();
            if at + 1 < tables.len() {
                assert_eq!(found, expected, "division {at}: {}", told());
            }
        }
    }
}
