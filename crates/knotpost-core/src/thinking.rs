//! Access to computer players: one search at a time, short queues, a cache of answers. Players and search are
//! implemented elsewhere.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use knotpost_rules::{Position, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use crate::fair_queue::FairQueue;
use knotpost_model::{BoardKey, Host, UserKey};

const PARALLEL: usize = 1;
const MOST: usize = 8;
/// Queued moves on unstored boards, in all and per network, which may have many guests.
const MOST_QUICK: usize = 64;
const MOST_QUICK_OF_HOST: usize = 4;
const CACHED_HINTS: usize = 512;
const CACHED_ANALYSES: usize = 64;
/// Limit for a move on an unstored board.
const ANSWER: Duration = Duration::from_secs(1);
/// Queued analyses, one per user or guest.
const MOST_GAMES: usize = 3;
/// Limits of an analysis, in total and per position.
const GAME: Duration = Duration::from_secs(15);
const POSITION: Duration = Duration::from_secs(1);

/// A computer player's opinion of a position.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Thought {
    /// The whole turn, as it is played; `pass` and `swap` for those.
    #[serde(rename = "move")]
    pub turn: String,
    /// For each seat how good the position is, from 0 to 1.
    pub value: Vec<f64>,
    /// True if that is certain.
    pub proven: bool,
    /// The turns that are expected, beginning with this one; where dice are rolled, only the first.
    pub line: Vec<String>,
    /// The level of the player.
    pub level: u8,
    /// Positions or play-outs that were looked at.
    pub nodes: u64,
    /// Depth of the search in turns.
    pub depth: u32,
    /// True if time ended the search: then the same position may have another answer.
    pub cut: bool,
    /// The version of the players.
    pub version: &'static str,
}

pub trait Thinker: Send + Sync {
    /// Best move within `most`; `None`: finished position, or unknown game. Future rolls and hidden hands are
    /// not seen.
    fn think(&self, game: &str, position: &dyn Position, most: Duration) -> Option<Thought>;

    /// Move of a level, deterministic in the seed; `None` as for `think`. Levels of the lower half take a few
    /// hundredths of a second at most.
    fn answer(&self, at: (&str, &dyn Position), player: (u8, &Seed), most: Duration) -> Option<String>;

    /// Move of a level as `answer`, on this thread, until `is_over`.
    fn decide(
        &self,
        at: (&str, &dyn Position),
        player: (u8, &Seed),
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<String>;
}

/// A board with all its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    pub board: BoardKey,
    /// The digest of its seed and its moves, [`Board::course`](crate::boards::Board::course).
    pub course: [u8; 32],
}

/// Evaluation before each move of a game; `None`: skipped.
pub type Thoughts = Arc<Vec<Option<Thought>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    Busy,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskedFor {
    User(UserKey),
    /// Guests are counted per network.
    Guest(Option<Host>),
    Analysis,
}

pub struct Thinking {
    thinker: Arc<dyn Thinker>,
    turns: FairQueue<AskedFor>,
    /// For moves on unstored boards, not delayed by hints.
    quick_turns: FairQueue<AskedFor>,
    answers: Arc<Mutex<Answers<Arc<Thought>>>>,
    games: FairQueue<AskedFor>,
    analyses: Mutex<Answers<Thoughts>>,
}

struct Answers<T> {
    known: HashMap<Question, T>,
    order: VecDeque<Question>,
    most: usize,
}

impl Thinking {
    pub fn new(thinker: Arc<dyn Thinker>) -> Self {
        Self {
            thinker,
            turns: FairQueue::new(PARALLEL, MOST),
            quick_turns: FairQueue::new(PARALLEL, MOST_QUICK),
            answers: Arc::new(Mutex::new(Answers::new(CACHED_HINTS))),
            games: FairQueue::new(1, MOST_GAMES),
            analyses: Mutex::new(Answers::new(CACHED_ANALYSES)),
        }
    }

    /// The thinker, for turns that nobody waits for on a connection.
    pub fn thinker(&self) -> Arc<dyn Thinker> {
        Arc::clone(&self.thinker)
    }

    pub async fn ask(
        &self,
        user: UserKey,
        question: Question,
        (game, position): (&'static str, Box<dyn Position>),
    ) -> Result<Arc<Thought>, Unanswered> {
        if let Some(known) = self.recall(question) {
            return Ok(known);
        }
        let turn = self.turns.turn(AskedFor::User(user), 1).await.ok_or(Unanswered::Busy)?;
        // A parallel request may have computed it.
        if let Some(known) = self.recall(question) {
            return Ok(known);
        }
        let (thinker, answers) = (Arc::clone(&self.thinker), Arc::clone(&self.answers));
        // Runs to its end even without a waiter: only then is the permit free.
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let thought = Arc::new(thinker.think(game, position.as_ref(), POSITION)?);
            lock(&answers).insert(question, Arc::clone(&thought));
            Some(thought)
        });
        work.await.ok().flatten().ok_or(Unanswered::Unknown)
    }

    /// Move of a level on an unstored board. The seed is the server's: if it followed from the board, a won
    /// game could be repeated move by move.
    pub async fn answer(
        &self,
        host: Host,
        (game, position): (&'static str, Box<dyn Position>),
        level: u8,
        seed: Seed,
    ) -> Result<String, Unanswered> {
        let guest = AskedFor::Guest(Some(host));
        let turn = self.quick_turns.turn(guest, MOST_QUICK_OF_HOST).await.ok_or(Unanswered::Busy)?;
        let thinker = Arc::clone(&self.thinker);
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            thinker.answer((game, position.as_ref()), (level, &seed), ANSWER)
        });
        work.await.ok().flatten().ok_or(Unanswered::Unknown)
    }

    fn recall(&self, question: Question) -> Option<Arc<Thought>> {
        lock(&self.answers).known.get(&question).map(Arc::clone)
    }

    pub fn recall_analysis(&self, question: Question) -> Option<Thoughts> {
        lock(&self.analyses).known.get(&question).map(Arc::clone)
    }

    /// Evaluates the positions of a game; hints run in between.
    pub async fn analyse(
        &self,
        whose: AskedFor,
        question: Question,
        game: &'static str,
        positions: Vec<Option<Box<dyn Position>>>,
    ) -> Result<Thoughts, Unanswered> {
        let _game = self.games.turn(whose, 1).await.ok_or(Unanswered::Busy)?;
        if let Some(known) = self.recall_analysis(question) {
            return Ok(known);
        }
        let mut left = positions.iter().flatten().count() as u32;
        let (mut spent, mut thoughts) = (Duration::ZERO, Vec::with_capacity(positions.len()));
        for position in positions {
            let Some(position) = position else {
                thoughts.push(None);
                continue;
            };
            // Time saved on one position goes to the others.
            let most = (GAME.saturating_sub(spent) / left.max(1)).saturating_mul(2).min(POSITION);
            // One analysis at a time; a position of an abandoned one may still be running.
            let turn = self.turns.turn(AskedFor::Analysis, 2).await.ok_or(Unanswered::Busy)?;
            let (thinker, begun) = (Arc::clone(&self.thinker), Instant::now());
            let work = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                thinker.think(game, position.as_ref(), most)
            });
            thoughts.push(work.await.ok().flatten());
            (spent, left) = (spent + begun.elapsed(), left.saturating_sub(1));
        }
        if !thoughts.is_empty() && thoughts.iter().all(Option::is_none) {
            return Err(Unanswered::Unknown);
        }
        let thoughts = Arc::new(thoughts);
        lock(&self.analyses).insert(question, Arc::clone(&thoughts));
        Ok(thoughts)
    }
}

impl<T> Answers<T> {
    fn new(most: usize) -> Self {
        Self { known: HashMap::new(), order: VecDeque::new(), most }
    }

    fn insert(&mut self, question: Question, answer: T) {
        if self.known.insert(question, answer).is_none() {
            self.order.push_back(question);
        }
        while self.order.len() > self.most {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
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

    use knotpost_rules::Seed;

    use super::*;

    /// Answers on request of the test.
    struct Slow {
        go: Mutex<Receiver<()>>,
        asked: AtomicUsize,
    }

    impl Thinker for Slow {
        fn decide(
            &self,
            _: (&str, &dyn Position),
            _: (u8, &Seed),
            _: &mut dyn FnMut() -> bool,
        ) -> Option<String> {
            None
        }

        fn answer(&self, _: (&str, &dyn Position), _: (u8, &Seed), _: Duration) -> Option<String> {
            None
        }

        fn think(&self, _: &str, _: &dyn Position, _: Duration) -> Option<Thought> {
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
        let registry = knotpost_games::registry();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("options");
        game.setup(&options, 2, &Seed::default())
    }

    fn question(board: i64) -> Question {
        Question { board: BoardKey(board), course: [0; 32] }
    }

    #[tokio::test]
    async fn few_wait_and_one_user_has_one_place() {
        let (go, receiver) = channel();
        let slow = Arc::new(Slow { go: Mutex::new(receiver), asked: AtomicUsize::new(0) });
        let thinking = Arc::new(Thinking::new(Arc::clone(&slow) as Arc<dyn Thinker>));
        let ask = |user: i64, board: i64| {
            let thinking = Arc::clone(&thinking);
            tokio::spawn(
                async move { thinking.ask(UserKey(user), question(board), ("osbox", position())).await },
            )
        };
        let mut asked: Vec<_> = (0..=MOST as i64).map(|user| ask(user, user)).collect();
        while thinking.turns.waiting() < MOST {
            tokio::task::yield_now().await;
        }
        assert_eq!(ask(99, 99).await.expect("no panic"), Err(Unanswered::Busy), "all places are taken");
        asked.pop().expect("somebody who waits").abort();
        for user in [0, 1] {
            assert_eq!(ask(user, 99).await.expect("no panic"), Err(Unanswered::Busy), "{user} has a place");
        }
        for _ in 0..asked.len() {
            go.send(()).expect("it waits");
        }
        for answer in asked {
            assert!(answer.await.expect("no panic").is_ok());
        }
        // Cached: no second search.
        let before = slow.asked.load(Ordering::Relaxed);
        assert!(ask(50, 0).await.expect("no panic").is_ok());
        assert_eq!(slow.asked.load(Ordering::Relaxed), before);
    }

    #[tokio::test]
    async fn one_user_or_guest_has_one_game_analysed_and_hints_come_in_between() {
        let (go, receiver) = channel();
        let slow = Arc::new(Slow { go: Mutex::new(receiver), asked: AtomicUsize::new(0) });
        let thinking = Arc::new(Thinking::new(Arc::clone(&slow) as Arc<dyn Thinker>));
        let analyse = |whose: AskedFor, board: i64| {
            let thinking = Arc::clone(&thinking);
            let positions = vec![Some(position()), Some(position())];
            tokio::spawn(async move { thinking.analyse(whose, question(board), "osbox", positions).await })
        };
        let guest = AskedFor::Guest(None);
        let first = analyse(guest, 1);
        while slow.asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(analyse(guest, 2).await.expect("no panic"), Err(Unanswered::Busy));
        let other = analyse(AskedFor::User(UserKey(1)), 3);
        let hint = {
            let thinking = Arc::clone(&thinking);
            tokio::spawn(async move { thinking.ask(UserKey(1), question(9), ("osbox", position())).await })
        };
        while thinking.turns.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        // The running position, and then the hint.
        go.send(()).and_then(|()| go.send(())).expect("they wait");
        assert!(hint.await.expect("no panic").is_ok());
        for _ in 0..3 {
            go.send(()).expect("they wait");
        }
        assert!(first.await.expect("no panic").is_ok() && other.await.expect("no panic").is_ok());
    }

    #[test]
    fn the_oldest_answers_are_forgotten() {
        let mut answers = Answers::new(CACHED_HINTS);
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
        for board in 0..CACHED_HINTS as i64 + 3 {
            answers.insert(question(board), Arc::clone(&thought));
        }
        assert_eq!(answers.known.len(), CACHED_HINTS);
        assert!(!answers.known.contains_key(&question(2)) && answers.known.contains_key(&question(3)));
    }
}
