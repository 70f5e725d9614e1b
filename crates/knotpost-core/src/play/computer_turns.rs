use crate::config::Config;
use knotpost_model::computer_player::level_of;
use knotpost_model::{BoardRef, Millis};
use knotpost_platform::clock::Clock;
use knotpost_storage::{BotTurn, StoreError};

use crate::app::{App, Signals};
use crate::play::computer::{due_at, has_share};

/// Turns fetched per poll, a few of each person.
const LOOKED_AT: i64 = 1000;
/// Highest level with moves in milliseconds.
pub const CHEAP: u8 = 4;
/// Delay in the rotation of a middle and a high level behind a cheap one.
const HANDICAPS_MS: (i64, i64) = (5_000, 15_000);
/// Advance of a turn whose person is watching.
const BONUS_MS: i64 = 5_000;

/// Due turns as of the last poll. The taker leases one and checks that the board is unchanged.
#[derive(Debug, Default)]
pub struct DueTurns {
    turns: Vec<BotTurn>,
}

impl DueTurns {
    pub async fn look(&mut self, app: &App) -> Result<(), StoreError> {
        let now = app.clock.now();
        self.turns = app.store.query().await?.bot_turns(now, LOOKED_AT).await?;
        self.turns.retain(|turn| is_due(&app.config, turn, now));
        Ok(())
    }

    pub async fn look_at(&mut self, app: &App, board: &BoardRef) -> Result<(), StoreError> {
        let now = app.clock.now();
        self.turns.retain(|turn| name_of(turn) != *board);
        let found = app.store.query().await?.bot_turn_on(&board.game, board.number, now).await?;
        self.turns.extend(found.filter(|turn| is_due(&app.config, turn, now)));
        Ok(())
    }

    pub fn take(&mut self, app: &App) -> Option<BotTurn> {
        self.take_up_to(app.clock.as_ref(), &app.signals, u8::MAX)
    }

    /// Takes the first turn of a level up to `most`.
    pub fn take_up_to(&mut self, clock: &dyn Clock, signals: &Signals, most: u8) -> Option<BotTurn> {
        let now = clock.now();
        let first = (0..self.turns.len())
            .filter_map(|index| Some((index, self.turns.get(index)?)))
            .filter(|(_, turn)| level(turn) <= most)
            .min_by_key(|(_, turn)| {
                let is_watched = signals.in_sight.has(&name_of(turn), turn.person, now);
                (rank(turn, is_watched, now), turn.since, turn.board)
            })
            .map(|(index, _)| index)?;
        let taken = self.turns.swap_remove(first);
        // The database records it too, with the lease.
        let last = self.turns.iter().map(|turn| turn.served).filter(|served| *served <= now.plus(1000)).max();
        let served = last.map_or(now, |last| last.plus(1)).max(now);
        self.turns
            .iter_mut()
            .filter(|turn| turn.person == taken.person)
            .for_each(|turn| turn.served = served);
        Some(taken)
    }
}

fn is_due(config: &Config, turn: &BotTurn, now: Millis) -> bool {
    has_share(turn, now) && due_at(turn, config.bots.pace, now) <= now
}

/// Position in the rotation; the lowest is next.
fn rank(turn: &BotTurn, is_watched: bool, now: Millis) -> i64 {
    let handicap = match level(turn) {
        ..=CHEAP => 0,
        5..=6 => HANDICAPS_MS.0,
        _ => HANDICAPS_MS.1,
    };
    let served = if turn.served > now.plus(1000) { now } else { turn.served };
    served.0 + handicap - if is_watched { BONUS_MS } else { 0 }
}

fn level(turn: &BotTurn) -> u8 {
    level_of(&turn.userid).unwrap_or_default()
}

fn name_of(turn: &BotTurn) -> BoardRef {
    BoardRef { game: turn.game.clone(), number: u32::try_from(turn.number).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::UserKey;
    use knotpost_model::computer_player::userid_of;

    #[test]
    fn whoever_was_not_answered_for_longest_comes_first_and_cheap_levels_before_expensive_ones() {
        let now = Millis(1_000_000);
        let rank = |level, served, is_watched| {
            let turn = BotTurn {
                board: 1.into(),
                game: "osbox".to_owned(),
                number: 101,
                ply: 3,
                position: String::new(),
                user: 2.into(),
                userid: userid_of(level),
                since: now,
                person: UserKey(3),
                served: Millis(served),
                used_until: now,
            };
            super::rank(&turn, is_watched, now)
        };
        let table = [
            ("nobody was answered", (1, 0), (8, 0)),
            ("a cheap level, answered just now", (1, 999_900), (8, 995_000)),
            ("an expensive one that has waited", (8, 980_000), (1, 999_900)),
            ("the same level in rotation", (8, 999_000), (8, 999_001)),
            ("a clock that was ahead", (1, 990_000), (1, 9_000_000)),
        ];
        for (what, (level, served), (other, other_served)) in table {
            assert!(rank(level, served, false) < rank(other, other_served, false), "{what}");
        }
        assert!(rank(1, 9_000_000, false) <= now.0, "it does not wait for that moment");
        assert!(rank(8, 5, true) < rank(8, 5, false) && rank(1, 999_000, false) < rank(8, 995_000, true));
    }
}
