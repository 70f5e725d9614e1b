//! Whose turn is next among the mails that wait, and how many may.

use knotpost_model::{InboxKey, Millis};
use knotpost_storage::{NewPlace, QueueBound, QueueBounds, Share, Store, StoreError};

use super::Ground;
use super::mails::received;

const WIDE: QueueBounds = QueueBounds { per_flow: 1000, per_domain: 1000, total: 1000 };

fn place(flow: &str, share: Share) -> NewPlace {
    NewPlace { flow: flow.to_owned(), from_domain: "x.example".to_owned(), share }
}

async fn wait(store: &Store, place: &NewPlace, bounds: QueueBounds) -> Result<InboxKey, QueueBound> {
    let place = place.clone();
    let write = store.write(async move |tx| {
        Ok::<_, StoreError>(match tx.bound_met(&place, &bounds).await? {
            Some(bound) => Err(bound),
            None => Ok(tx.insert_waiting(&received(10, None), &place).await?),
        })
    });
    write.await.unwrap()
}

/// Takes the mail whose turn it is, and ends it.
async fn next(store: &Store) -> Option<InboxKey> {
    let write = store.write(async move |tx| {
        let Some(row) = tx.lease_inbox(Millis(50), Millis(100)).await? else { return Ok(None) };
        tx.finish_inbox(row.id, "done", "executed", false, Millis(60)).await?;
        Ok::<_, StoreError>(Some(row.id))
    });
    write.await.unwrap()
}

pub(super) async fn a_flood_from_one_host_delays_others_by_a_few_mails(ground: &Ground) {
    let store = &ground.store;
    let flood = place("host 192.0.2.1", Share::Unproven);
    let mut mails = Vec::new();
    for _ in 0..200 {
        mails.push(wait(store, &flood, WIDE).await.unwrap());
    }
    for expected in &mails[..50] {
        assert_eq!(next(store).await.as_ref(), Some(expected), "a flow keeps its order");
    }
    let stranger = wait(store, &place("host 192.0.2.2", Share::Unproven), WIDE).await.unwrap();
    let proven = wait(store, &place("proven x.example", Share::Proven), WIDE).await.unwrap();
    let known = wait(store, &place("sender ann@x.example", Share::Known), WIDE).await.unwrap();
    let mut order = Vec::new();
    for _ in 0..5 {
        order.push(next(store).await.unwrap());
    }
    let turn = |key: InboxKey| order.iter().position(|other| *other == key).unwrap_or(99);
    assert!(turn(known) <= 1 && turn(proven) <= 2 && turn(stranger) <= 4, "{order:?}");
    assert!(turn(known) < turn(proven) && turn(proven) < turn(stranger), "{order:?}");
    // Nor do known senders who write much keep the others waiting for ever.
    let mut known = Vec::new();
    for _ in 0..100 {
        known.push(wait(store, &place("sender ann@x.example", Share::Known), WIDE).await.unwrap());
    }
    let mut order = Vec::new();
    for _ in 0..40 {
        order.push(next(store).await.unwrap());
    }
    let strangers = order.iter().filter(|key| !known.contains(key)).count();
    assert!((1..=10).contains(&strangers), "{strangers} of 40");
}

pub(super) async fn a_leased_mail_does_not_hold_turns_back(ground: &Ground) {
    let store = &ground.store;
    let flow = |number: usize| place(&format!("host 192.0.2.{number}"), Share::Unproven);
    let stuck = wait(store, &flow(1), WIDE).await.unwrap();
    let lease = store.write(async move |tx| tx.lease_inbox(Millis(50), Millis(10_000)).await).await.unwrap();
    assert_eq!(lease.map(|row| row.id), Some(stuck));
    let mut second = Vec::new();
    for _ in 0..2 {
        second.push(wait(store, &flow(2), WIDE).await.unwrap());
    }
    // New hosts all the time: whoever waits for a second turn still has it.
    let mut order = Vec::new();
    for number in 3..9 {
        wait(store, &flow(number), WIDE).await.unwrap();
        order.push(next(store).await.unwrap());
    }
    assert!(second.iter().all(|key| order.contains(key)), "{order:?}");
}

pub(super) async fn each_share_of_the_queue_has_bounds_of_its_own(ground: &Ground) {
    let store = &ground.store;
    let bounds = QueueBounds { per_flow: 2, per_domain: 3, total: 4 };
    let stranger = |host: u8| place(&format!("host 192.0.2.{host}"), Share::Unproven);
    let elsewhere = |host: u8| NewPlace { from_domain: "y.example".to_owned(), ..stranger(host) };
    for mail in [stranger(1), stranger(1), stranger(2)] {
        wait(store, &mail, bounds).await.unwrap();
    }
    assert_eq!(wait(store, &stranger(1), bounds).await, Err(QueueBound::Flow));
    assert_eq!(wait(store, &stranger(2), bounds).await, Err(QueueBound::Domain));
    wait(store, &elsewhere(3), bounds).await.unwrap();
    assert_eq!(wait(store, &elsewhere(4), bounds).await, Err(QueueBound::Total));
    // What strangers send in the name of a domain leaves its own mail and known senders their places.
    for share in [Share::Proven, Share::Known] {
        wait(store, &place("x", share), bounds).await.unwrap();
    }
    next(store).await.unwrap();
    next(store).await.unwrap();
    next(store).await.unwrap();
    wait(store, &stranger(1), bounds).await.unwrap();
}
