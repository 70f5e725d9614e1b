//! A ladder by its rules, as its players read them.

use std::collections::{BTreeMap, BTreeSet};

use knotpost_core::boards::ServiceError;
use knotpost_core::tournaments::{TournamentLogLine, challenge};
use knotpost_model::{Millis, PlayerState, TournamentAction, TournamentName};

use super::dice::Dice;
use super::season::read_log;
use crate::harness::DAY;
use crate::tournaments::club::Club;

const WINDOW: usize = 3;
const MOST: usize = 2;
const REST: i64 = 14 * DAY;

/// A game on a ladder.
struct Game {
    challenger: String,
    challenged: String,
    ended: Option<Millis>,
    /// The challenger, the challenged, both.
    winners: Vec<bool>,
}

pub(super) struct Ladder {
    pub(super) name: TournamentName,
    /// By number of the board.
    games: BTreeMap<i64, Game>,
    pub(super) challenges: usize,
    pub(super) refusals: usize,
}

impl Ladder {
    pub(super) fn new(name: TournamentName) -> Self {
        Self { name, games: BTreeMap::new(), challenges: 0, refusals: 0 }
    }

    /// Reads which games there are, and which are over.
    async fn look(&mut self, club: &Club) {
        let mut tx = club.app.app.store.read().await.unwrap();
        let players = tx.tournament_players(self.name).await.unwrap();
        let userid = |entry: i64| {
            players.iter().find(|player| player.entry == entry).map(|player| player.userid.clone()).unwrap()
        };
        let seats = tx.paired_seats(self.name, 1).await.unwrap();
        for pairing in seats.chunk_by(|one, other| one.pairing_id == other.pairing_id) {
            let [first, second] = pairing else { panic!("two play on a ladder: {pairing:?}") };
            let number = first.board.expect("it begins at once");
            let game = self.games.entry(number).or_insert_with(|| Game {
                challenger: userid(second.entry),
                challenged: userid(first.entry),
                ended: None,
                winners: Vec::new(),
            });
            if game.ended.is_none() {
                let row =
                    tx.find_board("osbox", u32::try_from(number).unwrap()).await.unwrap().expect("a board");
                game.ended = row.ended_at.map(Millis);
                let winners = row.winners.unwrap_or_default();
                game.winners =
                    [2, 1].map(|seat| winners.split(',').any(|one| one == seat.to_string())).to_vec();
            }
        }
    }

    /// The rule that forbids a challenge.
    fn obstacle(
        &self,
        order: &[String],
        (own, other): (usize, usize),
        away: &BTreeSet<String>,
        now: Millis,
    ) -> Option<&'static str> {
        let (me, rival) = (&order[own], &order[other]);
        let open = || self.games.values().filter(|game| game.ended.is_none());
        let is_between = |game: &&Game| {
            (&game.challenger, &game.challenged) == (me, rival)
                || (&game.challenger, &game.challenged) == (rival, me)
        };
        if other >= own || own - other > WINDOW {
            return Some("out of reach");
        }
        if away.contains(me) || away.contains(rival) {
            return Some("away");
        }
        if open().any(|game| is_between(&game)) {
            return Some("playing");
        }
        if self.games.values().filter(is_between).any(|game| game.ended.is_some_and(|at| at.0 + REST > now.0))
        {
            return Some("met");
        }
        if open().filter(|game| game.challenger == *me).count() >= MOST {
            return Some("asked");
        }
        (open().filter(|game| game.challenged == *rival).count() >= MOST).then_some("challenged")
    }

    /// Somebody challenges somebody, or the highest; what comes of it is what the rules say.
    pub(super) async fn challenge(&mut self, club: &Club, dice: &mut Dice) {
        self.look(club).await;
        let order: Vec<String> =
            club.view(self.name).await.players.into_iter().map(|player| player.userid).collect();
        if order.len() < 2 {
            return;
        }
        let own = dice.below(order.len());
        let other = match dice.below(10) {
            0..3 => None,
            3 => Some(dice.below(order.len())),
            _ => Some(own.saturating_sub(1 + dice.below(WINDOW + 1))),
        };
        let now = club.app.app.clock.now();
        let away = self.away(club, now).await;
        let me = order[own].clone();
        let rival = other.map(|other| order[other].clone());
        let name = self.name;
        let outcome = club.app.app.write(async move |tx, app| {
            let user = tx.find_user(&me).await?.expect("a user");
            challenge(tx, app, &user, (name, rival.as_deref()), app.clock.now())
                .await
                .map(|begun| begun.opponent)
        });
        let expected = match other {
            Some(other) => self.obstacle(&order, (own, other), &away, now).map_or(Some(other), |_| None),
            None => (0..own).find(|other| self.obstacle(&order, (own, *other), &away, now).is_none()),
        };
        let why = other.and_then(|other| self.obstacle(&order, (own, other), &away, now));
        let pair = || format!("{} challenges {other:?} in {order:?}: {why:?}", order[own]);
        match outcome.await {
            Ok(opponent) => {
                let meant = expected.map(|other| &order[other]);
                assert_eq!(Some(&opponent), meant, "{}", pair());
                self.challenges += 1;
            }
            Err(ServiceError::Refused(refusal)) => {
                assert_eq!(expected, None, "{}: {}", pair(), refusal.message);
                self.refusals += 1;
            }
            Err(ServiceError::Store(_)) if club.app.app.store.is_cut_off() => {}
            Err(ServiceError::Store(error)) => panic!("{}", error.with_causes()),
        }
    }

    async fn away(&self, club: &Club, now: Millis) -> BTreeSet<String> {
        let mut tx = club.app.app.store.read().await.unwrap();
        let players = tx.tournament_players(self.name).await.unwrap();
        let vacations = tx.vacations_in(self.name, now).await.unwrap();
        let is_away =
            |key| vacations.iter().any(|row| row.user_id == key && row.from_at <= now && now < row.until_at);
        players.iter().filter(|player| is_away(player.user_id)).map(|player| player.userid.clone()).collect()
    }

    /// The places are those that come of the games, and of the players who came and left.
    pub(super) async fn check(&mut self, club: &Club) {
        self.look(club).await;
        let view = club.view(self.name).await;
        let places: Vec<u32> = view.players.iter().filter_map(|player| player.place).collect();
        assert_eq!(places, (1..=view.players.len() as u32).collect::<Vec<_>>(), "{}", self.name);
        assert!(view.players.iter().all(|player| player.state == PlayerState::In));
        let log = read_log(club, self.name).await;
        let order = self.replay(&log);
        let shown: Vec<&str> = view.players.iter().map(|player| player.userid.as_str()).collect();
        assert_eq!(order, shown, "places of {}", self.name);
    }

    fn replay(&self, log: &[TournamentLogLine]) -> Vec<String> {
        let mut order: Vec<String> = Vec::new();
        // Who came back before the server had noted that they were gone.
        let mut owed: BTreeMap<&str, usize> = BTreeMap::new();
        let mut climbed = BTreeSet::new();
        for line in log {
            match line.action {
                TournamentAction::Enter => {
                    let userid = line.by.as_deref().expect("a player");
                    if order.iter().any(|one| one == userid) {
                        order.retain(|one| one != userid);
                        *owed.entry(userid).or_default() += 1;
                    }
                    order.push(userid.to_owned());
                }
                TournamentAction::Out | TournamentAction::Expel => {
                    let userid = line.userid.as_deref().expect("a player");
                    match owed.get_mut(userid) {
                        Some(times @ 1..) => *times -= 1,
                        _ => order.retain(|one| one != userid),
                    }
                }
                TournamentAction::Climb => {
                    let number = i64::from(line.board.as_ref().expect("a board").number);
                    let game = &self.games[&number];
                    assert!(climbed.insert(number), "board {number} counts once");
                    assert_eq!(game.winners, [true, false], "board {number} was won by the challenger");
                    assert_eq!(line.by.as_ref(), Some(&game.challenger));
                    let at =
                        |userid: &str| order.iter().position(|one| one == userid).expect("on the ladder");
                    let (from, to) = (at(&game.challenger), at(&game.challenged));
                    assert!(to < from, "{} climbs", game.challenger);
                    order[to..=from].rotate_right(1);
                }
                _ => {}
            }
        }
        self.check_no_climb_is_missing(log, &climbed);
        order
    }

    /// A game that the challenger won without a change of places: one of both had left, or they stood above already.
    fn check_no_climb_is_missing(&self, log: &[TournamentLogLine], climbed: &BTreeSet<i64>) {
        let won = self
            .games
            .iter()
            .filter(|(number, game)| game.winners == [true, false] && !climbed.contains(number));
        for (number, game) in won {
            let ended = game.ended.expect("it is over");
            let soon = ended.plus(DAY).to_rfc3339();
            let ended = ended.to_rfc3339();
            let left = log.iter().any(|line| {
                matches!(line.action, TournamentAction::Out | TournamentAction::Expel)
                    && line
                        .userid
                        .as_ref()
                        .is_some_and(|userid| [&game.challenger, &game.challenged].contains(&userid))
                    && (&ended..=&soon).contains(&&line.at.to_rfc3339())
            });
            let overtook = log.iter().any(|line| {
                line.action == TournamentAction::Climb
                    && line.by.as_ref() == Some(&game.challenger)
                    && line.at.to_rfc3339() <= ended
            });
            assert!(left || overtook, "{} won board {number} and did not climb", game.challenger);
        }
    }
}
