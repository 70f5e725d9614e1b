//! The turns of computer players that are due, as one loop of this process knows them.
//!
//! All boards of computer players are looked at now and then, and between two looks only those on which something has
//! happened: a change of one board costs the same however many there are. Boards that somebody watches come first.

use crate::app::App;
use crate::play::computer::due_at;
use knotpost_model::BoardRef;
use knotpost_storage::{BotTurn, StoreError};

/// How many turns are taken up at one look: those that have waited longest.
const LOOKED_AT: i64 = 200;

/// Turns that were due when they were looked at. Who takes one leases it, and looks whether the board is still the same.
#[derive(Debug, Default)]
pub struct DueTurns {
    turns: Vec<BotTurn>,
}

impl DueTurns {
    /// Looks at all boards.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look(&mut self, app: &App) -> Result<(), StoreError> {
        let now = app.clock.now();
        self.turns = app.store.query().await?.bot_turns(now, LOOKED_AT).await?;
        self.turns.retain(|turn| due_at(turn, app.config.bots.pace) <= now);
        Ok(())
    }

    /// Looks at one board on which something has happened.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_at(&mut self, app: &App, board: &BoardRef) -> Result<(), StoreError> {
        let now = app.clock.now();
        self.turns.retain(|turn| name_of(turn) != *board);
        let found = app.store.query().await?.bot_turn_on(&board.game, board.number, now).await?;
        self.turns.extend(found.filter(|turn| due_at(turn, app.config.bots.pace) <= now));
        Ok(())
    }

    /// Takes the turn that comes first: boards that somebody watches before others, then whatever has waited longest.
    pub fn take(&mut self, app: &App) -> Option<BotTurn> {
        let order = |turn: &BotTurn| {
            let is_watched = app.signals.watched.is_watched(&name_of(turn));
            (!is_watched, turn.since, turn.board)
        };
        let first = (0..self.turns.len()).min_by_key(|index| self.turns.get(*index).map(order))?;
        Some(self.turns.swap_remove(first))
    }
}

fn name_of(turn: &BotTurn) -> BoardRef {
    BoardRef { game: turn.game.clone(), number: u32::try_from(turn.number).unwrap_or_default() }
}
