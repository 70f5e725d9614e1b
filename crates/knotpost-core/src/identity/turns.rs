//! Who may hash a password next: a few at once, and one host after the other. A host has few places in the queue, so
//! that no flood takes those of others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use knotpost_model::Host;

/// Places of one host.
const OF_HOST: usize = 8;
/// Places of all whose host cannot be told, and of this machine, which may speak for many.
const OF_UNKNOWN: usize = 64;
/// Places in all.
const OF_ALL: usize = 256;

/// The queue.
#[derive(Debug)]
pub(crate) struct Turns(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    free: usize,
    waiting: HashMap<Option<Host>, VecDeque<oneshot::Sender<Turn>>>,
    /// The hosts that wait, the next one first.
    order: VecDeque<Option<Host>>,
}

/// Leave to hash; the next one has it when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn(Option<Arc<Mutex<Queue>>>);

impl Turns {
    /// A queue for this many at once.
    pub(crate) fn new(parallel: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue { free: parallel, waiting: HashMap::new(), order: VecDeque::new() })))
    }

    /// Waits for a turn; `None`: this host, or everybody, has too many who wait.
    pub(crate) async fn turn(&self, host: Option<Host>) -> Option<Turn> {
        let waits = {
            let mut queue = lock(&self.0);
            if queue.free > 0 {
                queue.free -= 1;
                return Some(Turn(Some(Arc::clone(&self.0))));
            }
            queue.enter(host.filter(|host| !host.is_loopback()))?
        };
        // An error: somebody of a host with fewer places taken came, and all places were taken.
        waits.await.ok()
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.0).waiting.values().map(VecDeque::len).sum()
    }
}

impl Queue {
    fn enter(&mut self, host: Option<Host>) -> Option<oneshot::Receiver<Turn>> {
        let most = if host.is_some() { OF_HOST } else { OF_UNKNOWN };
        if self.len_of(host) >= most || self.waiting.values().map(VecDeque::len).sum::<usize>() >= OF_ALL {
            // Who has gone away does not wait any more.
            self.forget_gone();
        }
        let mine = self.len_of(host);
        if mine >= most {
            return None;
        }
        if self.waiting.values().map(VecDeque::len).sum::<usize>() >= OF_ALL {
            // The last of those who have the most places gives way to somebody with fewer.
            let longest = self.waiting.iter().max_by_key(|(_, line)| line.len());
            let longest =
                longest.map(|(host, line)| (*host, line.len())).filter(|(_, most)| *most > mine + 1);
            let (host, _) = longest?;
            self.waiting.get_mut(&host)?.pop_back();
        }
        let (sender, receiver) = oneshot::channel();
        let line = self.waiting.entry(host).or_default();
        if line.is_empty() {
            self.order.push_back(host);
        }
        line.push_back(sender);
        Some(receiver)
    }

    fn len_of(&self, host: Option<Host>) -> usize {
        self.waiting.get(&host).map_or(0, VecDeque::len)
    }

    fn forget_gone(&mut self) {
        for line in self.waiting.values_mut() {
            line.retain(|waits| !waits.is_closed());
        }
        self.waiting.retain(|_, line| !line.is_empty());
        self.order.retain(|host| self.waiting.contains_key(host));
    }

    /// The next one who still waits, of the host whose turn it is.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some(host) = self.order.pop_front() {
            let Some(line) = self.waiting.get_mut(&host) else { continue };
            let next = line.pop_front();
            if line.is_empty() {
                self.waiting.remove(&host);
            } else {
                self.order.push_back(host);
            }
            if let Some(next) = next.filter(|waits| !waits.is_closed()) {
                return Some(next);
            }
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(queue) = self.0.take() else { return };
        loop {
            let next = {
                let mut held = lock(&queue);
                let next = held.next();
                if next.is_none() {
                    held.free += 1;
                }
                next
            };
            let Some(next) = next else { return };
            match next.send(Turn(Some(Arc::clone(&queue)))) {
                Ok(()) => return,
                // It went away meanwhile: its turn is still to be given.
                Err(mut turn) => drop(turn.0.take()),
            }
        }
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "what is asked for turns with")]
    fn host(number: u16) -> Option<Host> {
        let [high, low] = number.to_be_bytes();
        Some(Host::of([203, 0, high, low].into()))
    }

    /// Asks for a turn and polls once: waiting, or the outcome.
    fn ask(turns: &Turns, host: Option<Host>) -> Result<Option<Turn>, BoxFuture<'_, Option<Turn>>> {
        let mut asked = turns.turn(host).boxed();
        asked.as_mut().now_or_never().map_or_else(|| Err(asked), Ok)
    }

    fn is_refused(asked: &Result<Option<Turn>, BoxFuture<'_, Option<Turn>>>) -> bool {
        matches!(asked, Ok(None))
    }

    #[test]
    fn a_flood_of_one_host_takes_no_place_of_another() {
        let turns = Turns::new(2);
        let held: Vec<_> = (0..2).filter_map(|_| ask(&turns, host(1)).ok().flatten()).collect();
        assert_eq!(held.len(), 2);
        let flood: Vec<_> = (0..420).map(|_| ask(&turns, host(1))).collect();
        assert_eq!(flood.iter().filter(|asked| is_refused(asked)).count(), 420 - OF_HOST);
        let other = ask(&turns, host(2)).expect_err("it waits");
        drop(held);
        // Of the two turns given back, the flood gets one and the other host the next.
        assert!(other.now_or_never().flatten().is_some(), "behind one of the flood, not behind all");
    }

    #[test]
    fn where_all_places_are_taken_those_with_many_give_way() {
        let turns = Turns::new(1);
        let held = ask(&turns, None).ok().flatten();
        let flood: Vec<_> = (0..40).flat_map(|number| (0..8).map(move |_| number)).collect();
        let flood: Vec<_> = flood.into_iter().map(|number| ask(&turns, host(number))).collect();
        assert_eq!(turns.waiting(), OF_ALL);
        let late = ask(&turns, host(999)).expect_err("it waits");
        assert_eq!(turns.waiting(), OF_ALL);
        drop((held, flood));
        assert!(late.now_or_never().flatten().is_some());
    }

    #[test]
    fn who_goes_away_leaves_the_place_and_the_turn() {
        let turns = Turns::new(1);
        let held = ask(&turns, host(1)).ok().flatten();
        let gone: Vec<_> = (0..OF_HOST).map(|_| ask(&turns, host(1))).collect();
        assert!(is_refused(&ask(&turns, host(1))));
        drop(gone);
        let waits = ask(&turns, host(1)).expect_err("there is a place again");
        drop(held);
        let turn = waits.now_or_never().flatten();
        assert!(turn.is_some());
        drop(turn);
        assert!(matches!(ask(&turns, host(1)), Ok(Some(_))), "nobody has it");
    }

    #[test]
    fn this_machine_may_speak_for_many() {
        let turns = Turns::new(1);
        let here = Some(Host::of([127, 0, 0, 1].into()));
        let _held = ask(&turns, here);
        let flood: Vec<_> = (0..100).map(|_| ask(&turns, here)).collect();
        assert_eq!(flood.iter().filter(|asked| is_refused(asked)).count(), 100 - OF_UNKNOWN);
    }
}
