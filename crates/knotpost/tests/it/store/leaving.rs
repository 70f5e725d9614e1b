//! Codes for forgotten passwords, words to everybody, and users who leave.

use knotpost_model::{Address, Millis};
use knotpost_storage::{ALL_GAMES, NewOutbox, OutboxContent, StoreError, UserState};

use super::Ground;

pub(super) async fn a_code_is_tried_a_few_times_within_its_time(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        tx.add_reset(ann, "old", Millis(10)).await?;
        let before = tx.try_resets(ann, Millis(9), 3).await?;
        tx.add_reset(ann, "new", Millis(20)).await?;
        let live = tx.live_resets(ann, Millis(9), 3).await?;
        let late = tx.try_resets(ann, Millis(20), 3).await?;
        let nobody = tx.try_resets(bob, Millis(0), 3).await?;
        let mut tries = Vec::new();
        for _ in 0..4 {
            let mut right = tx.try_resets(ann, Millis(9), 3).await?;
            right.sort_unstable();
            tries.push(right.join(" "));
        }
        Ok::<_, StoreError>((before, live, late, nobody, tries))
    });
    let (before, live, late, nobody, tries) = write.await.unwrap();
    assert_eq!((before, live), (vec!["old".to_owned()], vec![Millis(20), Millis(10)]));
    assert_eq!((late, nobody), (Vec::new(), Vec::new()));
    assert_eq!(tries, ["new old", "new old", "new", ""], "the fourth try of each is one too many");
    let write = ground.store.write(async move |tx| {
        tx.add_reset(bob, "of bob", Millis(30)).await?;
        tx.prune_resets(Millis(30)).await?;
        let pruned = (tx.has_reset(ann, Millis(20)).await?, tx.has_reset(bob, Millis(30)).await?);
        tx.drop_reset(bob).await?;
        Ok::<_, StoreError>((pruned, tx.has_reset(bob, Millis(30)).await?))
    });
    assert_eq!(write.await.unwrap(), ((false, true), false));
}

pub(super) async fn a_broadcast_is_passed_on_in_parts(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (cyd, dan) = (ground.user("cyd").await, ground.user("dan").await);
    let write = ground.store.write(async move |tx| {
        tx.set_preference(bob, ALL_GAMES, "broadcasts", Some("off")).await?;
        tx.set_user_state(cyd, UserState::Suspended).await?;
        let claims = (
            tx.claim_broadcast(ann, Millis(0), Millis(100)).await?,
            tx.claim_broadcast(ann, Millis(99), Millis(150)).await?,
            tx.claim_broadcast(ann, Millis(100), Millis(200)).await?,
        );
        let idle = (tx.has_waiting_broadcast().await?, tx.take_broadcast().await?.is_none());
        tx.insert_broadcast(ann, "Hello", Millis(100)).await?;
        tx.insert_broadcast(dan, "Later", Millis(100)).await?;
        Ok::<_, StoreError>((claims, idle, tx.has_waiting_broadcast().await?))
    });
    assert_eq!(write.await.unwrap(), ((true, false, true), (false, true), true));
    let write = ground.store.write(async move |tx| {
        let row = tx.take_broadcast().await?.unwrap();
        let readers = tx.broadcast_readers(row.id, 0, 2).await?;
        tx.advance_broadcast(row.id, bob.0, None).await?;
        let again = tx.take_broadcast().await?.unwrap();
        let rest = tx.broadcast_readers(again.id, again.after_user, 2).await?;
        tx.advance_broadcast(row.id, dan.0, Some(Millis(300))).await?;
        let next = tx.take_broadcast().await?.unwrap();
        tx.prune_broadcasts(Millis(300)).await?;
        let is_kept = tx.broadcast(row.id).await?.is_some();
        tx.prune_broadcasts(Millis(301)).await?;
        let is_gone = tx.broadcast(row.id).await?.is_none();
        let is_found = is_kept && is_gone && tx.broadcast(next.id).await?.is_some();
        Ok::<_, StoreError>((row, readers, again.after_user, rest, next.text, is_found))
    });
    let (row, readers, after, rest, next, is_found) = write.await.unwrap();
    assert_eq!(
        (row.userid.as_str(), row.text.as_str(), row.at, row.after_user),
        ("ann", "Hello", Millis(100), 0)
    );
    assert_eq!(readers, [(ann.0, true), (bob.0, false)]);
    assert_eq!((after, rest), (bob.0, vec![(dan.0, true)]), "who is locked out gets none");
    assert_eq!((next.as_str(), is_found), ("Later", true));
}

pub(super) async fn who_leaves_is_forgotten_and_nobody_else(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        for user in [ann, bob] {
            let address: Address = format!("{}@example.org", user.0).parse().unwrap();
            tx.add_address(user, &address, None, Millis(1)).await?;
            tx.set_preference(user, ALL_GAMES, "moves", Some("digest")).await?;
            tx.subscribe(board, user).await?;
            tx.add_reset(user, "code", Millis(1)).await?;
            tx.add_to_digest(user, board, Millis(1)).await?;
            tx.set_digest_due(user, Millis(1)).await?;
            for kind in ["broadcast", "goodbye"] {
                tx.insert_outbox(&mail(user, kind)).await?;
            }
        }
        let finished = tx.has_finished_a_game(ann).await?;
        tx.forget_user(ann).await?;
        let rows = tx.lease_outbox(Millis(5), Millis(6), 9).await?;
        let waiting: Vec<_> = rows.into_iter().map(|row| (row.user_id, row.kind)).collect();
        Ok::<_, StoreError>((finished, waiting))
    });
    let (finished, waiting) = write.await.unwrap();
    assert!(!finished, "the board is still played");
    let left = |user: i64, kind: &str| (Some(user), kind.to_owned());
    assert_eq!(waiting, [left(ann.0, "goodbye"), left(bob.0, "broadcast"), left(bob.0, "goodbye")]);
    let mut tx = ground.store.read().await.unwrap();
    for (user, count) in [(ann, 0), (bob, 1)] {
        assert_eq!(tx.addresses(user).await.unwrap().len(), count);
        assert_eq!(tx.preferences(user).await.unwrap().len(), count);
        assert_eq!(tx.has_reset(user, Millis(1)).await.unwrap(), count == 1);
        assert_eq!(tx.digest_due(user).await.unwrap().is_some(), count == 1);
    }
    assert_eq!(tx.subscribers(board).await.unwrap(), [(bob.0, "bob".to_owned())]);
    assert_eq!(tx.seats(board).await.unwrap().len(), 2, "the board stays as it is");
}

fn mail(user: knotpost_model::UserKey, kind: &'static str) -> NewOutbox {
    NewOutbox {
        kind,
        recipient: format!("{}@example.org", user.0),
        user: Some(user),
        content: OutboxContent::Reference("{}".to_owned()),
        on_reply: None,
        message_id: format!("{kind}.{}@example.org", user.0),
        date: Millis(2),
    }
}

pub(super) async fn a_mail_by_reference_is_queued(ground: &Ground) {
    let ann = ground.user("ann").await;
    let write = ground.store.write(async move |tx| {
        tx.insert_outbox(&mail(ann, "broadcast")).await?;
        tx.lease_outbox(Millis(2), Millis(9), 1).await
    });
    let row = write.await.unwrap().pop().expect("it is due");
    assert_eq!(
        (row.kind.as_str(), row.user_id, row.facts.as_deref()),
        ("broadcast", Some(ann.0), Some("{}"))
    );
    assert_eq!(row.board_id, None);
}
