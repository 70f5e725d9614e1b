//! The loop of the computer players: leases a turn, decides it on an idle processor, and makes it, within a common
//! budget of processor time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use knotpost_core::app::App;
use knotpost_core::boards::Board;
use knotpost_core::config::Bots;
use knotpost_core::outage::log_failure;
use knotpost_core::play::computer;
use knotpost_core::play::computer_turns::{CHEAP, DueTurns};
use knotpost_model::BoardRef;
use knotpost_model::computer_player::{LEVELS, level_of};
use knotpost_platform::clock::random_bytes;
use knotpost_rules::Seed;
use knotpost_storage::{BotTurn, StoreError};

use super::REST;
use crate::thinker::{processor_time, run_when_idle};

/// Interval of the search for turns without notification: those of other servers and delayed ones.
const LOOK: Duration = Duration::from_secs(2);
/// Wait after a change for further changes, so that many cost one query.
const BREATH: Duration = Duration::from_millis(30);
/// Outlasts the longest decision even if the threads of computer players get a tenth of a processor.
const LEASE_FACTOR: i64 = 10;
const LEASE_MS: i64 = 30_000;
const CHANGED_MS: i64 = 1_000;
const SET_ASIDE_MS: i64 = 3_600_000;
/// Shortest decision that is charged to a person.
const CHARGED: Duration = Duration::from_millis(10);
const HOUR: Duration = Duration::from_hours(1);

/// Processor time of all computer players; refills at a steady rate, to the share of one hour.
#[derive(Debug)]
pub struct Budget {
    hourly: Duration,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    seconds: f64,
    at: Instant,
}

impl Budget {
    pub fn new(settings: &Bots) -> Self {
        let hourly = Duration::from_secs(settings.hour_cpu_s.into());
        Self { hourly, left: Mutex::new(Left { seconds: hourly.as_secs_f64(), at: Instant::now() }) }
    }

    /// May overdraw by one decision a thread.
    fn spend(&self, used: Duration) {
        self.fill().seconds -= used.as_secs_f64();
    }

    fn wait(&self) -> Duration {
        let missing = -self.fill().seconds;
        let per_second = self.hourly.as_secs_f64() / HOUR.as_secs_f64();
        Duration::from_secs_f64((missing / per_second).max(0.0))
    }

    fn fill(&self) -> std::sync::MutexGuard<'_, Left> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, hourly) = (Instant::now(), self.hourly.as_secs_f64());
        let grown = (now - left.at).as_secs_f64() * hourly / HOUR.as_secs_f64();
        *left = Left { seconds: (left.seconds + grown).min(hourly), at: now };
        left
    }
}

pub async fn work_bots(app: Arc<App>, budget: Arc<Budget>, stop: CancellationToken) {
    let mut pool = Pool::new(&app);
    while !stop.is_cancelled() {
        match pool.play_next(&app, &budget, &stop).await {
            Ok(true) => {}
            Ok(false) => pool.rest(&stop).await,
            Err(error) => {
                log_failure(&error, "the computer players cannot go on");
                super::wait(&stop, REST).await;
            }
        }
    }
}

struct Pool {
    due: DueTurns,
    changes: Receiver<BoardRef>,
    looked_at: Option<Instant>,
    changed: Vec<BoardRef>,
}

impl Pool {
    fn new(app: &App) -> Self {
        let changes = app.signals.boards.subscribe();
        Self { due: DueTurns::default(), changes, looked_at: None, changed: Vec::new() }
    }

    /// Makes the first turn; false if none is due.
    async fn play_next(
        &mut self,
        app: &Arc<App>,
        budget: &Budget,
        stop: &CancellationToken,
    ) -> Result<bool, StoreError> {
        self.look(app).await?;
        let lease_ms = LEASE_MS + LEASE_FACTOR * i64::from(app.config.bots.move_ms);
        // Cheap levels answer even without budget: each person has a share of it.
        let most = if budget.wait().is_zero() { LEVELS } else { CHEAP };
        while let Some(turn) = self.due.take_up_to(app.clock.as_ref(), &app.signals, most) {
            if computer::lease(&app.store, app.clock.as_ref(), &turn, lease_ms).await? {
                play(app, budget, &turn, stop).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Queries the changed boards; all boards after [`LOOK`], or if changes were missed.
    async fn look(&mut self, app: &App) -> Result<(), StoreError> {
        loop {
            match self.changes.try_recv() {
                Ok(board) if self.changed.contains(&board) => {}
                Ok(board) => self.changed.push(board),
                Err(TryRecvError::Lagged(_)) => self.looked_at = None,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if self.looked_at.is_none_or(|at| at.elapsed() >= LOOK) {
            self.changed.clear();
            self.due.look(app).await?;
            self.looked_at = Some(Instant::now());
        }
        while let Some(board) = self.changed.pop() {
            self.due.look_at(app, &board).await?;
        }
        Ok(())
    }

    /// Waits for a change of a board, at most as long as a turn may be due without notification.
    async fn rest(&mut self, stop: &CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            change = self.changes.recv() => {
                match change {
                    Ok(board) => self.changed.push(board),
                    Err(_) => self.looked_at = None,
                }
                tokio::time::sleep(BREATH).await;
            }
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Queries all boards and makes the first turn; false if none is due.
pub async fn play_next(
    app: &Arc<App>,
    budget: &Budget,
    stop: &CancellationToken,
) -> Result<bool, StoreError> {
    Pool::new(app).play_next(app, budget, stop).await
}

/// Outcomes of a turn, as labels of the metrics.
const MADE: &str = "made";
const OVERTAKEN: &str = "overtaken";
const FAILED: &str = "failed";

pub(crate) fn begin_counting() {
    for outcome in [MADE, OVERTAKEN, FAILED] {
        metrics::counter!("knotpost_bot_moves_total", "outcome" => outcome).increment(0);
    }
}

async fn play(
    app: &Arc<App>,
    budget: &Budget,
    turn: &BotTurn,
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let Some(board) = find(app, turn).await? else { return Ok(()) };
    let Some(thought) = decide(app, board, turn, stop).await? else {
        // The process ends: another one, or the next, is to decide.
        return computer::give_back(&app.store, turn).await;
    };
    budget.spend(thought.used);
    if thought.used >= CHARGED {
        computer::charge(app, turn, thought.used).await?;
    }
    metrics::histogram!("knotpost_bot_move_seconds").record(thought.used.as_secs_f64());
    let made = match &thought.answer {
        Some(answer) => computer::make_turn(app, turn, answer).await,
        None => Err(StoreError::Corrupt("no move was decided on".to_owned())),
    };
    match made {
        Ok(is_made) => {
            let outcome = if is_made { MADE } else { OVERTAKEN };
            metrics::counter!("knotpost_bot_moves_total", "outcome" => outcome).increment(1);
            Ok(())
        }
        Err(error) if error.is_transient() => Err(error),
        Err(error) => set_aside(app, turn, &error).await,
    }
}

/// Loads the board of a turn; one that does not replay is set aside.
async fn find(app: &Arc<App>, turn: &BotTurn) -> Result<Option<Board>, StoreError> {
    match computer::find_board(app, turn).await {
        Ok(Some(board)) => Ok(Some(board)),
        Ok(None) => {
            computer::set_aside(app, turn, CHANGED_MS).await?;
            Ok(None)
        }
        Err(error) if error.is_transient() => Err(error),
        Err(error) => set_aside(app, turn, &error).await.map(|()| None),
    }
}

/// Reports a turn that cannot be made and delays it for [`SET_ASIDE_MS`].
async fn set_aside(app: &App, turn: &BotTurn, error: &StoreError) -> Result<(), StoreError> {
    tracing::error!(
        game = turn.game,
        board = turn.number,
        player = turn.userid,
        error = error.with_causes(),
        "a computer player cannot move on this board; it is left alone for an hour"
    );
    metrics::counter!("knotpost_bot_moves_total", "outcome" => FAILED).increment(1);
    computer::set_aside(app, turn, SET_ASIDE_MS).await
}

struct Thought {
    answer: Option<String>,
    used: Duration,
}

/// Decides on a thread of its own; `None` if the process is to end.
async fn decide(
    app: &App,
    board: Board,
    turn: &BotTurn,
    stop: &CancellationToken,
) -> Result<Option<Thought>, StoreError> {
    let Some(level) = level_of(&turn.userid) else {
        return Ok(Some(Thought { answer: None, used: Duration::ZERO }));
    };
    let (thinker, game) = (app.thinking.thinker(), turn.game.clone());
    let seed = Seed(random_bytes(app.entropy.as_ref())?);
    let most = Duration::from_millis(app.config.bots.move_ms.into());
    let is_stopped = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = oneshot::channel();
    let halt = Arc::clone(&is_stopped);
    let thread = std::thread::Builder::new().name("bot".to_owned()).spawn(move || {
        run_when_idle();
        let began = processor_time();
        let used = || processor_time().saturating_sub(began);
        let mut is_over = || halt.load(Ordering::Relaxed) || used() >= most;
        let answer = thinker.decide((&game, &*board.position), (level, &seed), &mut is_over);
        // Nobody waits any more when the process ends.
        let _ = sender.send(Thought { answer, used: used() });
    });
    thread.map_err(StoreError::from)?;
    tokio::select! {
        () = stop.cancelled() => {
            is_stopped.store(true, Ordering::Relaxed);
            Ok(None)
        }
        thought = receiver => {
            // A thread that ended without a result has panicked.
            Ok(Some(thought.unwrap_or(Thought { answer: None, used: Duration::ZERO })))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_budget_fills_up_to_the_share_of_an_hour() {
        let budget = Budget::new(&Bots { hour_cpu_s: 360, ..Bots::default() });
        assert_eq!(budget.wait(), Duration::ZERO);
        budget.spend(Duration::from_mins(6));
        assert_eq!(budget.wait(), Duration::ZERO, "nothing is missing yet");
        budget.spend(Duration::from_secs(1));
        assert_eq!(budget.wait(), Duration::from_secs(10), "a tenth of a second comes back each second");
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(budget.wait(), Duration::from_secs(6));
        tokio::time::advance(HOUR * 3).await;
        budget.spend(Duration::from_secs(361));
        assert_eq!(budget.wait(), Duration::from_secs(10), "no more than one hour's share is saved");
    }
}
