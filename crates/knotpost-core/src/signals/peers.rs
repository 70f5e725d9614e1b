//! Notices between processes on one database: wake-ups, counted tries, changed boards, boards in sight. All are hints: a
//! process that misses them polls a little later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, mpsc};

use knotpost_model::{BoardRef, Share, UserKey};
use knotpost_storage::{MAX_NOTICE, Notification, Store};

const WAITING: usize = 1024;
/// Time for collecting notices into one payload.
const BREATH: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    Inbox,
    Outbox,
    Board(BoardRef),
    InSight { board: BoardRef, user: UserKey },
    Counted { share: Share, key: String },
}

#[derive(Debug, Serialize, Deserialize)]
struct Bundle<N> {
    from: String,
    notices: Vec<N>,
}

/// Never blocks. Without a listener notices are dropped.
#[derive(Clone, Debug, Default)]
pub struct Announcer(Option<mpsc::Sender<Notice>>);

#[derive(Debug)]
pub struct Announcements(mpsc::Receiver<Notice>);

impl Announcer {
    pub fn new() -> (Self, Announcements) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(Some(sender)), Announcements(receiver))
    }

    pub fn announce(&self, notice: Notice) {
        if let Some(sender) = &self.0 {
            // Notices that a flood of requests can cause leave room for wake-ups.
            if matches!(notice, Notice::Counted { .. } | Notice::InSight { .. })
                && sender.capacity() < WAITING / 2
            {
                return;
            }
            // Full: the others poll before long.
            let _ = sender.try_send(notice);
        }
    }
}

#[derive(Debug)]
pub struct Wakeup {
    here: Notify,
    notice: Notice,
    announcer: Announcer,
    beside: Option<Arc<Wakeup>>,
    noted: AtomicBool,
}

impl Wakeup {
    pub fn new(notice: Notice, announcer: Announcer) -> Self {
        Self { here: Notify::new(), notice, announcer, beside: None, noted: AtomicBool::new(false) }
    }

    #[must_use]
    pub fn beside(self, other: Arc<Self>) -> Self {
        Self { beside: Some(other), ..self }
    }

    /// Defers to the coupled wake-up: uncommitted work cannot be seen yet.
    pub fn note(&self) {
        self.noted.store(true, Ordering::Relaxed);
    }

    /// Wakes one worker here, and one in every other process.
    pub fn notify_one(&self) {
        self.here.notify_one();
        if let Some(beside) = &self.beside
            && beside.noted.swap(false, Ordering::Relaxed)
        {
            beside.here.notify_one();
        }
        self.announcer.announce(self.notice.clone());
    }

    pub fn wake_here(&self) {
        self.here.notify_one();
    }

    pub async fn notified(&self) {
        self.here.notified().await;
    }
}

/// Sends notices until its announcers are gone.
pub async fn tell_peers(store: &Store, told: &mut Announcements, me: &str) {
    let mut notices = Vec::new();
    while told.0.recv_many(&mut notices, WAITING).await > 0 {
        for text in bundle(std::mem::take(&mut notices), me) {
            if let Err(error) = store.notify(&text).await {
                tracing::debug!(error = error.with_causes(), "other processes could not be told");
            }
        }
        tokio::time::sleep(BREATH).await;
    }
}

/// Merges notices into as few payloads as possible.
fn bundle(notices: Vec<Notice>, me: &str) -> Vec<String> {
    let mut woken = std::collections::HashSet::new();
    let mut bundles: Vec<String> = Vec::new();
    let mut here = Bundle { from: me.to_owned(), notices: Vec::new() };
    let mut size = 0;
    for notice in notices {
        // Wake-ups are idempotent, counts are not.
        if !matches!(notice, Notice::Counted { .. }) && !woken.insert(notice.clone()) {
            continue;
        }
        let length = serde_json::to_string(&notice).map_or(0, |text| text.len() + 1);
        if length == 0 || length + 100 > MAX_NOTICE {
            continue;
        }
        if size + length + 100 > MAX_NOTICE {
            bundles.extend(serde_json::to_string(&here));
            here.notices.clear();
            size = 0;
        }
        size += length;
        here.notices.push(notice);
    }
    if !here.notices.is_empty() {
        bundles.extend(serde_json::to_string(&here));
    }
    bundles
}

/// `None`: a new connection, anything may have been missed. Unknown notices of newer programs are skipped.
pub fn read_notices(heard: &Notification, me: &str) -> Option<Vec<Notice>> {
    let Notification::Notice(text) = heard else { return None };
    let bundle =
        serde_json::from_str::<Bundle<serde_json::Value>>(text).ok().filter(|bundle| bundle.from != me);
    let notices = bundle.into_iter().flat_map(|bundle| bundle.notices);
    Some(notices.filter_map(|raw| serde_json::from_value(raw).ok()).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use knotpost_model::{Channel, Rate, Share, ShareOf};

    fn counted(key: &str) -> Notice {
        let share = Share { rate: Rate::Password, scope: ShareOf::Name, channel: Channel::Mail };
        Notice::Counted { share, key: key.to_owned() }
    }

    #[test]
    fn a_flood_of_tries_leaves_room_for_signs() {
        let (announcer, mut told) = Announcer::new();
        (0..2 * WAITING).for_each(|number| announcer.announce(counted(&number.to_string())));
        announcer.announce(Notice::Inbox);
        let mut last = None;
        while let Ok(notice) = told.0.try_recv() {
            last = Some(notice);
        }
        assert_eq!(last, Some(Notice::Inbox));
    }

    #[test]
    fn a_sign_is_told_once_and_a_try_as_often_as_it_was_made() {
        let told = bundle(vec![Notice::Inbox, counted("a"), Notice::Inbox, counted("a")], "me");
        assert_eq!(told.len(), 1);
        let bundle: Bundle<Notice> = serde_json::from_str(&told[0]).unwrap();
        assert_eq!(bundle.from, "me");
        assert_eq!(bundle.notices, [Notice::Inbox, counted("a"), counted("a")]);
    }

    #[test]
    fn no_payload_is_longer_than_postgres_takes() {
        let many: Vec<Notice> = (0..500).map(|n| counted(&format!("{n} {}", "x".repeat(60)))).collect();
        let told = bundle(many, "me");
        assert!(told.iter().all(|text| text.len() < MAX_NOTICE), "{told:?}");
        let all: usize =
            told.iter().map(|text| serde_json::from_str::<Bundle<Notice>>(text).unwrap().notices.len()).sum();
        assert_eq!(all, 500);
        assert!(bundle(vec![counted(&"x".repeat(MAX_NOTICE))], "me").is_empty());
    }
}
