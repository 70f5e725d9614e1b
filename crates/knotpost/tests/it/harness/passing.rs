//! Letting time go by: with the server at work, or without it.

use knotpost_core::boards::Standing;
use knotpost_core::clock::{CLOCK_DUTY, work_due, work_tournaments};
use knotpost_core::queries::view_board;
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::LeaderLease;

use super::TestApp;

/// An hour in milliseconds.
pub(crate) const HOUR: i64 = 3_600_000;
/// A day in milliseconds.
pub(crate) const DAY: i64 = 24 * HOUR;

/// The process of a [`TestApp`], as far as the clock's duty goes.
pub(crate) const HOLDER: &str = "the test";

impl TestApp {
    /// Time goes by while the server works: the clock looks every six hours, and its mails leave.
    pub(crate) async fn pass(&self, millis: i64) {
        let mut left = millis;
        while left > 0 {
            let step = left.min(6 * HOUR);
            self.clock.advance(step);
            self.stay_alive().await;
            self.tick().await;
            left -= step;
        }
    }

    /// The clock of the boards does what is due.
    pub(crate) async fn tick(&self) {
        while work_due(&self.app, HOLDER).await.expect("the clock works") {}
        while work_tournaments(&self.app, HOLDER).await.expect("tournaments work") {}
        self.work().await;
    }

    /// As if the clock had said all the time that it is there.
    pub(crate) async fn stay_alive(&self) {
        self.hold_clock(HOLDER, self.app.clock.now()).await;
    }

    /// The clock's duty goes to `holder`, who was last heard of then.
    pub(crate) async fn hold_clock(&self, holder: &str, alive_at: Millis) {
        let duty = LeaderLease { holder: holder.to_owned(), until_at: alive_at.plus(60_000), alive_at };
        let held = self.app.store.write(async move |tx| tx.put_leader_lease(CLOCK_DUTY, &duty).await);
        held.await.expect("a duty");
    }

    /// Plays `moves` moves over HTTP, each an hour after the one before, and does what they cause.
    pub(crate) async fn play_on(&self, game: &str, number: u32, moves: usize) {
        for _ in 0..moves {
            let name = BoardRef { game: game.to_owned(), number };
            let board = view_board(&self.app, &name, None).await.expect("a board").board;
            let Standing::ToMove(seat) = board.standing() else { panic!("{name} is over") };
            let userid = board.userid_at(i64::from(seat.number()));
            let play = board.position.example_move().expect("a move");
            self.pass(HOUR).await;
            let page = self.post(&format!("{game} move {number} {userid} {userid}-secret {play}"), "").await;
            assert_eq!(page.outcome(), "200 ok", "{play}: {}", page.text);
            self.work().await;
        }
    }
}
