//! A fair queue for scarce work: each waiter has few places, so that a flood does not displace others.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Keyed by the party that is treated fairly.
#[derive(Debug)]
pub struct FairQueue<K: Copy + Eq + Hash>(Arc<Mutex<Queue<K>>>);

#[derive(Debug)]
struct Queue<K: Copy + Eq + Hash> {
    free: usize,
    most: usize,
    running: HashMap<K, usize>,
    waiting: HashMap<K, VecDeque<oneshot::Sender<Turn<K>>>>,
    order: VecDeque<K>,
}

/// Permit to work; passes on when dropped.
#[derive(Debug)]
pub struct Turn<K: Copy + Eq + Hash> {
    queue: Option<Arc<Mutex<Queue<K>>>>,
    key: K,
}

impl<K: Copy + Eq + Hash> FairQueue<K> {
    /// `parallel` permits, and `most` places to wait.
    pub fn new(parallel: usize, most: usize) -> Self {
        let (running, waiting, order) = (HashMap::new(), HashMap::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Queue { free: parallel, most, running, waiting, order })))
    }

    /// Waits for a permit; `None`: `of_one` of this key already wait or work, or the queue is full.
    pub async fn turn(&self, key: K, of_one: usize) -> Option<Turn<K>> {
        let waits = {
            let mut queue = lock(&self.0);
            if queue.len_of(key) < of_one && queue.free > 0 {
                queue.free -= 1;
                return Some(queue.begin(key, &self.0));
            }
            queue.enter(key, of_one)?
        };
        // An error means displaced: the queue was full and a key with fewer places came.
        waits.await.ok()
    }

    /// A permit at once; `None`: the key already has one, or none is free.
    pub fn turn_now(&self, key: K) -> Option<Turn<K>> {
        let mut queue = lock(&self.0);
        if queue.len_of(key) > 0 || queue.free == 0 {
            return None;
        }
        queue.free -= 1;
        Some(queue.begin(key, &self.0))
    }

    pub fn waiting(&self) -> usize {
        lock(&self.0).waiting.values().map(VecDeque::len).sum()
    }
}

impl<K: Copy + Eq + Hash> Queue<K> {
    fn begin(&mut self, key: K, queue: &Arc<Mutex<Self>>) -> Turn<K> {
        *self.running.entry(key).or_default() += 1;
        Turn { queue: Some(Arc::clone(queue)), key }
    }

    fn end(&mut self, key: K) {
        if let Some(running) = self.running.get_mut(&key) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&key);
            }
        }
    }

    fn enter(&mut self, key: K, of_one: usize) -> Option<oneshot::Receiver<Turn<K>>> {
        let is_full = |queue: &Self| queue.waiting.values().map(VecDeque::len).sum::<usize>() >= queue.most;
        if self.len_of(key) >= of_one || is_full(self) {
            // Drops waiters whose callers have gone away.
            self.forget_gone();
        }
        if self.len_of(key) >= of_one {
            return None;
        }
        if is_full(self) {
            // Full: the last waiter of the busiest key gives way to a key with fewer.
            let mine = self.waiting.get(&key).map_or(0, VecDeque::len);
            let longest = self.waiting.iter().max_by_key(|(_, line)| line.len());
            let longest =
                longest.map(|(other, line)| (*other, line.len())).filter(|(_, most)| *most > mine + 1);
            let (other, _) = longest?;
            self.waiting.get_mut(&other)?.pop_back();
        }
        let (sender, receiver) = oneshot::channel();
        let line = self.waiting.entry(key).or_default();
        if line.is_empty() {
            self.order.push_back(key);
        }
        line.push_back(sender);
        Some(receiver)
    }

    fn len_of(&self, key: K) -> usize {
        let running = self.running.get(&key).copied().unwrap_or_default();
        running + self.waiting.get(&key).map_or(0, VecDeque::len)
    }

    fn forget_gone(&mut self) {
        for line in self.waiting.values_mut() {
            line.retain(|waits| !waits.is_closed());
        }
        self.waiting.retain(|_, line| !line.is_empty());
        self.order.retain(|key| self.waiting.contains_key(key));
    }

    /// Next live waiter, round robin over keys.
    fn next(&mut self) -> Option<(K, oneshot::Sender<Turn<K>>)> {
        while let Some(key) = self.order.pop_front() {
            let Some(line) = self.waiting.get_mut(&key) else { continue };
            let next = line.pop_front();
            if line.is_empty() {
                self.waiting.remove(&key);
            } else {
                self.order.push_back(key);
            }
            if let Some(next) = next.filter(|waits| !waits.is_closed()) {
                return Some((key, next));
            }
        }
        None
    }
}

impl<K: Copy + Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let Some(queue) = self.queue.take() else { return };
        let mut ended = self.key;
        loop {
            let (turn, next) = {
                let mut held = lock(&queue);
                held.end(ended);
                let Some((key, next)) = held.next() else {
                    held.free += 1;
                    return;
                };
                (held.begin(key, &queue), next)
            };
            match next.send(turn) {
                Ok(()) => return,
                // Its caller went away: pass the permit on.
                Err(mut turn) => {
                    turn.queue.take();
                    ended = turn.key;
                }
            }
        }
    }
}

fn lock<K: Copy + Eq + Hash>(queue: &Mutex<Queue<K>>) -> MutexGuard<'_, Queue<K>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;

    use super::*;

    const OF_ONE: usize = 8;
    const OF_ALL: usize = 256;

    type Asked<'a> = Result<Option<Turn<u16>>, BoxFuture<'a, Option<Turn<u16>>>>;

    fn ask(queue: &FairQueue<u16>, key: u16) -> Asked<'_> {
        let mut asked = queue.turn(key, OF_ONE).boxed();
        asked.as_mut().now_or_never().map_or_else(|| Err(asked), Ok)
    }

    fn is_refused(asked: &Asked<'_>) -> bool {
        matches!(asked, Ok(None))
    }

    #[test]
    fn a_flood_of_one_takes_no_place_of_another() {
        let queue = FairQueue::new(2, OF_ALL);
        let held: Vec<_> = (0..2).filter_map(|_| ask(&queue, 1).ok().flatten()).collect();
        assert_eq!(held.len(), 2);
        let flood: Vec<_> = (0..420).map(|_| ask(&queue, 1)).collect();
        assert_eq!(flood.iter().filter(|asked| is_refused(asked)).count(), 420 - (OF_ONE - 2));
        let other = ask(&queue, 2).expect_err("it waits");
        drop(held);
        // Of the two permits returned, the flood gets one and the other key the next.
        assert!(other.now_or_never().flatten().is_some(), "behind one of the flood, not behind all");
    }

    #[test]
    fn where_all_places_are_taken_those_with_many_give_way() {
        let queue = FairQueue::new(1, OF_ALL);
        let held = ask(&queue, 500).ok().flatten();
        let flood: Vec<_> = (0..40).flat_map(|key| (0..8).map(move |_| key)).collect();
        let flood: Vec<_> = flood.into_iter().map(|key| ask(&queue, key)).collect();
        assert_eq!(queue.waiting(), OF_ALL);
        let late = ask(&queue, 999).expect_err("it waits");
        assert_eq!(queue.waiting(), OF_ALL);
        drop((held, flood));
        assert!(late.now_or_never().flatten().is_some());
    }

    #[test]
    fn who_goes_away_leaves_the_place_and_the_turn() {
        let queue = FairQueue::new(1, OF_ALL);
        let held = ask(&queue, 1).ok().flatten();
        let gone: Vec<_> = (0..OF_ONE).map(|_| ask(&queue, 1)).collect();
        assert!(is_refused(&ask(&queue, 1)));
        drop(gone);
        let waits = ask(&queue, 1).expect_err("there is a place again");
        drop(held);
        let turn = waits.now_or_never().flatten();
        assert!(turn.is_some());
        drop(turn);
        assert!(matches!(ask(&queue, 1), Ok(Some(_))), "nobody has it");
        assert!(lock(&queue.0).running.is_empty() && queue.turn_now(1).is_some());
    }

    #[test]
    fn whoever_wants_no_wait_has_one_turn_at_most() {
        let queue = FairQueue::new(2, 0);
        let one = queue.turn_now(1);
        assert!(one.is_some() && queue.turn_now(1).is_none());
        let other = queue.turn_now(2);
        assert!(other.is_some() && queue.turn_now(3).is_none());
        drop(one);
        assert!(queue.turn_now(3).is_some());
    }
}
