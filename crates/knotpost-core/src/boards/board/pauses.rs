//! Uncounted time of a board: loading, and additions after an undo.

use super::Board;
use crate::boards::time::{BoardPauses, has_own_limits, schedule, waiting_since};
use knotpost_model::{Millis, Period};
use knotpost_storage::{ReadTx, StoreError, WriteTx};

/// End of an open pause: the last representable calendar time.
const NEVER: Millis = Millis(253_402_300_799_999);

impl Board {
    /// Loads the pauses. Required before time is shown or judged.
    pub async fn load_pauses(&mut self, tx: &mut ReadTx) -> Result<(), StoreError> {
        let (key, since) = (self.row.id, self.row.started_at);
        let mut everybody = tx.outages(since).await?;
        everybody.extend(tx.board_pauses(key).await?);
        everybody.extend(self.row.paused_at.map(|at| Period::new(Millis(at), NEVER)));
        let vacations = tx.vacations_on(key, since).await?;
        let vacations =
            vacations.into_iter().map(|row| (row.user_id, Period::new(row.from_at, row.until_at))).collect();
        if has_own_limits(&self.row) {
            self.timing.needs_consent = self.row.pairing_id.is_none() && !tx.board_origin(key).await?.sought;
        }
        self.timing.pauses = BoardPauses { everybody, vacations };
        Ok(())
    }

    /// Restarts the clock of the player to move after an undo: time since the last remaining move counts for
    /// nobody. Expects the board after the undo; stores the next check.
    pub(crate) async fn restart_clock(&mut self, tx: &mut WriteTx, now: Millis) -> Result<(), StoreError> {
        let pause = Period::new(waiting_since(self), now);
        if pause.span().0 > 0 {
            tx.insert_board_pause(self.row.id, pause).await?;
            self.timing.pauses.everybody.push(pause);
        }
        schedule(self, now);
        tx.set_due(self.row.id, self.row.due_at.map(Millis), None).await
    }
}
