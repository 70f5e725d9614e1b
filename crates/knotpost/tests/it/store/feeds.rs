//! What the addresses of feeds are made of, and the boards they tell of.

use knotpost_model::{BoardKey, Millis};
use knotpost_storage::{StoreError, WaitingOrder};

use super::Ground;

pub(super) async fn feeds_have_an_address_until_they_are_ended(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        tx.set_feed_key(ann, "first", Millis(10)).await?;
        tx.set_feed_key(bob, "theirs", Millis(11)).await?;
        tx.set_feed_key(ann, "second", Millis(12)).await?;
        let known = (tx.feed_key(ann).await?, tx.feed_key(bob).await?);
        tx.drop_feed_key(ann).await?;
        let ended = (tx.feed_key(ann).await?, tx.feed_key(bob).await?);
        tx.forget_user(bob).await?;
        Ok::<_, StoreError>((known, ended, tx.feed_key(bob).await?))
    });
    let ((anns, bobs), (ended, kept), forgotten) = write.await.unwrap();
    assert_eq!(anns.map(|row| (row.salt, row.at)), Some(("second".to_owned(), Millis(12))));
    assert_eq!(bobs.map(|row| (row.salt, row.at)), Some(("theirs".to_owned(), Millis(11))));
    assert!(ended.is_none() && kept.is_some() && forgotten.is_none());
}

pub(super) async fn boards_that_wait_come_in_the_order_asked_for(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let mut boards = Vec::new();
    for players in [[ann, bob], [ann, bob], [ann, bob], [bob, ann], [ann, bob]] {
        boards.push(ground.board("osbox", players).await);
    }
    let [first, second, third, _, paused] = boards[..] else { panic!("five boards") };
    let write = ground.store.write(async move |tx| {
        // Each begins at 10 and is lost 5 later.
        let mut row = tx.board(first).await?.unwrap();
        row.last_move_at = Some(30);
        tx.update_board(&row).await?;
        let mut row = tx.board(second).await?.unwrap();
        row.last_move_at = Some(20);
        tx.update_board(&row).await?;
        tx.set_paused(paused, Some(Millis(11))).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let mut waiting = async |order, limit| -> Vec<BoardKey> {
        let rows = tx.boards_waiting_for(ann, order, limit).await.unwrap();
        rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(waiting(WaitingOrder::Latest, 9).await, [first, second, third]);
    assert_eq!(waiting(WaitingOrder::Latest, 2).await, [first, second]);
    assert_eq!(waiting(WaitingOrder::Shortest { forfeit_ms: 1000 }, 9).await, [third, second, first]);
}
