//! Computer players that are asked about boards: one question after the other on a thread of its own, few that wait, and
//! answers that are kept. Which players there are, and how they search, is not known here.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use knotpost_rules::Position;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;

use knotpost_model::{BoardKey, UserKey};

/// Questions that are thought about at once; each takes a processor.
const PARALLEL: usize = 1;
/// Questions that are thought about or wait, of all and of one user.
const MOST: usize = 8;
const MOST_OF_USER: usize = 2;
/// Answers that are kept.
const KEPT: usize = 512;

/// What a computer player says of a position.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Thought {
    /// The whole turn, as it is played; `pass` and `swap` for those.
    #[serde(rename = "move")]
    pub turn: String,
    /// For each seat how good the position is, from 0 to 1.
    pub value: Vec<f64>,
    /// Whether that is certain.
    pub proven: bool,
    /// The turns that are expected, beginning with this one; where dice are rolled, only the first.
    pub line: Vec<String>,
    /// The level of the player.
    pub level: u8,
    /// Positions or play-outs that were looked at.
    pub nodes: u64,
    /// How many turns deep the search went.
    pub depth: u32,
    /// Whether time ended the search: then the same position may have another answer.
    pub cut: bool,
    /// The version of the players.
    pub version: &'static str,
}

/// A computer player for every game.
pub trait Thinker: Send + Sync {
    /// What it would do for the seat to move in a position of the game with this name, found in about a second; `None`: the
    /// position is one of a finished game, or it does not know the game. It sees no coming roll and no hidden hand.
    fn think(&self, game: &str, position: &dyn Position) -> Option<Thought>;

    /// The turn of the player of a level; `None` where `think` has no answer. A level of the lower half takes a few hundredths
    /// of a second at most.
    fn answer(&self, game: &str, position: &dyn Position, level: u8) -> Option<String>;
}

/// What is asked: a board with all its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The board.
    pub board: BoardKey,
    /// The digest of its moves.
    pub moves: i64,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Too many questions wait.
    Busy,
    /// No computer player plays this.
    Unknown,
}

/// Asks a computer player.
pub struct Thinking {
    thinker: Arc<dyn Thinker>,
    turns: Arc<Semaphore>,
    /// For those who play a board of their own: no hint is in their way.
    quick_turns: Arc<Semaphore>,
    waiting: Arc<Mutex<Vec<UserKey>>>,
    answers: Arc<Mutex<Answers>>,
}

/// Answers, the oldest first.
#[derive(Default)]
struct Answers {
    known: HashMap<Question, Arc<Thought>>,
    order: VecDeque<Question>,
}

/// A place in the queue, given back when it is dropped.
struct Place {
    waiting: Arc<Mutex<Vec<UserKey>>>,
    user: UserKey,
}

impl Thinking {
    /// Asks this player.
    pub fn new(thinker: Arc<dyn Thinker>) -> Self {
        Self {
            thinker,
            turns: Arc::new(Semaphore::new(PARALLEL)),
            quick_turns: Arc::new(Semaphore::new(PARALLEL)),
            waiting: Arc::default(),
            answers: Arc::default(),
        }
    }

    /// What the player would do on a board, asked for a user.
    ///
    /// # Errors
    /// When too many wait, or nobody plays this.
    pub async fn ask(
        &self,
        user: UserKey,
        question: Question,
        (game, position): (&'static str, Box<dyn Position>),
    ) -> Result<Arc<Thought>, Unanswered> {
        if let Some(known) = self.recall(question) {
            return Ok(known);
        }
        let place = Place::take(&self.waiting, user).ok_or(Unanswered::Busy)?;
        // The semaphore is never closed.
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Unanswered::Busy)?;
        // Somebody may have asked the same and waited less.
        if let Some(known) = self.recall(question) {
            return Ok(known);
        }
        let (thinker, answers) = (Arc::clone(&self.thinker), Arc::clone(&self.answers));
        // Goes on to its end even when nobody waits for it any more: turn and place are free only then.
        let work = tokio::task::spawn_blocking(move || {
            let (_turn, _place) = (turn, place);
            let thought = Arc::new(thinker.think(game, position.as_ref())?);
            lock(&answers).keep(question, &thought);
            Some(thought)
        });
        work.await.ok().flatten().ok_or(Unanswered::Unknown)
    }

    /// The turn of a player of this level on a board that is not stored.
    ///
    /// # Errors
    /// When nobody plays this, or the position is of a finished game.
    pub async fn answer(
        &self,
        (game, position): (&'static str, Box<dyn Position>),
        level: u8,
    ) -> Result<String, Unanswered> {
        let turn = Arc::clone(&self.quick_turns).acquire_owned().await.map_err(|_| Unanswered::Busy)?;
        let thinker = Arc::clone(&self.thinker);
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            thinker.answer(game, position.as_ref(), level)
        });
        work.await.ok().flatten().ok_or(Unanswered::Unknown)
    }

    fn recall(&self, question: Question) -> Option<Arc<Thought>> {
        lock(&self.answers).known.get(&question).map(Arc::clone)
    }
}

impl Answers {
    fn keep(&mut self, question: Question, thought: &Arc<Thought>) {
        if self.known.insert(question, Arc::clone(thought)).is_none() {
            self.order.push_back(question);
        }
        while self.order.len() > KEPT {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

impl Place {
    /// A place for a user; `None`: they, or all together, have as many as there are.
    fn take(waiting: &Arc<Mutex<Vec<UserKey>>>, user: UserKey) -> Option<Self> {
        let mut users = lock(waiting);
        let own = users.iter().filter(|other| **other == user).count();
        if users.len() >= MOST || own >= MOST_OF_USER {
            return None;
        }
        users.push(user);
        Some(Self { waiting: Arc::clone(waiting), user })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut users = lock(&self.waiting);
        if let Some(at) = users.iter().position(|other| *other == self.user) {
            users.swap_remove(at);
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, channel};

    use knotpost_rules::{Registry, Seed};

    use super::*;

    /// Answers when it is told to.
    struct Slow {
        go: Mutex<Receiver<()>>,
        asked: AtomicUsize,
    }

    impl Thinker for Slow {
        fn answer(&self, _: &str, _: &dyn Position, _: u8) -> Option<String> {
            None
        }

        fn think(&self, _: &str, _: &dyn Position) -> Option<Thought> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            lock(&self.go).recv().ok()?;
            Some(Thought {
                turn: "f1".to_owned(),
                value: vec![0.5, 0.5],
                proven: false,
                line: vec!["f1".to_owned()],
                level: 1,
                nodes: 1,
                depth: 1,
                cut: false,
                version: "1",
            })
        }
    }

    fn position() -> Box<dyn Position> {
        let registry = Registry::standard();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("options");
        game.setup(&options, 2, &Seed::default())
    }

    fn question(board: i64) -> Question {
        Question { board: BoardKey(board), moves: 0 }
    }

    #[tokio::test]
    async fn few_wait_and_none_of_them_is_kept_by_one_user() {
        let (go, receiver) = channel();
        let slow = Arc::new(Slow { go: Mutex::new(receiver), asked: AtomicUsize::new(0) });
        let thinking = Arc::new(Thinking::new(Arc::clone(&slow) as Arc<dyn Thinker>));
        let ask = |user: i64, board: i64| {
            let thinking = Arc::clone(&thinking);
            tokio::spawn(
                async move { thinking.ask(UserKey(user), question(board), ("osbox", position())).await },
            )
        };
        let mut asked: Vec<_> = (0..MOST as i64).map(|user| ask(user / 2, user)).collect();
        while lock(&thinking.waiting).len() < MOST {
            tokio::task::yield_now().await;
        }
        // All places are taken, and those of one user before that.
        assert_eq!(ask(99, 99).await.expect("no panic"), Err(Unanswered::Busy));
        asked.pop().expect("somebody who waits").abort();
        while lock(&thinking.waiting).len() == MOST {
            tokio::task::yield_now().await;
        }
        assert_eq!(ask(0, 99).await.expect("no panic"), Err(Unanswered::Busy));
        for _ in 0..asked.len() {
            go.send(()).expect("it waits");
        }
        for answer in asked {
            assert!(answer.await.expect("no panic").is_ok());
        }
        // Kept: nobody thinks again.
        let before = slow.asked.load(Ordering::Relaxed);
        assert!(ask(50, 0).await.expect("no panic").is_ok());
        assert_eq!(slow.asked.load(Ordering::Relaxed), before);
        assert!(lock(&thinking.waiting).is_empty());
    }

    #[test]
    fn the_oldest_answers_are_forgotten() {
        let mut answers = Answers::default();
        let thought = Arc::new(Thought {
            turn: "f1".to_owned(),
            value: Vec::new(),
            proven: true,
            line: Vec::new(),
            level: 1,
            nodes: 1,
            depth: 1,
            cut: false,
            version: "1",
        });
        for board in 0..KEPT as i64 + 3 {
            answers.keep(question(board), &thought);
        }
        assert_eq!(answers.known.len(), KEPT);
        assert!(!answers.known.contains_key(&question(2)) && answers.known.contains_key(&question(3)));
    }
}
